#!/usr/bin/env python3
"""Runs the compiler's own kernels on a GPU and on the simulator and compares
all bytes of all outputs.

    sim_programs.py GIRIH [--devices cuda,sim] [--quick] [--program NAME]
                    [--all] [--workers N] [--limit SECONDS]

For each program: each size, given at run time; some sizes given at compile
time; some with special and with cancelling inputs. With portable functions the
bits must agree. Fast functions, where a program has any, use the GPU's
approximations, which the simulator rounds correctly: their largest distance is
printed. NaNs of f64 that differ are counted: ptxas swaps operands as it likes,
and with them the NaN that comes out. `--all`: every size in every way.

Says every ten seconds how far it is. Exits 77 (skipped) when a device is not
there, 1 at any mismatch, or where the limit (or SIGTERM) left something undone.
Prints `N passed, N failed` last.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FUNCTIONS = re.compile(r"\b(exp2?|log2?|tanh|rsqrt|rcp|sigmoid|silu)\b")
passed = failed = 0
farthest = {}
payloads = {}
lock = threading.Lock()
stopping = threading.Event()
running = set()


def pick(sets, quick):
    return sets[:3] if quick else sets


def sizes_of(names, path, quick):
    """Sets of sizes for an operator with these, or None if there is no list
    for them."""
    if names == {"N"}:
        counts = [1, 5, 1023, 4096, 65537, 131071]
        if "whole_sum" in path:  # chains of one value
            counts = counts[:4]
        return [{"N": n} for n in pick(counts, quick)]
    if names == {"M"}:
        return [{"M": m} for m in ((5,) if quick else (1, 5, 300))]
    if names in ({"M", "N"}, {"M", "K"}):
        other = max(names - {"M"})
        pairs = [(1, 1), (7, 13), (64, 1000), (33, 4096), (129, 257), (5, 16384),
                 (2, 40000), (100, 8), (0, 5), (3, 0)]
        return [{"M": m, other: n} for m, n in pick(pairs, quick)]
    triples = [(1, 1, 1), (7, 13, 17), (64, 100, 32), (128, 128, 128),
               (129, 257, 65), (200, 304, 48), (33, 520, 100), (1, 1000, 7),
               (3, 4, 0)]
    rest = {"K": lambda m, n, k: k, "L": lambda m, n, k: n // 2 + 1,
            "G": lambda m, n, k: k // 32 + 1, "H": lambda m, n, k: 16}
    if not names - {"M", "N"} <= rest.keys():
        return None
    known = {"M": lambda m, n, k: m, "N": lambda m, n, k: n, **rest}
    return [{name: known[name](*triple) for name in sorted(names)}
            for triple in pick(triples, quick)]


class Operator:
    """One that a file defines, as far as its head tells."""

    HEAD = re.compile(r"\bop\s+(\w+)\s*(?:<[^>]*>)?\s*\((.*?)\)\s*->(.*?)\{",
                      re.DOTALL)

    def __init__(self, path, text, match, single):
        self.path = path
        self.extra = [] if single else [f"--op={match.group(1)}"]
        inputs, results = match.group(2), match.group(3)
        shapes = re.findall(r"\[([^\]]*)\]", inputs)
        self.sizes = {word for shape in shapes
                      for word in re.findall(r"[A-Z]\w*", shape)}
        self.outputs = re.findall(r"(\w+)\s*:", results)
        self.has_functions = bool(FUNCTIONS.search(text))


def operators():
    for folder in ("examples", "test/programs"):
        for entry in sorted(os.listdir(os.path.join(ROOT, folder))):
            if not entry.endswith(".te"):
                continue
            path = f"{folder}/{entry}"
            with open(os.path.join(ROOT, path)) as source:
                text = re.sub(r"//.*", "", source.read())
            heads = list(Operator.HEAD.finditer(text))
            for match in heads:
                yield Operator(path, text, match, len(heads) == 1)


def compare(path, name, ours, theirs, approximate):
    """What differs, or None."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{name}: {ours.dtype}{ours.shape} and {theirs.dtype}{theirs.shape}"
    width = ours.dtype.itemsize
    x = np.ascontiguousarray(ours).reshape(-1).view(f"i{width}").astype(np.int64)
    y = np.ascontiguousarray(theirs).reshape(-1).view(f"i{width}").astype(np.int64)
    wrong = x != y
    if ours.dtype == np.float64:
        nans = (np.isnan(ours) & np.isnan(theirs)).reshape(-1) & wrong
        if nans.any():
            with lock:
                payloads[path] = payloads.get(path, 0) + int(nans.sum())
            wrong &= ~nans
    wrong = np.nonzero(wrong)[0]
    if len(wrong) == 0:
        return None
    if approximate:
        x, y = x[wrong], y[wrong]
        low = 1 << (8 * width - 1)
        signs = [np.where(v < 0, -(v + low), v) for v in (x, y)]
        distance = int(np.max(np.abs(signs[0] - signs[1])))
        with lock:
            farthest[path] = max(farthest.get(path, 0), distance)
        return None
    i = wrong[0]
    digits = 2 * width
    mask = (1 << 8 * width) - 1
    return (f"{name}: {len(wrong)} of {x.size} elements differ, the first at "
            f"{np.unravel_index(i, ours.shape)}: "
            f"0x{int(x[i]) & mask:0{digits}x} and 0x{int(y[i]) & mask:0{digits}x}")


class Case:
    """A program at one size, on both devices."""

    def __init__(self, operator, sizes, how, approximate=False):
        self.path, self.names = operator.path, operator.outputs
        self.extra = operator.extra + how
        self.approximate = approximate
        self.left = 0
        self.folder = self.problem = None
        self.volume = int(np.prod(list(sizes.values()), dtype=np.int64))

    def start(self, args, device):
        """One of the two processes; what it has to say if it fails."""
        words = [args.girih, "run", os.path.join(ROOT, self.path),
                 f"--device={device}"] + self.extra
        for name in self.names:
            words += ["--out", f"{name}={self.folder.name}/{device}_{name}.npy"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        with lock:
            running.add(process)
        if stopping.is_set():
            process.kill()
        said = process.communicate()[0]
        with lock:
            running.discard(process)
        if process.returncode == 0:
            return None
        return f"on {device}: {' '.join(words)}\n" + said[-2000:]

    def differences(self, args):
        for name in self.names:
            arrays = [np.load(f"{self.folder.name}/{device}_{name}.npy")
                      for device in args.devices]
            problem = compare(self.path, name, *arrays, self.approximate)
            if problem:
                return problem
        return None

    def run(self, args, device):
        """One device's part; whoever comes last compares."""
        global passed, failed
        if stopping.is_set():
            return
        with lock:
            if self.folder is None:
                self.folder = tempfile.TemporaryDirectory()
        problem = self.start(args, device)
        with lock:
            self.problem = self.problem or problem
            self.left -= 1
            if self.left or stopping.is_set():
                return
        if self.problem is None:
            self.problem = self.differences(args)
        self.folder.cleanup()
        with lock:
            if self.problem is None:
                passed += 1
            else:
                failed += 1
                print("FAILED:", self.path, " ".join(self.extra), "\n  ",
                      self.problem, flush=True)


def cases(args):
    """All of them; what says little that others do not is left out."""
    portable, fast = "--functions=portable", "--functions=fast"
    for number, operator in enumerate(operators()):
        if args.program not in operator.path:
            continue
        sets = sizes_of(operator.sizes, operator.path, args.quick)
        if sets is None:
            print(f"LEFT OUT: {operator.path} {' '.join(operator.extra)}: no list "
                  f"for sizes {', '.join(sorted(operator.sizes))}")
            continue
        for i, sizes in enumerate(sets):
            given = [word for n, v in sizes.items() for word in ("-D", f"{n}={v}")]
            given.append(f"--seed={i + 1}")
            turn = i + number  # so that every size has its turn

            def case(how, approximate=False):
                return Case(operator, sizes, given + how, approximate)

            yield case(["--dynamic", portable])
            if args.all or (turn % 4 == 0 and not args.quick):
                yield case([portable])
            if operator.has_functions and (args.all or turn % 2 == 0):
                yield case(["--dynamic", fast], True)
            if operator.has_functions and (
                    args.all or (turn % 4 == 2 and not args.quick)):
                yield case([fast], True)
            for kind, rest in (("special", 1), ("cancel", 3)):
                if args.all or turn % 4 == rest:
                    yield case(["--dynamic", portable, "--random", kind])


def own_processors():
    """Gives the calling thread, and so what it starts, a share of the
    processors: the simulator starts as many threads as the machine has."""
    if not hasattr(os, "sched_setaffinity"):
        return
    with lock:
        everything = own_processors.everything
        first = own_processors.next
        own_processors.next += 2
    share = [everything[(first + i) % len(everything)]
             for i in range(min(4, len(everything)))]
    os.sched_setaffinity(0, set(share))


def stop():
    stopping.set()
    with lock:
        for process in running:
            process.kill()


def watch(total, begin, limit, done):
    """Says how far it is; ends it at the limit."""
    while not done.wait(min(10, max(0.1, begin + limit - time.time()))):
        seconds = time.time() - begin
        with lock:
            print(f"{passed + failed} of {total} cases, {failed} failed, "
                  f"{seconds:.0f} s", flush=True)
        if seconds >= limit:
            print(f"the limit of {limit:g} s is over", flush=True)
            stop()
            return


def run_all(args, jobs):
    begin, done = time.time(), threading.Event()
    limit = args.limit or float("inf")
    signal.signal(signal.SIGTERM, lambda *_: stop())
    watcher = threading.Thread(target=watch, daemon=True,
                               args=(len(jobs), begin, limit, done))
    watcher.start()
    if hasattr(os, "sched_getaffinity"):
        own_processors.everything = sorted(os.sched_getaffinity(0))
        own_processors.next = 0
    parts = []
    for case in jobs:
        case.left = len(args.devices)
        parts += [(case, device) for device in args.devices]
    with ThreadPoolExecutor(args.workers, initializer=own_processors) as pool:
        try:
            list(pool.map(lambda part: part[0].run(args, part[1]), parts))
        except KeyboardInterrupt:
            stop()
    done.set()
    watcher.join()
    return time.time() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--devices", default="cuda,sim",
                        type=lambda text: text.split(","))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--program", default="")
    parser.add_argument("--workers", type=int,
                        default=max(1, (os.cpu_count() or 1) * 3 // 4))
    parser.add_argument("--limit", type=float, default=0)
    args = parser.parse_args()
    doctor = subprocess.run([args.girih, "doctor"], capture_output=True, text=True)
    for line in doctor.stdout.splitlines():
        words = line.split()
        if words and words[0] in args.devices and "not available" in line:
            print("SKIPPED:", line)
            sys.exit(77)
    # The long ones first, so that none is left alone in the end.
    jobs = sorted(cases(args), key=lambda case: -case.volume)
    seconds = run_all(args, jobs)
    for path, distance in sorted(farthest.items()):
        print(f"fast functions, {path}: at most {distance} ulp apart")
    for path, count in sorted(payloads.items()):
        print(f"NaN payloads, {path}: {count} elements differ")
    undone = len(jobs) - passed - failed
    print(f"{seconds:.0f} s" + (f", {undone} of {len(jobs)} not run" if undone
                                else ""))
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or undone else 0)


if __name__ == "__main__":
    main()
