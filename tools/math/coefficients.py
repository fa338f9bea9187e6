#!/usr/bin/env python3
"""Prints the minimax coefficients of lib/Codegen/MathTables.inc.

Needs mpmath. Each polynomial is fitted by Remez exchange in 60 digits on the
interval where the algorithm uses it, with the weight that makes the error
relative to the function's own value, and rounded to the type.
"""
import struct
from mpmath import mp, mpf, mpf as F, cos, pi, exp, log, sqrt, sin, atan, asin, atanh, erf, erfc, matrix, lu_solve

mp.dps = 60


def remez(f, weight, lo, hi, degree, rounds=12):
    """Coefficients c0..cn of the polynomial with least max |weight*(p-f)|."""
    n = degree + 2
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / (n - 1)) for i in range(n)]
    for _ in range(rounds):
        a, b = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(xs):
            for j in range(n - 1):
                a[i, j] = x**j
            a[i, n - 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        c = lu_solve(a, b)
        coef = [c[j] for j in range(n - 1)]

        def err(x):
            p = mpf(0)
            for k in reversed(coef):
                p = p * x + k
            return (p - f(x)) * weight(x)

        grid = [lo + (hi - lo) * i / (24 * n) for i in range(24 * n + 1)]
        vals = [err(x) for x in grid]
        # One extremum for each run of equal sign.
        ext, best = [], 0
        for i in range(len(grid)):
            if i and (vals[i] > 0) != (vals[i - 1] > 0):
                ext.append(grid[best])
                best = i
            if abs(vals[i]) > abs(vals[best]):
                best = i
        ext.append(grid[best])
        if len(ext) < n:
            break
        while len(ext) > n:
            ext.pop(0 if abs(err(ext[0])) < abs(err(ext[-1])) else -1)
        if max(abs(a - b) for a, b in zip(ext, xs)) < 1e-12:
            break
        xs = ext
    return coef, max(abs(v) for v in vals)


def tiny(lo, hi):
    """The interval, its ends moved off the removable singularity at 0."""
    e = mpf(10) ** -12
    return lo + e * mpf("0.37"), hi + e * mpf("0.41")


def show(name, f, weight, lo, hi, deg32, deg64):
    for kind, deg in (("32", deg32), ("64", deg64)):
        if deg is None:
            continue
        coef, worst = remez(f, weight, mpf(lo), mpf(hi), deg)
        text = []
        for c in coef:
            if kind == "32":
                v = struct.unpack("f", struct.pack("f", float(c)))[0]
            else:
                v = float(c)
            text.append(v.hex())
        print(f"// {name}, degree {deg}, weighted error {mp.nstr(worst, 2)}")
        print(f"inline constexpr double k{name}{kind}[] = {{\n    " + ",\n    ".join(text) + "};")


l2 = log(mpf(2))
q = l2 / 2 * mpf("1.001")
lo, hi = tiny(-q, q)
show("Exp", lambda r: (exp(r) - 1 - r) / r**2, lambda r: abs(r) + mpf("1e-3"), lo, hi, 5, 10)
lo, hi = tiny(mpf("-0.501"), mpf("0.501"))
show("Exp2", lambda r: (2**r - 1) / r, lambda r: abs(r) + mpf("1e-3"), lo, hi, 5, 11)
lo, hi = tiny(sqrt(mpf("0.5")) - 1, sqrt(mpf(2)) - 1)
show("Log", lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, lambda f: f * f + mpf("1e-3"), lo, hi, 8, None)
z = mpf("0.0296")
show("LogS", lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z + mpf("1e-4"), mpf("1e-14"), z, None, 6)
show("Atanh", lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z**2, lambda z: z * z + mpf("1e-7"), mpf("1e-10"), z, 2, 7)
z = (pi / 4) ** 2 * mpf("1.002")
show("Sin", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z + mpf("1e-3"), mpf("1e-14"), z, 3, 6)
show("Cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z * z + mpf("1e-3"), mpf("1e-12"), z, 2, 5)
show("Asin", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z + mpf("1e-3"), mpf("1e-14"), mpf("0.2501"), 4, 11)
show("Atan", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z + mpf("1e-3"), mpf("1e-14"), mpf("0.1717"), 4, 10)
show("Erf", lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: mpf(1), mpf("1e-20"), mpf("1.0"), 7, 14)


def scaled(q):
    x = 4 * (1 + q) / (1 - q)
    return (1 + 2 * x) * erfc(x) * exp(x * x)


for kind, top, d32, d64 in (("32", 12, 10, None), ("64", 28, None, 22)):
    show("Erfc", scaled, lambda q: 1 / scaled(q), (mpf("0.5") - 4) / mpf("4.5"), (mpf(top) - 4) / (top + 4), d32, d64)

# 2/pi, as 64-bit words after the binary point.
mp.prec = 1500
v, words = 2 / pi, []
for i in range(20):
    v *= mpf(2) ** 64
    words.append(int(mp.floor(v)))
    v -= words[-1]
print("// 2/pi after the binary point, most significant word first")
print("inline constexpr uint64_t kTwoOverPi[] = {\n    " + ",\n    ".join(hex(w) for w in words) + "};")
