#!/usr/bin/env python3
# ===- mutants.py - tests of programs notice a changed program ------------===#
#
# Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Changes one sign or one cast of a program at a time and asks its tests.

Usage: mutants.py COMPILER FILE...

A mutant differs from the file by one `+` for a `-` or the other way round, or
by one cast to another float type, in an operator or a function. It is noticed
when `girih test` does not pass: a test fails, or the text is refused. Exits
with 1 and lists the mutants that nobody noticed.

A line that ends in `// either sign` or `// either type` says that its sign or
type has no meaning for the value, with the reason in the comments above it.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

WIDTHS = {"bf16": "f32", "f16": "f32", "f32": "bf16", "f64": "f32",
          "f8e4m3fn": "f32", "f8e5m2": "f32"}
TOKEN = re.compile(
    r"//[^\n]*|\"[^\"\n]*\"|0x[0-9a-fA-F.]+p[+-]?\d+|\d+(?:\.\d+)?e[+-]?\d+"
    r"|[A-Za-z_]\w*|->|\.\.|\d+\w*|\S")


def bodies(text):
    """The ranges of the text that hold operators' statements and functions."""
    for match in re.finditer(r"^(op|fn)\b", text, re.M):
        if match[1] == "fn":
            start = text.index("=", text.index("->", match.start()))
            end = re.search(r"\n(?=\S|\n)", text[start:])
            yield start, start + end.start()
            continue
        depth, start = 0, None
        for token in TOKEN.finditer(text, match.start()):
            # The braces of a type's choices stand between angles.
            if token[0] == "{" and text[:token.start()].rstrip()[-2:] != "in":
                start = start or token.start()
                depth += 1
            elif token[0] == "}" and start:
                depth -= 1
                if depth == 0:
                    yield start, token.start()
                    break


def mutants(text):
    """Pairs of a description and the changed text."""
    lines = text.split("\n")
    for start, end in bodies(text):
        for token in TOKEN.finditer(text, start, end):
            word, at = token[0], token.start()
            line = text.count("\n", 0, at) + 1
            marks = lines[line - 1]
            new = None
            if word in "+-" and "// either sign" not in marks:
                new = "-" if word == "+" else "+"
                # A sign in front of a value.
                before = text[start:at].rstrip()[-1:]
                if before in "(,=[+-*/{<>" or re.search(
                        r"\b(then|else|if|in)\s*$", text[start:at]):
                    new = "" if word == "-" else "-"
            elif (word in WIDTHS and text[token.end()] == "(" and
                  "// either type" not in marks):
                new = WIDTHS[word]
            if new is not None:
                yield (f"line {line}: '{word}' to '{new}' in "
                       f"{marks.strip()}",
                       text[:at] + new + text[token.end():])


def is_noticed(compiler, folder, name, text):
    """`folder` is the file's own, where what it uses lies."""
    with tempfile.NamedTemporaryFile(
            "w", suffix=".te", prefix="mutant_", dir=folder) as file:
        file.write(text)
        file.flush()
        run = subprocess.run([compiler, "test", file.name],
                             capture_output=True, timeout=120)
    if run.returncode < 0:
        print(f"{name}: the compiler ended by signal {-run.returncode}")
        return False
    return run.returncode != 0


def main():
    compiler, files = os.path.abspath(sys.argv[1]), sys.argv[2:]
    missed, count = [], 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file in files:  # so that `use "other.te"` is found
            os.symlink(os.path.abspath(file),
                       os.path.join(scratch, os.path.basename(file)))
        jobs = []
        for file in files:
            with open(file) as source:
                text = source.read()
            if is_noticed(compiler, scratch, file, text):
                missed.append(f"{file}: its tests fail as it stands")
            for what, changed in mutants(text):
                jobs.append((os.path.basename(file), what, pool.submit(
                    is_noticed, compiler, scratch, file, changed)))
        for name, what, job in jobs:
            count += 1
            if not job.result():
                missed.append(f"{name}: {what}")
    print(f"{count} mutants of {len(files)} files, {len(missed)} not noticed")
    for entry in missed:
        print("  " + entry)
    return 1 if missed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
