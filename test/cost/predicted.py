#!/usr/bin/env python3
# ===- predicted.py - what the cost model says, and what runs ---------------===#
#
# Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compares the cost model's figures with what the simulator counts.

Usage: predicted.py GIRIH [--only TEXT] [--least N] [--schedules N]

For every operator of examples/: `girih explain --view=traffic,budget` against
`girih run --device=sim --counters=json` at the same sizes. Shared bytes of
every kernel must be equal, and so must blocks. Bytes of global memory must be
equal for the kernels of operators that are not listed below with the reason why
they differ; those listed must differ, so that the list stays true. Exits with 1
where one of this does not hold, or where fewer than N kernels are equal.

With --schedules N instead of the schedule that the compiler chooses: N others of
each operator (those of test/schedules), drawn by a fixed seed from the legal
ones. Shared bytes and blocks must be equal; global bytes are counted.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

# file, operator, sizes and parameters.
PROGRAMS = [
    ("add_rms_norm_e4m3", "", "M=5 N=1000"),
    ("argmax", "", "T=5 N=1000"),
    ("attention", "", "B=1 HK=2 G=2 L=70 T=70 D=32"),
    ("attention_exact", "", "B=1 HK=2 G=2 L=70 T=70 D=32"),
    ("axpy", "", "N=10000"),
    ("batched_abt", "", "B1=2 H=3 I=70 J=130 D=40"),
    ("bias_gelu_dropout", "", "M=30 N=1000"),
    ("block", "", "M=70 K=40 N=130"),
    ("conv2d", "", "B=1 H=9 W=11 R=3 S=3 C=8 K=16"),
    ("conv2d_padded", "", "B=1 H=20 W=22 R=7 S=7 C=3 K=16"),
    ("cross_entropy", "", "T=6 V=1000"),
    ("cumsum", "running_sum", "M=20 N=100"),
    ("cumsum", "expert_offsets", "E=64"),
    ("depthwise_conv", "", "B=1 H=12 W=14 C=40 R=3 S=3"),
    ("embedding", "embedding", "V=100 D=64 T=50"),
    ("embedding", "embedding_bag", "V=100 D=64 B=10 P=5"),
    ("ffn_silu", "", "M=200 K=100 N=300"),
    ("gradient_norm", "", "M=20 N=300"),
    ("group_norm", "", "B=2 C=2 H=8 W=8"),
    ("grouped_matmul", "grouped_matmul", "T=60 K=40 N=70 E=4"),
    ("grouped_matmul", "segment_mean", "T=60 D=40 S=4"),
    ("grouped_matmul", "segment_softmax", "T=60 S=4"),
    ("grouped_matmul", "pad", "T=60 B=4"),
    ("heat", "", "M=40 N=50"),
    ("int4_matmul", "", "M=20 G=3 H=16 N=40"),
    ("int8_matmul", "quantise", "M=20 K=300"),
    ("int8_matmul", "int8_matmul", "M=70 K=100 N=130"),
    ("int8_matmul", "int8_linear", "M=70 K=100 N=130"),
    ("jacobi2d", "", "N=20 M=30"),
    ("kv_cache", "", "P=40 H=3 D=16 T=20"),
    ("layer_norm", "layer_norm", "M=7 N=1000"),
    ("layer_norm", "layer_norm_backward", "M=7 N=1000"),
    ("lower_triangle", "", "N=150 K=40"),
    ("matmul", "", "M=200 K=100 N=300"),
    ("max_pool", "", "B=1 C=3 H=20 W=22"),
    ("moe_gate", "", "T=20 N=64"),
    ("norms", "soft", "M=7 N=1000"),
    ("norms", "rms_norm", "M=7 N=1000"),
    ("rotary", "", "B=1 L=20 H=3 D=64"),
    ("row_e4m3", "", "M=7 N=1000"),
    ("row_sum", "", "M=20 N=5000"),
    ("scatter_add", "embedding_backward", "T=40 V=30 D=16"),
    ("scatter_add", "histogram", "B=30 N=500"),
    ("schedules", "silu_product", "M=200 K=100 N=300"),
    ("schedules", "scaled", "M=20 N=1000"),
    ("softmax", "", "M=5 N=1000"),
    ("softmax", "", "M=3 N=40000"),
    ("softmax_reciprocal", "", "M=5 N=1000"),
    ("stft", "", "T=20 K=201"),
    ("sums", "row_sums", "M=20 N=3000"),
    ("sums", "column_sums", "M=300 N=70"),
    ("sums", "total", "M=300 N=70"),
    ("swiglu", "", "M=100 N=1000"),
    ("swiglu_e4m3", "", "M=100 N=1000"),
    ("transpose", "transpose", "M=100 N=70"),
    ("transpose", "nchw_to_nhwc", "B=2 C=5 H=8 W=9"),
    ("transpose", "reverse6", "A=2 B=3 C=4 D=5 E=6 F=7"),
    ("vector_add", "", "N=10000"),
    ("whole_sum", "", "N=200000"),
]

# Why global bytes are not those of the model.
DIFFERENT = {
    "kv_cache": "rows whose slot is negative are dropped",
    "moe_gate": "the simulator counts a loop's last turn, and its turns differ",
    "stft": "both sums fetch X by one rule, and LLVM makes one load of two",
    "pad": "off[b] is fetched for a place once more",
}


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def sim_kernels(launches):
    """Launches of one name together: kernels of time loops run in turns."""
    kernels = {}
    for launch in launches:
        kernel = kernels.setdefault(launch["kernel"], {
            "blocks": launch["blocks"], "shared": launch["sharedBytes"],
            "tensors": {}})
        for tensor in launch["tensors"]:
            entry = kernel["tensors"].setdefault(tensor["name"], [0, 0])
            entry[0] += tensor["readBytes"]
            entry[1] += tensor["writtenBytes"] + tensor["atomicBytes"]
    return kernels


def flags_of(program):
    file, op, sizes = program
    path = os.path.join(ROOT, "examples", file + ".te")
    flags = [path] + (["--op", op] if op else [])
    for size in sizes.split():
        flags += ["-D", size]
    return flags


def compare(girih, program, schedule=()):
    """(name, what is wrong, lines of different bytes, kernels that are equal)"""
    file, op, sizes = program
    name = (op or file) + " " + sizes
    flags = flags_of(program) + list(schedule)
    said = run([girih, "explain", "--view=traffic,budget", "--json", *flags])
    if said.returncode:
        return name, ["explain: " + said.stderr.strip()], [], 0
    seen = run([girih, "run", "--device=sim", "--counters=json",
                "--target=sm_90a", *flags])
    if seen.returncode:
        return name, ["run: " + seen.stderr.strip()[:300]], [], 0
    said, wrong, differ, equal = json.loads(said.stdout), [], [], 0
    kernels = sim_kernels(json.loads(seen.stdout))
    for traffic, budget in zip(said["traffic"]["kernels"],
                               said["budget"]["kernels"]):
        kernel = traffic["kernel"]
        if kernel not in kernels:
            if traffic["blocks"] > 0:
                wrong.append(f"{kernel} did not run")
            continue
        real = kernels[kernel]
        if budget["sharedBytes"] != real["shared"]:
            wrong.append(f"{kernel}: {budget['sharedBytes']} shared bytes said,"
                         f" {real['shared']} there")
        if traffic["blocks"] != real["blocks"]:
            wrong.append(f"{kernel}: {traffic['blocks']} blocks said, "
                         f"{real['blocks']} there")
        model = {t["tensor"]: [t["requestedBytes"], t["writtenBytes"]]
                 for t in traffic["tensors"]}
        lines = []
        for tensor in sorted(model.keys() | real["tensors"].keys()):
            a = model.get(tensor, [0, 0])
            b = real["tensors"].get(tensor, [0, 0])
            if a != b:
                lines.append(f"{kernel}: {tensor}: {a} said, {b} there")
        equal += not lines
        differ += lines
    return name, wrong, differ, equal


def others(girih, program, count, folder):
    """Files with legal schedules of an operator."""
    import shapes
    said = run([girih, "explain", "--view=loops,fusion", "--json",
                *flags_of(program)])
    if said.returncode:
        return []
    facts = json.loads(said.stdout)
    op = next(v for v in (program[1], facts["nests"][0]) if v)
    if not program[1]:
        text = open(flags_of(program)[0], encoding="utf-8").read()
        op = text[text.index("\nop ") + 4:].split("(")[0].split("<")[0]
    plans = list(shapes.plans(facts["loops"], facts["fusion"]))
    random.Random(op + program[2]).shuffle(plans)
    files = []
    for number, lines in enumerate(plans):
        if len(files) == count:
            break
        path = os.path.join(folder, f"{op}_{number}.sched")
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"schedule {op} {{\n  " + "\n  ".join(lines) + "\n}\n")
        legal = run([girih, "compile", "--emit=llvm", "--schedule", path,
                     *flags_of(program)])
        if legal.returncode == 0:
            files.append(path)
    return files


def compare_others(girih, programs, count):
    """Exit status."""
    sys.path.insert(0, os.path.join(ROOT, "test", "schedules"))
    schedules = faults = equal = differ = 0

    def one(program, folder):
        found = []
        for path in others(girih, program, count, folder):
            result = compare(girih, program, ["--schedule", path])
            with open(path, encoding="utf-8") as file:
                found.append((file.read(), result))
        return found

    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(lambda p: one(p, folder), programs):
                for text, (name, wrong, lines, same) in found:
                    schedules += 1
                    equal += same
                    differ += len({line.split(":")[0] for line in lines})
                    faults += bool(wrong)
                    if wrong or lines:
                        print(f"{name}: with\n{text}" +
                              "\n".join("  " + w for w in wrong + lines))
    print(f"{schedules} schedules, {faults} failed; bytes of {equal} kernels "
          f"are equal, of {differ} not")
    return 1 if faults or not schedules else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("girih")
    parser.add_argument("--only", default="")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--schedules", type=int, default=0)
    options = parser.parse_args()
    programs = [p for p in PROGRAMS if options.only in " ".join(p)]
    if options.schedules:
        sys.exit(compare_others(options.girih, programs, options.schedules))
    failed = equal = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda p: compare(options.girih, p), programs)
        for program, (name, wrong, differ, same) in zip(programs, results):
            key = program[1] or program[0]
            equal += same
            if differ and key not in DIFFERENT:
                wrong = wrong + differ
            if not differ and key in DIFFERENT:
                wrong = wrong + ["its bytes are equal: take it off the list"]
            for line in wrong:
                print(f"{name}: {line}")
            failed += bool(wrong)
            if differ and key in DIFFERENT:
                print(f"{name}: differs, as {DIFFERENT[key]}")
    print(f"{len(programs) - failed} passed, {failed} failed; bytes of {equal} "
          "kernels are equal")
    if equal < options.least:
        print(f"at least {options.least} kernels were expected")
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
