//===- OpsHalf.cpp - f16, bf16 and their pairs ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define HWTUNE_ISA base
#include "Ops.h"
#include "SoftFloat.h"
#include "Vec.h"

#include <string>

namespace hwtune::exec {

namespace {
using namespace base;

template <bool B> constexpr FloatFormat format() { return B ? kBF16 : kF16; }
/// Subnormals of f16 to zeros of the same sign.
uint32_t flush(uint32_t h) { return (h & 0x7c00) ? h : h & 0x8000; }

struct Plain {};
struct Ftz {};
struct Sat {};
struct FtzSat {};
struct Relu {};
struct FtzRelu {};
template <class M>
constexpr bool isFtz =
    __is_same(M, Ftz) || __is_same(M, FtzSat) || __is_same(M, FtzRelu);
template <class M>
constexpr bool isSat = __is_same(M, Sat) || __is_same(M, FtzSat);
template <class M>
constexpr bool isRelu = __is_same(M, Relu) || __is_same(M, FtzRelu);

template <bool B, class M, Rounding Mode = Rounding::Nearest>
uint32_t finish(double v) {
  if (isSat<M>)
    v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
  if (isRelu<M> && !(v > 0) && v == v)
    v = 0.0;
  uint32_t h = encodeFloat(format<B>(), v, Mode);
  return isFtz<M> ? flush(h) : h;
}
template <bool B, class M> double get(uint32_t h) {
  return decodeFloat(format<B>(), isFtz<M> ? flush(h) : h);
}

template <bool B, class M> struct Add {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<B, M>(
        addExactZero(get<B, M>(a), get<B, M>(b), Rounding::Nearest));
  }
};
template <bool B, class M> struct Sub {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<B, M>(
        addExactZero(get<B, M>(a), -get<B, M>(b), Rounding::Nearest));
  }
};
template <bool B, class M> struct Mul {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<B, M>(get<B, M>(a) * get<B, M>(b));
  }
};
template <bool B, class M, Rounding Mode = Rounding::Nearest> struct Fma {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    return finish<B, M, Mode>(
        addExactZero(get<B, M>(a) * get<B, M>(b), get<B, M>(c), Mode));
  }
};

/// min and max: one NaN gives the other operand, or NaN; -0 < +0.
template <bool B, class M, bool Max, bool NaN, bool Xor> struct Extreme {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if (isFtz<M>)
      a = flush(a), b = flush(b);
    uint32_t sign = (a ^ b) & 0x8000;
    if (Xor)
      a &= 0x7fff, b &= 0x7fff;
    double x = decodeFloat(format<B>(), a), y = decodeFloat(format<B>(), b);
    uint32_t r;
    if (x != x || y != y)
      r = NaN || (x != x && y != y) ? 0x7fff : x != x ? b : a;
    else if (x == y)
      r = Max ? a & b : a | b;
    else
      r = (Max ? x > y : x < y) ? a : b;
    return Xor && r != 0x7fff ? r | sign : r;
  }
};

/// Functions on the exact value, rounded once.
template <bool B, class M, class F> struct Unary {
  uint32_t operator()(uint32_t a) const {
    return finish<B, M>(F{}(get<B, M>(a)));
  }
};
struct Exp2 {
  double operator()(double v) const { return std::exp2(v); }
};
struct Tanh {
  double operator()(double v) const { return std::tanh(v); }
};

/// One lane and both halves of a pair from a function of 16 bits.
template <class F> struct Pair {
  template <class... A> uint32_t operator()(A... a) const {
    return (F{}((a & 0xffff)...) & 0xffff) | (F{}((a >> 16)...) << 16);
  }
};
template <int N, class F>
void addBoth(Registry &r, const char *op, const std::string &one,
             const std::string &two) {
  if constexpr (N == 1) {
    addEntry(r, op, one.c_str(), lop<U16, U16>([](auto a) { return F{}(a); }));
    addEntry(r, op, two.c_str(),
             lop<U32, U32>([](auto a) { return Pair<F>{}(a); }));
  } else if constexpr (N == 2) {
    addEntry(r, op, one.c_str(),
             lop<U16, U16, U16>([](auto a, auto b) { return F{}(a, b); }));
    addEntry(r, op, two.c_str(), lop<U32, U32, U32>([](auto a, auto b) {
               return Pair<F>{}(a, b);
             }));
  } else {
    addEntry(r, op, one.c_str(),
             lop<U16, U16, U16, U16>(
                 [](auto a, auto b, auto c) { return F{}(a, b, c); }));
    addEntry(r, op, two.c_str(),
             lop<U32, U32, U32, U32>(
                 [](auto a, auto b, auto c) { return Pair<F>{}(a, b, c); }));
  }
}

template <bool B, class M>
void addArithmetic(Registry &r, const std::string &mods) {
  std::string t = B ? "bf16" : "f16", one = mods + "." + t,
              two = mods + "." + t + "x2";
  addBoth<2, Add<B, M>>(r, "add", one, two);
  addBoth<2, Sub<B, M>>(r, "sub", one, two);
  addBoth<2, Mul<B, M>>(r, "mul", one, two);
  addBoth<3, Fma<B, M>>(r, "fma", one, two);
}
/// The ISA names .rn alone for bf16; `ptxas` takes the others as well.
template <Rounding Mode> void addDirectedFma(Registry &r, const char *mode) {
  std::string op = std::string("fma") + mode;
  addBoth<3, Fma<true, Plain, Mode>>(r, op.c_str(), ".bf16", ".bf16x2");
  addBoth<3, Fma<true, Relu, Mode>>(r, (op + ".relu").c_str(), ".bf16",
                                    ".bf16x2");
}

template <bool B, class M>
void addExtremes(Registry &r, const std::string &mods) {
  std::string t = B ? "bf16" : "f16";
  auto names = [&](const char *extra) {
    return std::pair(mods + extra + "." + t, mods + extra + "." + t + "x2");
  };
#define EXTREME(op, Max, extra, NaN, Xor)                                      \
  {                                                                            \
    auto [one, two] = names(extra);                                            \
    addBoth<2, Extreme<B, M, Max, NaN, Xor>>(r, op, one, two);                 \
  }
  EXTREME("min", false, "", false, false)
  EXTREME("max", true, "", false, false)
  EXTREME("min", false, ".NaN", true, false)
  EXTREME("max", true, ".NaN", true, false)
  EXTREME("min", false, ".xorsign.abs", false, true)
  EXTREME("max", true, ".xorsign.abs", false, true)
  EXTREME("min", false, ".NaN.xorsign.abs", true, true)
  EXTREME("max", true, ".NaN.xorsign.abs", true, true)
#undef EXTREME
}

// --- comparisons ------------------------------------------------------------

enum class Cmp {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
bool compare(Cmp c, double a, double b) {
  bool un = a != a || b != b;
  switch (c) {
  case Cmp::eq:
    return a == b;
  case Cmp::ne:
    return !un && a != b;
  case Cmp::lt:
    return a < b;
  case Cmp::le:
    return a <= b;
  case Cmp::gt:
    return a > b;
  case Cmp::ge:
    return a >= b;
  case Cmp::equ:
    return un || a == b;
  case Cmp::neu:
    return un || a != b;
  case Cmp::ltu:
    return un || a < b;
  case Cmp::leu:
    return un || a <= b;
  case Cmp::gtu:
    return un || a > b;
  case Cmp::geu:
    return un || a >= b;
  case Cmp::num:
    return !un;
  case Cmp::nan:
    return un;
  }
  return false;
}
template <bool B, Cmp C> void addCompare(Registry &r, const std::string &name) {
  std::string t = B ? ".bf16" : ".f16", op = "setp." + name;
  addEntry(r, op.c_str(), t.c_str(), lop<P, U16, U16>([](auto a, auto b) {
             return compare(C, get<B, Plain>(a), get<B, Plain>(b));
           }));
  addEntry(r, (op + ".ftz").c_str(), t.c_str(),
           lop<P, U16, U16>([](auto a, auto b) {
             return compare(C, get<B, Ftz>(a), get<B, Ftz>(b));
           }));
  // Of a pair the decoder takes the two halves one by one.
  addEntry(r, (op + ".low").c_str(), (t + "x2").c_str(),
           lop<P, U32, U32>([](auto a, auto b) {
             return compare(C, get<B, Plain>(a & 0xffff),
                            get<B, Plain>(b & 0xffff));
           }));
  addEntry(r, (op + ".high").c_str(), (t + "x2").c_str(),
           lop<P, U32, U32>([](auto a, auto b) {
             return compare(C, get<B, Plain>(a >> 16), get<B, Plain>(b >> 16));
           }));
  addEntry(r, (op + ".low.ftz").c_str(), (t + "x2").c_str(),
           lop<P, U32, U32>([](auto a, auto b) {
             return compare(C, get<B, Ftz>(a & 0xffff),
                            get<B, Ftz>(b & 0xffff));
           }));
  addEntry(r, (op + ".high.ftz").c_str(), (t + "x2").c_str(),
           lop<P, U32, U32>([](auto a, auto b) {
             return compare(C, get<B, Ftz>(a >> 16), get<B, Ftz>(b >> 16));
           }));
}
template <bool B> void addCompares(Registry &r) {
  addCompare<B, Cmp::eq>(r, "eq"), addCompare<B, Cmp::ne>(r, "ne"),
      addCompare<B, Cmp::lt>(r, "lt");
  addCompare<B, Cmp::le>(r, "le"), addCompare<B, Cmp::gt>(r, "gt"),
      addCompare<B, Cmp::ge>(r, "ge");
  addCompare<B, Cmp::equ>(r, "equ"), addCompare<B, Cmp::neu>(r, "neu"),
      addCompare<B, Cmp::ltu>(r, "ltu");
  addCompare<B, Cmp::leu>(r, "leu"), addCompare<B, Cmp::gtu>(r, "gtu"),
      addCompare<B, Cmp::geu>(r, "geu");
  addCompare<B, Cmp::num>(r, "num"), addCompare<B, Cmp::nan>(r, "nan");
}

// --- conversions ------------------------------------------------------------

template <class S> double exactOf(typename LaneOf<S>::T v) {
  if constexpr (__is_same(S, U64) || __is_same(S, S64))
    return intOdd(v);
  else
    return double(v);
}
template <class S, Rounding Mode>
void addFromInt(Registry &r, const char *mode, const char *from) {
  std::string op = std::string("cvt") + mode;
  addEntry(r, op.c_str(), (std::string(".f16.") + from).c_str(),
           lop<U16, S>(
               [](auto v) { return encodeFloat(kF16, exactOf<S>(v), Mode); }));
  addEntry(r, op.c_str(), (std::string(".bf16.") + from).c_str(),
           lop<U16, S>(
               [](auto v) { return encodeFloat(kBF16, exactOf<S>(v), Mode); }));
}
template <Rounding Mode> void addFromInts(Registry &r, const char *mode) {
  addFromInt<U16, Mode>(r, mode, "u16"), addFromInt<S16, Mode>(r, mode, "s16");
  addFromInt<U32, Mode>(r, mode, "u32"), addFromInt<S32, Mode>(r, mode, "s32");
  addFromInt<U64, Mode>(r, mode, "u64"), addFromInt<S64, Mode>(r, mode, "s64");
}

/// f16 and bf16 to integers: rounded to an integer, then saturated.
template <bool B, class D, class F>
void addToInt(Registry &r, const char *mode, const char *to, double low,
              double high) {
  (void)low, (void)high;
  auto e = lop<D, U16>([](auto h) {
    using E = typename LaneOf<D>::T;
    constexpr int bits =
        __is_same(D, U16) || __is_same(D, S16) ? 16 : sizeof(E) * 8;
    constexpr bool isSigned = E(-1) < E(0);
    double v = F{}(decodeFloat(format<B>(), h));
    if (v != v)
      return bits == 64 ? E(1ull << 63) : E(0);
    double lo = isSigned ? -std::ldexp(1.0, bits - 1) : 0.0,
           hi = std::ldexp(1.0, isSigned ? bits - 1 : bits);
    if (v <= lo)
      return isSigned ? E(E(1) << (bits - 1)) : E(0);
    if (v >= hi)
      return E(isSigned     ? (1ull << (bits - 1)) - 1
               : bits == 64 ? ~0ull
                            : (1ull << (bits & 63)) - 1);
    return E(v);
  });
  std::string type = std::string(".") + to + (B ? ".bf16" : ".f16");
  addEntry(r, (std::string("cvt") + mode).c_str(), type.c_str(), e);
  addEntry(r, (std::string("cvt") + mode + ".sat").c_str(), type.c_str(), e);
}
struct RoundEven {
  double operator()(double v) const { return std::nearbyint(v); }
};
struct Trunc {
  double operator()(double v) const { return std::trunc(v); }
};
struct Floor {
  double operator()(double v) const { return std::floor(v); }
};
struct Ceil {
  double operator()(double v) const { return std::ceil(v); }
};
template <bool B, class F> void addToInts(Registry &r, const char *mode) {
  addToInt<B, U16, F>(r, mode, "u16", 0, 0),
      addToInt<B, S16, F>(r, mode, "s16", 0, 0);
  addToInt<B, U32, F>(r, mode, "u32", 0, 0),
      addToInt<B, S32, F>(r, mode, "s32", 0, 0);
  addToInt<B, U64, F>(r, mode, "u64", 0, 0),
      addToInt<B, S64, F>(r, mode, "s64", 0, 0);
  std::string t = B ? ".bf16.bf16" : ".f16.f16";
  addEntry(r, (std::string("cvt") + mode).c_str(), t.c_str(),
           lop<U16, U16>([](auto h) {
             return encodeFloat(format<B>(), F{}(decodeFloat(format<B>(), h)),
                                Rounding::Nearest);
           }));
}

template <FloatFormat const &F, Rounding Mode, bool Relu, bool Sat>
uint32_t fromF32(float v) {
  double d = v;
  if (Relu && !(d > 0) && d == d)
    d = 0.0;
  return encodeFloat(F, d, Mode, Sat);
}
template <FloatFormat const &F> void addFromF32(Registry &r, const char *to) {
#define FROM(mods, Mode, Relu, Sat)                                            \
  addEntry(                                                                    \
      r, "cvt" mods, (std::string(".") + to + ".f32").c_str(),                 \
      lop<U16, F32>([](auto v) { return fromF32<F, Mode, Relu, Sat>(v); }));   \
  addEntry(r, "cvt" mods, (std::string(".") + to + "x2.f32").c_str(),          \
           lop<U32, F32, F32>([](auto a, auto b) {                             \
             return (fromF32<F, Mode, Relu, Sat>(a) << 16) |                   \
                    fromF32<F, Mode, Relu, Sat>(b);                            \
           }));
  FROM(".rz", Rounding::Zero, false, false)
  FROM(".rz.relu", Rounding::Zero, true, false)
  FROM(".rn.satfinite", Rounding::Nearest, false, true)
  FROM(".rz.satfinite", Rounding::Zero, false, true)
  FROM(".rn.relu.satfinite", Rounding::Nearest, true, true)
  FROM(".rz.relu.satfinite", Rounding::Zero, true, true)
#undef FROM
  addEntry(r, "cvt.rm", (std::string(".") + to + ".f32").c_str(),
           lop<U16, F32>([](auto v) {
             return fromF32<F, Rounding::Down, false, false>(v);
           }));
  addEntry(r, "cvt.rp", (std::string(".") + to + ".f32").c_str(),
           lop<U16, F32>([](auto v) {
             return fromF32<F, Rounding::Up, false, false>(v);
           }));
}
template <bool B> void addF64(Registry &r) {
  std::string t = B ? "bf16" : "f16";
  addEntry(r, "cvt.rn", ("." + t + ".f64").c_str(), lop<U16, F64>([](auto v) {
             return encodeFloat(format<B>(), v, Rounding::Nearest);
           }));
  addEntry(r, "cvt.rz", ("." + t + ".f64").c_str(), lop<U16, F64>([](auto v) {
             return encodeFloat(format<B>(), v, Rounding::Zero);
           }));
  addEntry(r, "cvt", (".f64." + t).c_str(),
           lop<F64, U16>([](auto h) { return decodeFloat(format<B>(), h); }));
}

// --- fp8 --------------------------------------------------------------------

template <FloatFormat const &F> void addFp8(Registry &r, const std::string &t) {
  std::string x2 = t + "x2";
  addEntry(r, "cvt.rn.satfinite", ("." + x2 + ".f32").c_str(),
           lop<U16, F32, F32>([](auto a, auto b) {
             return (fromF32<F, Rounding::Nearest, false, true>(a) << 8) |
                    fromF32<F, Rounding::Nearest, false, true>(b);
           }));
  addEntry(r, "cvt.rn.satfinite.relu", ("." + x2 + ".f32").c_str(),
           lop<U16, F32, F32>([](auto a, auto b) {
             return (fromF32<F, Rounding::Nearest, true, true>(a) << 8) |
                    fromF32<F, Rounding::Nearest, true, true>(b);
           }));
  addEntry(r, "cvt.rn.satfinite", ("." + x2 + ".f16x2").c_str(),
           lop<U16, U32>([](auto v) {
             return (encodeFloat(F, decodeFloat(kF16, v >> 16),
                                 Rounding::Nearest, true)
                     << 8) |
                    encodeFloat(F, decodeFloat(kF16, v & 0xffff),
                                Rounding::Nearest, true);
           }));
  addEntry(r, "cvt.rn.satfinite.relu", ("." + x2 + ".f16x2").c_str(),
           lop<U16, U32>([](auto v) {
             auto half = [](uint32_t h) {
               double d = decodeFloat(kF16, h);
               return encodeFloat(F, d <= 0 ? 0.0 : d, Rounding::Nearest, true);
             };
             return (half(v >> 16) << 8) | half(v & 0xffff);
           }));
  addEntry(
      r, "cvt.rn", (".f16x2." + x2).c_str(), lop<U32, U16>([](auto v) {
        return (encodeFloat(kF16, decodeFloat(F, v >> 8), Rounding::Nearest)
                << 16) |
               encodeFloat(kF16, decodeFloat(F, v & 0xff), Rounding::Nearest);
      }));
  addEntry(r, "cvt.rn.relu", (".f16x2." + x2).c_str(),
           lop<U32, U16>([](auto v) {
             auto relu = [](double d) { return d != d || d > 0 ? d : 0.0; };
             return (encodeFloat(kF16, relu(decodeFloat(F, v >> 8)),
                                 Rounding::Nearest)
                     << 16) |
                    encodeFloat(kF16, relu(decodeFloat(F, v & 0xff)),
                                Rounding::Nearest);
           }));
}

template <bool B> void addFormat(Registry &r) {
  std::string t = B ? ".bf16" : ".f16";
  addArithmetic<B, Plain>(r, "");
  addArithmetic<B, Relu>(r, ".relu");
  addExtremes<B, Plain>(r, "");
  if constexpr (!B) {
    addArithmetic<B, Ftz>(r, ".ftz");
    addArithmetic<B, Sat>(r, ".sat");
    addArithmetic<B, FtzSat>(r, ".ftz.sat");
    addArithmetic<B, FtzRelu>(r, ".ftz.relu");
    addExtremes<B, Ftz>(r, ".ftz");
  }
  addCompares<B>(r);
  struct Neg {
    uint32_t operator()(uint32_t a) const { return a ^ 0x8000; }
  };
  struct Abs {
    uint32_t operator()(uint32_t a) const { return a & 0x7fff; }
  };
  struct FlushF16 {
    uint32_t operator()(uint32_t a) const {
      return a & 0x7c00 ? a : a & 0x8000;
    }
  };
  struct NegFtz {
    uint32_t operator()(uint32_t a) const { return FlushF16{}(a) ^ 0x8000; }
  };
  struct AbsFtz {
    uint32_t operator()(uint32_t a) const { return FlushF16{}(a) & 0x7fff; }
  };
  addBoth<1, Neg>(r, "neg", t, t + "x2");
  addBoth<1, Abs>(r, "abs", t, t + "x2");
  if constexpr (!B) {
    addBoth<1, NegFtz>(r, "neg.ftz", t, t + "x2");
    addBoth<1, AbsFtz>(r, "abs.ftz", t, t + "x2");
  }
  addBoth<1, Unary<B, Plain, Tanh>>(r, "tanh.approx", t, t + "x2");
  if constexpr (B) {
    addBoth<1, Unary<B, Plain, Exp2>>(r, "ex2.approx.ftz", t, t + "x2");
  } else {
    addBoth<1, Unary<B, Plain, Exp2>>(r, "ex2.approx", t, t + "x2");
    addBoth<1, Unary<B, Ftz, Exp2>>(r, "ex2.approx.ftz", t, t + "x2");
  }
  addToInts<B, RoundEven>(r, ".rni");
  addToInts<B, Trunc>(r, ".rzi");
  addToInts<B, Floor>(r, ".rmi");
  addToInts<B, Ceil>(r, ".rpi");
  addF64<B>(r);
}

} // namespace

void addHalfOps(Registry &r) {
  addFormat<false>(r);
  addFormat<true>(r);
  addDirectedFma<Rounding::Zero>(r, ".rz");
  addDirectedFma<Rounding::Down>(r, ".rm");
  addDirectedFma<Rounding::Up>(r, ".rp");
  addFromInts<Rounding::Nearest>(r, ".rn");
  addFromInts<Rounding::Zero>(r, ".rz");
  addFromInts<Rounding::Down>(r, ".rm");
  addFromInts<Rounding::Up>(r, ".rp");
  addFromF32<kF16>(r, "f16");
  addFromF32<kBF16>(r, "bf16");
  addEntry(r, "cvt.rn", ".bf16.f16", lop<U16, U16>([](auto h) {
             return encodeFloat(kBF16, decodeFloat(kF16, h), Rounding::Nearest);
           }));
  addEntry(r, "cvt.rn", ".f16.bf16", lop<U16, U16>([](auto h) {
             return encodeFloat(kF16, decodeFloat(kBF16, h), Rounding::Nearest);
           }));
  addFp8<kE4M3>(r, "e4m3");
  addFp8<kE5M2>(r, "e5m2");
}

} // namespace hwtune::exec
