#!/usr/bin/env python3
"""Runs the operators of this folder at random small sizes on a device and compares
what they give with numpy.

    workloads.py GIRIH [--device host|sim|cuda] [--seed N] [--rounds N] [NAME...]

Expectations are computed in f64 by other means than the operators' texts where
there are any (np.fft, an unpaged cache, a dense matrix, a direct convolution, plain
loops). Inputs are small integers wherever every result is then exact, whatever the
order of a sum, and bits are compared. Elsewhere a result may be off by a bound:

    BOUND * (units of the result's type at |expected| + units of f32 at SCALE)

where SCALE is the sum of magnitudes that the result was added up from, and BOUND is
said where it is used: it counts the roundings of the longest path through the
operator with a factor of two or more to spare. Functions are portable, so that each
is within 2.5 units everywhere; what fast ones may do is `girih check`'s business.

Exits 77 (skipped) when the device is not there, 1 at any mismatch. Prints
`N passed, N failed` last.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(FOLDER))
import devices  # noqa: E402
CASES = {}
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i8": np.int8,
         "i32": np.int32, "i64": np.int64, "u8": np.uint8, "bool": np.bool_}
# Bits of the fraction, and the exponent of the smallest spacing.
FRACTION = {"f64": (52, -1074), "f32": (23, -149), "f16": (10, -24),
            "bf16": (7, -133), "f8e4m3fn": (3, -9)}


class Tensor:
    """An array with the language's name of its type; values are held as f64, or as
    numpy's integers."""

    def __init__(self, kind, values):
        self.kind = kind
        self.values = rounded(kind, values)


def bits_of(kind, values):
    """bf16 and f8 as files hold them."""
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(TYPES[kind])


def values_of(kind, array):
    if kind == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "f8e4m3fn":
        exponent, fraction = (array >> 3) & 15, (array & 7).astype(np.float64)
        value = np.where(exponent == 0, fraction * 2.0**-9,
                         (8 + fraction) * 2.0**(exponent.astype(np.float64) - 10))
        value = np.where((array & 127) == 127, np.nan, value)
        return np.where(array & 128, -value, value)
    return array.astype(np.float64) if kind in FRACTION else array


def unit(kind, values):
    """The spacing of the type's numbers at each value."""
    fraction, least = FRACTION[kind]
    _, exponent = np.frexp(np.abs(values))
    return np.ldexp(1.0, np.maximum(exponent - 1 - fraction, least))


def rounded(kind, values):
    """To nearest, ties to even; f8 saturates."""
    if kind not in FRACTION:
        return np.asarray(values).astype(TYPES[kind])
    values = np.asarray(values, np.float64)
    if kind == "f8e4m3fn":
        values = np.clip(values, -448, 448)
    step = unit(kind, np.where(np.isfinite(values), values, 0))
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(values), np.rint(values / step) * step, values)


def case(file, op, rounds=2):
    """Registers a function of a random generator that gives (sizes and parameters,
    inputs, expected): expected by name, (kind, array) where bits are compared, or
    (kind, array, bound, scale)."""

    def register(make):
        CASES[make.__name__] = (file, op, make, rounds)
        return make

    return register


def whole(random, kind, *shape, low=-4, high=5):
    return Tensor(kind, random.integers(low, high, shape))


def real(random, kind, *shape, scale=1.0):
    return Tensor(kind, random.standard_normal(shape) * scale)


def size(random, most=40):
    """Mostly what no tile divides."""
    return int(random.choice([1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, most]))


def erf(x):
    from math import erf as scalar
    return np.vectorize(scalar)(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@case("w01_mlp", "mlp_up")
def gelu_up(random):
    m, k, n = size(random), size(random), size(random)
    tanh = bool(random.integers(2))
    X, W, b = (whole(random, "f16", m, k), whole(random, "f16", k, n),
               whole(random, "f16", n))
    a = X.values @ W.values + b.values
    H = gelu_tanh(a) if tanh else 0.5 * a * (1 + erf(a / np.sqrt(2)))
    # Far below 0, 1 + tanh cancels: what is left is noise of f32 at |a|.
    return ({"TANH": str(tanh).lower()}, {"X": X, "W": W, "b": b},
            {"H": ("f16", H, 1, 8 * np.abs(a))})


@case("w01_mlp", "mlp_down")
def dropout_down(random):
    m, k, n = size(random), size(random), size(random)
    H, W, b = (whole(random, "bf16", m, k, low=-2, high=3),
               whole(random, "bf16", k, n, low=-2, high=3), whole(random, "bf16", n))
    R = whole(random, "bf16", m, n)
    keep = Tensor("bool", random.random((m, n)) < 0.7)
    p = float(random.choice([0, 0.5, 0.75]))
    a = H.values @ W.values + b.values
    Y = R.values + np.where(keep.values, a / (1 - p), 0)
    return ({"P": p, "T": "bf16"}, {"H": H, "W": W, "b": b, "R": R, "keep": keep},
            {"Y": ("bf16", rounded("bf16", Y))})


@case("w02_rmsnorm_e4m3", "rms_norm_e4m3", rounds=4)
def rms_blocks(random):
    r, g, block = size(random), size(random, 56), int(random.choice([1, 8, 32, 128]))
    X, w = real(random, "bf16", r, g * block), real(random, "bf16", g * block)
    X.values[0, :block] = 0
    n = (X.values / np.sqrt((X.values**2).mean(1, keepdims=True) + 1e-6) * w.values
         ).reshape(r, g, block)
    s = np.abs(n).max(2) / 448
    s = np.where(s == 0, 1, s)
    q = n / s[:, :, None]
    # q may lie on the other side of a tie: a unit of e4m3.
    return ({"BLOCK": block}, {"X": X, "w": w},
            {"Q": ("f8e4m3fn", q.reshape(r, g * block), 1, 0),
             "S": ("f32", s, 16, s)})


@case("w03_add_rmsnorm", "add_rms_norm")
def add_norm(random):
    t, n = size(random), size(random, 300)
    R, X, w = (real(random, "bf16", t, n), real(random, "bf16", t, n),
               real(random, "bf16", n))
    r = rounded("bf16", R.values + X.values)
    y = r / np.sqrt((r * r).mean(1, keepdims=True) + 1e-5) * w.values
    return ({}, {"R": R, "X": X, "w": w},
            {"R": ("bf16", r), "Y": ("bf16", y, 1, 0)})


def angles(random, length, half):
    a = np.arange(length)[:, None] * 500000.0 ** (-np.arange(half) / half)
    return Tensor("f32", np.cos(a)), Tensor("f32", np.sin(a))


@case("w04_rotary", "rope")
def rope_halves(random):
    b, t, n, h = 2, size(random), size(random, 8), size(random, 64)
    X = real(random, "bf16", b, t, n, 2 * h)
    C, S = angles(random, t, h)
    x = X.values[..., :h] + 1j * X.values[..., h:]
    y = x * (C.values + 1j * S.values)[:, None, :]
    return ({}, {"X": X, "C": C, "S": S},
            {"Y": ("bf16", np.concatenate([y.real, y.imag], -1), 1,
                   np.concatenate([np.abs(x)] * 2, -1))})


@case("w04_rotary", "rope_eager")
def rope_in_bf16(random):
    # Each operation rounded to bf16, as pytorch #182225 has it (S = 7, d = 16).
    b, t, n, h = 1, 7, size(random, 8), 8
    X = real(random, "bf16", b, t, n, 2 * h)
    C, S = angles(random, t, h)
    C, S = Tensor("bf16", C.values), Tensor("bf16", S.values)
    c, s = C.values[:, None, :], S.values[:, None, :]
    x1, x2 = X.values[..., :h], X.values[..., h:]

    def r(v):
        return rounded("bf16", v)
    Y = np.concatenate([r(r(x1 * c) - r(x2 * s)), r(r(x2 * c) + r(x1 * s))], -1)
    return {}, {"X": X, "C": C, "S": S}, {"Y": ("bf16", Y)}


@case("w04_rotary", "rope_interleaved")
def rope_pairs(random):
    t, n, p, h = size(random), size(random, 8), size(random, 128), size(random, 32)
    X = real(random, "bf16", 1, t, n, p + 2 * h)
    C, S = angles(random, t, h)
    x = X.values[..., p::2] + 1j * X.values[..., p + 1::2]
    y = x * (C.values + 1j * S.values)[:, None, :]
    Y, scale = X.values.copy(), np.zeros_like(X.values)
    Y[..., p::2], Y[..., p + 1::2] = y.real, y.imag
    scale[..., p::2] = scale[..., p + 1::2] = np.abs(x)
    return {}, {"X": X, "C": C, "S": S}, {"Y": ("bf16", Y, 1, scale)}


@case("w04_rotary", "rope_packed")
def rope_of_packed(random):
    t, hq, hk, h = size(random), size(random, 8), size(random, 8), size(random, 16)
    P = real(random, "bf16", 2, t, hq + 2 * hk, 2 * h)
    C, S = angles(random, t, h)
    x = P.values[..., :h] + 1j * P.values[..., h:]
    y = x * (C.values + 1j * S.values)[:, None, :]
    y = np.concatenate([y.real, y.imag], -1)
    scale = np.concatenate([np.abs(x)] * 2, -1)
    q, k = slice(0, hq), slice(hq, hq + hk)
    return ({"HQ": hq, "HK": hk}, {"P": P, "C": C, "S": S},
            {"Q": ("bf16", y[:, :, q], 1, scale[:, :, q]),
             "K": ("bf16", y[:, :, k], 1, scale[:, :, k])})


@case("w05_swiglu", "swiglu_packed")
def swiglu_halves(random):
    r, n = size(random), size(random, 300)
    X = real(random, "f16", r, 2 * n, scale=4)
    y = silu(X.values[:, :n]) * X.values[:, n:]
    return {"T": "f16"}, {"X": X}, {"Y": ("f16", y, 1, 0)}


@case("w06_geglu_softcap", "geglu_packed")
def geglu_halves(random):
    r, n = size(random), size(random, 300)
    X = real(random, "bf16", r, 2 * n)
    g, u = X.values[:, :n], X.values[:, n:]
    return {}, {"X": X}, {"Y": ("bf16", gelu_tanh(g) * u, 1, 8 * np.abs(g * u))}


@case("w06_geglu_softcap", "capped_logits")
def capped(random):
    m, k, v = size(random), size(random), size(random, 300)
    X, W = whole(random, "bf16", m, k), whole(random, "bf16", v, k)
    s = X.values @ W.values.T
    return ({"CAP": 50}, {"X": X, "W": W},
            {"Z": ("bf16", 50 * np.tanh(s / 50), 1, 0)})


@case("w07_cross_entropy", "cross_entropy")
def entropy(random):
    m, v = size(random), size(random, 1000)
    Z = real(random, "bf16", m, v, scale=3)
    y = Tensor("i64", random.integers(0, v, m))
    y.values[random.random(m) < 0.3] = -100
    ignored = y.values < 0
    z = Z.values
    top = z.max(1)
    L = np.log(np.exp(z - top[:, None]).sum(1)) + top - z[np.arange(m), y.values.clip(0)]
    L[ignored] = 0
    mean = L.sum() / (~ignored).sum() if not ignored.all() else np.nan
    scale = np.abs(z).max() + 8
    # The logarithm's argument is a sum of v terms, each within 4 units.
    return ({}, {"Z": Z, "y": y},
            {"L": ("f32", L, 32, np.full(m, scale)),
             "mean": ("f32", np.array(mean), 32, np.array(scale * m))})


@case("w07_cross_entropy", "cross_entropy_in_place")
def entropy_gradient(random):
    m, v = size(random), size(random, 1000)
    Z = real(random, "f32", m, v, scale=3)
    y = Tensor("i64", random.integers(0, v, m))
    y.values[random.random(m) < 0.3] = -100
    d = softmax(Z.values)
    d[np.arange(m), y.values.clip(0)] -= 1
    d[y.values < 0] = 0
    return ({"T": "f32"}, {"Z": Z, "y": y},
            {"Z": ("f32", d, 32, np.ones_like(d))})


@case("w08_group_norm_silu", "group_norm_nhwc")
def norm_groups(random):
    b, h, w, g, c = 2, size(random, 8), size(random, 8), int(random.choice([1, 3, 32])), 10
    X, W, B = (real(random, "f16", b, h, w, g * c), real(random, "f16", g * c),
               real(random, "f16", g * c))
    x = X.values.reshape(b, h, w, g, c)
    d = x - x.mean((1, 2, 4), keepdims=True)
    z = d / np.sqrt((d * d).mean((1, 2, 4), keepdims=True) + 1e-5)
    z = z.reshape(b, h, w, g * c) * W.values + B.values
    return ({"G": g}, {"X": X, "w": W, "b": B},
            {"Y": ("f16", silu(z), 2, np.abs(z) + np.abs(B.values) + 8)})


@case("w09_moe_gates", "grouped_gate")
def grouped(random):
    t, per, groups = size(random), int(random.choice([2, 4, 32])), 8
    e = per * groups
    # Logits and biases are coarse, so that there are ties; sigmoid of equal logits
    # is equal, and other sums are far enough apart for f32 and f64 to agree.
    Z = Tensor("f32", random.integers(-3, 4, (t, e)))
    bias = Tensor("f32", random.integers(-2, 3, e) / 4)
    s = 1 / (1 + np.exp(-Z.values.astype(np.float32), dtype=np.float32))
    c = (s + bias.values.astype(np.float32)).astype(np.float64)
    W, A = np.zeros((t, 8)), np.zeros((t, 8), np.int64)
    for i in range(t):
        best = [sum(sorted(c[i, g * per:(g + 1) * per])[::-1][:2])
                for g in range(groups)]
        kept = sorted(range(groups), key=lambda g: (-np.float32(best[g]), g))[:4]
        f = [c[i, x] if x // per in kept else 0 for x in range(e)]
        A[i] = sorted(range(e), key=lambda x: (-f[x], x))[:8]
        W[i] = s[i, A[i]] / s[i, A[i]].astype(np.float64).sum() * 2.5
    return ({"PER": per}, {"Z": Z, "bias": bias},
            {"A": ("i64", A), "W": ("f32", W, 16, W)})


@case("w10_expert_histogram", "expert_histogram", rounds=3)
def experts(random):
    t, k, e, b = size(random, 300), 8, size(random, 256), int(random.choice([16, 128]))
    ids = Tensor("i32", random.integers(-1, e + 1, (t, k)))
    inside = ids.values[(ids.values >= 0) & (ids.values < e)]
    h = np.bincount(inside, minlength=e)
    a = -(-h // b) * b
    return ({"E": e, "B": b}, {"ids": ids},
            {"h": ("i32", h), "a": ("i32", a), "o": ("i32", np.cumsum(a) - a),
             "total": ("i32", np.array(a.sum()))})


@case("w10_expert_histogram", "expert_rows")
def sorted_rows(random):
    r, e = size(random, 300), size(random, 64)
    ids = random.integers(0, e, r)
    source = np.argsort(ids, kind="stable")
    h = np.bincount(ids, minlength=e)
    return ({"E": e}, {"ids": Tensor("i32", ids)},
            {"h": ("i32", h), "off": ("i32", np.append(0, np.cumsum(h))),
             "place": ("i32", np.argsort(source)), "source": ("i32", source)})


@case("w10_expert_histogram", "expert_products", rounds=3)
def products(random):
    t, top, e = size(random), int(random.choice([1, 2, 8])), size(random, 64)
    k, n = size(random), size(random)
    ids = random.integers(0, e, top * t)
    source = np.argsort(ids, kind="stable")
    off = np.append(0, np.cumsum(np.bincount(ids, minlength=e)))
    X, W = whole(random, "bf16", t, k), whole(random, "bf16", e, n, k)
    Y = np.einsum("rk,rnk->rn", X.values[source // top], W.values[ids[source]])
    return ({"TOP": top}, {"X": X, "W": W, "source": Tensor("i32", source),
                           "off": Tensor("i32", off)},
            {"Y": ("bf16", rounded("bf16", Y))})


def pages(random):
    s, hk, g, c, x = 3, 2, int(random.choice([1, 3, 8])), int(random.choice([1, 10])), 8
    bs, p, nb = 16, int(random.choice([2, 4, 5])), 20
    Q = real(random, "f16", s, hk * g, c * x)
    K, V = real(random, "f16", nb, hk, c, bs, x), real(random, "f16", nb, hk, c * x, bs)
    table = Tensor("i32", random.integers(0, nb, (s, p)))
    length = Tensor("i32", random.integers(0, bs * p + 1, s))
    length.values[0] = 0
    O = np.zeros((s, hk * g, c * x))
    for i in range(s):
        for h in range(hk * g):
            n = length.values[i]
            if n == 0:
                continue
            blocks = table.values[i]
            k = np.concatenate([K.values[b, h // g].transpose(1, 0, 2).reshape(bs, -1)
                                for b in blocks])[:n]
            v = np.concatenate([V.values[b, h // g].T for b in blocks])[:n]
            O[i, h] = softmax(k @ Q.values[i, h] / np.sqrt(c * x)) @ v
    # Behind the length the table may hold anything.
    for i in range(s):
        table.values[i, -(-length.values[i] // bs):] = -7
    return ({"Q": Q, "K": K, "V": V, "table": table, "len": length},
            {"O": ("f16", O, 1, np.full(O.shape, 64.0))})


@case("w11_paged_attention", "paged_attention")
def paged(random):
    inputs, expected = pages(random)
    return {}, inputs, expected


@case("w11_paged_attention", "paged_attention_partitioned")
def paged_parts(random):
    inputs, expected = pages(random)
    return {"PART": int(random.choice([1, 2, 3, 32]))}, inputs, expected


@case("w12_sliding_attention", "sliding_attention", rounds=4)
def sliding(random):
    b, hk, g, d = 1, 2, int(random.choice([1, 2, 4])), int(random.choice([4, 64]))
    l, t = size(random), size(random)
    window, cap = int(random.choice([1, 3, 8, 4096])), float(random.choice([0, 5, 50]))
    Q, K, V = (real(random, "bf16", b, hk * g, l, d), real(random, "bf16", b, hk, t, d),
               real(random, "bf16", b, hk, t, d))
    k, v = K.values.repeat(g, 1), V.values.repeat(g, 1)
    s = Q.values @ k.transpose(0, 1, 3, 2) / np.sqrt(d)
    s = cap * np.tanh(s / cap) if cap else s
    i, j = np.arange(l)[:, None] + t - l, np.arange(t)
    seen = (j <= i) & (j > i - window)
    e = np.where(seen, np.exp(s), 0)
    total = e.sum(-1, keepdims=True)
    O = np.where(total == 0, 0, e @ v / np.where(total == 0, 1, total))
    scale = np.full(O.shape, 64 * (1 + cap))
    return ({"WINDOW": window, "CAP": cap}, {"Q": Q, "K": K, "V": V},
            {"O": ("bf16", O, 1, scale)})


def windows(x, r, s, stride, pad):
    """x[n, c, ...] as [n, c, h, w, r, s]: all windows that lie in the padded x."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    v = np.lib.stride_tricks.sliding_window_view(x, (r, s), (2, 3))
    return v[:, :, ::stride, ::stride]


@case("w13_depthwise_relu6", "depthwise_relu6")
def depthwise(random):
    b, c, h, w, stride = 2, size(random), size(random), size(random), int(
        random.integers(1, 4))
    X, F = whole(random, "f16", b, c, h, w), whole(random, "f16", c, 3, 3)
    a = Tensor("f32", 2.0 ** random.integers(-6, 0, c))
    B = Tensor("f32", random.integers(-8, 9, c) / 4)
    z = np.einsum("nchwrs,crs->nchw", windows(X.values, 3, 3, stride, 1), F.values)
    y = np.clip(z * a.values[:, None, None] + B.values[:, None, None], 0, 6)
    return ({"STRIDE": stride, "T": "f16"}, {"X": X, "F": F, "a": a, "b": B},
            {"Y": ("f16", rounded("f16", y))})


@case("w14_conv2d_relu", "conv2d_relu", rounds=4)
def convolution(random):
    r, pad, stride = [(7, 3, 2), (3, 1, 1), (1, 0, 2), (3, 1, 2), (4, 0, 3)][
        random.integers(5)]
    b, c, k, h, w = 2, int(random.choice([3, 8, 17])), size(random), size(random), 7
    h += r
    X, F = whole(random, "f16", b, c, h, w), whole(random, "f16", k, c, r, r)
    B = whole(random, "f16", k)
    z = np.einsum("nchwrs,kcrs->nkhw",
                  windows(X.values, r, r, stride, pad), F.values)
    y = np.maximum(z + B.values[:, None, None], 0)
    return ({"STRIDE": stride, "PAD": pad, "T": "f16"}, {"X": X, "F": F, "bias": B},
            {"Y": ("f16", rounded("f16", y))})


def winograd_case(random):
    b, c, k = int(random.integers(1, 3)), size(random), size(random)
    return b, c, k, int(random.integers(1, 9)), int(random.integers(1, 9))


@case("w15_winograd", "winograd", rounds=3)
def winograd_exact(random):
    b, c, k, h, w = winograd_case(random)
    X, F = whole(random, "f32", b, c, h, w), whole(random, "f32", k, c, 3, 3)
    Y = np.einsum("nchwrs,kcrs->nkhw", windows(X.values, 3, 3, 1, 1), F.values)
    return {}, {"X": X, "F": F}, {"Y": ("f32", Y)}


@case("w15_winograd", "winograd", rounds=3)
def winograd_f16(random):
    # Each transformed value is rounded to f16 once, so a product is off by
    # (1 + u)^2 - 1 with u = 2^-11, and the magnitudes are summed as the values are.
    b, c, k, h, w = winograd_case(random)
    p, q = (h + 1) // 2, (w + 1) // 2
    X, F = real(random, "f16", b, c, h, w), real(random, "f16", k, c, 3, 3)
    direct = np.einsum("nchwrs,kcrs->nkhw", windows(X.values, 3, 3, 1, 1), F.values)
    G = np.array([[1, 0, 0], [.5, .5, .5], [.5, -.5, .5], [0, 0, 1]])
    Bt = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    At = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
    U = np.abs(np.einsum("ar,kcrs,bs->kcab", G, F.values, G))
    tiles = windows(np.pad(X.values, ((0, 0), (0, 0), (0, h % 2), (0, w % 2))), 4, 4, 2, 1)
    V = np.abs(np.einsum("ar,ncpqrs,bs->ncpqab", Bt, tiles, Bt))
    M = np.einsum("ncpqab,kcab->nkpqab", V, U)
    S = np.einsum("ua,nkpqab,vb->nkpuqv", np.abs(At), M, np.abs(At))
    S = S.reshape(b, k, 2 * p, 2 * q)[:, :, :h, :w]
    # 2^-10 of f16 is 2^13 units of f32; 64 more for the sums in f32.
    return ({"T": "f16"}, {"X": X, "F": F},
            {"Y": ("f32", direct, 1, S * (2.0**13 + 64) * 1.01)})


@case("w16_batched_views", "packed_scores")
def packed(random):
    b, l, heads, d = 2, int(random.choice([7, 33, 197])), int(random.choice([1, 3])), size(random)
    P = whole(random, "f16", b, l, 3 * heads * d)
    p = P.values.reshape(b, l, 3, heads, d)
    S = np.einsum("bihd,bjhd->bhij", p[:, :, 0], p[:, :, 1])
    return {"HEADS": heads}, {"P": P}, {"S": ("f32", S)}


@case("w17_gemv", "gemv_split")
def gemv(random):
    t, n, k = int(random.integers(1, 9)), size(random, 300), size(random, 5000)
    X, W = whole(random, "bf16", t, k), whole(random, "bf16", n, k)
    return {}, {"X": X, "W": W}, {"Y": ("f32", X.values @ W.values.T)}


@case("w18_layernorm_backward", "layer_norm_gradient")
def norm_gradient(random):
    m, n = size(random, 1151), size(random, 300)
    X, dY, w = real(random, "f16", m, n), real(random, "f16", m, n), real(random, "f16", n)
    mean = Tensor("f32", X.values.mean(1))
    rstd = Tensor("f32", 1 / np.sqrt(X.values.var(1) + 1e-5))
    h = (X.values - mean.values[:, None]) * rstd.values[:, None]
    g = w.values * dY.values
    dx = (g - h * (h * g).mean(1, keepdims=True) - g.mean(1, keepdims=True)
          ) * rstd.values[:, None]
    scale = (np.abs(g) + np.abs(h) * np.abs(h * g).mean(1, keepdims=True)
             + np.abs(g).mean(1, keepdims=True)) * rstd.values[:, None]
    return ({}, {"X": X, "dY": dY, "w": w, "mean": mean, "rstd": rstd},
            {"dX": ("f16", dx, 1, 32 * scale),
             "dw": ("f32", (dY.values * h).sum(0), 64, np.abs(dY.values * h).sum(0)),
             "db": ("f32", dY.values.sum(0), 64, np.abs(dY.values).sum(0))})


def ragged(random, rows, most):
    lengths = random.integers(0, most, rows)
    lengths[random.random(rows) < 0.3] = 0
    return np.concatenate([[0], np.cumsum(lengths)])


@case("w19_embedding", "bag", rounds=3)
def bags(random):
    v, d, b = size(random), size(random), size(random)
    off = ragged(random, b, 9)
    W, ids = whole(random, "f32", v, d), random.integers(-1, v + 1, off[-1])
    E = np.zeros((b, d))
    for i in range(b):
        for x in ids[off[i]:off[i + 1]]:
            if 0 <= x < v:
                E[i] += W.values[x]
    return ({}, {"W": W, "id": Tensor("i32", ids), "off": Tensor("i32", off)},
            {"E": ("f32", E)})


@case("w19_embedding", "lookup_backward")
def backward(random):
    v, d, n = size(random), size(random), size(random, 200)
    dW, G = whole(random, "f32", v, d), whole(random, "f32", n, d)
    ids = Tensor("i32", random.integers(-1, v + 1, n))
    out = dW.values.copy()
    inside = (ids.values >= 0) & (ids.values < v)
    np.add.at(out, ids.values[inside], G.values[inside])
    return {}, {"dW": dW, "G": G, "id": ids}, {"dW": ("f32", out)}


@case("w20_cumsum", "cumsums")
def scans(random):
    X = whole(random, "f32", size(random), size(random, 1000))
    x = X.values
    inclusive = np.cumsum(x, 1)
    return ({}, {"X": X},
            {"I": ("f32", inclusive), "E": ("f32", inclusive - x),
             "R": ("f32", np.cumsum(x[:, ::-1], 1)[:, ::-1]),
             "C": ("f32", np.cumsum(x, 0))})


@case("w21_argmax", "greedy", rounds=3)
def argmax(random):
    Z = whole(random, "bf16", size(random), size(random, 2000), low=-9, high=9)
    Z.values[random.random(Z.values.shape) < 0.1 * random.integers(2)] = np.nan
    return {}, {"Z": Z}, {"A": ("i64", np.argmax(Z.values, 1))}


@case("w22_csr_dense", "csr_dense", rounds=3)
def csr(random):
    n, m, d = size(random), size(random), size(random)
    ptr = ragged(random, n, 12)
    col = random.integers(0, m, ptr[-1])
    val, X = whole(random, "f32", ptr[-1]), whole(random, "f32", m, d)
    A = np.zeros((n, m))
    for i in range(n):
        for p in range(ptr[i], ptr[i + 1]):
            A[i, col[p]] += val.values[p]
    return ({}, {"ptr": Tensor("i32", ptr), "col": Tensor("i32", col), "val": val, "X": X},
            {"Y": ("f32", A @ X.values)})


@case("w23_log_mel", "log_mel")
def log_mel(random):
    hop, half = [(160, 200), (4, 5), (3, 8)][random.integers(3)]
    t, b = int(random.integers(max(2, half // hop + 1), 12)), size(random, 80)
    X = real(random, "f32", hop * t + int(random.integers(hop)))
    w = Tensor("f32", np.hanning(2 * half + 1)[:-1])
    F = Tensor("f32", random.random((b, half + 1)))
    x = np.pad(X.values, half, mode="reflect")
    frames = np.stack([x[hop * f:hop * f + 2 * half] for f in range(t)]) * w.values
    P = np.abs(np.fft.rfft(frames)).T ** 2
    L = np.log10(np.maximum(F.values @ P, 1e-10))
    Y = (np.maximum(L, L.max() - 8) + 4) / 4
    # Every band has weights of all frequencies, so no power cancels: relative errors
    # of waves (2^-21) and of sums of 400 magnitudes stay below 2^-12 of it.
    return ({"HOP": hop, "HALF": half}, {"X": X, "w": w, "F": F},
            {"Y": ("f32", Y, 1, np.full(Y.shape, 2.0**11))})


@case("w24_stencil_in_time", "heat3d")
def heat(random):
    n, steps = int(random.integers(2, 9)), int(random.integers(0, 5))
    A = Tensor("f64", random.standard_normal((n, n, n)))
    a, b = A.values.copy(), A.values.copy()
    for _ in range(steps):
        for x, y in ((a, b), (b, a)):
            c = x[1:-1, 1:-1, 1:-1]
            y[1:-1, 1:-1, 1:-1] = (
                0.125 * (x[2:, 1:-1, 1:-1] - 2 * c + x[:-2, 1:-1, 1:-1])
                + 0.125 * (x[1:-1, 2:, 1:-1] - 2 * c + x[1:-1, :-2, 1:-1])
                + 0.125 * (x[1:-1, 1:-1, 2:] - 2 * c + x[1:-1, 1:-1, :-2]) + c)
    return {"T": steps}, {"A": A, "B": A}, {"A": ("f64", a), "B": ("f64", b)}


def awq_pack(q):
    """Eight columns a word: nibble i holds column ORDER[i]."""
    words = np.zeros((q.shape[0], q.shape[1] // 8), np.uint32)
    for i, column in enumerate([0, 2, 4, 6, 1, 3, 5, 7]):
        words |= q[:, column::8].astype(np.uint32) << np.uint32(4 * i)
    return Tensor("i32", words.view(np.int32))


def awq_case(random, k, group):
    m, j = size(random, 64), int(random.choice([1, 3, 16]))
    groups = -(-k // group)
    q, z = random.integers(0, 16, (k, 8 * j)), random.integers(0, 16, (groups, 8 * j))
    s = Tensor("f16", 2.0 ** random.integers(-3, 1, (groups, 8 * j)))
    X = whole(random, "f16", m, k)
    g = np.arange(k) // group
    Y = X.values @ ((q - z[g]) * s.values[g])
    return ({"GS": group}, {"X": X, "QW": awq_pack(q), "QZ": awq_pack(z), "S": s},
            {"Y": ("f16", rounded("f16", Y))})


@case("w25_awq_matmul", "awq_matmul")
def awq(random):
    group = int(random.choice([32, 64, 128]))
    return awq_case(random, group * int(random.integers(1, 4)), group)


@case("w25_awq_matmul", "awq_matmul_tail")
def awq_tail(random):
    return awq_case(random, size(random, 200), int(random.choice([32, 128])))


def compare(name, actual, kind, expected, bound=None, scale=0):
    if actual.shape != np.shape(expected):
        return f"{name} has the shape {actual.shape}, not {np.shape(expected)}"
    if bound is None or kind not in FRACTION:
        same = actual == expected
        near = None
    else:
        expected = np.asarray(expected, np.float64)
        near = bound * (unit(kind, expected) + unit("f32", scale) * (np.asarray(scale) != 0))
        same = np.abs(actual - expected) <= near
    if kind in FRACTION:
        same = same | (np.isnan(actual) & np.isnan(expected))
    if np.all(same):
        return None
    at = tuple(int(x) for x in np.argwhere(~same)[0])
    wide = "" if near is None else f" within {np.broadcast_to(near, actual.shape)[at]!r}"
    return (f"{name}{list(at)} is {actual[at]!r}, not {np.asarray(expected)[at]!r}{wide}; "
            f"{(~same).sum()} of {same.size} elements differ")


def run(args, name, seed):
    """None, or what is wrong."""
    file, op, make, _ = CASES[name]
    random = np.random.default_rng([seed, *name.encode()])
    with np.errstate(all="ignore"):
        settings, inputs, outputs = make(random)
    with tempfile.TemporaryDirectory() as folder:
        words = [args.girih, "run", os.path.join(FOLDER, file + ".te"), "--op", op,
                 f"--device={args.device}", "--dynamic",
                 "--functions=portable"]
        for key, value in settings.items():
            words += ["-D", f"{key}={value}"]
        for key, tensor in inputs.items():
            path = f"{folder}/in_{key}.npy"
            np.save(path, bits_of(tensor.kind, tensor.values))
            words.append(f"{key}:{tensor.kind}={path}" if tensor.kind == "bf16"
                         else f"{key}={path}")
        for key in outputs:
            words += ["--out", f"{key}={folder}/out_{key}.npy"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stdout + done.stderr
            return f"{' '.join(words)}\n{said[-2000:]}"
        for key, (kind, *rest) in outputs.items():
            actual = values_of(kind, np.load(f"{folder}/out_{key}.npy"))
            problem = compare(key, actual, kind, *rest)
            if problem:
                shapes = {k: v.values.shape for k, v in inputs.items()}
                return f"seed {seed}, {settings} {shapes}: {problem}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("girih")
    parser.add_argument("--device", default="host")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="how often each is run")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    if devices.skips(args.girih, args.device):
        return 77
    failed = passed = 0
    for name in args.names or CASES:
        for seed in range(args.seed, args.seed + (args.rounds or CASES[name][3])):
            problem = run(args, name, seed)
            if problem:
                failed += 1
                print(f"FAILED: {name}: {problem}", flush=True)
            else:
                passed += 1
        print(f"{name}: compared", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
