//===- OpsFloat.cpp - f32 and f64 arithmetic, round to nearest ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder drops `.rn` where it is the default. Approximate instructions
// give the exact result rounded to nearest wherever that is as cheap: PTX
// bounds their error, it does not fix their bits.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "VecFloat.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

// --- add, sub, mul, fma -----------------------------------------------------

template <class T, bool Ftz, bool Sat>
void addBasic(Registry &r, const char *type) {
  addEntry(r, "add", type, vop<T, T, T>([](auto a, auto b) {
             return out<Ftz, Sat>(in<Ftz>(a) + in<Ftz>(b));
           }));
  addEntry(r, "sub", type, vop<T, T, T>([](auto a, auto b) {
             return out<Ftz, Sat>(in<Ftz>(a) - in<Ftz>(b));
           }));
  addEntry(r, "mul", type, vop<T, T, T>([](auto a, auto b) {
             return out<Ftz, Sat>(in<Ftz>(a) * in<Ftz>(b));
           }));
  auto fma = vop<T, T, T, T>([](auto a, auto b, auto c) {
    return out<Ftz, Sat>(
        __builtin_elementwise_fma(in<Ftz>(a), in<Ftz>(b), in<Ftz>(c)));
  });
  addEntry(r, "fma", type, fma);
  addEntry(r, "mad", type, fma);
}

// --- min, max, abs, neg -----------------------------------------------------

/// One NaN gives the other operand (`.NaN`: NaN); -0 is less than +0.
template <bool Max, bool NaN, typename V> HWTUNE_INLINE V extreme(V a, V b) {
  using Raw =
      decltype(bits<typename VecOf<__typeof__(0u), sizeof(V) / 4>::type>(a));
  V r = pick(Max ? a > b : a < b, a, b);
  // Equal numbers differ at most in the sign of zero.
  V equal =
      bits<V>(Max ? bits<Raw>(a) & bits<Raw>(b) : bits<Raw>(a) | bits<Raw>(b));
  r = pick(a == b, equal, r);
  r = pick(a != a, NaN ? a : b, r);
  if constexpr (NaN)
    r = pick(b != b, b, r);
  else
    r = pick(b != b, a, r);
  return canonical(r);
}
/// The magnitude of the extreme with the sign that the product would have.
template <bool Max, bool NaN> HWTUNE_INLINE VF32 extremeXor(VF32 a, VF32 b) {
  VU32 sign = (bits<VU32>(a) ^ bits<VU32>(b)) & 0x80000000u;
  VF32 x = bits<VF32>(bits<VU32>(a) & 0x7fffffffu),
       y = bits<VF32>(bits<VU32>(b) & 0x7fffffffu);
  VF32 r = extreme<Max, NaN>(x, y);
  return pick(r != r, r, bits<VF32>(bits<VU32>(r) | sign));
}

template <bool Ftz>
void addExtremes(Registry &r, const char *plain, const char *nan,
                 const char *xorSign, const char *nanXor) {
#define EXTREME(Max, op)                                                       \
  addEntry(r, op, plain, vop<F32, F32, F32>([](auto a, auto b) {               \
             return extreme<Max, false>(in<Ftz>(a), in<Ftz>(b));               \
           }));                                                                \
  addEntry(r, op, nan, vop<F32, F32, F32>([](auto a, auto b) {                 \
             return extreme<Max, true>(in<Ftz>(a), in<Ftz>(b));                \
           }));                                                                \
  addEntry(r, op, xorSign, vop<F32, F32, F32>([](auto a, auto b) {             \
             return extremeXor<Max, false>(in<Ftz>(a), in<Ftz>(b));            \
           }));                                                                \
  addEntry(r, op, nanXor, vop<F32, F32, F32>([](auto a, auto b) {              \
             return extremeXor<Max, true>(in<Ftz>(a), in<Ftz>(b));             \
           }));                                                                \
  addEntry(r, op "3", plain,                                                   \
           vop<F32, F32, F32, F32>([](auto a, auto b, auto c) {                \
             return extreme<Max, false>(                                       \
                 extreme<Max, false>(in<Ftz>(a), in<Ftz>(b)), in<Ftz>(c));     \
           }));                                                                \
  addEntry(r, op "3", nan,                                                     \
           vop<F32, F32, F32, F32>([](auto a, auto b, auto c) {                \
             return extreme<Max, true>(                                        \
                 extreme<Max, true>(in<Ftz>(a), in<Ftz>(b)), in<Ftz>(c));      \
           }));
  EXTREME(false, "min")
  EXTREME(true, "max")
#undef EXTREME
}

void addSigns(Registry &r) {
  addEntry(r, "abs", ".f32",
           vop<U32, U32>([](auto a) { return a & 0x7fffffffu; }));
  addEntry(r, "neg", ".f32",
           vop<U32, U32>([](auto a) { return a ^ 0x80000000u; }));
  addEntry(r, "abs", ".ftz.f32", vop<F32, F32>([](auto a) {
             return bits<VF32>(bits<VU32>(flush(a)) & 0x7fffffffu);
           }));
  addEntry(r, "neg", ".ftz.f32", vop<F32, F32>([](auto a) {
             return bits<VF32>(bits<VU32>(flush(a)) ^ 0x80000000u);
           }));
  addEntry(r, "abs", ".f64",
           vop<U64, U64>([](auto a) { return a & 0x7fffffffffffffffull; }));
  addEntry(r, "neg", ".f64",
           vop<U64, U64>([](auto a) { return a ^ 0x8000000000000000ull; }));
  addEntry(r, "copysign", ".f32", vop<U32, U32, U32>([](auto a, auto b) {
             return (a & 0x80000000u) | (b & 0x7fffffffu);
           }));
  addEntry(r, "copysign", ".f64", vop<U64, U64, U64>([](auto a, auto b) {
             return (a & 0x8000000000000000ull) | (b & 0x7fffffffffffffffull);
           }));
  addEntry(r, "min", ".f64", vop<F64, F64, F64>([](auto a, auto b) {
             return extreme<false, false>(a, b);
           }));
  addEntry(r, "max", ".f64", vop<F64, F64, F64>([](auto a, auto b) {
             return extreme<true, false>(a, b);
           }));
}

void addTestp(Registry &r) {
  addEntry(r, "testp.finite", ".f32", vop<P, U32>([](auto a) {
             return (a & 0x7f800000u) != 0x7f800000u;
           }));
  addEntry(r, "testp.infinite", ".f32", vop<P, U32>([](auto a) {
             return (a & 0x7fffffffu) == 0x7f800000u;
           }));
  addEntry(r, "testp.number", ".f32",
           vop<P, F32>([](auto a) { return a == a; }));
  addEntry(r, "testp.notanumber", ".f32",
           vop<P, F32>([](auto a) { return a != a; }));
  addEntry(r, "testp.normal", ".f32", vop<P, U32>([](auto a) {
             VU32 e = a & 0x7f800000u;
             return (e != 0u) & (e != 0x7f800000u);
           }));
  addEntry(r, "testp.subnormal", ".f32", vop<P, U32>([](auto a) {
             return ((a & 0x7f800000u) == 0u) & ((a & 0x7fffffu) != 0u);
           }));
  constexpr uint64_t exp = 0x7ff0000000000000ull, man = 0xfffffffffffffull;
  addEntry(r, "testp.finite", ".f64",
           vop<P, U64>([](auto a) { return (a & exp) != exp; }));
  addEntry(r, "testp.infinite", ".f64",
           vop<P, U64>([](auto a) { return (a & (exp | man)) == exp; }));
  addEntry(r, "testp.number", ".f64",
           vop<P, F64>([](auto a) { return a == a; }));
  addEntry(r, "testp.notanumber", ".f64",
           vop<P, F64>([](auto a) { return a != a; }));
  addEntry(r, "testp.normal", ".f64", vop<P, U64>([](auto a) {
             VU64 e = a & exp;
             return (e != 0ull) & (e != exp);
           }));
  addEntry(r, "testp.subnormal", ".f64", vop<P, U64>([](auto a) {
             return ((a & exp) == 0ull) & ((a & man) != 0ull);
           }));
}

// --- quotients and roots ----------------------------------------------------

/// 2^126 < |b| < 2^128: div.approx gives 0, or NaN where a is infinite.
HWTUNE_INLINE VF32 divideApprox(VF32 a, VF32 b) {
  VF32 q = a / b;
  VU32 mag = bits<VU32>(b) & 0x7fffffffu;
  VS32 big = (mag > 0x7e800000u) & (mag < 0x7f800000u);
  VU32 sign = (bits<VU32>(a) ^ bits<VU32>(b)) & 0x80000000u;
  VS32 infinite = (bits<VU32>(a) & 0x7fffffffu) == 0x7f800000u;
  VF32 special =
      pick(infinite, bits<VF32>(VU32(0x7fffffffu)), bits<VF32>(sign));
  return pick(big & (a == a), special, q);
}

/// Square root, or its reciprocal. The compiler knows which inputs make sqrt a
/// NaN and, one NaN being as good as another to it, drops the choice of the
/// canonical one; so the root is hidden from it.
template <bool Reciprocal> HWTUNE_INLINE VF32 root(VF32 a) {
  VS32 bad = (a < 0.0f) | (a != a);
  VF32 r;
  if constexpr (Reciprocal) // in f64 both steps are far below 2^-22.9
    r = convert<VF32>(1.0 / __builtin_elementwise_sqrt(convert<VF64>(a)));
  else
    r = __builtin_elementwise_sqrt(a);
  asm("" : "+m"(r));
  return bits<VF32>(pick(bad, VU32(0x7fffffffu), bits<VU32>(r)));
}

template <bool Ftz> void addQuotients(Registry &r, const char *type) {
  addEntry(r, "div.rn", type, vop<F32, F32, F32>([](auto a, auto b) {
             return out<Ftz, false>(in<Ftz>(a) / in<Ftz>(b));
           }));
  addEntry(r, "div.full", type, vop<F32, F32, F32>([](auto a, auto b) {
             return out<Ftz, false>(in<Ftz>(a) / in<Ftz>(b));
           }));
  addEntry(r, "div.approx", type, vop<F32, F32, F32>([](auto a, auto b) {
             return out<Ftz, false>(divideApprox(in<Ftz>(a), in<Ftz>(b)));
           }));
  addEntry(r, "rcp.rn", type, vop<F32, F32>([](auto a) {
             return out<Ftz, false>(1.0f / in<Ftz>(a));
           }));
  addEntry(r, "rcp.approx", type, vop<F32, F32>([](auto a) {
             return out<Ftz, false>(1.0f / in<Ftz>(a));
           }));
  auto sqrt = vop<F32, F32>([](auto a) {
    VF32 r = root<false>(in<Ftz>(a));
    return Ftz ? flush(r) : r;
  });
  addEntry(r, "sqrt.rn", type, sqrt);
  addEntry(r, "sqrt.approx", type, sqrt);
  addEntry(r, "rsqrt.approx", type, vop<F32, F32>([](auto a) {
             VF32 r = root<true>(in<Ftz>(a));
             return Ftz ? flush(r) : r;
           }));
}

// --- 2^x --------------------------------------------------------------------

/// 2^x to about 1 ulp: 2^n * p(x - n), p the Taylor series of e^(f ln 2) on
/// [-0.5, 0.5] in f64, whose rounding to f32 is the only visible error.
HWTUNE_INLINE VF32 exp2(VF32 x) {
  VF32 clamped =
      pick(x < -160.0f, VF32(-160.0f), pick(x > 130.0f, VF32(130.0f), x));
  VF64 w = convert<VF64>(pick(x == x, clamped, VF32(0.0f)));
  VF64 n = __builtin_elementwise_roundeven(w);
  VF64 f = (w - n) * 0.69314718055994530942;
  VF64 p = VF64(1.0 / 40320);
  const double c[] = {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                      1.0 / 6,    0.5,       1.0,       1.0};
  for (double k : c)
    p = __builtin_elementwise_fma(p, f, VF64(k));
  VS64 e = (convert<VS64>(n) + 1023) << 52;
  return pick(x == x, convert<VF32>(p * bits<VF64>(e)), x);
}

void addExponentials(Registry &r) {
  addEntry(r, "ex2.approx", ".f32",
           vop<F32, F32>([](auto a) { return canonical(exp2(a)); }));
  addEntry(r, "ex2.approx", ".ftz.f32", vop<F32, F32>([](auto a) {
             return canonical(flush(exp2(flush(a))));
           }));
}

// --- pairs of f32 -----------------------------------------------------------

HWTUNE_INLINE VF32 lowF32(VU64 v) { return bits<VF32>(convert<VU32>(v)); }
HWTUNE_INLINE VF32 highF32(VU64 v) {
  return bits<VF32>(convert<VU32>(v >> 32));
}
HWTUNE_INLINE VU64 pairF32(VF32 low, VF32 high) {
  return convert<VU64>(bits<VU32>(high)) << 32 | convert<VU64>(bits<VU32>(low));
}
/// F on both halves of 64-bit registers.
template <bool Ftz, class F> Entry pairOp2(F) {
  return vop<U64, U64, U64>([](auto a, auto b) {
    return pairF32(
        out<Ftz, false>(F{}(in<Ftz>(lowF32(a)), in<Ftz>(lowF32(b)))),
        out<Ftz, false>(F{}(in<Ftz>(highF32(a)), in<Ftz>(highF32(b)))));
  });
}
template <bool Ftz> void addPairsF32(Registry &r, const char *type) {
  addEntry(r, "add", type, pairOp2<Ftz>([](auto a, auto b) { return a + b; }));
  addEntry(r, "sub", type, pairOp2<Ftz>([](auto a, auto b) { return a - b; }));
  addEntry(r, "mul", type, pairOp2<Ftz>([](auto a, auto b) { return a * b; }));
  addEntry(r, "fma", type, vop<U64, U64, U64, U64>([](auto a, auto b, auto c) {
             return pairF32(out<Ftz, false>(__builtin_elementwise_fma(
                                in<Ftz>(lowF32(a)), in<Ftz>(lowF32(b)),
                                in<Ftz>(lowF32(c)))),
                            out<Ftz, false>(__builtin_elementwise_fma(
                                in<Ftz>(highF32(a)), in<Ftz>(highF32(b)),
                                in<Ftz>(highF32(c)))));
           }));
}

} // namespace

void addFloatOps(Registry &r) {
  addPairsF32<false>(r, ".f32x2");
  addPairsF32<true>(r, ".ftz.f32x2");
  addBasic<F32, false, false>(r, ".f32");
  addBasic<F32, true, false>(r, ".ftz.f32");
  addBasic<F32, false, true>(r, ".sat.f32");
  addBasic<F32, true, true>(r, ".ftz.sat.f32");
  addBasic<F64, false, false>(r, ".f64");
  addExtremes<false>(r, ".f32", ".NaN.f32", ".xorsign.abs.f32",
                     ".NaN.xorsign.abs.f32");
  addExtremes<true>(r, ".ftz.f32", ".ftz.NaN.f32", ".ftz.xorsign.abs.f32",
                    ".ftz.NaN.xorsign.abs.f32");
  addSigns(r);
  addTestp(r);
  addQuotients<false>(r, ".f32");
  addQuotients<true>(r, ".ftz.f32");
  addExponentials(r);
  addEntry(r, "div.rn", ".f64",
           vop<F64, F64, F64>([](auto a, auto b) { return a / b; }));
  addEntry(r, "rcp.rn", ".f64", vop<F64, F64>([](auto a) { return 1.0 / a; }));
  addEntry(r, "sqrt.rn", ".f64",
           vop<F64, F64>([](auto a) { return __builtin_elementwise_sqrt(a); }));
}

} // namespace hwtune::exec::HWTUNE_ISA
