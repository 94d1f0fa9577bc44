"""The rows of the race: an example file, sizes, what PyTorch would do, and the bar."""

from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Row:
    name: str
    program: str
    sizes: dict
    peer: Callable  # (torch, *inputs)
    inputs: Callable  # (torch) -> tensors
    bytes: tuple  # read, written
    bar: float
    op: str = ""
    consts: dict = field(default_factory=dict)
    small: dict = field(default_factory=dict)  # sizes of the check


def _normal(torch, *shape, dtype="bfloat16"):
    return torch.randn(*shape, device="cuda", dtype=getattr(torch, dtype))


def _row_e4m3(torch, y):
    s = y.float().abs().amax(-1, keepdim=True) / 448
    s = torch.where(s == 0, 1.0, s)
    return (y.float() / s).to(torch.float8_e4m3fn), s


def _rms(torch, x, w):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), w, 1e-6)


def rows():
    result = []

    def add(name, program, sizes, peer, inputs, read, written, bar, **more):
        result.append(Row(name, program, sizes, peer, inputs, (read, written), bar, **more))

    # Elementwise.
    for m in (1024, 16384):
        n = 12288
        two = lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, m, n))
        add("swiglu", "examples/swiglu.te", {"M": m, "N": n},
            lambda t, g, u: t.nn.functional.silu(g) * u, two, 4 * m * n, 2 * m * n, 1.00,
            small={"M": 16})
        add("swiglu_e4m3", "examples/swiglu_e4m3.te", {"M": m, "N": n},
            lambda t, g, u: ((t.nn.functional.silu(g.float()) * u.float()) / 0.5)
            .to(t.float8_e4m3fn), two, 4 * m * n, m * n, 1.10 if m == 1024 else 1.00,
            small={"M": 16})
    m, n = 16384, 12288
    add("bias_gelu_residual", "examples/bias_gelu.te", {"M": m, "N": n},
        lambda t, x, b, r: r + t.nn.functional.gelu(x.float() + b.float()).to(t.bfloat16),
        lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, n), _normal(t, m, n)),
        4 * m * n, 2 * m * n, 1.00, op="bias_gelu_residual", small={"M": 16})
    add("chain", "examples/bias_gelu.te", {"M": m, "N": n},
        lambda t, x: (t.sqrt(t.sigmoid(x.float() * 0.5 + 1).square() + 1) - 1)
        .to(t.bfloat16),
        lambda t, m=m, n=n: (_normal(t, m, n),), 2 * m * n, 2 * m * n, 1.00, op="chain",
        small={"M": 16})

    # Rows.
    shapes = ((1024, 4096), (16384, 4096), (8192, 8192), (4096, 32768), (1024, 131072))
    one = lambda m, n: (lambda t: (_normal(t, m, n),))
    for (m, n), bar in zip(shapes, (1.6, 2.2, 2.2, 1.8, 1.95)):
        add("softmax", "examples/softmax_reciprocal.te", {"M": m, "N": n},
            lambda t, x: t.softmax(x, -1), one(m, n), 2 * m * n, 2 * m * n, bar,
            small={"M": 8})
    for (m, n), bar in zip(shapes, (1.0, 1.10, 1.00, 1.00, 1.45)):
        add("rms_norm", "examples/rms_norm.te", {"M": m, "N": n}, _rms,
            lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, n)),
            2 * m * n, 2 * m * n, bar, op="rms_norm", small={"M": 8})
    for (m, n), bar in zip(shapes[:3], (1.25, 1.30, 1.05)):
        add("layer_norm", "examples/layer_norm.te", {"M": m, "N": n},
            lambda t, x, w, b: t.nn.functional.layer_norm(x, (x.shape[-1],), w, b),
            lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, n), _normal(t, n)),
            2 * m * n, 2 * m * n, bar, op="layer_norm", small={"M": 8})
    for m, n in ((4096, 32000), (2048, 128256), (4096, 151936)):
        add("cross_entropy", "examples/cross_entropy.te", {"T": m, "V": n},
            lambda t, z, y: t.nn.functional.cross_entropy(z.float(), y, reduction="none"),
            lambda t, m=m, n=n: (_normal(t, m, n), t.randint(n, (m,), device="cuda")),
            2 * m * n, 4 * m, 1.3, small={"T": 8})
    for (m, n), bar in zip(shapes[1:3], (1.30, 1.05)):
        add("row_e4m3", "examples/row_e4m3.te", {"M": m, "N": n}, _row_e4m3, one(m, n),
            2 * m * n, m * n, bar, small={"M": 8})
        add("rms_e4m3", "examples/rms_norm.te", {"M": m, "N": n},
            lambda t, x, w: _row_e4m3(t, _rms(t, x, w)),
            lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, n)),
            2 * m * n, m * n, 1.4, op="rms_norm_e4m3", small={"M": 8})

    def add_rms(t, r, x, w):
        r.add_(x)
        return _rms(t, r, w)

    m, n = 16384, 4096
    add("add_rms", "examples/rms_norm.te", {"M": m, "N": n}, add_rms,
        lambda t, m=m, n=n: (_normal(t, m, n), _normal(t, m, n), _normal(t, n)),
        4 * m * n, 4 * m * n, 1.05, op="add_rms_norm", small={"M": 8})
    for name, program, op, peer, extra in (
            ("softmax_1row", "softmax_reciprocal", "", lambda t, x: t.softmax(x, -1), 0),
            ("rms_1row", "rms_norm", "rms_norm", _rms, 1),
            ("row_e4m3_1row", "row_e4m3", "", _row_e4m3, 0)):
        add(name, f"examples/{program}.te", {"M": 1, "N": 4096}, peer,
            lambda t, extra=extra: (_normal(t, 1, 4096),) +
            tuple(_normal(t, 4096) for _ in range(extra)),
            8192, 8192, 1.0, op=op)
    for n in (1000, 5120, 4095, 50257, 151936):
        # The bar is a share of the model's time here: no ratio.
        add(f"softmax_{n}", "examples/softmax_reciprocal.te", {"M": 4096, "N": n},
            lambda t, x: t.softmax(x, -1), one(4096, n), 8192 * n, 8192 * n, 0.0,
            small={"M": 8})

    # Transposes.
    add("transpose_f32", "examples/transpose.te", {"M": 4096, "N": 4096},
        lambda t, x: x.t().contiguous(), lambda t: (_normal(t, 4096, 4096, dtype="float32"),),
        4 << 24, 4 << 24, 1.85, op="transpose", small={"M": 96, "N": 160})
    add("transpose_bf16", "examples/transpose.te", {"M": 8192, "N": 8192},
        lambda t, x: x.t().contiguous(), lambda t: (_normal(t, 8192, 8192),),
        2 << 26, 2 << 26, 1.10, op="transpose16", small={"M": 96, "N": 160})
    size = 32 * 64 * 56 * 56
    add("nchw_to_nhwc", "examples/transpose.te", {"B": 32, "C": 64, "H": 56, "W": 56},
        lambda t, x: x.permute(0, 2, 3, 1).contiguous(),
        lambda t: (_normal(t, 32, 64, 56, 56),), 2 * size, 2 * size, 1.1,
        op="nchw_to_nhwc", small={"B": 2})
    six = {"A": 16, "B": 16, "C": 16, "D": 16, "E": 16, "F": 16}
    add("reverse6", "examples/transpose.te", six,
        lambda t, x: x.permute(5, 4, 3, 2, 1, 0).contiguous(),
        lambda t: (_normal(t, *six.values(), dtype="float32"),), 4 << 24, 4 << 24, 1.1,
        op="reverse6", small={"A": 2, "C": 3})

    # Reductions and scans.
    n = 16384
    f32 = lambda *shape: (lambda t: (_normal(t, *shape, dtype="float32"),))
    add("whole_sum", "examples/whole_sum.te", {"N": 1 << 28}, lambda t, x: x.sum(),
        f32(1 << 28), 4 << 28, 4, 1.02, small={"N": 100000})
    add("row_sum", "examples/row_sum.te", {"M": n, "N": n}, lambda t, x: x.sum(-1),
        f32(n, n), 4 * n * n, 4 * n, 1.02, small={"M": 8})
    add("column_sum", "examples/sums.te", {"M": n, "N": n}, lambda t, x: x.sum(0),
        f32(n, n), 4 * n * n, 4 * n, 1.00, op="column_sums", small={"N": 64})
    add("argmax", "examples/argmax.te", {"T": 256, "N": 151936}, lambda t, x: x.max(-1),
        one(256, 151936), 2 * 256 * 151936, 256 * 10, 1.1, small={"T": 4})
    add("cumsum", "examples/cumsum.te", {"M": 32768, "N": 32768},
        lambda t, x: t.cumsum(x, -1), f32(32768, 32768), 4 << 30, 4 << 30, 1.0,
        op="running_sum", small={"M": 8})

    # Gather and rotation.
    add("embedding", "examples/embedding.te", {"V": 151936, "D": 4096, "T": 16384},
        lambda t, w, i: t.nn.functional.embedding(i, w),
        lambda t: (_normal(t, 151936, 4096), t.randint(151936, (16384,), device="cuda",
                                                       dtype=t.int32)),
        2 * 4096 * 16384, 2 * 4096 * 16384, 1.0, op="embedding", small={"V": 1000, "T": 64})

    def rotate(t, x, c, s):
        a, b = x.float().chunk(2, -1)
        c, s = c[None, :, None, :], s[None, :, None, :]
        return t.cat((a * c - b * s, b * c + a * s), -1).to(t.bfloat16)

    b, l, h, d = 4, 4096, 32, 128
    add("rotary", "examples/rotary.te", {"B": b, "L": l, "H": h, "D": d}, rotate,
        lambda t: (_normal(t, b, l, h, d), _normal(t, l, d // 2, dtype="float32"),
                   _normal(t, l, d // 2, dtype="float32")),
        2 * b * l * h * d + 4 * l * d, 2 * b * l * h * d, 1.0, small={"B": 1, "L": 32})

    # Products with few rows.
    k, n = 4096, 12288
    vector = lambda k, *shape: (lambda t: (_normal(t, k), _normal(t, *shape)))
    add("m1_kn", "examples/gemv.te", {"K": k, "N": n}, lambda t, x, w: x[None] @ w,
        vector(k, k, n), 2 * k * n + 2 * k, 2 * n, 1.13, op="gemv_columns",
        small={"N": 128})
    add("m1_nk", "examples/gemv.te", {"K": k, "N": n}, lambda t, x, w: x[None] @ w.t(),
        vector(k, n, k), 2 * k * n + 2 * k, 2 * n, 1.13, op="gemv", small={"N": 128})
    for m, bar in ((4, 1.10), (16, 1.04)):
        add(f"m{m}_kn", "examples/matmul.te", {"M": m, "K": k, "N": n},
            lambda t, a, w: a @ w, lambda t, m=m: (_normal(t, m, k), _normal(t, k, n)),
            2 * k * n + 2 * m * k, 2 * m * n, bar, small={"N": 128})
        add(f"m{m}_nk", "examples/linear.te", {"M": m, "K": k, "N": n},
            lambda t, a, w: a @ w.t(),
            lambda t, m=m: (_normal(t, m, k), _normal(t, n, k)),
            2 * k * n + 2 * m * k, 2 * m * n, bar, small={"N": 128})
    for k2, n2 in ((4096, 4096), (12288, 4096), (4096, 151936)):
        add("m1", "examples/gemv.te", {"K": k2, "N": n2},
            lambda t, x, w: x[None] @ w.t(), vector(k2, n2, k2),
            2 * k2 * n2 + 2 * k2, 2 * n2, 1.05, op="gemv", small={"N": 128})
    return result
