#!/usr/bin/env python3
# ===- scans.py - the orders of scans, replayed ---------------------------===#
#
# Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs scans in every order and compares their bits with numpy.

Usage: scans.py COMPILER [DEVICE...]

The replay follows docs/numerics.md, one rounding after the other, and knows
nothing of what the compiler makes of a scan.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

ORDERS = ["fixed", "free", "sequential", "seg(1)", "seg(7, seq)",
          "seg(64, m = seq)", "seg(1000)"]
FORMS = ["", ", exclusive", ", reverse", ", exclusive, reverse"]
LENGTHS = [0, 1, 7, 130]
ROWS = 3


def replay(x, product, form, order):
    """Row by row, in x's type."""
    kind = x.dtype.type
    add = np.multiply if product else np.add
    start = kind(1 if product else 0)
    y = np.empty_like(x)
    for row in range(x.shape[0]):
        values = x[row, ::-1] if "reverse" in form else x[row]
        n = len(values)
        length = n
        if order.startswith("seg"):
            length = int(order[4:-1].split(",")[0])
        result, before = [], add(start, start)
        for begin in range(0, n, length or 1):
            inside = start
            for value in values[begin:begin + length]:
                after = add(inside, value)
                chain = inside if "exclusive" in form else after
                result.append(add(before, chain)
                              if order.startswith("seg") else chain)
                inside = after
            before = add(before, inside)
        y[row] = result[::-1] if "reverse" in form else result
    return y


def main():
    compiler, devices = sys.argv[1], sys.argv[2:] or ["host", "sim"]
    rng = np.random.default_rng(1)
    runs = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, products in (("f32", (False, True)), ("f64", (False,))):
            for product in products:
                name = "cumprod" if product else "cumsum"
                cases = [(form, order) for order in ORDERS for form in FORMS]
                names = [f"Y{n}" for n in range(len(cases))]
                text = (f"op f(X: {kind}[M, N]) -> " + ", ".join(
                    f"{y}: {kind}[M, N]" for y in names) + " {\n")
                for y, (form, order) in zip(names, cases):
                    text += (f"  {y}[i, j] = {name}[j{form}, order={order}]"
                             "(X[i, j])\n")
                path = os.path.join(folder, "f.te")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text + "}\n")
                binary = os.path.join(folder, "f.girih")
                subprocess.run([compiler, "compile", path, "-o", binary],
                               check=True)
                for n in LENGTHS:
                    dtype = np.float32 if kind == "f32" else np.float64
                    x = rng.standard_normal((ROWS, n)) * 3
                    if product:
                        x = 1 + x / 64
                    x = x.astype(dtype)
                    np.save(os.path.join(folder, "x.npy"), x)
                    for device in devices:
                        subprocess.run(
                            [compiler, "run", binary, f"--device={device}",
                             "X=" + os.path.join(folder, "x.npy")] +
                            [f"--out={y}=" + os.path.join(folder, y + ".npy")
                             for y in names],
                            check=True, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
                        for y, (form, order) in zip(names, cases):
                            runs += 1
                            have = np.load(os.path.join(folder, y + ".npy"))
                            want = replay(x, product, form, order)
                            if have.tobytes() != want.tobytes():
                                wrong += 1
                                print(f"{name}{form} {order} of {n} {kind} on "
                                      f"{device} differs")
    print(f"scans: {runs} compared, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
