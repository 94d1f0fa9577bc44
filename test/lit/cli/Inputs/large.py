"""large.py KIND COUNT: prints a program with very much of one thing."""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
numbers = range(count)


def op(inputs, output, body, where=""):
    return f"op s({inputs}) -> {output}{where} {{ {body} }}"


def names(letter):
    return ", ".join(f"{letter}{n}" for n in numbers)


if kind == "chain":  # each statement reads the one before it
    lines = [
        f"T{n}[i] = {f'T{n - 1}' if n else 'X'}[i] + 1" for n in numbers
    ]
    body = "\n".join(["", *lines, f"Y[i] = T{count - 1}[i]", ""])
    print(op("X: f32[M]", "Y: f32[M]", body))
elif kind == "reductions":
    lines = [
        f"T{n}[i] = sum[k](X[i, k]{f' * T{n - 1}[i]' if n else ''})"
        for n in numbers
    ]
    body = "\n".join(["", *lines, f"Y[i] = T{count - 1}[i]", ""])
    print(op("X: f32[M, N]", "Y: f32[M]", body))
elif kind == "sizes":  # of which nothing is known
    inputs = ", ".join(f"X{n}: f32[N{n}]" for n in numbers)
    body = "Y[i] = X0[i] + " + " + ".join(f"X{n}[0]" for n in numbers)
    print(op(inputs, "Y: f32[N0]", body))
elif kind == "tensors":
    inputs = ", ".join(f"X{n}: f32[N]" for n in numbers)
    body = "Y[i] = " + " + ".join(f"X{n}[i]" for n in numbers)
    print(op(inputs, "Y: f32[N]", body))
elif kind == "dimensions":
    body = f"Y[{names('a')}] = X[{names('a')}] * 2"
    print(op(f"X: f32[{names('N')}]", f"Y: f32[{names('N')}]", body))
elif kind == "terms":  # of a dimension
    sum_ = " + ".join(f"{n + 1} * N" for n in numbers)
    print(op(f"X: f32[N], Z: f32[{sum_}]", "Y: f32[N]", "Y[i] = X[i]"))
elif kind == "constant":
    product = " * ".join(["1.23456789012345678901234567890"] * count)
    print(f"const A: f64 = {product}")
    print(op("X: f64[M]", "Y: f64[M]", "Y[i] = X[i] * A"))
elif kind == "else":
    print(op("X: f32[M]", "Y: f32[M]", "Y[i] = " + "X[i] else " * count + "0"))
elif kind == "stencil":
    body = "Y[i, j] = " + " + ".join(
        f"X[clamp(i + {n % 30 - 15}), clamp(j + {n % 29 - 14})]" for n in numbers
    )
    print(op("X: f32[M, N]", "Y: f32[M, N]", body, " where M >= 100, N >= 100"))
