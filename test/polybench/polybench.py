#!/usr/bin/env python3
"""Runs the PolyBench programs of this folder on a device and compares what they
give with numpy.

    polybench.py GIRIH [--device host|sim|cuda] [KERNEL...]

Sizes are PolyBench/C 4.2's MINI ones. Inputs are small integers, held as f64,
wherever every result is then a whole number below 2^53: no rounding happens, so
that the bits must agree in whatever order a sum runs. Otherwise the operations
of the C text are done one by one in f64, which rounds as IEEE 754 says and so
gives the same bits too. `correlation` alone sums rounded values: it is compared
with fifty decimal digits, within a bound that is derived where it stands.

Programs in the folder `planned` need what the language does not have yet. They
must be refused with that reason; their expectations stand here already.

Exits 77 (skipped) when the device is not there, 1 at any mismatch. Prints
`N passed, N failed` last.
"""

import argparse
import decimal
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(FOLDER))
import devices  # noqa: E402
KERNELS = {}
PLANNED = {file[:-3] for file in os.listdir(os.path.join(FOLDER, "planned"))}


def kernel(file, **inputs):
    """Registers a function that gives the expected outputs of FILE.te: by name,
    an array, or a pair of an array and how far each element may be from it."""

    def register(expected):
        KERNELS[file] = (expected, inputs)
        return expected

    return register


def whole(*shape, low=-4, high=5):
    """Small whole numbers."""
    return lambda random: random.integers(low, high, shape).astype(np.float64)


def real(*shape):
    return lambda random: random.uniform(-2, 2, shape)


def number(value):
    return lambda random: np.float64(value)


@kernel("gemm", alpha=number(3), beta=number(-2), C=whole(20, 25),
        A=whole(20, 30), B=whole(30, 25))
def gemm(alpha, beta, C, A, B):
    D = C.copy()
    for i in range(20):
        for j in range(25):
            D[i, j] *= beta
        for k in range(30):
            for j in range(25):
                D[i, j] += alpha * A[i, k] * B[k, j]
    return {"D": D}


@kernel("gemver", alpha=number(3), beta=number(2), A=whole(40, 40), u1=whole(40),
        v1=whole(40), u2=whole(40), v2=whole(40), y=whole(40), z=whole(40))
def gemver(alpha, beta, A, u1, v1, u2, v2, y, z):
    n = 40
    B, x, w = A.copy(), np.zeros(n), np.zeros(n)
    for i in range(n):
        for j in range(n):
            B[i, j] = B[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * B[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * B[i, j] * x[j]
    return {"B": B, "x": x, "w": w}


@kernel("gesummv", alpha=number(3), beta=number(-5), A=whole(30, 30),
        B=whole(30, 30), x=whole(30))
def gesummv(alpha, beta, A, B, x):
    y = np.zeros(30)
    for i in range(30):
        s = t = 0.0
        for j in range(30):
            s += A[i, j] * x[j]
            t += B[i, j] * x[j]
        y[i] = alpha * s + beta * t
    return {"y": y}


def product(A, B):
    C = np.zeros((A.shape[0], B.shape[1]))
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


@kernel("2mm", alpha=number(2), beta=number(3), A=whole(16, 22), B=whole(22, 18),
        C=whole(18, 24), D=whole(16, 24))
def two_products(alpha, beta, A, B, C, D):
    return {"E": product(alpha * product(A, B), C) + beta * D}


@kernel("3mm", A=whole(16, 20), B=whole(20, 18), C=whole(18, 24), D=whole(24, 22))
def three_products(A, B, C, D):
    return {"G": product(product(A, B), product(C, D))}


@kernel("atax", A=whole(38, 42), x=whole(42))
def atax(A, x):
    y = np.zeros(42)
    for i in range(38):
        t = 0.0
        for j in range(42):
            t += A[i, j] * x[j]
        for j in range(42):
            y[j] += A[i, j] * t
    return {"y": y}


@kernel("bicg", A=whole(42, 38), p=whole(38), r=whole(42))
def bicg(A, p, r):
    s, q = np.zeros(38), np.zeros(42)
    for i in range(42):
        for j in range(38):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]
    return {"s": s, "q": q}


@kernel("mvt", x1=whole(40), x2=whole(40), y1=whole(40), y2=whole(40),
        A=whole(40, 40))
def mvt(x1, x2, y1, y2, A):
    z1, z2 = x1.copy(), x2.copy()
    for i in range(40):
        for j in range(40):
            z1[i] += A[i, j] * y1[j]
            z2[i] += A[j, i] * y2[j]
    return {"z1": z1, "z2": z2}


@kernel("doitgen", A=whole(10, 8, 12), C4=whole(12, 12))
def doitgen(A, C4):
    B = np.zeros_like(A)
    for r in range(10):
        for q in range(8):
            for p in range(12):
                for s in range(12):
                    B[r, q, p] += A[r, q, s] * C4[s, p]
    return {"B": B}


@kernel("covariance", data=whole(32, 28, low=-50, high=51))
def covariance(data):
    # With 32 samples means are multiples of 1/32 and so everything is exact up
    # to the division by 31, which rounds once.
    n, m = data.shape
    mean = np.zeros(m)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    centred = data - mean
    cov = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            for k in range(n):
                cov[i, j] += centred[k, i] * centred[k, j]
            cov[i, j] /= n - 1.0
    return {"cov": cov}


@kernel("correlation", data=whole(32, 28, low=-50, high=51))
def correlation(data):
    # Means, differences and variances are exact, as above. With u = 2^-53, a
    # scaled value has the roundings of sqrt(variance), sqrt(n), their product
    # and the division: a factor within (1 + u)^4 or its inverse. A product of
    # two has eight of these and its own (none in an fma), and a sum of n terms
    # in any order at most n more for each: gamma = 42 u / (1 - 42 u) of the sum
    # of magnitudes (Higham, "Accuracy and Stability", 3.1). One more u is for
    # the expected value's own rounding to f64.
    decimal.getcontext().prec = 50
    n, m = data.shape
    D = decimal.Decimal
    columns = [[D(int(x)) for x in data[:, j]] for j in range(m)]
    scaled = []
    for column in columns:
        mean = sum(column) / n
        stddev = (sum((x - mean) ** 2 for x in column) / n).sqrt()
        if stddev <= D("0.1"):
            stddev = D(1)
        scaled.append([(x - mean) / (D(n).sqrt() * stddev) for x in column])
    corr, near = np.ones((m, m)), np.zeros((m, m))
    u = D(2) ** -53
    gamma = 42 * u / (1 - 42 * u)
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            terms = [x * y for x, y in zip(scaled[i], scaled[j])]
            corr[i, j] = float(sum(terms))
            near[i, j] = float((gamma + u) * sum(map(abs, terms)))
    return {"corr": (corr, near)}


@kernel("syrk", alpha=number(3), beta=number(2), C=whole(30, 30), A=whole(30, 20))
def syrk(alpha, beta, C, A):
    D = C.copy()
    for i in range(30):
        for j in range(i + 1):
            D[i, j] *= beta
        for k in range(20):
            for j in range(i + 1):
                D[i, j] += alpha * A[i, k] * A[j, k]
    return {"D": D}


@kernel("syr2k", alpha=number(3), beta=number(2), C=whole(30, 30),
        A=whole(30, 20), B=whole(30, 20))
def syr2k(alpha, beta, C, A, B):
    D = C.copy()
    for i in range(30):
        for j in range(i + 1):
            D[i, j] *= beta
        for k in range(20):
            for j in range(i + 1):
                D[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]
    return {"D": D}


@kernel("symm", alpha=number(3), beta=number(2), C=whole(20, 30),
        A=whole(20, 20), B=whole(20, 30))
def symm(alpha, beta, C, A, B):
    D = C.copy()
    for i in range(20):
        for j in range(30):
            temp = 0.0
            for k in range(i):
                D[k, j] += alpha * B[i, j] * A[i, k]
                temp += B[k, j] * A[i, k]
            D[i, j] = beta * D[i, j] + alpha * B[i, j] * A[i, i] + alpha * temp
    return {"D": D}


@kernel("trmm", alpha=number(3), A=whole(20, 20), B=whole(20, 30))
def trmm(alpha, A, B):
    C = B.copy()
    for i in range(20):
        for j in range(30):
            for k in range(i + 1, 20):
                C[i, j] += A[k, i] * C[k, j]
            C[i, j] = alpha * C[i, j]
    return {"C": C}


def jacobi1d_half(A, B):
    for i in range(1, len(A) - 1):
        B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])


@kernel("jacobi1d_step", A=real(30))
def jacobi1d_step(A):
    B = A.copy()
    jacobi1d_half(A, B)
    return {"B": B}


def jacobi2d_half(A, B):
    n = len(A)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, 1 + j] + A[1 + i, j]
                             + A[i - 1, j])


@kernel("jacobi2d_step", A=real(30, 30))
def jacobi2d_step(A):
    B = A.copy()
    jacobi2d_half(A, B)
    return {"B": B}


def heat3d_half(A, B):
    n = len(A)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                B[i, j, k] = (
                    0.125 * (A[i + 1, j, k] - 2.0 * A[i, j, k] + A[i - 1, j, k])
                    + 0.125 * (A[i, j + 1, k] - 2.0 * A[i, j, k] + A[i, j - 1, k])
                    + 0.125 * (A[i, j, k + 1] - 2.0 * A[i, j, k] + A[i, j, k - 1])
                    + A[i, j, k])


@kernel("heat3d_step", A=real(10, 10, 10))
def heat3d_step(A):
    B = A.copy()
    heat3d_half(A, B)
    return {"B": B}


def fdtd2d_turn(f, ex, ey, hz):
    nx, ny = hz.shape
    for j in range(ny):
        ey[0, j] = f
    for i in range(1, nx):
        for j in range(ny):
            ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
    for i in range(nx):
        for j in range(1, ny):
            ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
    for i in range(nx - 1):
        for j in range(ny - 1):
            hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j]
                                         + ey[i + 1, j] - ey[i, j])


@kernel("fdtd2d_step", f=number(7), ex=real(20, 30), ey=real(20, 30),
        hz=real(20, 30))
def fdtd2d_step(f, ex, ey, hz):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    fdtd2d_turn(f, ex, ey, hz)
    return {"ex1": ex, "ey1": ey, "hz1": hz}

@kernel("jacobi1d", A=real(30), B=real(30))
def jacobi1d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(20):
        jacobi1d_half(A, B)
        jacobi1d_half(B, A)
    return {"A": A, "B": B}


@kernel("jacobi2d", A=real(30, 30), B=real(30, 30))
def jacobi2d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(20):
        jacobi2d_half(A, B)
        jacobi2d_half(B, A)
    return {"A": A, "B": B}


@kernel("heat3d", A=real(10, 10, 10), B=real(10, 10, 10))
def heat3d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(20):
        heat3d_half(A, B)
        heat3d_half(B, A)
    return {"A": A, "B": B}


@kernel("fdtd2d", f=real(20), ex=real(20, 30), ey=real(20, 30), hz=real(20, 30))
def fdtd2d(f, ex, ey, hz):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(20):
        fdtd2d_turn(f[t], ex, ey, hz)
    return {"ex": ex, "ey": ey, "hz": hz}


@kernel("seidel2d", A=real(40, 40))
def seidel2d(A):
    A = A.copy()
    for _ in range(20):
        for i in range(1, 39):
            for j in range(1, 39):
                A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                           + A[i, j - 1] + A[i, j] + A[i, j + 1]
                           + A[i + 1, j - 1] + A[i + 1, j]
                           + A[i + 1, j + 1]) / 9.0
    return {"A": A}


def dominant(n):
    """Symmetric, with a large diagonal."""

    def make(random):
        half = random.uniform(-1, 1, (n, n))
        return half + half.T + 4 * n * np.eye(n)

    return make


@kernel("lu", A=dominant(40))
def lu(A):
    A, n = A.copy(), len(A)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return {"A": A}


@kernel("cholesky", A=dominant(40))
def cholesky(A):
    A, n = A.copy(), len(A)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
    return {"A": A}


@kernel("durbin", r=lambda random: random.uniform(-0.02, 0.02, 40))
def durbin(r):
    n = len(r)
    y, z = np.zeros(n), np.zeros(n)
    y[0] = -r[0]
    beta, alpha = np.float64(1), -r[0]
    for k in range(1, n):
        beta = (1 - alpha * alpha) * beta
        total = np.float64(0)
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return {"y": y}


@kernel("trisolv", L=lambda random: np.tril(random.uniform(-1, 1, (40, 40)))
        + 8 * np.eye(40), b=real(40))
def trisolv(L, b):
    x = np.zeros(40)
    for i in range(40):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
    return {"x": x}


@kernel("floyd_warshall",
        path=lambda random: random.integers(1, 1000, (60, 60)).astype(np.int32))
def floyd_warshall(path):
    path = path.copy()
    for k in range(60):
        for i in range(60):
            for j in range(60):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    return {"path": path}


@kernel("trmm_in_place", alpha=number(3), A=whole(20, 20), B=whole(20, 30))
def trmm_in_place(alpha, A, B):
    return {"B": trmm(alpha, A, B)["C"]}


def refused(args, name):
    """A program of the planned folder needs what the language does not have yet,
    and is told so. Once it has, the program belongs beside the others."""
    words = [args.girih, "compile", f"{FOLDER}/planned/{name}.te", "--emit=te"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "the language has what it needs: move it out of the planned folder"
    said = done.stdout + done.stderr
    errors = [line for line in said.splitlines() if "error[" in line]
    if (not errors or not all("not supported yet" in line for line in errors)
            or not re.search(r"error\[G0802\]", errors[0])):
        return f"{' '.join(words)}\n{said[-2000:]}"
    return None


def run(args, name):
    """None, or what is wrong."""
    expected, makers = KERNELS[name]
    if name in PLANNED:
        return refused(args, name)
    random = np.random.default_rng(sum(name.encode()))
    inputs = {key: make(random) for key, make in makers.items()}
    with tempfile.TemporaryDirectory() as folder:
        words = [args.girih, "run", os.path.join(FOLDER, name + ".te"),
                 f"--device={args.device}"]
        for key, value in inputs.items():
            path = os.path.join(folder, f"in_{key}.npy")
            np.save(path, value)
            words.append(f"{key}={path}")
        outputs = expected(**inputs)
        for key in outputs:
            words += ["--out", f"{key}={folder}/out_{key}.npy"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stdout + done.stderr
            return f"{' '.join(words)}\n{said[-2000:]}"
        for key, value in outputs.items():
            value, near = value if isinstance(value, tuple) else (value, None)
            actual = np.load(f"{folder}/out_{key}.npy")
            if actual.shape != value.shape or actual.dtype != value.dtype:
                return f"{key} is {actual.dtype}{actual.shape}"
            if near is None:
                # Bit for bit: +0 and -0 are the same number here, where sums
                # of whole numbers have no negative zeros to tell apart.
                wrong = ~(actual == value)
            else:
                wrong = ~(np.abs(actual - value) <= near)
            if wrong.any():
                at = tuple(int(x) for x in np.argwhere(wrong)[0])
                return (f"{key}{list(at)} is {actual[at]!r}, not {value[at]!r}; "
                        f"{wrong.sum()} of {wrong.size} elements differ")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("girih")
    parser.add_argument("--device", default="host")
    parser.add_argument("kernels", nargs="*")
    args = parser.parse_intermixed_args()
    if devices.skips(args.girih, args.device):
        return 77
    failed = 0
    names = args.kernels or sorted(KERNELS)
    files = PLANNED | {f[:-3] for f in os.listdir(FOLDER) if f.endswith(".te")}
    if not args.kernels and files != set(KERNELS):
        print("FAILED: no expectation, or no program, for:",
              ", ".join(sorted(files ^ set(KERNELS))))
        failed += 1
    for name in names:
        problem = run(args, name)
        if problem:
            failed += 1
            print(f"FAILED: {name}: {problem}", flush=True)
        else:
            what = "refused, as" if name in PLANNED else "as"
            print(f"{name}: {what} expected", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
