#!/usr/bin/env python3
"""Checks every program at many sizes on a device against the reference.

    check_programs.py GIRIH [--device cuda|sim|host] [--quick]

For each program: dynamic sizes (one compile, many launches) and sizes given at
compile time; fast and portable functions; strided inputs; special values. Then
the facts about order that docs/numerics.md states. Exits 77 (skipped) when the
device is not there, 1 at any mismatch. Prints `N passed, N failed` last.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test"))
import devices  # noqa: E402
passed = failed = 0
lock = threading.Lock()


def run(args, words):
    """Runs girih; on failure prints the command and what it said."""
    global passed, failed
    done = subprocess.run(words, capture_output=True, text=True)
    with lock:
        if done.returncode == 0:
            passed += 1
        else:
            failed += 1
            print("FAILED:", " ".join(words))
            print((done.stdout + done.stderr)[-2000:], flush=True)
    return done


def sizes_text(sets):
    return ";".join(",".join(f"{n}={v}" for n, v in s.items()) for s in sets)


def matrix_sizes(quick):
    pairs = [(0, 5), (3, 0), (1, 1), (7, 13), (64, 1000), (33, 4096),
             (5, 16384), (2, 40000), (129, 257), (100, 8)]
    return [{"M": m, "N": n} for m, n in (pairs[:5] if quick else pairs)]


def product_sizes(quick):
    triples = [(0, 5, 3), (3, 4, 0), (1, 1, 1), (7, 13, 17), (64, 100, 32),
               (128, 128, 128), (129, 257, 65), (200, 304, 48),
               (33, 520, 1000), (1, 1000, 7)]
    return [{"M": m, "N": n, "K": k}
            for m, n, k in (triples[:4] if quick else triples)]


def vector_sizes(quick):
    counts = [0, 1, 5, 1023, 4096, 65536, 65537, 131071, 1000003, 1 << 22]
    return [{"N": n} for n in (counts[:5] if quick else counts)]


def image_sizes(quick, entry):
    names = {"pool": "BHWC", "columns": "BNCK"}.get(entry[8:-3], "BHWCK")
    sets = [(0, 3, 3, 2, 2), (1, 1, 1, 1, 1), (2, 5, 7, 3, 5),
            (1, 4, 9, 16, 33), (2, 13, 6, 1, 8), (1, 17, 16, 8, 16),
            (1, 2, 40, 5, 3)]
    values = {"B": 0, "H": 1, "N": 1, "W": 2, "C": 3, "K": 4}
    return [{n: s[values[n]] for n in names}
            for s in (sets[:4] if quick else sets)]


def programs(girih, quick):
    """(file, sizes) of everything that is checked; the operator behind the file
    where it has several."""
    rows = matrix_sizes(quick)
    for name in ("swiglu", "row_sum", "softmax"):
        yield f"examples/{name}.te", rows
    yield "examples/whole_sum.te", vector_sizes(quick)
    yield "examples/ffn_silu.te", product_sizes(quick)
    yield "examples/heat.te", [s for s in rows if s["M"] * s["N"] < 200000]
    yield "examples/conv2d.te", [dict(s, R=r, S=4 - r) for s in
                                 image_sizes(quick, "") for r in (1, 3)]
    yield "examples/block.te", product_sizes(quick)
    for op in ("int8_matmul", "int8_linear"):
        yield f"examples/int8_matmul.te:{op}", product_sizes(quick)
    yield "examples/int8_matmul.te:quantise", [
        {"M": s["M"], "K": s["N"]} for s in rows]
    yield "examples/int4_matmul.te", [
        {"M": s["M"], "N": s["N"], "G": s["K"] // 16 + 1, "H": s["K"] % 16 + 1}
        for s in product_sizes(quick)]
    named = ("swiglu", "row_sum", "softmax", "whole_sum", "ffn_silu", "heat",
             "conv2d", "block", "int8_matmul", "int4_matmul")
    for entry in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        if entry.endswith(".te") and entry[:-3] not in named:
            yield from any_sizes(girih, f"examples/{entry}", quick)
    folder = os.path.join(ROOT, "test/programs")
    for entry in sorted(os.listdir(folder)):
        path = f"test/programs/{entry}"
        if not entry.endswith(".te"):
            continue
        if entry.startswith(("row_sum", "column_sum", "reductions")):
            yield path, rows
        elif entry.startswith("shifted_matrix"):
            yield path, [s for s in rows if s["M"] * s["N"] < 200000]
        elif entry.startswith(("shifted_convolution", "shifted_pool",
                               "shifted_columns")):
            yield path, image_sizes(quick, entry)
        elif entry.startswith("shifted"):
            yield path, vector_sizes(quick)[:5]
        elif entry.startswith("tree_sum"):
            yield path, [{"M": m} for m in (0, 1, 5, 300)]
        elif entry.startswith("whole_sum"):
            # Sequential chains of one value: keep them short.
            yield path, vector_sizes(quick)[:6]
        elif entry == "integer_products.te":
            yield path, product_sizes(quick)
        elif entry.startswith(("functions", "mixed_types", "integer_",
                               "type_casts", "type_negate")):
            yield path, vector_sizes(quick)[:5]
        elif entry.startswith("two_products"):
            yield path, [dict(s, L=s["N"] // 2 + 1) for s in product_sizes(quick)]
        elif entry.startswith(("transposed_product", "matmul_softmax",
                               "int4_weights", "product_f8")):
            yield path, product_sizes(quick)
        else:
            yield from any_sizes(girih, path, quick)


# What any_sizes gives the sizes of an operator in turn: primes, tails of tiles,
# and one element.
ANY = {1: [(1,), (1031,), (4099,)], 2: [(1, 1), (37, 131), (129, 1027)],
       3: [(1, 1, 1), (7, 37, 13), (33, 65, 129)]}
QUICK = {1: [(1,), (131,)], 2: [(1, 1), (5, 37)],
         3: [(1, 1, 1), (7, 37, 13)]}
SMALL = [1, 2, 5, 3, 2, 4, 3, 2, 2]


def is_unique(path, op):
    with open(os.path.join(ROOT, path)) as file:
        body = re.search(rf"^op {op}\b.*?^}}", file.read(), re.M | re.S)
    return re.search(r"\bunique\b", body[0]) is not None


def at_least_zero(derived, params, sizes_with):
    """The first sizes_with(0), sizes_with(1), ... that makes no derived size
    negative."""
    for more in range(64):
        sizes = sizes_with(more)
        known = {**params, **sizes,
                 "floordiv": lambda a, b: a // b}
        for name, text in derived.items():
            known[name] = eval(text.replace("/", "//"), {}, known)
        if all(known[name] >= 0 for name in derived):
            break
    return sizes


def any_sizes(girih, path, quick):
    """Some sets of sizes for each operator of a file; parameters keep their
    defaults."""
    listed = subprocess.run(
        [girih, "list", os.path.join(ROOT, path), "--json"],
        capture_output=True, text=True, check=True)
    for op in json.loads(listed.stdout):
        # Slots that are drawn meet: `unique` would be refused, rightly.
        if op["kind"] != "op" or is_unique(path, op["name"]):
            continue
        # A promised range needs a value to draw.
        floor = 4 if re.search(r"\] in ", op["head"]) else 0
        known = [param["name"] for param in op["params"]]
        for tensor in op["inputs"] + op["outputs"]:
            for dim in tensor["dims"]:  # a group is a list of its members
                known += [name for name in re.findall(r"[A-Za-z_]\w*", str(dim))
                          if name not in known]
        derived = {size["name"]: size["value"] for size in op["derived"]}
        names = [name for name in known[len(op["params"]):]
                 if name not in derived]
        sets = (QUICK if quick else ANY).get(len(names), [
            (1,) * len(names), SMALL[:len(names)], SMALL[::-1][:len(names)]])
        factors = dict(re.findall(r"(\w+) % (\d+) == 0",
                                  "\n".join(op["constraints"])))
        least = dict(re.findall(r"(\w+) >= (\d+)",
                                "\n".join(op["constraints"])))
        defaults = {param["name"]: int(param["default"])
                    for param in op["params"]
                    if re.fullmatch(r"\d+", param.get("default", ""))}
        yield f"{path}:{op['name']}", [
            at_least_zero(derived, defaults, lambda more: {
                name: max((value + more) * int(factors.get(name, 1)),
                          int(least.get(name, 0)), floor)
                for name, value in zip(names, values)}) for values in (sets if names else [()])]


def check_all(args):
    jobs = []
    for path, sets in programs(args.girih, args.quick):
        file, _, op = path.partition(":")
        base = [args.girih, "check", os.path.join(ROOT, file),
                f"--device={args.device}"] + (["--op", op] if op else [])
        # An operator may have no sizes at all.
        every = ["--sizes", sizes_text(sets)] if any(sets) else []
        jobs.append(base + every + ["--dynamic", "--functions=portable"])
        jobs.append(base + every + ["--dynamic", "--functions=fast"])
        # A file with several operators is a small program of its own each.
        kinds = ("special",) if args.quick and op else (
            "special", "cancel", "uniform")
        for kind in kinds:
            jobs.append(base + every + ["--dynamic", "--functions=portable",
                                        "--random", kind])
        if not args.quick:
            # Without --dynamic each set is compiled with its sizes given.
            jobs.append(base + every + ["--functions=portable"])
            jobs.append(base + every + ["--functions=fast"])


    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        list(pool.map(lambda words: run(args, words), jobs))


def strided(args):
    for path, name, sizes in (
            ("examples/row_sum.te", "X", "M=37,N=200"),
            ("examples/softmax.te", "X", "M=37,N=200;M=3,N=5000"),
            ("examples/swiglu.te", "G", "M=37,N=200"),
            ("examples/ffn_silu.te", "A", "M=37,N=200,K=50"),
            ("examples/ffn_silu.te", "W", "M=130,N=136,K=64")):
        run(args, [args.girih, "check", os.path.join(ROOT, path),
                   f"--device={args.device}", "--dynamic", "--sizes", sizes,
                   "--functions=portable", "--strided", name])


def expect(what, right):
    global passed, failed
    if right:
        passed += 1
    else:
        failed += 1
        print("FAILED:", what)


def sum_rows(args, folder, program, x, more=()):
    """S of a program on X = `x`."""
    np.save(f"{folder}/x.npy", x)
    words = [args.girih, "run", program, f"X={folder}/x.npy", *more,
             f"--device={args.device}", "--out", f"S={folder}/s.npy"]
    done = run(args, words)
    return np.load(f"{folder}/s.npy") if done.returncode == 0 else np.full(1, np.nan)


def write(folder, name, text):
    path = f"{folder}/{name}.te"
    with open(path, "w") as out:
        out.write(text)
    return path


def order_facts(args):
    """Facts about f32 order: seed figures D and the row that shows the order."""
    with tempfile.TemporaryDirectory() as folder:
        row = np.ones((1, 4096), np.float32)
        row[0, 0] = 2.0 ** 24
        facts = {"sequential": 16777216, "seq": 16777216, "tree(2)": 16779264,
                 "tree(4)": 16780288, "tree(8)": 16780800,
                 "tree(32)": 16781184, "tree(4096)": 16781310}
        for order, value in facts.items():
            program = write(folder, "facts", "op f(X: f32[M, 4096]) -> S: f32[M] "
                            f"{{ S[i] = sum[k, order={order}](X[i, k]) }}\n")
            got = sum_rows(args, folder, program, row)
            expect(f"{order}: {got[0]} instead of {value}", got[0] == value)
        tiny = np.array([[1, 2.0 ** -24, 2.0 ** -24]], np.float32)
        program = write(folder, "left", "op f(X: f32[M, N]) -> S: f32[M] "
                        "{ S[i] = sum[k, order=seq](X[i, k]) }\n")
        expect("(1 + 2^-24) + 2^-24 = 1",
               sum_rows(args, folder, program, tiny)[0] == 1.0)
        turned = np.ascontiguousarray(tiny[:, ::-1])
        expect("(2^-24 + 2^-24) + 1 = 1 + 2^-23",
               sum_rows(args, folder, program, turned)[0] == np.float32(1 + 2.0 ** -23))

        # A row's bits never depend on the number of rows.
        program = os.path.join(ROOT, "examples/row_sum.te")
        rng = np.random.default_rng(7)
        many = rng.standard_normal((1000, 5000)).astype(np.float32)
        whole = sum_rows(args, folder, program, many)
        for count in (1, 2, 7, 64):
            part = sum_rows(args, folder, program, many[:count])
            expect(f"{count} rows alone give other bits than among 1000",
                   np.array_equal(part.view(np.uint32),
                                  whole[:count].view(np.uint32)))


def outside_rules(args):
    """Rules for reads outside, against numpy's padding."""
    rng = np.random.default_rng(11)
    modes = {"clamp(i - 2)": "edge", "reflect(i - 2)": "reflect",
             "wrap(i - 2)": "wrap", "i - 2": "constant"}
    with tempfile.TemporaryDirectory() as folder:
        for subscript, mode in modes.items():
            value = "" if mode != "constant" else " else 3"
            program = write(folder, mode, "op f(X: f32[N]) -> S: f32[N + 4] where "
                            f"N > 0 {{ S[i] = X[{subscript}]{value} }}\n")
            # Also so short that one mirror image is not enough.
            for count in (1, 2, 3, 5, 300):
                x = rng.standard_normal(count).astype(np.float32)
                extra = {"constant_values": 3} if value else {}
                expect(f"{mode} of {count} elements",
                       np.array_equal(sum_rows(args, folder, program, x),
                                      np.pad(x, 2, mode=mode, **extra)))
        # A convolution with stride and padding, in small integers: exact.
        program = write(folder, "conv", """
            op f(X: f32[B, 2 * H, 2 * W, C], F: f32[3, 3, C, K])
                -> S: f32[B, H, W, K] {
              S[n, h, w, k] = sum[r, s, c](
                  (X[n, 2 * h + r - 1, 2 * w + s - 1, c] else 0) * F[r, s, c, k])
            }""")
        x = rng.integers(-4, 5, (2, 6, 10, 3)).astype(np.float32)
        f = rng.integers(-4, 5, (3, 3, 3, 7)).astype(np.float32)
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        want = np.zeros((2, 3, 5, 7), np.float32)
        for h in range(3):
            for w in range(5):
                window = padded[:, 2 * h:2 * h + 3, 2 * w:2 * w + 3]
                want[:, h, w] = np.einsum("nrsc,rsck->nk", window, f)
        np.save(f"{folder}/f.npy", f)
        expect("a convolution with stride 2 and padding",
               np.array_equal(sum_rows(args, folder, program, x,
                                       [f"F={folder}/f.npy"]), want))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if devices.skips(args.girih, args.device):
        sys.exit(77)
    check_all(args)
    strided(args)
    order_facts(args)
    outside_rules(args)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
