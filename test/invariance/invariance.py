#!/usr/bin/env python3
# ===- invariance.py - what is proved invariant is ------------------------===#
#
# Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs operators at two values of a size with inputs that agree in common.

Usage: invariance.py COMPILER [--least N] [--refuted N] FILE...

For every operator of the files and every size M of it: `girih check --prove
invariant=M`, and two runs on the host that differ in M alone (and in what
follows from it), with inputs that agree in every element that both have. Where
it is proved, the outputs must agree bit for bit in every element that both
have. Where it is refused that is not asked, but counted where they differ: so
many refusals are right. Exits with 1 where a proof is wrong, or where fewer
than N proofs were put to the test or fewer than N refusals were right.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16,
         "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
         "ui64": np.uint64, "i1": np.bool_}
NAMES = {"bf16": ":bf16", "f8E4M3FN": ":f8e4m3fn", "f8E5M2": ":f8e5m2"}
COUNTS = ["proved", "proved, and ran", "refused", "refused, and differs",
          "not run", "wrong"]
TENSOR = re.compile(r'"([^"]+)"(?: in \[([^\]]*)\])?: !te\.tensor<\[([^\]]*)\], '
                    r'(\w+)>')
DERIVED = re.compile(r'#te\.derived<"([^"]+)" = (.*?) by (\d+)>')
FACTS = re.compile(r'[{ ]"?(\w+)"? = #te\.facts<groups \[([\d, ]+)\]')
CONSTRAINT = re.compile(r'#te\.constraint<"([^"]+)", (\w+), (\d+)>')


class Operator:
    """What the assoc form says of an operator."""

    def __init__(self, head):
        # Derived sizes may have their text as a name: `"D / 2"`.
        self.sizes = re.findall(r'"([^"]+)"', re.search(
            r"sizes \[(.*?)\]", head)[1])
        inputs, rest = head.split(") -> (", 1)
        outputs = rest.split(")", 1)[0]
        self.inputs = TENSOR.findall(inputs)
        self.outputs = TENSOR.findall(outputs)
        self.words = re.findall(r"(?:where|value) = (\d+)", head)
        self.outputs = [output for number, output in enumerate(self.outputs)
                        if " checks [" not in head
                        or str(number) not in self.words]
        self.derived = DERIVED.findall(head)
        self.constraints = CONSTRAINT.findall(head)
        self.groups = {name: [int(n) for n in groups.split(",")]
                       for name, groups in FACTS.findall(head)}
        self.free = [size for size in self.sizes
                     if size not in [name for name, *_ in self.derived]]

    def allows(self, size, value):
        holds = {"divisible": lambda n: value % n == 0,
                 "at_most": lambda n: value <= n,
                 "at_least": lambda n: value >= n,
                 "equal": lambda n: value == n}
        return all(holds[kind](int(number)) for name, kind, number
                   in self.constraints if name == size)

    def values(self, size, start):
        """The first two values from `start` on that the text allows."""
        return [n for n in [*range(start, start + 300), *range(start)]
                if self.allows(size, n)][:2]

    def solve(self, free):
        sizes = dict(free)
        for name, numerator, divisor in self.derived:
            sizes[name] = number(numerator, sizes) // int(divisor)
        return sizes

    def shape(self, extents, sizes):
        return [number(extent, sizes) for extent in extents.split(", ")
                if extent]

    def argument_shape(self, name, shape):
        """Groups are one dimension of the argument."""
        result, rest = [], list(shape)
        for count in self.groups.get(name, [1] * len(shape)):
            result.append(int(np.prod(rest[:count])))
            rest = rest[count:]
        return result


def number(extent, sizes):
    text = re.sub(r'"([^"]+)"', lambda m: str(sizes[m[1]]), extent)
    text = re.sub(r"[A-Za-z_]\w*", lambda m: str(sizes[m[0]]), text)
    return eval(text)  # sums of numbers


def drawn(shape, kind, promise, seed):
    rng = np.random.default_rng(seed)
    dtype = TYPES[kind]
    if kind == "bf16":
        values = rng.standard_normal(shape).astype(np.float32)
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    if np.issubdtype(dtype, np.floating):
        return rng.standard_normal(shape).astype(dtype)
    if promise:  # within every end that the sizes below give
        return rng.integers(0, 3, shape).astype(dtype)
    if kind.startswith("f8"):
        return rng.integers(0, 0x60, shape).astype(dtype)
    return rng.integers(0, 2 if kind == "i1" else 3, shape).astype(dtype)


def girih(args):
    return subprocess.run(args, capture_output=True, text=True, check=False)


def run(compiler, path, name, op, sizes, both, folder):
    """The outputs at `sizes`, or None where the program does not run on such
    inputs. Inputs are parts of what holds those of `both` sizes."""
    command = [compiler, "run", path, "--op", name, "--device=host"]
    for position, (tensor, promise, extents, kind) in enumerate(op.inputs):
        # Sums and differences of sizes may shrink where a size grows.
        held = [max(pair) for pair in zip(*(op.shape(extents, at)
                                            for at in both))]
        every = drawn(held, kind, promise, position)
        shape = op.shape(extents, sizes)
        part = every[tuple(slice(0, n) for n in shape)]
        file = os.path.join(folder, f"{tensor}.npy")
        np.save(file, np.ascontiguousarray(part).reshape(
            op.argument_shape(tensor, shape)))
        command.append(f"{tensor}{NAMES.get(kind, '')}={file}")
    for tensor, *_ in op.outputs:
        command += ["--out", f"{tensor}={folder}/out_{tensor}.npy"]
    command += [f"-D{size}={sizes[size]}" for size in op.free] + ["--dynamic"]
    if girih(command).returncode:
        return None
    return [np.load(f"{folder}/out_{tensor}.npy").reshape(
        op.shape(extents, sizes)) for tensor, _, extents, _ in op.outputs]


def agree(first, second, kind):
    common = tuple(slice(0, min(a, b))
                   for a, b in zip(first.shape, second.shape))
    first, second = first[common], second[common]
    nan = np.zeros(first.shape, bool)
    if np.issubdtype(first.dtype, np.floating):
        nan = np.isnan(first) & np.isnan(second)
        bits = {8: np.uint64, 4: np.uint32, 2: np.uint16}[first.itemsize]
        first = np.ascontiguousarray(first).view(bits).reshape(first.shape)
        second = np.ascontiguousarray(second).view(bits).reshape(second.shape)
    elif kind == "bf16":
        nan = ((first & 0x7fff) > 0x7f80) & ((second & 0x7fff) > 0x7f80)
    return bool(np.all((first == second) | nan))


def test_operator(compiler, path, name):
    """How often what of COUNTS was seen."""
    counts = dict.fromkeys(COUNTS, 0)
    said = girih([compiler, "compile", path, "--op", name, "--emit=assoc"])
    if said.returncode:
        return counts
    op = Operator(next(line for line in said.stdout.split("\n")
                       if "te.func @" in line))
    base = {}
    for position, size in enumerate(op.free):
        allowed = op.values(size, 5 + position)
        if not allowed:
            return counts
        base[size] = allowed[0]
    for size in op.free:
        allowed = op.values(size, base[size] + 1)
        answer = girih([compiler, "check", path, "--op", name, "--prove",
                        f"invariant={size}"])
        refused = "error[G0830]" in answer.stderr
        if answer.returncode not in (0, 1) or (answer.returncode == 1) != refused:
            print(f"{path}: {name}: {size}: {answer.stderr}")
            counts["wrong"] += 1
            continue
        counts["refused" if refused else "proved"] += 1
        if not allowed or allowed[0] == base[size]:
            continue
        small = op.solve(base)
        large = op.solve({**base, size: allowed[0]})
        with tempfile.TemporaryDirectory() as folder:
            both = (small, large)
            first = run(compiler, path, name, op, small, both, folder)
            second = first and run(compiler, path, name, op, large, both,
                                   folder)
        if first is None or second is None:
            counts["not run"] += 1
            continue
        same = all(agree(a, b, kind) for a, b, (_, _, _, kind)
                   in zip(first, second, op.outputs))
        if refused:
            counts["refused, and differs"] += not same
        else:
            counts["proved, and ran"] += 1
            if not same:
                print(f"{path}: {name} is called invariant in {size}, but "
                      f"differs between {small} and {large}")
                counts["wrong"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--refuted", type=int, default=0)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    jobs = []
    for path in args.files:
        with open(path, encoding="ascii") as file:
            jobs += [(path, name) for name in
                     re.findall(r"^op (\w+)", file.read(), re.M)]
    counts = dict.fromkeys(COUNTS, 0)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for seen in pool.map(
                lambda job: test_operator(args.compiler, *job), jobs):
            for what, count in seen.items():
                counts[what] += count
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(counts["wrong"] > 0 or counts["proved, and ran"] < args.least
             or counts["refused, and differs"] < args.refuted)


if __name__ == "__main__":
    main()
