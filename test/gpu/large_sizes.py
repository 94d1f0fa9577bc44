#!/usr/bin/env python3
"""Runs what only a large GPU can hold: sizes at which other compilers' index
arithmetic or grids broke (test/programs/reported_faults.te, faults 9 and 10).

    large_sizes.py GIRIH [--device cuda] [--elements M]

Fault 9: 1, -1, 1 ... in 3,270,680,000 elements of f16 (6.54 GB), more than 2^31.
Every element is compared, a part at a time; the ones next to 2^31 and the last are
named first. Fault 10: a batch of 65,535, 65,536, 65,537 and 102,400 products of 10
by 10 and 10 by 100, which must be 1 everywhere.

Exits 77 (skipped) when the device is not there or its memory or the disk's are too
small, 1 at any mismatch. Prints `N passed, N failed` last.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test"))
import devices  # noqa: E402
SIGNS = """op signs() -> y: f16[{m}] {{
  y[i] = if i % 2 == 0 then 1f16 else -1
}}
"""
PART = 1 << 26


def girih(args, *words):
    done = subprocess.run([args.girih, "run", *words, f"--device={args.device}"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f"{' '.join(words)}\n{(done.stdout + done.stderr)[-2000:]}"


def signs(args, folder):
    """Fault 9: None, or what is wrong."""
    m = args.elements
    source, output = f"{folder}/signs.te", f"{folder}/y.npy"
    with open(source, "w") as file:
        file.write(SIGNS.format(m=m))
    problem = girih(args, source, "--out", f"y={output}")
    if problem:
        return problem
    y = np.load(output, mmap_mode="r")
    if y.shape != (m,) or y.dtype != np.float16:
        return f"y is {y.dtype}{y.shape}"
    for i in (0, (1 << 31) - 1, 1 << 31, m - 1):
        if i < m and y[i] != 1 - 2 * (i % 2):
            return f"y[{i}] is {y[i]}"
    right = np.tile(np.array([1, -1], np.float16), PART // 2)
    for first in range(0, m, PART):
        part = y[first:first + PART]
        if not np.array_equal(part, right[:len(part)]):
            at = first + int(np.argmax(part != right[:len(part)]))
            return f"y[{at}] is {y[at]}"
    os.remove(output)
    return None


def batch(args, folder, b):
    """Fault 10: None, or what is wrong."""
    output = f"{folder}/Y.npy"
    problem = girih(args, f"{ROOT}/test/programs/reported_faults.te", "--op",
                    "neighbours", "-D", f"B={b}", "-D", "I=10", "-D", "K=10", "-D",
                    "J=100", "--dynamic", "--random=ones", f"adj={folder}/adj.npy",
                    "--out", f"Y={output}")
    if problem:
        return problem
    Y = np.load(output, mmap_mode="r")
    if Y.shape != (b, 10, 100) or not np.all(Y == 1):
        return f"Y is {Y.dtype}{Y.shape}, {np.count_nonzero(Y != 1)} elements not 1"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("girih")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--elements", type=int, default=3270680000)
    args = parser.parse_args()
    if devices.skips(args.girih, args.device):
        return 77
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        need = 2 * args.elements + (1 << 30)
        if shutil.disk_usage(folder).free < need:
            print(f"SKIPPED: {folder} has no {need} bytes left")
            return 77
        tests = [(f"signs of {args.elements} elements", signs, ())]
        tests += [(f"a batch of {b}", batch, (b,))
                  for b in (65535, 65536, 65537, 102400)]
        for name, test, arguments in tests:
            if test is batch:
                np.save(f"{folder}/adj.npy", np.ones((*arguments, 10, 10), bool))
            problem = test(args, folder, *arguments)
            if problem and "out of memory" in problem:
                print(f"SKIPPED: {name}: {problem}")
                return 77
            passed, failed = passed + (not problem), failed + bool(problem)
            print(f"FAILED: {name}: {problem}" if problem else f"ok      {name}",
                  flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
