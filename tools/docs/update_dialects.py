#!/usr/bin/env python3
"""Writes docs/generated/DIALECT.md from the ODS files; --check only compares.

    update_dialects.py MLIR_TBLGEN MLIR_INCLUDE_FOLDER [--check]
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def page(tblgen, include, dialect):
    source = f"{ROOT}/dialects/{dialect}/{dialect.capitalize()}Ops.td"
    text = subprocess.run(
        [tblgen, "-gen-dialect-doc", f"-dialect={dialect}", "-I", include,
         source], check=True, capture_output=True, text=True).stdout
    # Links to sources would name folders of this machine.
    lines = [line for line in text.splitlines()
             if not line.startswith("[source](")]
    return "\n".join(lines).rstrip() + "\n"


def main():
    tblgen, include = sys.argv[1:3]
    stale = []
    for dialect in ("te", "tile"):
        path = f"{ROOT}/docs/generated/{dialect}.md"
        text = page(tblgen, include, dialect)
        old = open(path).read() if os.path.exists(path) else None
        if old == text:
            continue
        if "--check" in sys.argv:
            stale.append(path)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        print("updated", os.path.relpath(path, ROOT))
    for path in stale:
        print(f"{os.path.relpath(path, ROOT)} is stale: run tools/docs/update_dialects.py")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
