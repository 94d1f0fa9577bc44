#!/usr/bin/env python3
"""Counts the refusals that tests assert, and names codes that none does.

Usage: check_refusals.py [--root DIR] [--least N] [--self-test]

A refusal is a code with the words that a test expects of it: a string of a
C++ test ("G0907", "slices are ..."), a line of a lit test (error[G0907]: ...),
or an example of docs/error-examples.md, which a test of its own compiles.
Exit status: 0 every code is tested and there are at least N refusals, 1 not.
"""

import argparse
import os
import re
import sys

from check_codes import codes_in, read_sources

# Codes that no program, file or flag can draw, with the reason.
UNREACHED = {
    "G0606": "the parser judges terms by the same rules",
    "G0607": "a fault of the compiler",
    "G0715": "isl itself failed",
    "G0809": "a fault of the compiler: LLVM makes no PTX of its own output",
    "G1009": "a fault of the compiler: te that was verified does not run",
}

LITERAL = r'"((?:[^"\\]|\\.)*)"'
# "G0907", "words" with the words on the same line or the next.
IN_TABLE = re.compile(r'"(G\d{4})"\s*,?\s*' + LITERAL)
IN_TEXT = re.compile(r'(?:error|warning)\[(G\d{4})\]:? ?([^"\n]*)')
ANYWHERE = re.compile(r"\bG\d{4}\b")
EXAMPLE = re.compile(r"^## (G\d{4})$", re.M)


def refusals_in(text):
    """{(code, words)} and every code that the text names."""
    found = set(IN_TABLE.findall(text)) | set(IN_TEXT.findall(text))
    return found, set(ANYWHERE.findall(text))


def read_tests(root):
    texts = []
    for directory, _, names in os.walk(os.path.join(root, "test")):
        for name in names:
            if name.endswith((".cpp", ".h", ".test", ".te", ".mlir", ".py")):
                with open(os.path.join(directory, name),
                          encoding="utf-8") as file:
                    texts.append(file.read())
    return texts


def count(sources, tests, examples):
    """(all codes, tested codes, refusals)."""
    codes = set()
    for text in sources.values():
        codes |= codes_in(text)[0]
    refusals, tested = set(), set(EXAMPLE.findall(examples))
    for code in tested:
        refusals.add((code, "docs/error-examples.md"))
    for text in tests:
        found, named = refusals_in(text)
        refusals |= found
        tested |= named
    return codes, tested & codes, {r for r in refusals if r[0] in codes}


def self_test():
    source = {"a.cpp": 'X(A, "G0101", "one") X(B, "G0102", "two")'}
    test = ('{"x", "G0101", "first words"},\n{"y", "G0101",\n "other words"}\n'
            "# CHECK: error[G0999]: no code of ours")
    codes, tested, refusals = count(source, [test], "## G0102\n")
    fine = (codes == {"G0101", "G0102"} and tested == codes and
            refusals == {("G0101", "first words"), ("G0101", "other words"),
                         ("G0102", "docs/error-examples.md")})
    print("self-test: " + ("passed" if fine else f"failed: {refusals}"))
    return 0 if fine else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", ".."))
    parser.add_argument("--least", type=int, default=120)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    with open(os.path.join(options.root, "docs/error-examples.md"),
              encoding="utf-8") as file:
        examples = file.read()
    codes, tested, refusals = count(read_sources(options.root),
                                    read_tests(options.root), examples)
    if options.list:
        for code, words in sorted(refusals):
            print(code, words)
    missing = sorted(codes - tested - set(UNREACHED))
    for code in missing:
        print(f"{code}: no test asserts it")
    for code in sorted(set(UNREACHED) & tested):
        print(f"{code}: called unreachable, but a test names it")
    print(f"refusals: {len(refusals)} are tested, of {len(tested)} codes; "
          f"{len(codes)} codes in all")
    bad = bool(missing) or len(refusals) < options.least
    bad |= bool(set(UNREACHED) & tested)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
