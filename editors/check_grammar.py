#!/usr/bin/env python3
"""Compares the words of girih.tmLanguage.json with the compiler's.

Usage: check_grammar.py

The grammar must be JSON, every pattern in it a regular expression, every
keyword of the lexer (compiler/frontend/Lexer.cpp) one of its keywords or
constants and the other way round, every directive of schedules
(PrintSchedule.cpp) one of its directives, and every type that compiler/frontend
knows one of its types. Exit status: 0 all is well, 1 something differs.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FRONTEND = os.path.join(HERE, "..", "compiler", "frontend")
WORDS = re.compile(r"^\\b\(([a-z0-9|]+)\)\\b$")
# Scopes whose words must be exactly the lexer's keywords.
KEYWORDS = ("keyword.declaration", "keyword.control", "keyword.operator.word",
            "constant.language")


def read(name):
    with open(os.path.join(FRONTEND, name), encoding="utf-8") as file:
        return file.read()


def lexer_keywords():
    return set(re.findall(r'\{"([a-z]+)",\s*TokenKind::Kw\w+\}',
                          read("Lexer.cpp")))


def compiler_types():
    """Every type name that stands as a string in Builtins.cpp."""
    return set(re.findall(r'"(bf16|bool|[fiu]\d+(?:e\d+m\d+(?:fn)?)?)"',
                          read("Builtins.cpp")))


def compiler_directives():
    """What `spelling(DirectiveKind)` returns."""
    return set(re.findall(r'return "([a-z_]+)";', read("PrintSchedule.cpp")))


def grammar_directives(rule):
    """The words of the rule that colours directives; none of another."""
    captures = rule.get("captures", {}).values()
    if not any(c["name"].startswith("keyword.other.directive")
               for c in captures):
        return set()
    return set(re.search(r"\(([a-z_|]{40,})\)", rule["match"]).group(1)
               .split("|"))


def rules(node):
    """Every pattern of the grammar."""
    if isinstance(node, dict):
        if "match" in node:
            yield node
        for value in node.values():
            yield from rules(value)
    elif isinstance(node, list):
        for value in node:
            yield from rules(value)


def main():
    path = os.path.join(HERE, "girih.tmLanguage.json")
    with open(path, encoding="utf-8") as file:
        grammar = json.load(file)
    problems, keywords, types, directives = [], set(), set(), set()
    for rule in rules(grammar):
        try:
            re.compile(rule["match"])
        except re.error as error:
            problems.append(f"no regular expression: {rule['match']}: {error}")
        directives |= grammar_directives(rule)
        words = WORDS.match(rule["match"])
        if words and rule["name"].startswith(KEYWORDS):
            keywords |= set(words.group(1).split("|"))
        if words and rule["name"].startswith("storage.type"):
            types |= set(words.group(1).split("|"))
    lexed = lexer_keywords()
    if len(lexed) < 20:
        problems.append(f"only {len(lexed)} keywords found in Lexer.cpp")
    for word in sorted(lexed - keywords):
        problems.append(f"the keyword '{word}' is missing")
    for word in sorted(keywords - lexed):
        problems.append(f"'{word}' is no keyword of the lexer")
    if len(compiler_directives()) < 20:
        problems.append("no directives found in PrintSchedule.cpp")
    for word in sorted(compiler_directives() ^ directives):
        problems.append(f"the directive '{word}' is on one side only")
    for word in sorted(compiler_types() - types):
        problems.append(f"the type '{word}' is missing")
    for problem in problems:
        print(problem)
    print(f"grammar: {len(keywords)} keywords, {len(types)} types, "
          f"{len(directives)} directives, "
          f"{len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
