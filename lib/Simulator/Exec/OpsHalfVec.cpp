//===- OpsHalfVec.cpp - f16 and bf16 arithmetic in vectors ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain forms of add, sub, mul and fma, which replace the lane-wise ones of
// OpsHalf.cpp. Products of halves are exact in double; a sum that is not is
// rounded to odd there and again on the way to f32, so that the one rounding
// that counts is the last.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "VecFloat.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

using VF16 = VecOf<_Float16, 32>::type;
using VU16 = VecOf<uint16_t, 32>::type;

template <bool B> HWTUNE_INLINE VF32 toF32(VU32 h) {
  return B ? bits<VF32>(h << 16) : convert<VF32>(bits<VF16>(convert<VU16>(h)));
}
template <bool B> HWTUNE_INLINE VF64 widen(VU32 h) {
  return convert<VF64>(toF32<B>(h));
}

HWTUNE_INLINE VF64 sumToOdd(VF64 a, VF64 b) {
  VF64 s = a + b, bb = s - a;
  VF64 error = (a - (s - bb)) + (b - bb);
  VS64 raw = bits<VS64>(s);
  // Infinite and NaN sums have a NaN error, which compares false.
  VS64 adjust = ((error > 0.0) | (error < 0.0)) & ((raw & 1) == 0);
  VS64 away = ((error > 0.0) == (s > 0.0)) & 1;
  return bits<VF64>(pick(adjust, raw + 2 * away - 1, raw));
}

/// To f32, odd where inexact, then to the format, to nearest even.
template <bool B> HWTUNE_INLINE VU32 narrow(VF64 d) {
  VF32 f = convert<VF32>(d);
  VF64 back = convert<VF64>(f);
  VS64 inexact = (back > d) | (back < d);
  VS64 larger =
      (__builtin_elementwise_abs(d) > __builtin_elementwise_abs(back));
  VS32 raw = bits<VS32>(f);
  VS32 finite = (raw & 0x7f800000) != 0x7f800000;
  VS32 adjust = convert<VS32>(inexact) & ((raw & 1) == 0) & finite;
  VS32 up = convert<VS32>(larger) & 1;
  VU32 odd = bits<VU32>(pick(adjust, raw + 2 * up - 1, raw));
  VS32 nan = f != f;
  if constexpr (B)
    return pick(nan, VU32(0x7fffu), (odd + 0x7fffu + ((odd >> 16) & 1u)) >> 16);
  else
    return pick(nan, VU32(0x7fffu),
                convert<VU32>(bits<VU16>(convert<VF16>(bits<VF32>(odd)))));
}

template <bool B> struct Add {
  VU32 operator()(VU32 a, VU32 b) const {
    return narrow<B>(sumToOdd(widen<B>(a), widen<B>(b)));
  }
};
template <bool B> struct Sub {
  VU32 operator()(VU32 a, VU32 b) const {
    return narrow<B>(sumToOdd(widen<B>(a), -widen<B>(b)));
  }
};
template <bool B> struct Mul {
  VU32 operator()(VU32 a, VU32 b) const {
    return narrow<B>(widen<B>(a) * widen<B>(b));
  }
};
template <bool B> struct Fma {
  VU32 operator()(VU32 a, VU32 b, VU32 c) const {
    return narrow<B>(sumToOdd(widen<B>(a) * widen<B>(b), widen<B>(c)));
  }
};

template <class F>
void addBinary(Registry &r, const char *op, const char *one, const char *two) {
  addEntry(r, op, one,
           vop<U16, U16, U16>([](auto a, auto b) { return F{}(a, b); }));
  addEntry(r, op, two, vop<U32, U32, U32>([](auto a, auto b) {
             return F{}(a & 0xffffu, b & 0xffffu) |
                    (F{}(a >> 16, b >> 16) << 16);
           }));
}
template <bool B>
void addFormat(Registry &r, const char *one, const char *two) {
  addBinary<Add<B>>(r, "add", one, two);
  addBinary<Sub<B>>(r, "sub", one, two);
  addBinary<Mul<B>>(r, "mul", one, two);
  addEntry(r, "fma", one, vop<U16, U16, U16, U16>([](auto a, auto b, auto c) {
             return Fma<B>{}(a, b, c);
           }));
  addEntry(r, "fma", two, vop<U32, U32, U32, U32>([](auto a, auto b, auto c) {
             return Fma<B>{}(a & 0xffffu, b & 0xffffu, c & 0xffffu) |
                    (Fma<B>{}(a >> 16, b >> 16, c >> 16) << 16);
           }));
}

/// Halves with an f32 (sm_100 and later): d = a +- c, d = a * b + c.
template <bool B, bool Sat> void addMixed(Registry &r, const char *type) {
  addEntry(r, "add", type, vop<F32, U16, F32>([](auto a, auto c) {
             return out<false, Sat>(toF32<B>(a) + c);
           }));
  addEntry(r, "sub", type, vop<F32, U16, F32>([](auto a, auto c) {
             return out<false, Sat>(toF32<B>(a) - c);
           }));
  addEntry(r, "fma", type, vop<F32, U16, U16, F32>([](auto a, auto b, auto c) {
             return out<false, Sat>(
                 __builtin_elementwise_fma(toF32<B>(a), toF32<B>(b), c));
           }));
}

} // namespace

void addHalfVectorOps(Registry &r) {
  addMixed<false, false>(r, ".f32.f16");
  addMixed<false, true>(r, ".sat.f32.f16");
  addMixed<true, false>(r, ".f32.bf16");
  addMixed<true, true>(r, ".sat.f32.bf16");
  addFormat<false>(r, ".f16", ".f16x2");
  addFormat<true>(r, ".bf16", ".bf16x2");
}

} // namespace hwtune::exec::HWTUNE_ISA
