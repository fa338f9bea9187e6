//===- SoftFloat.h - rounding to any small format ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results for formats of up to 24 bits are computed in double, rounded to odd
// where the double is not exact (so that a second rounding does no harm), and
// then rounded once to the format, in any direction.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_SOFTFLOAT_H
#define HWTUNE_LIB_SIMULATOR_EXEC_SOFTFLOAT_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace hwtune::exec {

enum class Rounding { Nearest, Zero, Down, Up, Away };

/// A binary format. Without infinity the largest exponent holds numbers, and
/// only all ones is NaN (e4m3).
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity;
  uint32_t nan;
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint32_t infinity() const {
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  constexpr uint32_t largest() const {
    return hasInfinity ? infinity() - 1
                       : (1u << (exponentBits + mantissaBits)) - 2;
  }
};
inline constexpr FloatFormat kF32{8, 23, true, 0x7fffffff},
    kF16{5, 10, true, 0x7fff}, kBF16{8, 7, true, 0x7fff},
    kE4M3{4, 3, false, 0x7f}, kE5M2{5, 2, true, 0x7f};

inline double decodeFloat(FloatFormat f, uint32_t bits) {
  int width = 1 + f.exponentBits + f.mantissaBits;
  bool negative = (bits >> (width - 1)) & 1;
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  int exponent = int(bits >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  double v;
  if (f.hasInfinity && exponent == (1 << f.exponentBits) - 1)
    v = mantissa ? NAN : INFINITY;
  else if (!f.hasInfinity && (bits & (f.largest() + 1)) == f.largest() + 1)
    v = NAN;
  else if (exponent == 0)
    v = std::ldexp(double(mantissa), 1 - f.bias() - f.mantissaBits);
  else
    v = std::ldexp(double(mantissa | (1u << f.mantissaBits)),
                   exponent - f.bias() - f.mantissaBits);
  return negative ? -v : v;
}

/// Rounds once. `saturate`: to the largest finite number instead of infinity
/// (for infinite inputs too).
inline uint32_t encodeFloat(FloatFormat f, double v, Rounding mode,
                            bool saturate = false) {
  if (v != v)
    return f.nan;
  uint64_t raw = std::bit_cast<uint64_t>(v);
  bool negative = raw >> 63;
  uint32_t sign = uint32_t(negative) << (f.exponentBits + f.mantissaBits);
  raw &= ~(1ull << 63);
  if (raw == 0)
    return sign;
  bool toward = mode == Rounding::Zero ||
                (mode == Rounding::Down && !negative) ||
                (mode == Rounding::Up && negative);
  uint32_t overflow = sign | (saturate || !f.hasInfinity ? f.largest()
                              : toward                   ? f.largest()
                                                         : f.infinity());
  if (std::isinf(v))
    return sign | (saturate || !f.hasInfinity ? (saturate ? f.largest() : f.nan)
                                              : f.infinity());
  int exponent = int(raw >> 52) - 1023;
  uint64_t mantissa = (raw & ((1ull << 52) - 1)) | (1ull << 52);
  if ((raw >> 52) == 0) // a subnormal double is far below every format here
    return sign | ((mode == Rounding::Up && !negative) ||
                           (mode == Rounding::Down && negative)
                       ? 1
                       : 0);
  int least = 1 - f.bias();
  int drop = 52 - f.mantissaBits + (exponent < least ? least - exponent : 0);
  uint64_t kept, rest, half;
  if (drop > 62) {
    kept = 0;
    rest = 1;
    half = 2;
  } else {
    kept = mantissa >> drop;
    rest = mantissa & ((1ull << drop) - 1);
    half = 1ull << (drop - 1);
  }
  bool up =
      mode == Rounding::Nearest ? rest > half || (rest == half && (kept & 1))
      : mode == Rounding::Away  ? rest >= half
      : mode == Rounding::Zero  ? false
                                : rest && ((mode == Rounding::Up) != negative);
  kept += up;
  uint64_t out;
  if (exponent < least)
    out = kept; // a carry into the exponent is what is wanted
  else
    out = (uint64_t(exponent + f.bias() - 1) << f.mantissaBits) + kept;
  if (out > f.largest())
    return overflow;
  return sign | uint32_t(out);
}

/// Rounds `v`, whose exact value differs by something of the sign of `error`.
inline double toOdd(double v, double error) {
  uint64_t raw = std::bit_cast<uint64_t>(v);
  if (error == 0 || error != error || (raw & 1) || std::isinf(v))
    return v;
  if (v == 0)
    return error;
  return std::bit_cast<double>((error > 0) == (v > 0) ? raw + 1 : raw - 1);
}
inline double addOdd(double a, double b) {
  double s = a + b, bb = s - a;
  return toOdd(s, (a - (s - bb)) + (b - bb));
}
inline double fmaOdd(double a, double b, double c) { return addOdd(a * b, c); }
/// Of numbers with at most 24 bits.
inline double divideOdd(double a, double b) {
  double q = a / b;
  if (!std::isfinite(q) || q == 0)
    return q;
  double r = std::fma(-q, b, a);
  return toOdd(q, b > 0 ? r : -r);
}
inline double sqrtOdd(double a) {
  double q = std::sqrt(a);
  return a > 0 && std::isfinite(a) ? toOdd(q, std::fma(-q, q, a)) : q;
}
/// An integer of 64 bits as a double, rounded to odd.
template <typename T> double intOdd(T v) {
  double d = double(v);
  __int128 error = __int128(v) - __int128(d);
  return toOdd(d, double(error));
}

/// Zero results of exact sums: +0, in rounding down -0, unless both are -0.
inline double addExactZero(double a, double b, Rounding mode) {
  double s = addOdd(a, b);
  if (s == 0 && !(a == 0 && b == 0 && std::signbit(a) == std::signbit(b)))
    return mode == Rounding::Down ? -0.0 : 0.0;
  return s;
}

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_SOFTFLOAT_H
