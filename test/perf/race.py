#!/usr/bin/env python3
"""Races the example programs against what a user would pick instead, in one run.

    race.py GIRIH [--json OUT] [--only WORD[,WORD...]] [--rounds N] [--check]

Needs a GPU and PyTorch. Each row (rows.py) is an example file at fixed sizes. Girih's
own bench (the device's events, L2 overwritten before each run, median) and the peers
(the same by PyTorch's events, with an overwrite long enough to hide the host's work)
take turns, with fresh normal inputs; the median of the rounds is shown.

`model` is a time model of the card that was fitted to hand-made kernels: 5 us + bytes
read / 4.64 TB/s + bytes written / 3.98 TB/s. `ratio` is the best peer's time over
Girih's, above 1 Girih is faster; `bar` is what the row has to reach. A row that reads
more than 100 MB faster than 4.64 TB/s is not believed. --check compares each program
with the reference first, with the same row lengths and fewer rows.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

import rows as table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READ, WRITE, LAUNCH = 4.64e6, 3.98e6, 5.0  # bytes per us; us


def command(girih, verb, row, sizes):
    words = [girih, verb, os.path.join(ROOT, row.program), "--device=cuda"]
    if row.op:
        words.append("--op=" + row.op)
    for name, value in {**sizes, **row.consts}.items():
        words += ["-D", f"{name}={value}"]
    return words


def girih_us(girih, row):
    words = command(girih, "bench", row, row.sizes) + ["--json", "--reps", "30"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return float("nan")
    return json.loads(done.stdout)["median_us"]


class Clock:
    """Times GPU work alone: the overwrite of the cache goes on while the host
    prepares the launch."""

    def __init__(self, torch):
        self.torch = torch
        self.cache = torch.empty(768 << 20, dtype=torch.int8, device="cuda")

    def us(self, run, reps=30):
        torch = self.torch
        for _ in range(3):
            run()
        times = []
        for _ in range(reps):
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            self.cache.zero_()
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times.append(1000 * start.elapsed_time(end))
        return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    args = parser.parse_args()
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch._dynamo.config.cache_size_limit = 256
    clock = Clock(torch)
    print(torch.cuda.get_device_name(), torch.__version__)
    print(f"{'row':22} {'sizes':30} {'girih':>9} {'eager':>9} {'compile':>9} "
          f"{'ratio':>6} {'bar':>6} {'model':>8} {'m/us':>5}")
    results = []
    wanted = [w for w in args.only.split(",") if w]
    for row in table.rows():
        if wanted and not any(w in row.name for w in wanted):
            continue
        if args.check:
            sizes = {**row.sizes, **row.small}
            done = subprocess.run(command(args.girih, "check", row, sizes),
                                  capture_output=True, text=True)
            if done.returncode:
                print(f"{row.name}: WRONG\n{done.stdout}{done.stderr}", flush=True)
                continue
        inputs = row.inputs(torch)
        eager = lambda: row.peer(torch, *inputs)
        peers = {"eager": eager}
        if not args.no_compile:
            torch._dynamo.reset()
            fast = torch.compile(lambda *xs: row.peer(torch, *xs), dynamic=False)
            peers["compile"] = lambda: fast(*inputs)
        times = {"girih": [], **{name: [] for name in peers}}
        for _ in range(args.rounds):
            times["girih"].append(girih_us(args.girih, row))
            for name, run in peers.items():
                times[name].append(clock.us(run))
        us = {name: statistics.median(t) for name, t in times.items()}
        best = min(us[name] for name in peers)
        read, written = row.bytes
        model = LAUNCH + read / READ + written / WRITE
        ours = us["girih"]
        believed = not (read > 100e6 and read / ours > READ)
        text = " ".join(f"{k}={v}" for k, v in row.sizes.items())
        print(f"{row.name:22} {text:30} {ours:9.1f} {us['eager']:9.1f} "
              f"{us.get('compile', float('nan')):9.1f} {best / ours:6.2f} {row.bar:6.2f} "
              f"{model:8.1f} {model / ours:5.2f}{'' if believed else '  TOO FAST'}",
              flush=True)
        results.append({"row": row.name, "sizes": row.sizes, "us": us, "model": model,
                        "ratio": best / ours, "bar": row.bar, "believed": believed})
        del inputs, peers, eager
        torch.cuda.empty_cache()
    good = [r for r in results if r["us"]["girih"] == r["us"]["girih"]]
    met = sum(r["ratio"] >= 0.985 * r["bar"] and r["believed"] for r in good)
    if good:
        print(f"{met} of {len(results)} bars met (within 1.5 %); median model / measured "
              f"{statistics.median(r['model'] / r['us']['girih'] for r in good):.2f}")
    if args.json:
        with open(args.json, "w") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
