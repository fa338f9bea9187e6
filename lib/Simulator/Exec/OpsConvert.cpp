//===- OpsConvert.cpp - cvt between integers and floats -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources are cut to their type, results are extended to the register that
// holds it: .u8 and .s8 to 16 bits. A wider register gets a second `cvt`.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "VecFloat.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

struct U8 {
  using V = VU32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) { return loadRaw<VU32>(p) & 0xffu; }
  HWTUNE_INLINE VU32 raw(VU32 v) { return v & 0xffu; }
};
struct S8 {
  using V = VS32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) {
    return bits<VS32>(loadRaw<VU32>(p) << 24) >> 24;
  }
  HWTUNE_INLINE VU32 raw(VS32 v) {
    return bits<VU32>((v << 24) >> 24) & 0xffffu;
  }
};

template <class T> struct Range;
template <> struct Range<U8> {
  static constexpr double lo = 0, hi = 255;
  static constexpr __int128 min = 0, max = 255;
  static constexpr const char *name = "u8";
};
template <> struct Range<S8> {
  static constexpr double lo = -128, hi = 127;
  static constexpr __int128 min = -128, max = 127;
  static constexpr const char *name = "s8";
};
template <> struct Range<U16> {
  static constexpr double lo = 0, hi = 65535;
  static constexpr __int128 min = 0, max = 65535;
  static constexpr const char *name = "u16";
};
template <> struct Range<S16> {
  static constexpr double lo = -32768, hi = 32767;
  static constexpr __int128 min = -32768, max = 32767;
  static constexpr const char *name = "s16";
};
template <> struct Range<U32> {
  static constexpr double lo = 0, hi = 4294967295.0;
  static constexpr __int128 min = 0, max = 4294967295u;
  static constexpr const char *name = "u32";
};
template <> struct Range<S32> {
  static constexpr double lo = -2147483648.0, hi = 2147483647.0;
  static constexpr __int128 min = -2147483648ll, max = 2147483647;
  static constexpr const char *name = "s32";
};
template <> struct Range<U64> {
  static constexpr double lo = 0, hi = 18446744073709551616.0;
  static constexpr __int128 min = 0, max = 18446744073709551615ull;
  static constexpr const char *name = "u64";
};
template <> struct Range<S64> {
  static constexpr double lo = -9223372036854775808.0,
                          hi = 9223372036854775808.0;
  static constexpr __int128 min = -9223372036854775807ll - 1,
                            max = 9223372036854775807ll;
  static constexpr const char *name = "s64";
};

/// Writes ".<a>.<b>" to a buffer.
struct Name {
  char text[48] = {};
  Name(const char *a, const char *b, const char *head = "") {
    char *p = text;
    const char *parts[] = {head, ".", a, ".", b};
    for (const char *s : parts)
      while (*s)
        *p++ = *s++;
  }
};

template <class D, class V> HWTUNE_INLINE typename D::V narrow(V v) {
  return convert<typename D::V>(v);
}

/// All lanes of a source as a loop; for what has no vector form.
template <class D, class S, class F> Entry loop(F) {
  return vop<D, S>([](auto v) {
    typename D::V out;
    for (int i = 0; i < 32; ++i)
      out[i] = F{}(v[i]);
    return out;
  });
}

template <class D, class S> void addIntInt(Registry &r) {
  Name name(Range<D>::name, Range<S>::name);
  addEntry(r, "cvt", name.text, vop<D, S>([](auto v) { return narrow<D>(v); }));
  addEntry(r, "cvt.sat", name.text, loop<D, S>([](auto v) {
             __int128 w = v;
             w = w < Range<D>::min   ? Range<D>::min
                 : w > Range<D>::max ? Range<D>::max
                                     : w;
             return decltype(typename D::V{}[0])(w);
           }));
}
template <class D> void addIntTo(Registry &r) {
  addIntInt<D, U8>(r);
  addIntInt<D, S8>(r);
  addIntInt<D, U16>(r);
  addIntInt<D, S16>(r);
  addIntInt<D, U32>(r);
  addIntInt<D, S32>(r);
  addIntInt<D, U64>(r);
  addIntInt<D, S64>(r);
}

// --- float to integer -------------------------------------------------------

/// Saturates; NaN gives 0, or the top bit alone where a 64-bit type is
/// involved.
template <class D, class S, typename V> HWTUNE_INLINE typename D::V toInt(V v) {
  using E = __typeof__(typename D::V{}[0]);
  constexpr bool wide = sizeof(V) == 256 || sizeof(typename D::V) == 256;
  constexpr bool isSigned = Range<D>::min < 0;
  constexpr int width = Range<D>::max > 0xffffffffll ? 64
                        : Range<D>::max > 0xffff     ? 32
                        : Range<D>::max > 0xff       ? 16
                                                     : 8;
  typename D::V out;
  for (int i = 0; i < 32; ++i) {
    double x = v[i];
    E res;
    if (x != x)
      res = wide ? E(isSigned ? Range<D>::min : Range<D>::max / 2 + 1) : E(0);
    else if (x <= Range<D>::lo)
      res = E(Range<D>::min);
    else if (x >= Range<D>::hi)
      res = E(Range<D>::max);
    else
      res = E(x);
    out[i] = res;
  }
  (void)width;
  return out;
}
HWTUNE_INLINE VS32 toS32(VF32 v) {
  VS32 r = convert<VS32>(pick(v == v, v, VF32(0.0f)));
  return pick(v >= 2147483648.0f, VS32(2147483647),
              r); // below: x86 gives the minimum
}

#define ROUNDINGS(X)                                                           \
  X(".rni", __builtin_elementwise_roundeven)                                   \
  X(".rzi", __builtin_elementwise_trunc)                                       \
  X(".rmi", __builtin_elementwise_floor)                                       \
  X(".rpi", __builtin_elementwise_ceil)

template <class D> void addFloatToInt(Registry &r) {
#define X(mode, fn)                                                            \
  {                                                                            \
    auto f32 = vop<D, F32>([](auto v) {                                        \
      if constexpr (__is_same(D, S32))                                         \
        return toS32(fn(v));                                                   \
      else                                                                     \
        return toInt<D, F32>(fn(v));                                           \
    });                                                                        \
    auto ftz =                                                                 \
        vop<D, F32>([](auto v) { return toInt<D, F32>(fn(flush(v))); });       \
    auto f64 = vop<D, F64>([](auto v) { return toInt<D, F64>(fn(v)); });       \
    addEntry(r, "cvt" mode, Name(Range<D>::name, "f32").text, f32);            \
    addEntry(r, "cvt" mode ".sat", Name(Range<D>::name, "f32").text, f32);     \
    addEntry(r, "cvt" mode ".ftz", Name(Range<D>::name, "f32").text, ftz);     \
    addEntry(r, "cvt" mode ".ftz.sat", Name(Range<D>::name, "f32").text, ftz); \
    addEntry(r, "cvt" mode, Name(Range<D>::name, "f64").text, f64);            \
    addEntry(r, "cvt" mode ".sat", Name(Range<D>::name, "f64").text, f64);     \
  }
  ROUNDINGS(X)
#undef X
}

// --- integer to float -------------------------------------------------------

template <class S> void addIntToFloat(Registry &r) {
  addEntry(r, "cvt.rn", Name("f32", Range<S>::name).text,
           vop<F32, S>([](auto v) { return convert<VF32>(v); }));
  addEntry(r, "cvt.rn.sat", Name("f32", Range<S>::name).text,
           vop<F32, S>([](auto v) { return saturate01(convert<VF32>(v)); }));
  addEntry(r, "cvt.rn", Name("f64", Range<S>::name).text,
           vop<F64, S>([](auto v) { return convert<VF64>(v); }));
}

// --- float to float ---------------------------------------------------------

template <bool Ftz, bool Sat> void addRoundF32(Registry &r, const char *type) {
#define X(mode, fn)                                                            \
  addEntry(r, "cvt" mode, type, vop<F32, F32>([](auto v) {                     \
             return out<Ftz, Sat>(fn(in<Ftz>(v)));                             \
           }));
  ROUNDINGS(X)
#undef X
  addEntry(r, "cvt", type,
           vop<F32, F32>([](auto v) { return out<Ftz, Sat>(in<Ftz>(v)); }));
}
template <bool Ftz, bool Sat>
void addF32F64(Registry &r, const char *narrowing, const char *widening) {
  addEntry(r, "cvt.rn", narrowing, vop<F32, F64>([](auto v) {
             return out<Ftz, Sat>(convert<VF32>(v));
           }));
  addEntry(r, "cvt", widening, vop<F64, F32>([](auto v) {
             VF64 w = convert<VF64>(in<Ftz>(v));
             return Sat ? saturate01(w) : w;
           }));
}

using VF16 = VecOf<_Float16, 32>::type;
using VU16 = VecOf<uint16_t, 32>::type;

/// An f16 register as f32 lanes; exact.
struct F16 {
  using V = VF32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) {
    return convert<VF32>(bits<VF16>(convert<VU16>(loadRaw<VU32>(p))));
  }
  HWTUNE_INLINE VU32 raw(VF32 v) {
    VU32 h = convert<VU32>(bits<VU16>(convert<VF16>(v)));
    return pick(bits<VS32>(v) != bits<VS32>(v), h,
                pick(v != v, VU32(0x7fffu), h));
  }
};
/// The same for bf16; rounds to nearest even.
struct BF16 {
  using V = VF32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) {
    return bits<VF32>(loadRaw<VU32>(p) << 16);
  }
  HWTUNE_INLINE VU32 raw(VF32 v) {
    VU32 u = bits<VU32>(v);
    return pick(v != v, VU32(0x7fffu), (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
};
template <class H> HWTUNE_INLINE VU32 pack2(VF32 high, VF32 low) {
  return (H::raw(high) << 16) | H::raw(low);
}
HWTUNE_INLINE VF32 relu(VF32 v) {
  return pick(v > 0.0f, v, pick(v != v, v, VF32(0.0f)));
}

template <class H>
void addHalf(Registry &r, const char *fromHalf, const char *toHalf,
             const char *pair) {
  addEntry(r, "cvt", fromHalf,
           vop<F32, H>([](auto v) { return canonical(v); }));
  addEntry(r, "cvt.ftz", fromHalf,
           vop<F32, H>([](auto v) { return canonical(flush(v)); }));
  addEntry(r, "cvt.sat", fromHalf,
           vop<F32, H>([](auto v) { return saturate01(v); }));
  addEntry(r, "cvt.rn", toHalf, vop<H, F32>([](auto v) { return v; }));
  addEntry(r, "cvt.rn.ftz", toHalf,
           vop<H, F32>([](auto v) { return flush(v); }));
  addEntry(r, "cvt.rn.sat", toHalf,
           vop<H, F32>([](auto v) { return saturate01(v); }));
  addEntry(r, "cvt.rn.relu", toHalf,
           vop<H, F32>([](auto v) { return relu(v); }));
  addEntry(r, "cvt.rn", pair,
           vop<U32, F32, F32>([](auto a, auto b) { return pack2<H>(a, b); }));
  addEntry(r, "cvt.rn.relu", pair, vop<U32, F32, F32>([](auto a, auto b) {
             return pack2<H>(relu(a), relu(b));
           }));
}

/// cvt.pack.sat: two values saturated to `Bits`, the second one lowest; three
/// operands shift the third above them.
template <int Bits, bool Signed> HWTUNE_INLINE VU32 saturated(VS32 v) {
  constexpr int low = Signed ? -(1 << (Bits - 1)) : 0,
                high = (1 << (Bits - Signed)) - 1;
  v = pick(v < low, VS32(v * 0 + low), pick(v > high, VS32(v * 0 + high), v));
  return bits<VU32>(v) & uint32_t((1u << Bits) - 1);
}
template <int Bits, bool Signed> HWTUNE_INLINE VU32 packed(VS32 a, VS32 b) {
  return saturated<Bits, Signed>(a) << Bits | saturated<Bits, Signed>(b);
}
template <int Bits>
void addPack(Registry &r, const char *asUnsigned, const char *asSigned) {
  if constexpr (Bits == 16) {
    addEntry(r, "cvt.pack.sat", asUnsigned,
             vop<U32, S32, S32>(
                 [](auto a, auto b) { return packed<Bits, false>(a, b); }));
    addEntry(r, "cvt.pack.sat", asSigned,
             vop<U32, S32, S32>(
                 [](auto a, auto b) { return packed<Bits, true>(a, b); }));
  } else {
    addEntry(r, "cvt.pack.sat", asUnsigned,
             vop<U32, S32, S32, U32>([](auto a, auto b, auto c) {
               return c << (2 * Bits) | packed<Bits, false>(a, b);
             }));
    addEntry(r, "cvt.pack.sat", asSigned,
             vop<U32, S32, S32, U32>([](auto a, auto b, auto c) {
               return c << (2 * Bits) | packed<Bits, true>(a, b);
             }));
  }
}

} // namespace

void addConvertOps(Registry &r) {
  addPack<16>(r, ".u16.s32", ".s16.s32");
  addPack<8>(r, ".u8.s32.b32", ".s8.s32.b32");
  addPack<4>(r, ".u4.s32.b32", ".s4.s32.b32");
  addPack<2>(r, ".u2.s32.b32", ".s2.s32.b32");
  addIntTo<U8>(r);
  addIntTo<S8>(r);
  addIntTo<U16>(r);
  addIntTo<S16>(r);
  addIntTo<U32>(r);
  addIntTo<S32>(r);
  addIntTo<U64>(r);
  addIntTo<S64>(r);
  addFloatToInt<U8>(r);
  addFloatToInt<S8>(r);
  addFloatToInt<U16>(r);
  addFloatToInt<S16>(r);
  addFloatToInt<U32>(r);
  addFloatToInt<S32>(r);
  addFloatToInt<U64>(r);
  addFloatToInt<S64>(r);
  addIntToFloat<U8>(r);
  addIntToFloat<S8>(r);
  addIntToFloat<U16>(r);
  addIntToFloat<S16>(r);
  addIntToFloat<U32>(r);
  addIntToFloat<S32>(r);
  addIntToFloat<U64>(r);
  addIntToFloat<S64>(r);
  addRoundF32<false, false>(r, ".f32.f32");
  addRoundF32<true, false>(r, ".ftz.f32.f32");
  addRoundF32<false, true>(r, ".sat.f32.f32");
  addRoundF32<true, true>(r, ".ftz.sat.f32.f32");
#define X(mode, fn)                                                            \
  addEntry(r, "cvt" mode, ".f64.f64",                                          \
           vop<F64, F64>([](auto v) { return fn(v); }));
  ROUNDINGS(X)
#undef X
  addEntry(r, "cvt", ".f64.f64", vop<F64, F64>([](auto v) { return v; }));
  addEntry(r, "cvt.sat", ".f64.f64",
           vop<F64, F64>([](auto v) { return saturate01(v); }));
  addF32F64<false, false>(r, ".f32.f64", ".f64.f32");
  addF32F64<true, false>(r, ".ftz.f32.f64", ".ftz.f64.f32");
  addF32F64<false, true>(r, ".sat.f32.f64", ".sat.f64.f32");
  addHalf<F16>(r, ".f32.f16", ".f16.f32", ".f16x2.f32");
  addHalf<BF16>(r, ".f32.bf16", ".bf16.f32", ".bf16x2.f32");
  // tf32 keeps 10 bits of the mantissa; ties away from zero, or to even.
  addEntry(r, "cvt.rna", ".tf32.f32", vop<U32, F32>([](auto v) {
             VU32 u = bits<VU32>(v);
             VU32 rounded = (u + 0x1000u) & 0xffffe000u;
             return pick((u & 0x7f800000u) == 0x7f800000u,
                         pick(v != v, VU32(0x7fffffffu), u), rounded);
           }));
  addEntry(r, "cvt.rn", ".tf32.f32", vop<U32, F32>([](auto v) {
             VU32 u = bits<VU32>(v);
             VU32 rounded = (u + 0xfffu + ((u >> 13) & 1u)) & 0xffffe000u;
             return pick((u & 0x7f800000u) == 0x7f800000u,
                         pick(v != v, VU32(0x7fffffffu), u), rounded);
           }));
}

} // namespace hwtune::exec::HWTUNE_ISA
