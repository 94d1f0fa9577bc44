#!/usr/bin/env python3
"""Fills docs/directives.md with what the compiler says of its examples.

Usage: update_directives.py GIRIH [--check]

Behind each block "te" of the page stands a block "text", which is made here: the
schedule tree and loop nest before and after the last directive of the block's
schedule; for a block "te refused", the refusal. With --check the page is only
compared. Exit status: 0 as it should be, 1 not.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "directives.md")
BLOCK = re.compile(r"```te( refused)?\n(.*?)```\n\n```text\n.*?```\n", re.S)


def run(girih, *words):
    return subprocess.run([girih, *words], capture_output=True, text=True)


def steps(girih, path):
    done = run(girih, "explain", path, "--steps")
    if done.returncode:
        sys.exit(f"{path}: {done.stderr}")
    found = []
    for part in done.stdout.split("--- ")[1:]:
        headline, _, rest = part.partition("\n")
        tree, _, nest = rest.partition("\n\n")
        found.append((headline, tree.strip("\n"), nest.strip("\n")))
    return found


def shown(girih, program, refused):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.te")
        with open(path, "w") as out:
            out.write(program)
        if refused:
            done = run(girih, "compile", path, "--emit=schedule")
            if done.returncode == 0:
                sys.exit(f"not refused:\n{program}")
            return done.stderr.replace(path, "example.te").strip("\n")
        found = steps(girih, path)
        if len(found) < 2:
            sys.exit(f"no directive:\n{program}")
        done = run(girih, "compile", path, "--emit=ptx")
        if done.returncode:
            sys.exit(f"does not compile:\n{program}{done.stderr}")
    before, after = found[-2], found[-1]
    return (f"before\n\n{before[2]}\n\n{before[1]}\n\n"
            f"after {after[0]}\n\n{after[2]}\n\n{after[1]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with open(PAGE) as source:
        page = source.read()

    def fill(match):
        text = shown(args.girih, match[2], bool(match[1]))
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        return (f"```te{match[1] or ''}\n{match[2]}```\n\n"
                f"```text\n{text}\n```\n")

    filled = BLOCK.sub(fill, page)
    if filled == page:
        print("directives: up to date")
        return 0
    if args.check:
        print("docs/directives.md is stale: run tools/docs/update_directives.py")
        return 1
    with open(PAGE, "w") as out:
        out.write(filled)
    print("directives: docs/directives.md updated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
