#!/usr/bin/env python3
"""Runs every step of docs/tutorial.md.

Usage: check_tutorial.py [--compiler build/bin/girih]

A step is a block of te behind a comment that names its file. Each must be in
the one style and pass its tests.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
STEP = re.compile(r"<!-- (\w+\.te) -->\n```te\n(.*?)```", re.S)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="build/bin/girih")
    compiler = os.path.abspath(parser.parse_args().compiler)
    with open(f"{ROOT}/docs/tutorial.md") as page:
        steps = STEP.findall(page.read())
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in steps:
            path = f"{folder}/{name}"
            with open(path, "w") as file:
                file.write(text)
            for command in (["test", path], ["fmt", "--check", path]):
                run = subprocess.run([compiler, *command],
                                     capture_output=True, text=True)
                if run.returncode != 0:
                    wrong += 1
                    print(f"{name}: girih {command[0]} fails")
                    print(run.stdout + run.stderr)
    print(f"steps of the tutorial: {len(steps)}, {wrong} faults")
    sys.exit(1 if wrong or not steps else 0)


if __name__ == "__main__":
    main()
