#!/usr/bin/env python3
"""Tries every example of docs/error-examples.md.

Usage: check_error_examples.py [--compiler build/bin/girih]

A program (```te) is compiled to assoc from standard input, a command (```sh) is
run at the root of the repository; either must draw the code that it stands
under. Exit status: 0 all do, 1 some do not.
"""

import argparse
import os
import re
import subprocess
import sys

PAGE = "docs/error-examples.md"
ENTRY = re.compile(r"^## (G\d{4})\n\n```(te|sh)\n(.*?)^```$", re.M | re.S)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.join(here, "..", "..")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--compiler", default="build/bin/girih")
    options = parser.parse_args()
    compiler = os.path.abspath(os.path.join(root, options.compiler))
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        page = file.read()
    entries = ENTRY.findall(page)
    wrong = []
    if len(entries) != page.count("\n## "):
        wrong.append(f"{PAGE}: an entry is not a heading and one block")
    for code, kind, text in entries:
        if kind == "te":
            command = [compiler, "compile", "-", "--emit=assoc"]
        else:
            command = [compiler] + text.split()[1:]
        done = subprocess.run(command, input=text, capture_output=True,
                              text=True, cwd=root, check=False)
        if f"[{code}]" not in done.stderr:
            wrong.append(f"{PAGE}: {code} is not drawn:\n{done.stderr}")
    for problem in wrong:
        print(problem)
    print(f"examples of errors: {len(entries)}, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
