#!/usr/bin/env python3
"""Runs the compiler's own kernels on a GPU and on the simulator and compares
all bytes of all outputs.

    sim_programs.py GIRIH [--devices cuda,sim] [--quick] [--program NAME]

For each program: dynamic sizes and sizes given at compile time; random,
special and cancelling inputs. With portable functions the bits must agree. Fast
functions use the GPU's approximations, which the simulator rounds correctly:
their largest distance is printed. Exits 77 (skipped) when a device is not
there, 1 at any mismatch. Prints `N passed, N failed` last.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
passed = failed = 0
farthest = {}
lock = threading.Lock()


def matrix_sizes(quick):
    pairs = [(1, 1), (7, 13), (64, 1000), (33, 4096), (129, 257), (5, 16384),
             (2, 40000), (100, 8), (0, 5), (3, 0)]
    return [{"M": m, "N": n} for m, n in (pairs[:3] if quick else pairs)]


def product_sizes(quick):
    triples = [(1, 1, 1), (7, 13, 17), (64, 100, 32), (128, 128, 128),
               (129, 257, 65), (200, 304, 48), (33, 520, 100), (1, 1000, 7),
               (3, 4, 0)]
    return [{"M": m, "N": n, "K": k}
            for m, n, k in (triples[:3] if quick else triples)]


def vector_sizes(quick):
    counts = [1, 5, 1023, 4096, 65537, 131071]
    return [{"N": n} for n in (counts[:3] if quick else counts)]


def programs(quick):
    """(file, sizes) of everything that is compared."""
    folders = ("examples", "test/programs")
    for folder in folders:
        for entry in sorted(os.listdir(os.path.join(ROOT, folder))):
            if not entry.endswith(".te"):
                continue
            path = f"{folder}/{entry}"
            if entry.startswith(("swiglu", "row_sum", "softmax", "column_sum",
                                 "reductions")):
                yield path, matrix_sizes(quick)
            elif entry.startswith("tree_sum"):
                yield path, [{"M": m} for m in ((5,) if quick else (1, 5, 300))]
            elif entry.startswith("whole_sum"):
                yield path, vector_sizes(quick)[:4]
            elif entry.startswith(("functions", "mixed_types")):
                yield path, vector_sizes(quick)
            elif entry.startswith("two_products"):
                yield path, [dict(s, L=s["N"] // 2 + 1)
                             for s in product_sizes(quick)]
            else:
                yield path, product_sizes(quick)


def outputs(path):
    """Names of the operator's outputs."""
    with open(os.path.join(ROOT, path)) as source:
        text = re.sub(r"//.*", "", source.read())
    head = re.search(r"\bop\b[^{]*?->([^{]*)\{", text)
    return re.findall(r"(\w+)\s*:", head.group(1))


def compare(path, name, ours, theirs, approximate):
    """What differs, or None."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{name}: {ours.dtype}{ours.shape} and {theirs.dtype}{theirs.shape}"
    width = ours.dtype.itemsize
    x = np.ascontiguousarray(ours).reshape(-1).view(f"i{width}").astype(np.int64)
    y = np.ascontiguousarray(theirs).reshape(-1).view(f"i{width}").astype(np.int64)
    wrong = np.nonzero(x != y)[0]
    if len(wrong) == 0:
        return None
    if approximate:
        low = 1 << (8 * width - 1)
        signs = [np.where(v < 0, -(v + low), v) for v in (x, y)]
        distance = int(np.max(np.abs(signs[0] - signs[1])))
        with lock:
            farthest[path] = max(farthest.get(path, 0), distance)
        return None
    i = wrong[0]
    digits = 2 * width
    mask = (1 << 8 * width) - 1
    return (f"{name}: {len(wrong)} of {len(x)} elements differ, the first at "
            f"{np.unravel_index(i, ours.shape)}: "
            f"0x{int(x[i]) & mask:0{digits}x} and 0x{int(y[i]) & mask:0{digits}x}")


def run(args, path, extra, approximate):
    global passed, failed
    names = outputs(path)
    problem = None
    with tempfile.TemporaryDirectory() as folder:
        for device in args.devices:
            words = [args.girih, "run", os.path.join(ROOT, path),
                     f"--device={device}"] + extra
            for name in names:
                words += ["--out", f"{name}={folder}/{device}_{name}.npy"]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode != 0:
                problem = (f"on {device}: {' '.join(words)}\n"
                           + (done.stdout + done.stderr)[-2000:])
                break
        if problem is None:
            for name in names:
                arrays = [np.load(f"{folder}/{device}_{name}.npy")
                          for device in args.devices]
                problem = problem or compare(path, name, *arrays, approximate)
    with lock:
        if problem is None:
            passed += 1
        else:
            failed += 1
            print("FAILED:", path, " ".join(extra), "\n  ", problem, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--devices", default="cuda,sim",
                        type=lambda text: text.split(","))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--program", default="")
    args = parser.parse_args()
    doctor = subprocess.run([args.girih, "doctor"], capture_output=True, text=True)
    for line in doctor.stdout.splitlines():
        words = line.split()
        if words and words[0] in args.devices and "not available" in line:
            print("SKIPPED:", line)
            sys.exit(77)
    jobs = []
    for path, sets in programs(args.quick):
        if args.program not in path:
            continue
        for i, sizes in enumerate(sets):
            given = [word for n, v in sizes.items() for word in ("-D", f"{n}={v}")]
            seed = [f"--seed={i + 1}"]
            for functions in ("portable", "fast"):
                how = given + seed + [f"--functions={functions}"]
                approximate = functions == "fast"
                jobs.append((path, how + ["--dynamic"], approximate))
                if not args.quick:
                    jobs.append((path, how, approximate))
            if i % 2 == 0:
                for kind in ("special", "cancel"):
                    jobs.append((path, given + seed + [
                        "--dynamic", "--functions=portable", "--random", kind],
                        False))
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        list(pool.map(lambda job: run(args, *job), jobs))
    for path, distance in sorted(farthest.items()):
        print(f"fast functions, {path}: at most {distance} ulp apart")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
