//===- OpsLogic.cpp - bits, shifts, selection -----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "Vec.h"
#include <initializer_list>

namespace hwtune::exec::HWTUNE_ISA {
namespace {

template <class T> void addBitwise(Registry &r, const char *type) {
  addEntry(r, "and", type, vop<T, T, T>([](auto a, auto b) { return a & b; }));
  addEntry(r, "or", type, vop<T, T, T>([](auto a, auto b) { return a | b; }));
  addEntry(r, "xor", type, vop<T, T, T>([](auto a, auto b) { return a ^ b; }));
  addEntry(r, "not", type, vop<T, T>([](auto a) { return ~a; }));
}

template <class T> void addCnot(Registry &r, const char *type) {
  addEntry(r, "cnot", type,
           lop<T, T>([](auto a) { return decltype(a)(a == 0); }));
}

void addPredicates(Registry &r) {
  // The fused forms are what setp with a boolean operator is lowered to.
  addEntry(r, "andnot", ".pred",
           vop<P, P, P>([](auto a, auto b) { return a & ~b; }));
  addEntry(r, "ornot", ".pred",
           vop<P, P, P>([](auto a, auto b) { return a | ~b; }));
  addEntry(r, "xnor", ".pred",
           vop<P, P, P>([](auto a, auto b) { return a ^ ~b; }));
  addEntry(r, "notand", ".pred",
           vop<P, P, P>([](auto a, auto b) { return ~a & b; }));
  addEntry(r, "notor", ".pred",
           vop<P, P, P>([](auto a, auto b) { return ~a | b; }));
  addEntry(r, "nor", ".pred",
           vop<P, P, P>([](auto a, auto b) { return ~(a | b); }));
  addEntry(r, "nand", ".pred",
           vop<P, P, P>([](auto a, auto b) { return ~(a & b); }));
  addEntry(r, "mov", ".pred", vop<P, P>([](auto a) { return a; }));
}

// Shift amounts are .u32 for every type and clamp at the width.
void addShifts(Registry &r) {
  addEntry(r, "shl", ".b16", vop<U16, U16, U32>([](auto a, auto n) {
             return pick(n > 15u, VU32(0), a << (n & 31u));
           }));
  addEntry(r, "shl", ".b32", vop<U32, U32, U32>([](auto a, auto n) {
             return pick(n > 31u, VU32(0), a << (n & 31u));
           }));
  addEntry(r, "shl", ".b64", vop<U64, U64, U32>([](auto a, auto n) {
             VU64 w = convert<VU64>(n);
             return pick(w > 63ul, VU64(0), a << (w & 63ul));
           }));
  for (const char *type : {".u16", ".b16"})
    addEntry(r, "shr", type, vop<U16, U16, U32>([](auto a, auto n) {
               return pick(n > 31u, VU32(0), a >> (n & 31u));
             }));
  addEntry(r, "shr", ".s16", vop<S16, S16, U32>([](auto a, auto n) {
             return a >> bits<VS32>(pick(n > 31u, VU32(31), n));
           }));
  for (const char *type : {".u32", ".b32"})
    addEntry(r, "shr", type, vop<U32, U32, U32>([](auto a, auto n) {
               return pick(n > 31u, VU32(0), a >> (n & 31u));
             }));
  addEntry(r, "shr", ".s32", vop<S32, S32, U32>([](auto a, auto n) {
             return a >> bits<VS32>(pick(n > 31u, VU32(31), n));
           }));
  for (const char *type : {".u64", ".b64"})
    addEntry(r, "shr", type, vop<U64, U64, U32>([](auto a, auto n) {
               VU64 w = convert<VU64>(n);
               return pick(w > 63ul, VU64(0), a >> (w & 63ul));
             }));
  addEntry(r, "shr", ".s64", vop<S64, S64, U32>([](auto a, auto n) {
             VU64 w = convert<VU64>(n);
             return a >> bits<VS64>(pick(w > 63ul, VU64(63), w));
           }));
}

/// shf: {b, a} shifted by c, wrapped or clamped at 32.
void addFunnel(Registry &r) {
  auto left = [](auto a, auto b, VU32 n) {
    VU64 pair = (convert<VU64>(b) << 32) | convert<VU64>(a);
    return convert<VU32>((pair << convert<VU64>(n)) >> 32);
  };
  auto right = [](auto a, auto b, VU32 n) {
    VU64 pair = (convert<VU64>(b) << 32) | convert<VU64>(a);
    return convert<VU32>(pair >> convert<VU64>(n));
  };
  using L = decltype(left);
  using Rt = decltype(right);
  addEntry(r, "shf.l.wrap", ".b32",
           vop<U32, U32, U32, U32>(
               [](auto a, auto b, auto n) { return L{}(a, b, n & 31u); }));
  addEntry(r, "shf.r.wrap", ".b32",
           vop<U32, U32, U32, U32>(
               [](auto a, auto b, auto n) { return Rt{}(a, b, n & 31u); }));
  addEntry(r, "shf.l.clamp", ".b32",
           vop<U32, U32, U32, U32>([](auto a, auto b, auto n) {
             return L{}(a, b, pick(n > 32u, VU32(32), n));
           }));
  addEntry(r, "shf.r.clamp", ".b32",
           vop<U32, U32, U32, U32>([](auto a, auto b, auto n) {
             return Rt{}(a, b, pick(n > 32u, VU32(32), n));
           }));
}

void addFieldReads(Registry &r) {
  addEntry(r, "bfe", ".u32",
           vop<U32, U32, U32, U32>([](auto a, auto p, auto n) {
             p = p & 255u;
             n = n & 255u;
             VU32 v = pick(p > 31u, VU32(0), a >> (p & 31u));
             VU32 keep = pick(n > 31u, VU32(~0u), (VU32(1) << (n & 31u)) - 1u);
             return v & keep;
           }));
  // Signed: bits beyond the field repeat its top bit, which lies at most at
  // bit 31; a field of no bits is 0.
  addEntry(r, "bfe", ".s32",
           lop<S32, S32, U32, U32>([](auto a, auto p, auto n) {
             p &= 255;
             n &= 255;
             if (n == 0)
               return 0;
             int64_t wide = a; // the sign fills what lies above bit 31
             if (p > 31)
               return a >> 31;
             uint32_t left = 64 - (n + p > 64 ? 64 - p : n);
             wide = int64_t(uint64_t(wide >> p) << left) >> left;
             return int32_t(wide);
           }));
  addEntry(r, "bfe", ".u64",
           lop<U64, U64, U32, U32>([](auto a, auto p, auto n) -> uint64_t {
             p &= 255;
             n &= 255;
             uint64_t v = p > 63 ? 0 : a >> p;
             return n > 63 ? v : v & ((1ull << n) - 1);
           }));
  addEntry(r, "bfe", ".s64",
           lop<S64, S64, U32, U32>([](auto a, auto p, auto n) -> int64_t {
             p &= 255;
             n &= 255;
             if (n == 0)
               return 0;
             if (p > 63)
               return a >> 63;
             if (n + p > 64)
               return a >> p;
             return int64_t(uint64_t(a >> p) << (64 - n)) >> (64 - n);
           }));
}

void addFieldWrites(Registry &r) {
  addEntry(r, "bfi", ".b32",
           lop<U32, U32, U32, U32, U32>([](auto a, auto b, auto p,
                                           auto n) -> uint32_t {
             p &= 255;
             n &= 255;
             if (p > 31 || n == 0)
               return b;
             uint64_t field = ((n > 31 ? 0xffffffffull : (1ull << n) - 1)) << p;
             return uint32_t((b & ~field) | ((uint64_t(a) << p) & field));
           }));
  addEntry(r, "bfi", ".b64",
           lop<U64, U64, U64, U32, U32>(
               [](auto a, auto b, auto p, auto n) -> uint64_t {
                 p &= 255;
                 n &= 255;
                 if (p > 63 || n == 0)
                   return b;
                 uint64_t field = (n > 63 ? ~0ull : (1ull << n) - 1) << p;
                 return (b & ~field) | ((a << p) & field);
               }));
}

void addMasks(Registry &r) {
  addEntry(r, "szext.clamp", ".u32",
           lop<U32, U32, U32>([](auto a, auto n) -> uint32_t {
             return n > 31 ? a : a & ((1u << n) - 1);
           }));
  addEntry(r, "szext.wrap", ".u32",
           lop<U32, U32, U32>([](auto a, auto n) -> uint32_t {
             return a & ((1u << (n & 31)) - 1);
           }));
  addEntry(r, "szext.clamp", ".s32",
           lop<S32, S32, U32>([](auto a, auto n) -> int32_t {
             return n > 31   ? a
                    : n == 0 ? 0
                             : int32_t(uint32_t(a) << (32 - n)) >> (32 - n);
           }));
  addEntry(r, "szext.wrap", ".s32",
           lop<S32, S32, U32>([](auto a, auto n) -> int32_t {
             n &= 31;
             return n == 0 ? 0 : int32_t(uint32_t(a) << (32 - n)) >> (32 - n);
           }));
  addEntry(r, "bmsk.clamp", ".b32",
           lop<U32, U32, U32>([](auto p, auto n) -> uint32_t {
             return p > 31 ? 0
                           : uint32_t((n > 31 ? 0xffffffffull : (1ull << n) - 1)
                                      << p);
           }));
  addEntry(r, "bmsk.wrap", ".b32",
           lop<U32, U32, U32>([](auto p, auto n) -> uint32_t {
             return ((1u << (n & 31)) - 1) << (p & 31);
           }));
}

void addCounts(Registry &r) {
  addEntry(r, "popc", ".b32", vop<U32, U32>([](auto a) {
             return __builtin_elementwise_popcount(a);
           }));
  addEntry(r, "popc", ".b64", lop<U32, U64>([](auto a) {
             return uint32_t(__builtin_popcountll(a));
           }));
  addEntry(r, "clz", ".b32", lop<U32, U32>([](auto a) {
             return a ? uint32_t(__builtin_clz(a)) : 32u;
           }));
  addEntry(r, "clz", ".b64", lop<U32, U64>([](auto a) {
             return a ? uint32_t(__builtin_clzll(a)) : 64u;
           }));
  addEntry(r, "brev", ".b32", vop<U32, U32>([](auto a) {
             return __builtin_elementwise_bitreverse(a);
           }));
  addEntry(r, "brev", ".b64", vop<U64, U64>([](auto a) {
             return __builtin_elementwise_bitreverse(a);
           }));
}

void addSearches(Registry &r) {
  // The highest bit that is set, for negative numbers the highest that is not.
  addEntry(r, "bfind", ".u32", lop<U32, U32>([](auto a) {
             return a ? 31u - uint32_t(__builtin_clz(a)) : ~0u;
           }));
  addEntry(r, "bfind", ".s32", lop<U32, S32>([](auto a) {
             uint32_t v = a < 0 ? ~a : a;
             return v ? 31u - uint32_t(__builtin_clz(v)) : ~0u;
           }));
  addEntry(r, "bfind", ".u64", lop<U32, U64>([](auto a) {
             return a ? 63u - uint32_t(__builtin_clzll(a)) : ~0u;
           }));
  addEntry(r, "bfind", ".s64", lop<U32, S64>([](auto a) {
             uint64_t v = a < 0 ? ~a : a;
             return v ? 63u - uint32_t(__builtin_clzll(v)) : ~0u;
           }));
  addEntry(r, "bfind.shiftamt", ".u32", lop<U32, U32>([](auto a) {
             return a ? uint32_t(__builtin_clz(a)) : ~0u;
           }));
  addEntry(r, "bfind.shiftamt", ".s32", lop<U32, S32>([](auto a) {
             uint32_t v = a < 0 ? ~a : a;
             return v ? uint32_t(__builtin_clz(v)) : ~0u;
           }));
  addEntry(r, "bfind.shiftamt", ".u64", lop<U32, U64>([](auto a) {
             return a ? uint32_t(__builtin_clzll(a)) : ~0u;
           }));
  addEntry(r, "bfind.shiftamt", ".s64", lop<U32, S64>([](auto a) {
             uint64_t v = a < 0 ? ~a : a;
             return v ? uint32_t(__builtin_clzll(v)) : ~0u;
           }));
  // The offset-th set bit from `base`, upwards or downwards.
  addEntry(r, "fns", ".b32",
           lop<U32, U32, U32, S32>([](auto bitsIn, auto base,
                                      auto offset) -> uint32_t {
             if (base > 31)
               return ~0u;
             if (offset == 0)
               return (bitsIn >> base) & 1 ? base : ~0u;
             int step = offset > 0 ? 1 : -1;
             uint32_t count = uint32_t(offset > 0 ? offset : -int64_t(offset));
             for (int i = int(base); i >= 0 && i < 32; i += step)
               if (((bitsIn >> i) & 1) && --count == 0)
                 return uint32_t(i);
             return ~0u;
           }));
}

/// lop3's table is a compile-time constant: one handler, the table in `c` of
/// the second word. Each bit of the table adds one minterm.
template <bool Masked> void lop3(HWTUNE_HANDLER_ARGS) {
  VU32 a = U32::load(R + I->a), b = U32::load(R + I->b),
       c = U32::load(R + I->c);
  uint32_t table = I[1].d;
  VU32 v = 0;
  for (int i = 0; i < 8; ++i)
    if ((table >> i) & 1)
      v |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  store<U32, Masked>(R + I->d, v, mask);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 2);
  else
    HWTUNE_GO_FULL(I + 2);
}

template <class F> Entry permute(F) {
  return lop<U32, U32, U32, U32>([](auto a, auto b, auto c) -> uint32_t {
    uint64_t pair = (uint64_t(b) << 32) | a;
    uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
      uint32_t sel = F{}(c, i);
      uint32_t byte = uint32_t(pair >> (8 * (sel & 7))) & 0xff;
      if (sel & 8)
        byte = byte & 0x80 ? 0xff : 0;
      out |= byte << (8 * i);
    }
    return out;
  });
}
void addPermutes(Registry &r) {
  addEntry(r, "prmt", ".b32",
           permute([](uint32_t c, int i) { return (c >> (4 * i)) & 15; }));
  addEntry(r, "prmt.b32", ".f4e",
           permute([](uint32_t c, int i) { return (c & 3) + uint32_t(i); }));
  addEntry(r, "prmt.b32", ".b4e", permute([](uint32_t c, int i) {
             return ((c & 3) - uint32_t(i)) & 7;
           }));
  addEntry(r, "prmt.b32", ".rc8",
           permute([](uint32_t c, int) { return c & 3; }));
  addEntry(r, "prmt.b32", ".ecl", permute([](uint32_t c, int i) {
             return uint32_t(i) > (c & 3) ? uint32_t(i) : c & 3;
           }));
  addEntry(r, "prmt.b32", ".ecr", permute([](uint32_t c, int i) {
             return uint32_t(i) < (c & 3) ? uint32_t(i) : c & 3;
           }));
  addEntry(r, "prmt.b32", ".rc16", permute([](uint32_t c, int i) {
             return (c & 1) * 2 + uint32_t(i & 1);
           }));
}

template <bool SignedA, bool SignedB> Entry dot4() {
  return lop<U32, U32, U32, U32>([](auto a, auto b, auto c) {
    uint32_t sum = c;
    for (int i = 0; i < 4; ++i) {
      uint32_t x = (a >> (8 * i)) & 0xff, y = (b >> (8 * i)) & 0xff;
      int p = SignedA ? int8_t(x) : int(x), q = SignedB ? int8_t(y) : int(y);
      sum += uint32_t(p * q);
    }
    return sum;
  });
}
template <bool SignedA, bool SignedB, int High> Entry dot2() {
  return lop<U32, U32, U32, U32>([](auto a, auto b, auto c) {
    uint32_t sum = c;
    for (int i = 0; i < 2; ++i) {
      uint32_t x = (a >> (16 * i)) & 0xffff,
               y = (b >> (8 * (i + 2 * High))) & 0xff;
      int p = SignedA ? int16_t(x) : int(x), q = SignedB ? int8_t(y) : int(y);
      sum += uint32_t(p * q);
    }
    return sum;
  });
}
void addDots(Registry &r) {
  addEntry(r, "dp4a", ".u32.u32", dot4<false, false>());
  addEntry(r, "dp4a", ".s32.s32", dot4<true, true>());
  addEntry(r, "dp4a", ".u32.s32", dot4<false, true>());
  addEntry(r, "dp4a", ".s32.u32", dot4<true, false>());
  addEntry(r, "dp2a.lo", ".u32.u32", dot2<false, false, 0>());
  addEntry(r, "dp2a.lo", ".s32.s32", dot2<true, true, 0>());
  addEntry(r, "dp2a.lo", ".u32.s32", dot2<false, true, 0>());
  addEntry(r, "dp2a.lo", ".s32.u32", dot2<true, false, 0>());
  addEntry(r, "dp2a.hi", ".u32.u32", dot2<false, false, 1>());
  addEntry(r, "dp2a.hi", ".s32.s32", dot2<true, true, 1>());
  addEntry(r, "dp2a.hi", ".u32.s32", dot2<false, true, 1>());
  addEntry(r, "dp2a.hi", ".s32.u32", dot2<true, false, 1>());
}

} // namespace

void addLogicOps(Registry &r) {
  addBitwise<U16>(r, ".b16");
  addBitwise<U32>(r, ".b32");
  addBitwise<U64>(r, ".b64");
  addBitwise<P>(r, ".pred");
  addCnot<U16>(r, ".b16");
  addCnot<U32>(r, ".b32");
  addCnot<U64>(r, ".b64");
  addPredicates(r);
  addShifts(r);
  addFunnel(r);
  addFieldReads(r);
  addFieldWrites(r);
  addMasks(r);
  addCounts(r);
  addSearches(r);
  addEntry(r, "lop3", ".b32", {&lop3<false>, &lop3<true>, "wwww"});
  addPermutes(r);
  addDots(r);
}

} // namespace hwtune::exec::HWTUNE_ISA
