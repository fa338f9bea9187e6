//===- OpsConvertAny.cpp - cvt between any two scalar types ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions that compilers emit in numbers have vector handlers
// (OpsConvert.cpp, OpsHalf.cpp). This one does the rest of the ISA's table a
// lane at a time: exactly to a double (integers of 64 bits rounded to odd),
// then one rounding.
//
//===----------------------------------------------------------------------===//

#include "ConvertAny.h"
#include "Machine.h"
#include "Ops.h"
#include "SoftFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace hwtune::exec {

namespace {

constexpr FloatFormat kTF32{8, 10, true, 0x7ffff};

FloatFormat formatOf(Scalar type) {
  return type == Scalar::F16    ? kF16
         : type == Scalar::BF16 ? kBF16
         : type == Scalar::TF32 ? kTF32
                                : kF32;
}

double flushF32(double v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0, v)
                                                          : v;
}

/// A source: an integer as it is, or the exact value of a float.
struct Source {
  bool isInteger = false;
  __int128 integer = 0;
  double real = 0;
};

Source decode(const ConvertDesc &d, uint64_t bits) {
  Source s;
  s.isInteger = isInteger(d.from);
  if (s.isInteger) {
    int unused = 64 - int(scalarBits(d.from));
    s.integer = isSigned(d.from) ? __int128(int64_t(bits << unused) >> unused)
                                 : __int128(bits << unused >> unused);
  } else if (d.from == Scalar::F64) {
    s.real = std::bit_cast<double>(bits);
  } else {
    s.real = decodeFloat(formatOf(d.from), uint32_t(bits));
    if (d.ftz && d.from == Scalar::F32)
      s.real = flushF32(s.real);
  }
  return s;
}

double roundToIntegral(double v, Rounding mode) {
  switch (mode) {
  case Rounding::Zero:
    return std::trunc(v);
  case Rounding::Down:
    return std::floor(v);
  case Rounding::Up:
    return std::ceil(v);
  default:
    return std::nearbyint(v); // to even, the host's default
  }
}

/// Saturates; NaN gives 0, or the top bit where 64-bit types are involved.
uint64_t toInteger(const ConvertDesc &d, const Source &s) {
  int bits = int(scalarBits(d.to));
  __int128 low = isSigned(d.to) ? -(__int128(1) << (bits - 1)) : 0,
           high = (__int128(1) << (bits - isSigned(d.to))) - 1, v;
  if (s.isInteger) {
    if (!d.saturate)
      return uint64_t(s.integer);
    v = s.integer;
  } else {
    if (s.real != s.real)
      return bits == 64 || d.from == Scalar::F64 ? uint64_t(1) << (bits - 1)
                                                 : 0;
    double whole = roundToIntegral(s.real, d.rounding);
    v = whole >= 0x1p64 ? high : whole <= -0x1p64 ? low : __int128(whole);
  }
  return uint64_t(v < low ? low : v > high ? high : v);
}

/// The one rounding of an integer to a double.
double integerToDouble(__int128 v, Rounding mode) {
  double d = double(v);
  __int128 rest = v - __int128(d);
  bool away = v < 0 ? mode == Rounding::Down : mode == Rounding::Up;
  bool toward = mode == Rounding::Zero ||
                (v < 0 ? mode == Rounding::Up : mode == Rounding::Down);
  if (rest && toward && (rest < 0) != (v < 0))
    d = std::nextafter(d, 0.0);
  if (rest && away && (rest < 0) == (v < 0))
    d = std::nextafter(d, v < 0 ? -INFINITY : INFINITY);
  return d;
}

double clampReal(const ConvertDesc &d, double v) {
  if (d.saturate)
    return v > 0 ? std::fmin(v, 1.0) : 0.0; // NaN and -0 give +0
  return d.relu && v <= 0 ? 0.0 : v;
}

uint64_t toFloat(const ConvertDesc &d, const Source &s) {
  if (d.to == Scalar::F64) {
    double v = s.isInteger  ? integerToDouble(s.integer, d.rounding)
               : d.integral ? roundToIntegral(s.real, d.rounding)
                            : s.real;
    v = clampReal(d, v);
    return v != v ? 0x7fffffffffffffffull : std::bit_cast<uint64_t>(v);
  }
  double v = s.isInteger  ? intOdd(s.integer)
             : d.integral ? roundToIntegral(s.real, d.rounding)
                          : s.real;
  uint32_t bits = encodeFloat(formatOf(d.to), clampReal(d, v), d.rounding,
                              d.saturateFinite);
  if (d.to == Scalar::F32 && d.ftz && !(bits & 0x7f800000u))
    bits &= 0x80000000u;
  if (d.to == Scalar::TF32)
    return v != v ? 0x7fffffffu : bits << 13;
  return bits;
}

/// d: result, a: source, b: descriptor. Wide results and sources are 64-bit
/// registers.
void convertAny(HWTUNE_HANDLER_ARGS) {
  ConvertDesc d = ConvertDesc::unpack(I->b);
  bool wideFrom = scalarBits(d.from) == 64, wideTo = scalarBits(d.to) == 64;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t bits = 0;
    memcpy(&bits, R + I->a + lane * (wideFrom ? 8 : 4), wideFrom ? 8 : 4);
    Source s = decode(d, bits);
    uint64_t out = isInteger(d.to) ? toInteger(d, s) : toFloat(d, s);
    // Narrow integers extend to the register; wider ones are extended after.
    if (isInteger(d.to) && scalarBits(d.to) < 16)
      out = isSigned(d.to) ? uint16_t(int8_t(out)) : uint8_t(out);
    else if (scalarBits(d.to) == 16)
      out = uint16_t(out);
    memcpy(R + I->d + lane * (wideTo ? 8 : 4), &out, wideTo ? 8 : 4);
  }
  HWTUNE_GO(I + 1);
}

} // namespace

std::optional<Scalar> scalarOf(std::string_view type) {
  constexpr std::string_view names[] = {"u8",   "s8",  "u16", "s16", "u32",
                                        "s32",  "u64", "s64", "f16", "bf16",
                                        "tf32", "f32", "f64"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (names[i] == type)
      return Scalar(i);
  return std::nullopt;
}

bool ConvertDesc::addModifier(std::string_view m) {
  if (m == "ftz")
    return ftz = true;
  if (m == "sat")
    return saturate = true;
  if (m == "relu")
    return relu = true;
  if (m == "satfinite")
    return saturateFinite = true;
  integral = m.size() == 3 && m[2] == 'i';
  constexpr std::pair<std::string_view, Rounding> modes[] = {
      {"rn", Rounding::Nearest},
      {"rz", Rounding::Zero},
      {"rm", Rounding::Down},
      {"rp", Rounding::Up},
      {"rna", Rounding::Away}};
  for (auto [name, mode] : modes)
    if (m == name || (integral && m.substr(0, 2) == name)) {
      rounding = mode;
      return true;
    }
  return false;
}

void addAnyConversion(Registry &r) {
  addEntry(r, "cvt.any", "", {&convertAny, &convertAny, ""});
}

} // namespace hwtune::exec
