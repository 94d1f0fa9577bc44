#!/usr/bin/env python3
"""Compares the error codes of the sources with docs/errors.md.

Usage: check_codes.py [--root DIR] [--self-test]

Every code that stands as a string in the sources ("G0101") has one row on the
page, and every row's code stands in the sources. Where a room keeps its codes
in a table (Codes.h: X(Name, "G0101", "meaning")), the row says that meaning.
Exit status: 0 they agree, 1 they differ.
"""

import argparse
import os
import re
import sys

SOURCE_FOLDERS = ["compiler", "dialects", "passes", "runtime", "tools"]
PAGE = "docs/errors.md"

CODE = re.compile(r'"(G\d{4})"')
TABLE_ENTRY = re.compile(r'X\(\s*\w+\s*,\s*"(G\d{4})"\s*,\s*"([^"]*)"\s*\)')
ROW = re.compile(r"^\|\s*`?(G\d{4})`?\s*\|([^|]*)\|")


def without_comments(text):
    """The text with // comments blanked (no string of ours holds //)."""
    return re.sub(r"//[^\n]*", "", text)


def codes_in(text):
    """(codes, meanings) of one source text."""
    text = without_comments(text)
    return set(CODE.findall(text)), dict(TABLE_ENTRY.findall(text))


def rows_in(page):
    """[(code, meaning, line number)] of the page's tables."""
    rows = []
    for number, line in enumerate(page.splitlines(), 1):
        match = ROW.match(line)
        if match:
            rows.append((match.group(1), match.group(2).strip(), number))
    return rows


def compare(sources, page):
    """Sentences about what differs. `sources`: {path: text}."""
    problems = []
    where, meanings = {}, {}
    for path, text in sorted(sources.items()):
        codes, table = codes_in(text)
        for code in codes:
            where.setdefault(code, path)
        meanings.update(table)
    seen = {}
    for code, meaning, line in rows_in(page):
        if code in seen:
            problems.append(f"{PAGE}:{line}: {code} has two rows, the first "
                            f"in line {seen[code]}")
            continue
        seen[code] = line
        if code not in where:
            problems.append(f"{PAGE}:{line}: no source gives {code}")
        elif code in meanings and meanings[code] != meaning:
            problems.append(f"{PAGE}:{line}: {code} means "
                            f"'{meanings[code]}', the page says '{meaning}'")
    for code, path in sorted(where.items()):
        if code not in seen:
            problems.append(f"{path}: {code} has no row in {PAGE}")
    return problems


def read_sources(root):
    sources = {}
    for folder in SOURCE_FOLDERS:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".h", ".cpp", ".td")):
                    path = os.path.join(directory, name)
                    with open(path, encoding="utf-8") as file:
                        sources[os.path.relpath(path, root)] = file.read()
    return sources


def self_test():
    source = {"a/Codes.h": 'X(A, "G0101", "one")\n// such as "G0999"\n'
                           'f("G0102");'}
    row = {"G0101": "| G0101 | one | do |", "G0102": "| G0102 | two | do |"}
    both = "\n".join(row.values())
    cases = [
        (both, None),
        (row["G0101"], "G0102 has no row"),
        (both + "\n| G0103 | three | do |", "no source gives G0103"),
        (both.replace("| one |", "| other |"), "G0101 means 'one'"),
        (both + "\n" + row["G0102"], "G0102 has two rows"),
    ]
    failed = 0
    for page, words in cases:
        problems = compare(source, page)
        fine = (not problems if words is None
                else len(problems) == 1 and words in problems[0])
        if not fine:
            failed += 1
            print(f"self-test: expected {words!r}, got {problems}")
    print(f"self-test: {len(cases)} cases, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", ".."))
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    with open(os.path.join(options.root, PAGE), encoding="utf-8") as file:
        page = file.read()
    problems = compare(read_sources(options.root), page)
    for problem in problems:
        print(problem)
    print(f"codes: {len(problems)} differences" if problems else "codes: clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
