//===- OpsMove.cpp - mov, packing, special registers ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "Vec.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

template <bool Masked, typename V>
HWTUNE_INLINE void put(std::byte *p, V v, uint32_t mask) {
  if constexpr (sizeof(V) == 128)
    store<U32, Masked>(p, v, mask);
  else
    store<U64, Masked>(p, v, mask);
}

/// `mov.b32 {a, b}, c`: the parts are read before any is written, because they
/// may share a register with the source. Sinks go to a scratch register.
template <bool Masked> void unpack64(HWTUNE_HANDLER_ARGS) {
  VU64 v = U64::load(R + I->b);
  put<Masked>(R + I->d, convert<VU32>(v), mask);
  put<Masked>(R + I->a, convert<VU32>(v >> 32), mask);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}
template <bool Masked> void unpack32(HWTUNE_HANDLER_ARGS) {
  VU32 v = U32::load(R + I->b);
  put<Masked>(R + I->d, v & 0xffffu, mask);
  put<Masked>(R + I->a, v >> 16, mask);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}
/// Four parts of 16 bits (of 64) or 8 bits (of 32).
template <bool Masked, int Bits> void unpack4(HWTUNE_HANDLER_ARGS) {
  VU64 v;
  if constexpr (Bits == 16)
    v = U64::load(R + I[1].a);
  else
    v = convert<VU64>(U32::load(R + I[1].a));
  const uint32_t parts[4] = {I->d, I->a, I->b, I->c};
  for (int i = 0; i < 4; ++i)
    put<Masked>(R + parts[i],
                convert<VU32>(v >> uint64_t(Bits * i)) & ((1u << Bits) - 1),
                mask);
  HWTUNE_GO(I + 2);
}

void addPacks(Registry &r) {
  addEntry(r, "pack", ".2x32", vop<U64, U32, U32>([](auto a, auto b) {
             return convert<VU64>(a) | (convert<VU64>(b) << 32);
           }));
  addEntry(r, "pack", ".2x16",
           vop<U32, U16, U16>([](auto a, auto b) { return a | (b << 16); }));
  addEntry(r, "pack", ".2x8", vop<U16, U16, U16>([](auto a, auto b) {
             return (a & 0xffu) | (b << 8);
           }));
  addEntry(r, "pack", ".4x16",
           vop<U64, U16, U16, U16, U16>([](auto a, auto b, auto c, auto d) {
             return convert<VU64>(a | (b << 16)) |
                    (convert<VU64>(c | (d << 16)) << 32);
           }));
  addEntry(r, "pack", ".4x8",
           vop<U32, U16, U16, U16, U16>([](auto a, auto b, auto c, auto d) {
             return (a & 0xffu) | ((b & 0xffu) << 8) | ((c & 0xffu) << 16) |
                    ((d & 0xffu) << 24);
           }));
  addEntry(r, "unpack", ".2x32", {&unpack64<false>, &unpack64<true>, "wwq"});
  addEntry(r, "unpack", ".2x16", {&unpack32<false>, &unpack32<true>, "hhw"});
  addEntry(r, "unpack", ".4x16",
           {&unpack4<false, 16>, &unpack4<true, 16>, "hhhhq"});
  addEntry(r, "unpack", ".4x8",
           {&unpack4<false, 8>, &unpack4<true, 8>, "hhhhw"});
}

/// %tid: precomputed for the warp; `a` is the component.
template <bool Masked> void readTid(HWTUNE_HANDLER_ARGS) {
  store<U32, Masked>(R + I->d,
                     loadRaw<VU32>(reinterpret_cast<std::byte *>(W->tid[I->a])),
                     mask);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}

} // namespace

void addMoveOps(Registry &r) {
  addEntry(r, "mov", ".b16", vop<U16, U16>([](auto a) { return a; }));
  addEntry(r, "mov", ".b32", vop<U32, U32>([](auto a) { return a; }));
  addEntry(r, "mov", ".b64", vop<U64, U64>([](auto a) { return a; }));
  addEntry(r, "sreg", ".tid", {&readTid<false>, &readTid<true>, ""});
  addPacks(r);
}

} // namespace hwtune::exec::HWTUNE_ISA
