//===- OpsRounding.cpp - arithmetic that does not round to nearest --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define HWTUNE_ISA base
#include "Ops.h"
#include "SoftFloat.h"
#include "Vec.h"

#include <cfenv>
#include <string>

namespace hwtune::exec {

namespace {
using namespace base;

// --- f32: exact or rounded to odd in double, then rounded once --------------

float flush(float v) {
  uint32_t raw = bits<uint32_t>(v);
  return raw & 0x7f800000 ? v : bits<float>(raw & 0x80000000u);
}
template <Rounding Mode, bool Ftz, bool Sat> float finish(double v) {
  if (Sat)
    v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
  float f = bits<float>(encodeFloat(kF32, v, Mode));
  return Ftz ? flush(f) : f;
}
template <bool Ftz> double in(float v) { return Ftz ? flush(v) : v; }

template <Rounding M, bool Ftz, bool Sat>
void addF32(Registry &r, const std::string &mods) {
  std::string type = mods + ".f32";
  const char *t = type.c_str();
  addEntry(r, "add", t, lop<F32, F32, F32>([](auto a, auto b) {
             return finish<M, Ftz, Sat>(
                 addExactZero(in<Ftz>(a), in<Ftz>(b), M));
           }));
  addEntry(r, "sub", t, lop<F32, F32, F32>([](auto a, auto b) {
             return finish<M, Ftz, Sat>(
                 addExactZero(in<Ftz>(a), -in<Ftz>(b), M));
           }));
  addEntry(r, "mul", t, lop<F32, F32, F32>([](auto a, auto b) {
             return finish<M, Ftz, Sat>(in<Ftz>(a) * in<Ftz>(b));
           }));
  auto fma = lop<F32, F32, F32, F32>([](auto a, auto b, auto c) {
    return finish<M, Ftz, Sat>(
        addExactZero(in<Ftz>(a) * in<Ftz>(b), in<Ftz>(c), M));
  });
  addEntry(r, "fma", t, fma);
  addEntry(r, "mad", t, fma);
  if constexpr (!Sat) {
    addEntry(r, "div", t, lop<F32, F32, F32>([](auto a, auto b) {
               return finish<M, Ftz, false>(divideOdd(in<Ftz>(a), in<Ftz>(b)));
             }));
    addEntry(r, "rcp", t, lop<F32, F32>([](auto a) {
               return finish<M, Ftz, false>(divideOdd(1.0, in<Ftz>(a)));
             }));
    addEntry(r, "sqrt", t, lop<F32, F32>([](auto a) {
               return finish<M, Ftz, false>(sqrtOdd(in<Ftz>(a)));
             }));
  }
}
template <bool B> double fromHalf(uint32_t raw) {
  return decodeFloat(B ? kBF16 : kF16, raw);
}
/// Halves (B: bf16) with an f32, from sm_100 on.
template <Rounding M, bool Sat, bool B>
void addMixed(Registry &r, const std::string &mods) {
  std::string type = mods + (B ? ".f32.bf16" : ".f32.f16");
  const char *t = type.c_str();
  addEntry(r, "add", t, lop<F32, U16, F32>([](auto a, auto c) {
             return finish<M, false, Sat>(addExactZero(fromHalf<B>(a), c, M));
           }));
  addEntry(r, "sub", t, lop<F32, U16, F32>([](auto a, auto c) {
             return finish<M, false, Sat>(addExactZero(fromHalf<B>(a), -c, M));
           }));
  addEntry(r, "fma", t, lop<F32, U16, U16, F32>([](auto a, auto b, auto c) {
             return finish<M, false, Sat>(
                 addExactZero(fromHalf<B>(a) * fromHalf<B>(b), c, M));
           }));
}
template <Rounding M> void addF32Mode(Registry &r, const std::string &mode) {
  addMixed<M, false, false>(r, mode);
  addMixed<M, true, false>(r, mode + ".sat");
  addMixed<M, false, true>(r, mode);
  addMixed<M, true, true>(r, mode + ".sat");
  addF32<M, false, false>(r, mode);
  addF32<M, true, false>(r, mode + ".ftz");
  addF32<M, false, true>(r, mode + ".sat");
  addF32<M, true, true>(r, mode + ".ftz.sat");
  auto cvt = [&](const char *sat, const char *type, Entry e) {
    addEntry(r, ("cvt" + mode + sat).c_str(), type, e);
  };
  cvt("", ".f32.f64",
      lop<F32, F64>([](auto v) { return finish<M, false, false>(v); }));
  cvt(".ftz", ".f32.f64",
      lop<F32, F64>([](auto v) { return finish<M, true, false>(v); }));
  cvt(".sat", ".f32.f64",
      lop<F32, F64>([](auto v) { return finish<M, false, true>(v); }));
  cvt("", ".f32.u32",
      lop<F32, U32>([](auto v) { return finish<M, false, false>(double(v)); }));
  cvt("", ".f32.s32",
      lop<F32, S32>([](auto v) { return finish<M, false, false>(double(v)); }));
  cvt("", ".f32.u16",
      lop<F32, U16>([](auto v) { return finish<M, false, false>(double(v)); }));
  cvt("", ".f32.s16",
      lop<F32, S16>([](auto v) { return finish<M, false, false>(double(v)); }));
  cvt("", ".f32.u64",
      lop<F32, U64>([](auto v) { return finish<M, false, false>(intOdd(v)); }));
  cvt("", ".f32.s64",
      lop<F32, S64>([](auto v) { return finish<M, false, false>(intOdd(v)); }));
  cvt("", ".tf32.f32", lop<U32, F32>([](auto v) -> uint32_t {
        uint32_t u = bits<uint32_t>(v);
        if ((u & 0x7f800000u) == 0x7f800000u)
          return v != v ? 0x7fffffffu : u;
        return u & 0xffffe000u; // only .rz exists
      }));
}

// --- f64: the host's rounding mode ------------------------------------------

/// Runs `f` with the rounding mode set; volatile keeps it from being moved.
template <Rounding M, class F, class... A> double rounded(F f, A... a) {
  constexpr int mode = M == Rounding::Zero   ? FE_TOWARDZERO
                       : M == Rounding::Down ? FE_DOWNWARD
                                             : FE_UPWARD;
  std::fesetround(mode);
  volatile double result = f(static_cast<const volatile double &>(a)...);
  std::fesetround(FE_TONEAREST);
  return result;
}
template <Rounding M> double roundedFma(double a, double b, double c) {
  using D = const volatile double &;
  return rounded<M>(
      [](D x, D y, D z) { return std::fma(double(x), double(y), double(z)); },
      a, b, c);
}
template <Rounding M> void addF64Mode(Registry &r, const std::string &mode) {
  std::string type = mode + ".f64";
  const char *t = type.c_str();
  using D = const volatile double &;
  addEntry(r, "add", t, lop<F64, F64, F64>([](auto a, auto b) {
             return rounded<M>([](D x, D y) { return x + y; }, a, b);
           }));
  addEntry(r, "sub", t, lop<F64, F64, F64>([](auto a, auto b) {
             return rounded<M>([](D x, D y) { return x - y; }, a, b);
           }));
  addEntry(r, "mul", t, lop<F64, F64, F64>([](auto a, auto b) {
             return rounded<M>([](D x, D y) { return x * y; }, a, b);
           }));
  auto fma = lop<F64, F64, F64, F64>(
      [](auto a, auto b, auto c) { return roundedFma<M>(a, b, c); });
  addEntry(r, "fma", t, fma);
  addEntry(r, "mad", t, fma);
  addEntry(r, "div", t, lop<F64, F64, F64>([](auto a, auto b) {
             return rounded<M>([](D x, D y) { return x / y; }, a, b);
           }));
  addEntry(r, "rcp", t, lop<F64, F64>([](auto a) {
             return rounded<M>([](D x) { return 1.0 / x; }, a);
           }));
  addEntry(r, "sqrt", t, lop<F64, F64>([](auto a) {
             return rounded<M>([](D x) { return std::sqrt(double(x)); }, a);
           }));
  std::string cvt = "cvt" + mode;
  addEntry(r, cvt.c_str(), ".f64.u64", lop<F64, U64>([](auto v) {
             // Both halves are exact, so that only their sum is rounded.
             return rounded<M>([](D high, D low) { return high + low; },
                               double(uint32_t(v >> 32)) * 0x1p32,
                               double(uint32_t(v)));
           }));
  addEntry(r, cvt.c_str(), ".f64.s64", lop<F64, S64>([](auto v) {
             volatile int64_t x = v;
             return rounded<M>([&x](D) { return double(x); }, 0.0);
           }));
  addEntry(r, cvt.c_str(), ".f64.u32",
           lop<F64, U32>([](auto v) { return double(v); }));
  addEntry(r, cvt.c_str(), ".f64.s32",
           lop<F64, S32>([](auto v) { return double(v); }));
}

} // namespace

double directedFma(Rounding mode, double a, double b, double c) {
  switch (mode) {
  case Rounding::Zero:
    return roundedFma<Rounding::Zero>(a, b, c);
  case Rounding::Down:
    return roundedFma<Rounding::Down>(a, b, c);
  default:
    return roundedFma<Rounding::Up>(a, b, c);
  }
}

void addRoundingOps(Registry &r) {
  addF32Mode<Rounding::Zero>(r, ".rz");
  addF32Mode<Rounding::Down>(r, ".rm");
  addF32Mode<Rounding::Up>(r, ".rp");
  addF64Mode<Rounding::Zero>(r, ".rz");
  addF64Mode<Rounding::Down>(r, ".rm");
  addF64Mode<Rounding::Up>(r, ".rp");
}

} // namespace hwtune::exec
