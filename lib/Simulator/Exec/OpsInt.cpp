//===- OpsInt.cpp - integer arithmetic ----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "Vec.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

// --- add to rem, for one type -----------------------------------------------

template <class T> void addArithmetic(Registry &r, const char *type) {
  addEntry(r, "add", type, vop<T, T, T>([](auto a, auto b) { return a + b; }));
  addEntry(r, "sub", type, vop<T, T, T>([](auto a, auto b) { return a - b; }));
  addEntry(r, "mul.lo", type,
           vop<T, T, T>([](auto a, auto b) { return a * b; }));
  addEntry(r, "mad.lo", type,
           vop<T, T, T, T>([](auto a, auto b, auto c) { return a * b + c; }));
  addEntry(r, "min", type,
           vop<T, T, T>([](auto a, auto b) { return a < b ? a : b; }));
  addEntry(r, "max", type,
           vop<T, T, T>([](auto a, auto b) { return a > b ? a : b; }));
  // Division by zero: what the hardware's sequence gives, not a fault.
  addEntry(r, "div", type, lop<T, T, T>([](auto a, auto b) -> decltype(a) {
             using L = decltype(a);
             if (b == 0)
               return L(-1);
             if constexpr (L(-1) < L(0))
               if (b == L(-1))
                 return L(0 - (__typeof__(sizeof(0)))a);
             return a / b;
           }));
  addEntry(r, "rem", type, lop<T, T, T>([](auto a, auto b) -> decltype(a) {
             using L = decltype(a);
             if (b == 0)
               return a;
             if constexpr (L(-1) < L(0))
               if (b == L(-1))
                 return L(0);
             return a % b;
           }));
}

template <class T> void addSigned(Registry &r, const char *type) {
  addEntry(r, "neg", type, vop<T, T>([](auto a) { return 0 - a; }));
  addEntry(r, "abs", type, vop<T, T>([](auto a) { return a < 0 ? 0 - a : a; }));
}

// --- products ---------------------------------------------------------------

template <class T, class Wide, class VWide>
void addWide(Registry &r, const char *type) {
  addEntry(r, "mul.wide", type, vop<Wide, T, T>([](auto a, auto b) {
             return convert<VWide>(a) * convert<VWide>(b);
           }));
  addEntry(r, "mad.wide", type,
           vop<Wide, T, T, Wide>([](auto a, auto b, auto c) {
             return convert<VWide>(a) * convert<VWide>(b) + c;
           }));
}

template <class T, class VT, class VWide>
void addHigh(Registry &r, const char *type, int) {
  addEntry(r, "mul.hi", type, vop<T, T, T>([](auto a, auto b) {
             return convert<VT>((convert<VWide>(a) * convert<VWide>(b)) >> 32);
           }));
  addEntry(r, "mad.hi", type, vop<T, T, T, T>([](auto a, auto b, auto c) {
             return convert<VT>((convert<VWide>(a) * convert<VWide>(b)) >> 32) +
                    c;
           }));
}
template <class T> void addHigh16(Registry &r, const char *type) {
  addEntry(r, "mul.hi", type,
           vop<T, T, T>([](auto a, auto b) { return (a * b) >> 16; }));
  addEntry(r, "mad.hi", type, vop<T, T, T, T>([](auto a, auto b, auto c) {
             return ((a * b) >> 16) + c;
           }));
}
template <class T, class Wide> void addHigh64(Registry &r, const char *type) {
  addEntry(r, "mul.hi", type, lop<T, T, T>([](auto a, auto b) {
             return decltype(a)((Wide(a) * b) >> 64);
           }));
  addEntry(r, "mad.hi", type, lop<T, T, T, T>([](auto a, auto b, auto c) {
             return decltype(a)(uint64_t((Wide(a) * b) >> 64) + uint64_t(c));
           }));
}

int32_t saturate(int64_t v) {
  return v > 2147483647        ? 2147483647
         : v < -2147483647 - 1 ? -2147483647 - 1
                               : int32_t(v);
}

template <class T, class Wide> void addMul24(Registry &r, const char *type) {
  auto cut = [](auto a) {
    if constexpr (decltype(a)(-1) < 0)
      return int64_t(int32_t(uint32_t(a) << 8) >> 8);
    else
      return uint64_t(a & 0xffffff);
  };
  using Cut = decltype(cut);
  addEntry(r, "mul24.lo", type, lop<T, T, T>([](auto a, auto b) {
             return decltype(a)(Cut{}(a)*Cut{}(b));
           }));
  addEntry(r, "mul24.hi", type, lop<T, T, T>([](auto a, auto b) {
             return decltype(a)((Cut{}(a)*Cut{}(b)) >> 16);
           }));
  addEntry(r, "mad24.lo", type, lop<T, T, T, T>([](auto a, auto b, auto c) {
             return decltype(a)(uint32_t(Cut{}(a)*Cut{}(b)) + uint32_t(c));
           }));
  addEntry(r, "mad24.hi", type, lop<T, T, T, T>([](auto a, auto b, auto c) {
             return decltype(a)(uint32_t((Cut{}(a)*Cut{}(b)) >> 16) +
                                uint32_t(c));
           }));
}

void addSaturating(Registry &r) {
  addEntry(r, "add.sat", ".s32", lop<S32, S32, S32>([](auto a, auto b) {
             return saturate(int64_t(a) + b);
           }));
  addEntry(r, "sub.sat", ".s32", lop<S32, S32, S32>([](auto a, auto b) {
             return saturate(int64_t(a) - b);
           }));
  addEntry(r, "mad.hi.sat", ".s32",
           lop<S32, S32, S32, S32>([](auto a, auto b, auto c) {
             return saturate(((int64_t(a) * b) >> 32) + c);
           }));
  addEntry(r, "mad24.hi.sat", ".s32",
           lop<S32, S32, S32, S32>([](auto a, auto b, auto c) {
             int64_t x = int32_t(uint32_t(a) << 8) >> 8;
             int64_t y = int32_t(uint32_t(b) << 8) >> 8;
             return saturate(((x * y) >> 16) + c);
           }));
  addEntry(r, "min.relu", ".s32", vop<S32, S32, S32>([](auto a, auto b) {
             auto m = a < b ? a : b;
             return m < 0 ? VS32(0) : m;
           }));
  addEntry(r, "max.relu", ".s32", vop<S32, S32, S32>([](auto a, auto b) {
             auto m = a > b ? a : b;
             return m < 0 ? VS32(0) : m;
           }));
}

template <class T> void addSad(Registry &r, const char *type) {
  addEntry(r, "sad", type, vop<T, T, T, T>([](auto a, auto b, auto c) {
             return (a < b ? b - a : a - b) + c;
           }));
}

// --- carry chains -----------------------------------------------------------

HWTUNE_INLINE VS32 carryIn(const std::byte *R, VU32) {
  return expand32(P::load(R + kCarry));
}
HWTUNE_INLINE VS64 carryIn(const std::byte *R, VU64) {
  return expand64(P::load(R + kCarry));
}

/// F(a, b, c, carry): the sum, carry set to all ones where one came out.
template <class T, class F, bool Writes, bool Three, bool Masked>
void carryOp(HWTUNE_HANDLER_ARGS) {
  auto a = T::load(R + I->a), b = T::load(R + I->b);
  auto c = Three ? T::load(R + I->c) : a;
  auto carry = carryIn(R, a);
  auto sum = F{}(a, b, c, carry);
  store<T, Masked>(R + I->d, sum, mask);
  if constexpr (Writes)
    store<P, true>(R + kCarry, carry, mask);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}
template <class T, bool Writes, bool Three, class F> Entry carry(F) {
  return {&carryOp<T, F, Writes, Three, false>,
          &carryOp<T, F, Writes, Three, true>,
          Three ? kSig<T, T, T, T> : kSig<T, T, T>};
}

// The carry mask is -1 where set: subtracting it adds one.
#define ADD_C(in)                                                              \
  [](auto a, auto b, auto, auto &k) {                                          \
    auto s = a + b;                                                            \
    auto out = s < a;                                                          \
    if (in) {                                                                  \
      auto t = s - bits<decltype(s)>(k);                                       \
      out = out | (t < s);                                                     \
      s = t;                                                                   \
    }                                                                          \
    k = out;                                                                   \
    return s;                                                                  \
  }
// a - b is a + ~b + 1, so the carry is the complement of the borrow: what
// `addc` reads after `sub.cc` on the hardware.
#define SUB_C(in)                                                              \
  [](auto a, auto b, auto, auto &k) {                                          \
    auto s = a - b;                                                            \
    auto out = a < b;                                                          \
    if (in) {                                                                  \
      auto t = s + bits<decltype(s)>(~k);                                      \
      out = out | (t > s);                                                     \
      s = t;                                                                   \
    }                                                                          \
    k = ~out;                                                                  \
    return s;                                                                  \
  }

template <class T> void addCarry(Registry &r, const char *type) {
  addEntry(r, "add.cc", type, carry<T, true, false>(ADD_C(false)));
  addEntry(r, "addc", type, carry<T, false, false>(ADD_C(true)));
  addEntry(r, "addc.cc", type, carry<T, true, false>(ADD_C(true)));
  addEntry(r, "sub.cc", type, carry<T, true, false>(SUB_C(false)));
  addEntry(r, "subc", type, carry<T, false, false>(SUB_C(true)));
  addEntry(r, "subc.cc", type, carry<T, true, false>(SUB_C(true)));
}

template <bool Signed> VU32 high32(VU32 a, VU32 b) {
  if constexpr (Signed)
    return convert<VU32>(
        (convert<VS64>(bits<VS32>(a)) * convert<VS64>(bits<VS32>(b))) >> 32);
  else
    return convert<VU32>((convert<VU64>(a) * convert<VU64>(b)) >> 32);
}
#define MAD_C(product, in)                                                     \
  [](auto a, auto b, auto c, auto &k) {                                        \
    auto m = product;                                                          \
    auto s = m + c;                                                            \
    auto out = s < m;                                                          \
    if (in) {                                                                  \
      auto t = s - bits<decltype(s)>(k);                                       \
      out = out | (t < s);                                                     \
      s = t;                                                                   \
    }                                                                          \
    k = out;                                                                   \
    return s;                                                                  \
  }
template <bool Signed> void addMadCarry32(Registry &r, const char *type) {
  addEntry(r, "mad.lo.cc", type, carry<U32, true, true>(MAD_C(a * b, false)));
  addEntry(r, "madc.lo", type, carry<U32, false, true>(MAD_C(a * b, true)));
  addEntry(r, "madc.lo.cc", type, carry<U32, true, true>(MAD_C(a * b, true)));
  addEntry(r, "mad.hi.cc", type,
           carry<U32, true, true>(MAD_C(high32<Signed>(a, b), false)));
  addEntry(r, "madc.hi", type,
           carry<U32, false, true>(MAD_C(high32<Signed>(a, b), true)));
  addEntry(r, "madc.hi.cc", type,
           carry<U32, true, true>(MAD_C(high32<Signed>(a, b), true)));
}

template <bool Signed> VU64 high64(VU64 a, VU64 b) {
  VU64 h;
  for (int i = 0; i < 32; ++i)
    if constexpr (Signed)
      h[i] = uint64_t((__int128(int64_t(a[i])) * int64_t(b[i])) >> 64);
    else
      h[i] = uint64_t(((unsigned __int128)a[i] * b[i]) >> 64);
  return h;
}
template <bool Signed> void addMadCarry64(Registry &r, const char *type) {
  addEntry(r, "mad.lo.cc", type, carry<U64, true, true>(MAD_C(a * b, false)));
  addEntry(r, "madc.lo", type, carry<U64, false, true>(MAD_C(a * b, true)));
  addEntry(r, "madc.lo.cc", type, carry<U64, true, true>(MAD_C(a * b, true)));
  addEntry(r, "mad.hi.cc", type,
           carry<U64, true, true>(MAD_C(high64<Signed>(a, b), false)));
  addEntry(r, "madc.hi", type,
           carry<U64, false, true>(MAD_C(high64<Signed>(a, b), true)));
  addEntry(r, "madc.hi.cc", type,
           carry<U64, true, true>(MAD_C(high64<Signed>(a, b), true)));
}

// --- pairs of 16 bits -------------------------------------------------------

template <bool Signed, class F> Entry half2(F) {
  return vop<U32, U32, U32>([](auto a, auto b) {
    VU32 low, high;
    if constexpr (Signed) {
      low =
          bits<VU32>(F{}(bits<VS32>(a << 16) >> 16, bits<VS32>(b << 16) >> 16));
      high = bits<VU32>(F{}(bits<VS32>(a) >> 16, bits<VS32>(b) >> 16));
    } else {
      low = F{}(a & 0xffffu, b & 0xffffu);
      high = F{}(a >> 16, b >> 16);
    }
    return (low & 0xffffu) | (high << 16);
  });
}
template <bool Signed> void addPairs(Registry &r, const char *type) {
  addEntry(r, "add", type, half2<Signed>([](auto a, auto b) { return a + b; }));
  addEntry(r, "sub", type, half2<Signed>([](auto a, auto b) { return a - b; }));
  addEntry(r, "min", type,
           half2<Signed>([](auto a, auto b) { return a < b ? a : b; }));
  addEntry(r, "max", type,
           half2<Signed>([](auto a, auto b) { return a > b ? a : b; }));
  if constexpr (Signed) {
    addEntry(r, "min.relu", type, half2<Signed>([](auto a, auto b) {
               auto least = a < b ? a : b;
               return least > 0 ? least : least * 0;
             }));
    addEntry(r, "max.relu", type, half2<Signed>([](auto a, auto b) {
               auto most = a > b ? a : b;
               return most > 0 ? most : most * 0;
             }));
  }
}

} // namespace

void addIntOps(Registry &r) {
  addArithmetic<U16>(r, ".u16");
  addArithmetic<S16>(r, ".s16");
  addArithmetic<U32>(r, ".u32");
  addArithmetic<S32>(r, ".s32");
  addArithmetic<U64>(r, ".u64");
  addArithmetic<S64>(r, ".s64");
  addSigned<S16>(r, ".s16");
  addSigned<S32>(r, ".s32");
  addSigned<S64>(r, ".s64");
  addWide<U16, U32, VU32>(r, ".u16");
  addWide<S16, S32, VS32>(r, ".s16");
  addWide<U32, U64, VU64>(r, ".u32");
  addWide<S32, S64, VS64>(r, ".s32");
  addHigh16<U16>(r, ".u16");
  addHigh16<S16>(r, ".s16");
  addHigh<U32, VU32, VU64>(r, ".u32", 0);
  addHigh<S32, VS32, VS64>(r, ".s32", 0);
  addHigh64<U64, unsigned __int128>(r, ".u64");
  addHigh64<S64, __int128>(r, ".s64");
  addMul24<U32, uint64_t>(r, ".u32");
  addMul24<S32, int64_t>(r, ".s32");
  addSaturating(r);
  addSad<U16>(r, ".u16");
  addSad<S16>(r, ".s16");
  addSad<U32>(r, ".u32");
  addSad<S32>(r, ".s32");
  addSad<U64>(r, ".u64");
  addSad<S64>(r, ".s64");
  addCarry<U32>(r, ".u32");
  addCarry<U32>(r, ".s32");
  addCarry<U64>(r, ".u64");
  addCarry<U64>(r, ".s64");
  addMadCarry32<false>(r, ".u32");
  addMadCarry32<true>(r, ".s32");
  addMadCarry64<false>(r, ".u64");
  addMadCarry64<true>(r, ".s64");
  addPairs<false>(r, ".u16x2");
  addPairs<true>(r, ".s16x2");
}

} // namespace hwtune::exec::HWTUNE_ISA
