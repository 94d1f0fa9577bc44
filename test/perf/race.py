#!/usr/bin/env python3
"""Races the example programs against what a user would pick instead, in one run.

    race.py GIRIH [--json OUT]

Needs a GPU and PyTorch. Each row: girih's own bench (events, L2 flushed, median)
and torch eager and torch.compile by triton's do_bench (the same method), on fresh
normal inputs, in turns, three rounds; the median of the rounds is shown. torch's
matrix products are tensor-core ones where bf16 inputs allow them; girih's are f32
FMA chains in a fixed order until tensor cores come: the ratio says what that
order costs today.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def girih_us(girih, program, sizes, dynamic):
    words = [girih, "bench", os.path.join(ROOT, program), "--device=cuda",
             "--json", "--reps", "50"]
    for name, value in sizes.items():
        words += ["-D", f"{name}={value}"]
    if dynamic:
        words.append("--dynamic")
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return float("nan")
    return json.loads(done.stdout)["median_us"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--json")
    args = parser.parse_args()
    import torch
    import torch.nn.functional as F
    from triton.testing import do_bench

    def normal(*shape, dtype):
        return torch.randn(*shape, device="cuda", dtype=dtype)

    bf16, f32 = torch.bfloat16, torch.float32
    rows = []
    for m in (1024, 16384):
        g, u = normal(m, 12288, dtype=bf16), normal(m, 12288, dtype=bf16)
        rows.append(("examples/swiglu.te", {"M": m, "N": 12288},
                     lambda g=g, u=u: F.silu(g) * u))
    for m, n in ((1024, 4096), (16384, 4096), (8192, 8192)):
        x = normal(m, n, dtype=bf16)
        rows.append(("examples/softmax.te", {"M": m, "N": n},
                     lambda x=x: torch.softmax(x, -1)))
    x = normal(16384, 16384, dtype=f32)
    rows.append(("examples/row_sum.te", {"M": 16384, "N": 16384},
                 lambda x=x: x.sum(-1)))
    v = normal(1 << 28, dtype=f32)
    rows.append(("examples/whole_sum.te", {"N": 1 << 28}, lambda v=v: v.sum()))
    a, w = normal(1024, 4096, dtype=bf16), normal(4096, 12288, dtype=bf16)
    rows.append(("examples/ffn_silu.te", {"M": 1024, "N": 12288, "K": 4096},
                 lambda a=a, w=w: F.silu(a @ w)))
    a32, w32 = a.float(), w.float()
    torch.backends.cuda.matmul.allow_tf32 = False

    print(torch.cuda.get_device_name(), torch.__version__)
    print(f"{'program':14} {'sizes':28} {'girih':>9} {'dynamic':>9} {'eager':>9} "
          f"{'compile':>9} {'best peer / girih':>18}")
    results = []
    for program, sizes, peer in rows:
        compiled = torch.compile(peer, dynamic=False)
        compiled()
        times = {"given": [], "dynamic": [], "eager": [], "compile": []}
        for _ in range(3):
            times["given"].append(girih_us(args.girih, program, sizes, False))
            times["dynamic"].append(girih_us(args.girih, program, sizes, True))
            times["eager"].append(1000 * do_bench(peer, return_mode="median"))
            times["compile"].append(1000 * do_bench(compiled, return_mode="median"))
        median = {k: statistics.median(t) for k, t in times.items()}
        name = os.path.basename(program)[:-3]
        text = " ".join(f"{k}={v}" for k, v in sizes.items())
        best = min(median["eager"], median["compile"])
        print(f"{name:14} {text:28} {median['given']:9.1f} {median['dynamic']:9.1f} "
              f"{median['eager']:9.1f} {median['compile']:9.1f} "
              f"{best / median['given']:18.2f}", flush=True)
        results.append({"program": name, "sizes": sizes, "us": median})
    # The same product where the peer rounds as girih does: f32 without tensor cores.
    f32_us = 1000 * do_bench(lambda: F.silu(a32 @ w32), return_mode="median")
    print(f"cuBLAS f32 (no tensor cores) of the ffn_silu shape, with silu: {f32_us:.1f} us")
    results.append({"program": "cublas_f32_silu", "us": {"eager": f32_us}})
    if args.json:
        with open(args.json, "w") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
