#!/usr/bin/env python3
# ===- fit_portable.py - fits the polynomials of the portable functions ------=#
#
# Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Weighted least squares at Chebyshev points in 100 digits (needs mpmath),
# close to minimax. After each fit the lowest free coefficient is rounded to the
# format and the others are fitted again, so that later coefficients make up for
# the rounding of earlier ones. Prints hexadecimal literals and the relative
# error of the rounded polynomial.
#
# ===----------------------------------------------------------------------===#

from mpmath import (mp, mpf, cos, sin, pi, exp, log, erf, erfc, lu_solve,
                    matrix, sqrt, frexp)

mp.dps = 100


def round_to(value, bits):
    if value == 0:
        return mpf(0)
    mantissa, exponent = frexp(value)
    return mp.nint(mantissa * mpf(2) ** bits) * mpf(2) ** (exponent - bits)


def least_squares(target, weight, first, degree, low, high):
    """c[first..degree] of the least weighted squares at Chebyshev points."""
    count, rows = degree - first + 1, 8 * degree + 9
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * cos(pi * (2 * i + 1) / (2 * rows))
              for i in range(rows)]
    near = (high - low) / 10000  # the weights vanish at 0
    points = [x for x in points if abs(x) > near]
    normal, right = matrix(count, count), matrix(count, 1)
    for x in points:
        basis = [weight(x) * x ** (first + i) for i in range(count)]
        value = weight(x) * target(x)
        for i in range(count):
            right[i] += basis[i] * value
            for j in range(count):
                normal[i, j] += basis[i] * basis[j]
    solution = lu_solve(normal, right)
    return [solution[i] for i in range(count)]


def fit(name, target, weight, degree, low, high, bits):
    fixed = []

    def remainder(x):
        return target(x) - sum(c * x ** i for i, c in enumerate(fixed))

    for first in range(degree + 1):
        rest = least_squares(remainder, weight, first, degree, low, high)
        fixed.append(round_to(rest[0], bits))
    samples = [low + (high - low) * (i + mpf(1) / 3) / 5000
               for i in range(5000)]
    worst = max(abs(weight(x) * remainder(x)) for x in samples)
    print(f"// {name}: degree {degree}, "
          f"relative error 2^{float(log(worst, 2)):.2f}")
    for value in fixed:
        text = float(value).hex() + ("f" if bits == 24 else "")
        print(f"      {text},")


def fit_trig(bits, degree):
    """sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z) with z = r^2."""
    near, far = mpf(10) ** -9, (pi / 4 * (1 + mpf(2) ** -10)) ** 2

    def sin_rest(z):
        r = sqrt(z)
        return (sin(r) / r - 1) / z

    def cos_rest(z):
        return (cos(sqrt(z)) - 1 + z / 2) / z ** 2
    fit("sin", sin_rest, lambda z: z * sqrt(z) / sin(sqrt(z)), degree, near,
        far, bits)
    fit("cos", cos_rest, lambda z: z ** 2 / cos(sqrt(z)), degree, near, far,
        bits)


def fit_power(bits, log_degree, exp_degree):
    """log2((1+s)/(1-s)) = s (2/ln 2 + z (2/(3 ln 2) + z P(z))) with z = s^2,
    and 2^g = 1 + g ln 2 + g^2 Q(g)."""
    ln2 = log(2)
    s_max = (sqrt(2) - 1) / (sqrt(2) + 1) + mpf(2) ** -12

    def log_rest(z):
        s = sqrt(z)
        return ((log((1 + s) / (1 - s)) / s - 2) / z - mpf(2) / 3) / z / ln2

    def exp_rest(g):
        return (mpf(2) ** g - 1 - g * ln2) / g ** 2
    fit("log of pow", log_rest, lambda z: z ** 2 / 2 * ln2, log_degree,
        mpf(10) ** -9, s_max ** 2, bits)
    fit("exp of pow", exp_rest, lambda g: g ** 2 / mpf(2) ** g, exp_degree,
        -mpf(1) / 2, mpf(1) / 2, bits)


def fit_erf(bits, small_degree, large_degree, end):
    """erf x = x + x P(x^2) below 0.93, else 1 - exp(-(x + x Q(x)))."""
    def small(z):
        return erf(sqrt(z)) / sqrt(z) - 1

    def large(t):
        return (-log(erfc(t)) - t) / t
    fit("small erf", small, lambda z: sqrt(z) / erf(sqrt(z)), small_degree,
        mpf(10) ** -9, mpf("0.94") ** 2, bits)
    fit("large erf", large, lambda t: t * erfc(t) / erf(t), large_degree,
        mpf("0.92"), mpf(end), bits)


def main():
    half_ln2 = log(2) / 2 + mpf(2) ** -12
    s_max = (sqrt(2) - 1) / (sqrt(2) + 1) + mpf(2) ** -12
    for bits, exp_degree, exp2_degree, log_degree in ((24, 5, 6, 3),
                                                      (53, 10, 11, 6)):
        fit("exp", lambda r: (exp(r) - 1 - r) / r ** 2,
            lambda r: r ** 2 / exp(r), exp_degree, -half_ln2, half_ln2, bits)
        fit("exp2", lambda f: (mpf(2) ** f - 1) / f,
            lambda f: f / mpf(2) ** f, exp2_degree, -mpf(1) / 2, mpf(1) / 2,
            bits)

        # With z = s^2: (log((1+s)/(1-s))/s - 2) / z, weighed by its share.
        def ratio(z):
            s = sqrt(z)
            return (log((1 + s) / (1 - s)) / s - 2) / z
        fit("log", ratio, lambda z: z / 2, log_degree, mpf(10) ** -9,
            s_max ** 2, bits)
        for name, value in (("log2(e)", 1 / log(2)), ("ln(2)", log(2))):
            high = round_to(value, bits)
            low = round_to(value - high, bits)
            suffix = "f" if bits == 24 else ""
            print(f"// {name}: {float(high).hex()}{suffix}"
                  f" + {float(low).hex()}{suffix}")
    for bits, degrees in ((24, (2, 2, 4, 5, 6, 4)), (53, (5, 7, 10, 11, 16, 6))):
        trig, power_log, power_exp, small, large, end = degrees
        fit_trig(bits, trig)
        fit_power(bits, power_log, power_exp)
        fit_erf(bits, small, large, end)


main()
