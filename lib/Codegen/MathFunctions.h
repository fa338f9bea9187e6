//===- MathFunctions.h - elementary functions from basic ops ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is written once, over a "machine" `M` that supplies the basic
// operations: `IrMachine` builds arith ops, `HostMachine<T>` computes on the
// CPU. What a GPU executes is thus, operation for operation, what the accuracy
// test measures. Only correctly rounded operations are used (+ - * / fma sqrt
// and integer ones), and rsqrt.approx, whose bound PTX states.
//
// M::F float value of the type in question, M::I integer of the same width,
// M::J 64-bit integer, M::C condition. All integers are unsigned; `sar` is the
// arithmetic shift. `m.wide` says that the type is f64.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_MATHFUNCTIONS_H
#define HWTUNE_LIB_CODEGEN_MATHFUNCTIONS_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

// On the host a condition is a bool, in IR it is a value: `|` serves both.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

namespace hwtune::math {

#include "MathTables.inc"

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The constant of the type at hand.
template <class M> typename M::F pick(M &m, double narrow, double wide) {
  return m.c(m.wide ? wide : narrow);
}

/// Horner's rule, one fma a coefficient.
template <class M>
typename M::F poly(M &m, typename M::F x, std::span<const double> c) {
  typename M::F p = m.c(c.back());
  for (size_t i = c.size() - 1; i-- > 0;)
    p = m.fma(p, x, m.c(c[i]));
  return p;
}
template <class M>
typename M::F poly(M &m, typename M::F x, std::span<const double> narrow,
                   std::span<const double> wide) {
  return poly(m, x, m.wide ? wide : narrow);
}

template <class M> typename M::F inf(M &m) {
  return m.c(std::numeric_limits<double>::infinity());
}
template <class M> typename M::F quietNan(M &m) {
  return m.c(std::numeric_limits<double>::quiet_NaN());
}
template <class M> typename M::F absolute(M &m, typename M::F x) {
  return m.fromBits(m.bits(x) & m.i(m.wide ? INT64_MAX : INT32_MAX));
}
template <class M>
typename M::F copySign(M &m, typename M::F x, typename M::F s) {
  auto mask = m.i(m.wide ? INT64_MAX : INT32_MAX);
  return m.fromBits((m.bits(x) & mask) | (m.bits(s) & ~mask));
}
template <class M> typename M::C isNan(M &m, typename M::F x) {
  return !(x == x);
}
/// min and max that keep a NaN in `x`.
template <class M>
typename M::F clamp(M &m, typename M::F x, double lo, double hi) {
  x = m.select(x < m.c(lo), m.c(lo), x);
  return m.select(x > m.c(hi), m.c(hi), x);
}

/// Rounds |x| < 2^22 (2^51) to the nearest integer without a conversion, which
/// would be undefined on a NaN: adding 1.5 * 2^23 leaves it in the low bits.
template <class M> struct Rounded {
  typename M::F value;
  typename M::I integer;
};
template <class M>
Rounded<M> roundProduct(M &m, typename M::F x, typename M::F scale) {
  auto magic = pick(m, 0x1.8p23, 0x1.8p52);
  auto t = m.fma(x, scale, magic);
  return {t - magic, m.bits(t) - m.bits(magic)};
}

/// 2^n for n inside the exponent range of normal numbers.
template <class M> typename M::F powerOfTwo(M &m, typename M::I n) {
  return m.fromBits((n + m.i(m.wide ? 1023 : 127)) << m.i(m.wide ? 52 : 23));
}
/// p * 2^n, in two steps: overflows to infinity and rounds once to a subnormal.
template <class M>
typename M::F scaleBy(M &m, typename M::F p, typename M::I n) {
  auto half = m.sar(n, 1);
  return p * powerOfTwo(m, half) * powerOfTwo(m, n - half);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// x = n ln2 + r, |r| <= ln2 / 2; q = e^r - 1.
template <class M> struct ExpParts {
  typename M::I n;
  typename M::F q;
};
template <class M> ExpParts<M> expParts(M &m, typename M::F x) {
  auto [nf, n] =
      roundProduct(m, x, pick(m, 0x1.715476p+0, 0x1.71547652b82fep+0));
  auto r = m.fma(-nf, pick(m, 0x1.62e43p-1, 0x1.62e42fefa39efp-1), x);
  r = m.fma(-nf, pick(m, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56), r);
  auto p = poly(m, r, kExp32, kExp64);
  return {n, m.fma(p * r, r, r)};
}

template <class M> typename M::F exp(M &m, typename M::F x) {
  // Beyond these the result is infinity or zero anyway.
  auto parts =
      expParts(m, clamp(m, x, m.wide ? -746.0 : -105.0, m.wide ? 711.0 : 90.0));
  return scaleBy(m, parts.q + m.c(1), parts.n);
}

/// 2^(hi + lo), |lo| far below |hi|.
template <class M>
typename M::F exp2Sum(M &m, typename M::F hi, typename M::F lo) {
  auto [nf, n] = roundProduct(m, hi, m.c(1));
  auto r = (hi - nf) + lo;
  return scaleBy(m, m.fma(poly(m, r, kExp232, kExp264), r, m.c(1)), n);
}
template <class M> typename M::F exp2(M &m, typename M::F x) {
  x = clamp(m, x, m.wide ? -1080.0 : -155.0, m.wide ? 1025.0 : 129.0);
  return exp2Sum(m, x, m.c(0));
}

template <class M> typename M::F expm1(M &m, typename M::F x) {
  auto xc = clamp(m, x, m.wide ? -40.0 : -20.0, m.wide ? 710.0 : 89.0);
  auto parts = expParts(m, xc);
  // Half of 2^n, so that n = 128 does not overflow too early.
  auto s = powerOfTwo(m, parts.n - m.i(1));
  auto r = m.fma(parts.q, s, s - m.c(0.5));
  r = m.select(parts.n == m.i(0), parts.q, r + r); // keeps subnormals
  return m.select(x == m.c(0), x, r);              // and -0
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), x positive and finite.
template <class M> struct LogParts {
  typename M::F k, f;
};
template <class M> LogParts<M> splitLog(M &m, typename M::F x) {
  auto small = x < pick(m, 0x1p-126, 0x1p-1022);
  auto b = m.bits(m.select(small, x * pick(m, 0x1p25, 0x1p54), x));
  auto low = m.i(m.wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3); // sqrt(1/2)
  auto shifted = b - low;
  auto mask = m.i(m.wide ? 0x000fffffffffffff : 0x007fffff);
  auto k = m.toFloat(m.sar(shifted, m.wide ? 52 : 23));
  auto mantissa = m.fromBits((shifted & mask) + low);
  return {m.select(small, k - pick(m, 25, 54), k), mantissa - m.c(1)};
}

/// log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1].
template <class M> typename M::F logTail(M &m, typename M::F f) {
  auto half = f * f * m.c(0.5);
  if (!m.wide)
    return m.fma(poly(m, f, kLog32) * f, f * f, -half);
  auto s = f / (f + m.c(2));
  auto z = s * s;
  return s * m.fma(poly(m, z, kLogS64), z, half) - half;
}

/// What a logarithm is at 0, below, at infinity and NaN.
template <class M>
typename M::F logSpecial(M &m, typename M::F x, typename M::F r) {
  r = m.select(x == m.c(0), -inf(m), r);
  r = m.select(x < m.c(0), quietNan(m), r);
  return m.select((x == inf(m)) | isNan(m, x), x, r);
}

/// (k ln2 + log(1+f)) with the three constants of another base.
template <class M>
typename M::F logWith(M &m, typename M::F x, typename M::F kHi,
                      typename M::F kLo, typename M::F factorHi,
                      typename M::F factorLo) {
  auto [k, f] = splitLog(m, x);
  auto tail = logTail(m, f);
  auto low = m.fma(tail, factorHi, m.fma(f, factorLo, k * kLo));
  auto y = m.fma(f, factorHi, low);
  return logSpecial(m, x, m.fma(k, kHi, y));
}

template <class M> typename M::F log(M &m, typename M::F x) {
  return logWith(m, x, pick(m, 0x1.62e43p-1, 0x1.62e42fefa39efp-1),
                 pick(m, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56), m.c(1),
                 m.c(0));
}
template <class M> typename M::F log2(M &m, typename M::F x) {
  return logWith(m, x, m.c(1), m.c(0),
                 pick(m, 0x1.715476p+0, 0x1.71547652b82fep+0),
                 pick(m, 0x1.4ae0cp-26, 0x1.777d0ffda0d24p-56));
}
template <class M> typename M::F log10(M &m, typename M::F x) {
  return logWith(m, x, pick(m, 0x1.344136p-2, 0x1.34413509f79ffp-2),
                 pick(m, -0x1.ec10cp-27, -0x1.9dc1da994fd21p-59),
                 pick(m, 0x1.bcb7b2p-2, 0x1.bcb7b1526e50ep-2),
                 pick(m, -0x1.5b235ep-27, 0x1.95355baaafad3p-57));
}

template <class M> typename M::F log1p(M &m, typename M::F x) {
  auto u = x + m.c(1);
  auto [k, f] = splitLog(m, u);
  // What rounding 1 + x lost, relative to u; none where u = 1 + f exactly.
  auto big = x > m.c(1);
  auto lost = m.select(big, m.c(1) - (u - x), x - (u - m.c(1))) / u;
  auto near = k == m.c(0);
  f = m.select(near, x, f);
  lost = m.select(near, m.c(0), lost);
  auto low = m.fma(k, pick(m, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56), lost) +
             logTail(m, f);
  auto r = m.fma(k, pick(m, 0x1.62e43p-1, 0x1.62e42fefa39efp-1), f + low);
  r = m.select(x == m.c(-1), -inf(m), r);
  r = m.select(x < m.c(-1), quietNan(m), r);
  return m.select((x == inf(m)) | (x == m.c(0)) | isNan(m, x), x, r);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// |x|^(yHi + yLo) for 0 < |x| < infinity, by log2 in twice the precision.
template <class M>
typename M::F powPositive(M &m, typename M::F ax, typename M::F yHi,
                          typename M::F yLo) {
  auto [k, f] = splitLog(m, ax);
  auto d = f + m.c(2), dLow = f - (d - m.c(2));
  auto rcp = m.c(1) / d;
  auto s = f * rcp;
  auto sLow = m.fma(-s, dLow, m.fma(-s, d, f)) * rcp;
  // atanh(s) = s (1 + t), t = z/3 + z^2 (...), t too as a sum of two
  auto z = s * s;
  auto zLow = m.fma(s, s, -z) + s * sLow * m.c(2);
  auto thirdHi = pick(m, 0x1.555556p-2, 0x1.5555555555555p-2);
  auto thirdLo = pick(m, -0x1.555556p-27, 0x1.5555555555555p-56);
  auto t1 = z * thirdHi, t2 = z * z * poly(m, z, kAtanh32, kAtanh64);
  auto t = t1 + t2;
  auto tLow = (t2 - (t - t1)) + m.fma(z, thirdHi, -t1) +
              m.fma(zLow, thirdHi, z * thirdLo);
  auto st = s * t;
  auto stLow = m.fma(s, t, -st) + m.fma(s, tLow, m.fma(sLow, t, sLow));
  auto h = s + st, l = (st - (h - s)) + stLow;
  // times 2 log2(e)
  auto cHi = pick(m, 0x1.715476p+1, 0x1.71547652b82fep+1);
  auto cLo = pick(m, 0x1.4ae0cp-25, 0x1.777d0ffda0d24p-55);
  auto p = h * cHi;
  auto pLow = m.fma(h, cHi, -p) + m.fma(h, cLo, l * cHi);
  auto logHi = k + p;
  auto logLo = pLow + (p - (logHi - k));
  auto e = yHi * logHi;
  auto eLow = m.fma(yHi, logHi, -e) + m.fma(yHi, logLo, yLo * logHi);
  double limit = m.wide ? 1100 : 160;
  auto outside = (e > m.c(limit)) | (e < m.c(-limit));
  return exp2Sum(m, clamp(m, e, -limit, limit),
                 m.select(outside, m.c(0), eLow));
}

/// The cases that IEEE 754 fixes, around `r` = |x|^y of ordinary values.
template <class M>
typename M::F powSpecial(M &m, typename M::F x, typename M::F y,
                         typename M::F r, typename M::C integral,
                         typename M::C odd) {
  auto ax = absolute(m, x);
  auto zeroOrInf = m.select(y > m.c(0), ax, m.c(1) / ax);
  r = m.select((ax == m.c(0)) | (ax == inf(m)), zeroOrInf, r);
  r = m.select(ax == m.c(1), m.c(1), r);
  r = m.select(odd, copySign(m, r, x), r);
  r = m.select((x < m.c(0)) & !integral & !(ax == inf(m)), quietNan(m), r);
  r = m.select(isNan(m, x) | isNan(m, y), x + y, r);
  return m.select((y == m.c(0)) | (x == m.c(1)), m.c(1), r);
}

template <class M> typename M::F pow(M &m, typename M::F x, typename M::F y) {
  auto integral = m.trunc(y) == y;
  auto half = y * m.c(0.5);
  auto odd = integral & !(m.trunc(half) == half);
  auto r = powPositive(m, absolute(m, x), y, m.c(0));
  return powSpecial(m, x, y, r, integral, odd);
}

/// x^n, n a signed 64-bit integer.
template <class M>
typename M::F powInteger(M &m, typename M::F x, typename M::J n) {
  auto odd = !((n & m.j(1)) == m.j(0));
  int split = 32;
  if (!m.wide) { // beyond 2^31 nothing of f32 but 0, 1 and infinity is left
    n = m.jselect(m.slt(n, m.j(-2147483647)), m.j(-2147483647), n);
    n = m.jselect(m.slt(m.j(2147483647), n), m.j(2147483647), n);
    split = 16;
  }
  auto lo = m.fromSigned(n & m.j((int64_t(1) << split) - 1));
  auto high = m.fromSigned(m.jsar(n, split)) * m.c(std::ldexp(1.0, split));
  auto y = high + lo;
  auto r = powPositive(m, absolute(m, x), y, lo - (y - high));
  auto always = y == y;
  return powSpecial(m, x, y, r, always, odd);
}

template <class M> typename M::F cbrt(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto small = ax < pick(m, 0x1p-126, 0x1p-1022);
  auto large = ax > pick(m, 0x1p100, 0x1p1000);
  auto a = ax * m.select(small, pick(m, 0x1p24, 0x1p54),
                         m.select(large, m.c(0x1p-24), m.c(1)));
  // A third of the exponent: within 5 %, then Halley's iteration.
  auto third =
      m.udiv(m.bits(a), 3) + m.i(m.wide ? 0x2a9f7893782da1ce : 0x2a508c6e);
  auto t = m.fromBits(third);
  for (int i = 0; i < (m.wide ? 3 : 2); ++i) {
    auto r = t * t * t;
    t = t * ((r + a + a) / (r + r + a));
  }
  // One Newton step with the residual exact.
  auto sq = t * t, sqLow = m.fma(t, t, -sq);
  auto cube = m.fma(-sq, t, a) - sqLow * t;
  t = m.fma(cube / (sq * m.c(3)), m.c(1), t);
  t = t * m.select(small, pick(m, 0x1p-8, 0x1p-18),
                   m.select(large, m.c(0x1p8), m.c(1)));
  t = copySign(m, t, x);
  return m.select((ax == m.c(0)) | (ax == inf(m)) | isNan(m, x), x, t);
}

template <class M> typename M::F rsqrt(M &m, typename M::F x) {
  return m.wide ? m.c(1) / m.sqrt(x) : m.rsqrtApprox(x);
}

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

/// x = n pi/2 + r, |r| <= pi/4.
template <class M> struct TrigParts {
  typename M::I n;
  typename M::F r;
};

/// Payne and Hanek's reduction for any finite |x| >= 2^15, in 192-bit integers:
/// the product of the mantissa with those bits of 2/pi that decide the result
/// modulo 4. An f32 is widened first, and needs fewer words.
template <class M> TrigParts<M> reduceLarge(M &m, typename M::F x) {
  auto b = m.bits64(x);
  auto exponent = (b >> m.j(52)) & m.j(0x7ff);
  auto mantissa = (b & m.j(0x000fffffffffffff)) | m.j(0x0010000000000000);
  // First bit of the window in the stream "64 zero bits, then 2/pi".
  auto start = exponent - m.j(1075 - 62);
  auto index = start >> m.j(6);
  auto shift = start & m.j(63);
  int words = m.wide ? 17 : 3;
  auto word = [&](int offset) {
    auto v = m.j(offset == 0 ? 0 : kTwoOverPi[offset - 1]);
    for (int i = 1; i < words; ++i)
      v = m.jselect(index == m.j(i), m.j(kTwoOverPi[offset + i - 1]), v);
    return v;
  };
  auto join = [&](typename M::J hi, typename M::J lo) {
    // lo >> (64 - shift), also for shift = 0
    return (hi << shift) | ((lo >> m.j(1)) >> (m.j(63) - shift));
  };
  auto w0 = word(0), w1 = word(1), w2 = word(2), w3 = word(3);
  auto u0 = join(w0, w1), u1 = join(w1, w2), u2 = join(w2, w3);
  auto mid = m.mulHigh(mantissa, u2);
  auto lo = mantissa * u1 + mid;
  auto carry = m.jselect(lo < mid, m.j(1), m.j(0));
  auto hi = mantissa * u0 + m.mulHigh(mantissa, u1) + carry;
  auto n = (hi + m.j(0x2000000000000000)) >> m.j(62);
  auto r = m.quarterTurns(hi - (n << m.j(62)), lo);
  auto negative = x < m.c(0);
  auto narrow = m.narrow(n);
  return {m.iselect(negative, m.i(0) - narrow, narrow),
          m.select(negative, -r, r)};
}

template <class M> TrigParts<M> reduceSmall(M &m, typename M::F x) {
  auto [nf, n] =
      roundProduct(m, x, pick(m, 0x1.45f306p-1, 0x1.45f306dc9c883p-1));
  // pi/2 in three parts; the first has few enough bits that nf times it is
  // exact
  auto r = m.fma(-nf, pick(m, 0x1.921fbp+0, 0x1.921fb544p+0), x);
  r = m.fma(-nf, pick(m, 0x1.5110b4p-22, 0x1.0b4611a6p-34), r);
  r = m.fma(-nf, pick(m, 0x1.84698ap-48, 0x1.3198a2e037073p-69), r);
  return {n, r};
}

template <class M> TrigParts<M> reduce(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto large = ax > pick(m, 39000.0, 1.6e6);
  auto out = m.branch(
      large,
      [&] {
        auto p = reduceLarge(m, x);
        return std::pair(p.n, p.r);
      },
      [&] {
        auto p = reduceSmall(m, x);
        return std::pair(p.n, p.r);
      });
  auto bad = (ax == inf(m)) | isNan(m, x);
  return {out.first, m.select(bad, quietNan(m), out.second)};
}

template <class M> typename M::F sinKernel(M &m, typename M::F r) {
  auto z = r * r;
  return m.fma(poly(m, z, kSin32, kSin64) * z, r, r);
}
template <class M> typename M::F cosKernel(M &m, typename M::F r) {
  auto z = r * r, half = z * m.c(0.5);
  auto head = m.c(1) - half;
  auto lost = (m.c(1) - head) - half;
  return head + m.fma(poly(m, z, kCos32, kCos64), z * z, lost);
}
template <class M>
typename M::F sinOfQuadrant(M &m, typename M::F r, typename M::I n) {
  auto odd = !((n & m.i(1)) == m.i(0));
  auto v = m.select(odd, cosKernel(m, r), sinKernel(m, r));
  return m.select(!((n & m.i(2)) == m.i(0)), -v, v);
}
template <class M> typename M::F sin(M &m, typename M::F x) {
  auto [n, r] = reduce(m, x);
  return m.select(x == m.c(0), x, sinOfQuadrant(m, r, n));
}
template <class M> typename M::F cos(M &m, typename M::F x) {
  auto [n, r] = reduce(m, x);
  return sinOfQuadrant(m, r, n + m.i(1));
}
template <class M> typename M::F tan(M &m, typename M::F x) {
  auto [n, r] = reduce(m, x);
  auto s = sinKernel(m, r), c = cosKernel(m, r);
  auto odd = !((n & m.i(1)) == m.i(0));
  auto v = m.select(odd, -c, s) / m.select(odd, s, c);
  return m.select(x == m.c(0), x, v);
}

/// asin(s) - s for |s| <= 1/2.
template <class M>
typename M::F asinTail(M &m, typename M::F s, typename M::F z) {
  return poly(m, z, kAsin32, kAsin64) * z * s;
}
template <class M> typename M::F asin(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto big = ax > m.c(0.5);
  auto z = m.select(big, (m.c(1) - ax) * m.c(0.5), ax * ax);
  auto s = m.select(big, m.sqrt(z), ax);
  auto tail = asinTail(m, s, z);
  auto pio2 = pick(m, 0x1.921fb6p+0, 0x1.921fb54442d18p+0);
  auto low = pick(m, -0x1.777a5cp-25, 0x1.1a62633145c07p-54);
  auto r =
      m.select(big, pio2 - (m.fma(m.c(2), tail, -low) + s * m.c(2)), s + tail);
  return copySign(m, r, x);
}
template <class M> typename M::F acos(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto big = ax > m.c(0.5);
  auto z = m.select(big, (m.c(1) - ax) * m.c(0.5), ax * ax);
  auto s = m.select(big, m.sqrt(z), x);
  auto tail = asinTail(m, s, z);
  auto pio2 = pick(m, 0x1.921fb6p+0, 0x1.921fb54442d18p+0);
  auto low = pick(m, -0x1.777a5cp-25, 0x1.1a62633145c07p-54);
  auto middle = pio2 - (s - (low - tail));
  auto twice = (s + tail) * m.c(2);
  auto folded =
      m.select(x < m.c(0), pio2 * m.c(2) - (twice - low * m.c(2)), twice);
  return m.select(big, folded, middle);
}

/// atan(num / den) for 0 <= num, 0 < den, both finite or equal infinities ruled
/// out by the callers.
template <class M>
typename M::F atanRatio(M &m, typename M::F num, typename M::F den) {
  auto steep = num > den;
  auto a = m.select(steep, den, num), b = m.select(steep, num, den);
  auto bent = a > b * m.c(0.4142135623730950488); // tan(pi/8)
  auto q = m.select(bent, a - b, a) / m.select(bent, b + a, b);
  auto z = q * q;
  auto tail = poly(m, z, kAtan32, kAtan64) * z * q;
  auto pio4 = pick(m, 0x1.921fb6p-1, 0x1.921fb54442d18p-1);
  auto low = pick(m, -0x1.777a5cp-26, 0x1.1a62633145c07p-55);
  auto r = m.select(bent, pio4 + (q + (tail + low)), q + tail);
  auto folded = pio4 * m.c(2) - (r - low * m.c(2));
  return m.select(steep, folded, r);
}
template <class M> typename M::F atan(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto pio2 = pick(m, 0x1.921fb6p+0, 0x1.921fb54442d18p+0);
  auto r = atanRatio(m, ax, m.c(1));
  r = m.select(ax == inf(m), pio2, r);
  return m.select(isNan(m, x), x, copySign(m, r, x));
}
template <class M> typename M::F atan2(M &m, typename M::F y, typename M::F x) {
  auto ax = absolute(m, x), ay = absolute(m, y);
  auto both = (ax == inf(m)) & (ay == inf(m));
  ax = m.select(both, m.c(1), ax);
  ay = m.select(both, m.c(1), ay);
  auto origin = (ax == m.c(0)) & (ay == m.c(0));
  // Keeps quotients and sums of very large or small values in range.
  auto top = m.select(ax > ay, ax, ay);
  auto huge = top > pick(m, 0x1p125, 0x1p1020),
       tinyPair = top < pick(m, 0x1p-100, 0x1p-900);
  auto scale = m.select(huge, m.c(0x1p-4),
                        m.select(tinyPair, pick(m, 0x1p48, 0x1p120), m.c(1)));
  auto den = m.select(origin, m.c(1), ax * scale), num = ay * scale;
  auto r = atanRatio(m, num, den);
  auto pio2 = pick(m, 0x1.921fb6p+0, 0x1.921fb54442d18p+0);
  auto low = pick(m, -0x1.777a5cp-24, 0x1.1a62633145c07p-53); // of pi
  r = m.select((ay == inf(m)) & !both, pio2, r);
  r = m.select((ax == inf(m)) & !both, m.c(0), r);
  auto left = m.isNegative(x);
  r = m.select(left, pio2 * m.c(2) - (r - low), r);
  r = copySign(m, r, y);
  return m.select(isNan(m, x) | isNan(m, y), x + y, r);
}

//===----------------------------------------------------------------------===//
// Hyperbolics
//===----------------------------------------------------------------------===//

template <class M> typename M::F tanh(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto t = expm1(m, clamp(m, ax + ax, 0, m.wide ? 44 : 20));
  auto r = t / (t + m.c(2));
  return m.select(isNan(m, x), x, copySign(m, r, x));
}
/// e^(x/2) squared and halved: e^x / 2 without early overflow.
template <class M> typename M::F halfExp(M &m, typename M::F x) {
  auto h = exp(m, x * m.c(0.5));
  return h * m.c(0.5) * h;
}
template <class M> typename M::F sinh(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  double limit = m.wide ? 40 : 20;
  auto t = expm1(m, clamp(m, ax, 0, limit));
  auto r = m.c(0.5) * (t + t / (t + m.c(1)));
  return copySign(m, m.select(ax > m.c(limit), halfExp(m, ax), r), x);
}
template <class M> typename M::F cosh(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  double limit = m.wide ? 40 : 20;
  auto e = exp(m, clamp(m, ax, 0, limit));
  return m.select(ax > m.c(limit), halfExp(m, ax),
                  m.fma(m.c(0.5), e, m.c(0.5) / e));
}
template <class M> typename M::F asinh(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto big = pick(m, 0x1p28, 0x1p28);
  auto a = m.select(ax > big, m.c(1), ax);
  auto a2 = a * a;
  auto near = log1p(m, a + a2 / (m.c(1) + m.sqrt(a2 + m.c(1))));
  auto far = log(m, ax) + pick(m, 0x1.62e43p-1, 0x1.62e42fefa39efp-1);
  auto r = m.select(ax > big, far, near);
  return m.select(isNan(m, x), x, copySign(m, r, x));
}
template <class M> typename M::F acosh(M &m, typename M::F x) {
  auto big = m.c(0x1p28);
  auto t = m.select(x > big, m.c(1), x - m.c(1));
  auto near = log1p(m, t + m.sqrt(m.fma(t, t, t + t)));
  auto far = log(m, x) + pick(m, 0x1.62e43p-1, 0x1.62e42fefa39efp-1);
  return m.select(x < m.c(1), quietNan(m), m.select(x > big, far, near));
}
template <class M> typename M::F atanh(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto r = m.c(0.5) * log1p(m, (ax + ax) / (m.c(1) - ax));
  return m.select(isNan(m, x), x, copySign(m, r, x));
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

/// erfc(x) for x >= 1/2: exp(-x^2) times a polynomial in (x-4)/(x+4).
template <class M> typename M::F erfcLarge(M &m, typename M::F x) {
  auto a = clamp(m, x, 0.5, m.wide ? 27.5 : 10.5);
  auto q = (a - m.c(4)) / (a + m.c(4));
  auto g = poly(m, q, kErfc32, kErfc64) / m.fma(a, m.c(2), m.c(1));
  auto sq = a * a, low = m.fma(a, a, -sq);
  auto parts = expParts(m, -sq);
  // (1 + q)(1 - low) g, scaled last so that subnormals round once
  auto e = parts.q + m.c(1);
  auto body = m.fma(-low, e, e) * g;
  return scaleBy(m, body, parts.n);
}
template <class M> typename M::F erfSmall(M &m, typename M::F x) {
  return m.fma(poly(m, x * x, kErf32, kErf64), x, x);
}
template <class M> typename M::F erf(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto small = ax < m.c(1);
  auto near = erfSmall(m, m.select(small, ax, m.c(0)));
  auto r = m.select(small, near, m.c(1) - erfcLarge(m, ax));
  return m.select(isNan(m, x), x, copySign(m, r, x));
}
template <class M> typename M::F erfc(M &m, typename M::F x) {
  auto ax = absolute(m, x);
  auto small = ax < m.c(0.5);
  auto near = m.c(1) - erfSmall(m, m.select(small, x, m.c(0)));
  auto far = erfcLarge(m, ax);
  auto r = m.select(small, near, m.select(x < m.c(0), m.c(2) - far, far));
  return m.select(isNan(m, x), x, r);
}

//===----------------------------------------------------------------------===//
// Remainder
//===----------------------------------------------------------------------===//

/// fmod, exact: integer mantissas, as many bits a step as 64 allow.
template <class M>
typename M::F remainder(M &m, typename M::F x, typename M::F y) {
  auto ax = absolute(m, x), ay = absolute(m, y);
  int fraction = m.wide ? 52 : 23;
  auto split = [&](typename M::F v) {
    auto b = m.widen(m.bits(v));
    auto e = b >> m.j(fraction);
    auto f = b & m.j((int64_t(1) << fraction) - 1);
    auto subnormal = e == m.j(0);
    return std::pair(m.jselect(subnormal, m.j(1), e),
                     m.jselect(subnormal, f, f | m.j(int64_t(1) << fraction)));
  };
  auto [ex, mx] = split(ax);
  auto [ey, my] = split(ay);
  auto bad = (ay == m.c(0)) | (ax == inf(m)) | isNan(m, x) | isNan(m, y);
  auto trivial = bad | (ax < ay) | (ay == inf(m));
  my = m.jselect(my == m.j(0), m.j(1), my);
  auto steps = m.jselect(trivial, m.j(0), ex - ey);
  auto r = m.modShifted(mx, my, steps, 63 - fraction);
  // r < 2^(fraction+1), so the product with a power of two is exact.
  auto n = m.narrow(m.jselect(trivial, m.j(1), ey)) - m.i(m.wide ? 1075 : 150);
  auto back = m.fromSigned(r);
  auto low = m.sar(n, 2);
  auto quarter = powerOfTwo(m, low);
  auto v = back * quarter * quarter * quarter * powerOfTwo(m, n - low * m.i(3));
  v = m.select(trivial, ax, v);
  return m.select(bad, quietNan(m), copySign(m, v, x));
}

} // namespace hwtune::math

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif // HWTUNE_LIB_CODEGEN_MATHFUNCTIONS_H
