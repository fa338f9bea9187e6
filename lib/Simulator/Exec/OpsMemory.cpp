//===- OpsMemory.cpp - ld and st ------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction remembers the allocation it touched last. If all lanes fall
// into it and are aligned, they are copied without further checks; contiguous
// lanes as one block. Everything else (other allocations, windows of the
// generic space, faults) goes lane by lane through resolveLane.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "Vec.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

using V4 = VecOf<uint32_t, 4>::type;

template <int E> struct ElemOf;
template <> struct ElemOf<1> {
  using T = uint8_t;
  using Lane = uint32_t;
};
template <> struct ElemOf<2> {
  using T = uint16_t;
  using Lane = uint32_t;
};
template <> struct ElemOf<4> {
  using T = uint32_t;
  using Lane = uint32_t;
};
template <> struct ElemOf<8> {
  using T = uint64_t;
  using Lane = uint64_t;
};

/// One lane of one element between memory and a register.
template <int E, bool Store>
HWTUNE_INLINE void moveElem(std::byte *memory, std::byte *reg, uint32_t lane) {
  using T = typename ElemOf<E>::T;
  using Lane = typename ElemOf<E>::Lane;
  auto *lanes = reinterpret_cast<Lane *>(reg);
  T value;
  if constexpr (Store) {
    value = T(lanes[lane]);
    memcpy(memory, &value, E);
  } else {
    memcpy(&value, memory, E);
    lanes[lane] = value;
  }
}

/// Lane by lane, at any address. Returns false after a fault.
template <int E, bool Store>
__attribute__((noinline)) bool moveSlow(const Inst *I, std::byte *R, Warp *W,
                                        uint32_t mask) {
  MemDesc &D = W->mem[I->c];
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = __builtin_ctz(left);
    uint64_t base;
    if (D.wideBase) {
      memcpy(&base, R + I->a + lane * 8, 8);
    } else {
      uint32_t narrow;
      memcpy(&narrow, R + I->a + lane * 4, 4);
      base = narrow;
    }
    uint64_t address = base + uint64_t(D.imm);
    if (!D.wideBase)
      address = uint32_t(address);
    std::byte *host = resolveLane(W, D, address, lane, E * D.elems, I);
    if (!host)
      return false;
    for (int n = 0; n < D.elems; ++n)
      moveElem<E, Store>(host + n * E, R + D.slots[n], lane);
  }
  return true;
}

template <int E, bool Store> void slowHandler(HWTUNE_HANDLER_ARGS) {
  if (!moveSlow<E, Store>(I, R, W, mask))
    return;
  HWTUNE_GO(I + 1);
}

// --- fast copies ------------------------------------------------------------

template <int E, bool Store>
HWTUNE_INLINE void moveContiguous(std::byte *memory, std::byte *reg) {
  using VT = typename VecOf<typename ElemOf<E>::T, 32>::type;
  using VL = typename VecOf<typename ElemOf<E>::Lane, 32>::type;
  typedef VT __attribute__((aligned(1))) Unaligned;
  if constexpr (Store)
    *reinterpret_cast<Unaligned *>(memory) = convert<VT>(loadRaw<VL>(reg));
  else
    storeRaw(reg,
             convert<VL>(VT(*reinterpret_cast<const Unaligned *>(memory))));
}

/// 16 bytes of each lane into four registers, four lanes at a time.
HWTUNE_INLINE void loadQuads(const std::byte *host, const uint64_t *off,
                             std::byte *R, const uint32_t *slots) {
  for (int g = 0; g < 32; g += 4) {
    V4 r[4];
    for (int i = 0; i < 4; ++i)
      memcpy(&r[i], host + off[g + i], 16);
    V4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    V4 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    V4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    V4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    V4 out[4] = {__builtin_shufflevector(a, b, 0, 1, 4, 5),
                 __builtin_shufflevector(a, b, 2, 3, 6, 7),
                 __builtin_shufflevector(c, d, 0, 1, 4, 5),
                 __builtin_shufflevector(c, d, 2, 3, 6, 7)};
    for (int n = 0; n < 4; ++n)
      memcpy(R + slots[n] + g * 4, &out[n], 16);
  }
}
HWTUNE_INLINE void storeQuads(std::byte *host, const uint64_t *off,
                              const std::byte *R, const uint32_t *slots) {
  for (int g = 0; g < 32; g += 4) {
    V4 r[4];
    for (int n = 0; n < 4; ++n)
      memcpy(&r[n], R + slots[n] + g * 4, 16);
    V4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    V4 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    V4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    V4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    V4 out[4] = {__builtin_shufflevector(a, b, 0, 1, 4, 5),
                 __builtin_shufflevector(a, b, 2, 3, 6, 7),
                 __builtin_shufflevector(c, d, 0, 1, 4, 5),
                 __builtin_shufflevector(c, d, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i)
      memcpy(host + off[g + i], &out[i], 16);
  }
}
/// Two groups of 16 lanes that each read one address, as tiles of a matrix
/// product do: broadcast instead of transposing.
HWTUNE_INLINE void broadcastHalves(const std::byte *low, const std::byte *high,
                                   std::byte *R, const uint32_t *slots) {
  using V16 = VecOf<uint32_t, 16>::type;
  for (int n = 0; n < 4; ++n) {
    uint32_t x, y;
    memcpy(&x, low + 4 * n, 4);
    memcpy(&y, high + 4 * n, 4);
    V16 vx = x, vy = y;
    memcpy(R + slots[n], &vx, 64);
    memcpy(R + slots[n] + 64, &vy, 64);
  }
}

inline constexpr uint64_t kLaneIndex[32] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/// Offsets of all lanes from `lo`. Lanes that are off repeat an active one.
template <bool Wide, bool Masked>
HWTUNE_INLINE VU64 laneOffsets(const std::byte *base, uint64_t add,
                               uint32_t mask) {
  VU64 off;
  if constexpr (Wide)
    off = loadRaw<VU64>(base) + add;
  else // 32-bit addresses wrap as the hardware's do
    off = convert<VU64>(loadRaw<VU32>(base) + uint32_t(add));
  if constexpr (Masked) {
    uint32_t first = __builtin_ctz(mask);
    uint64_t one;
    if constexpr (Wide) {
      memcpy(&one, base + first * 8, 8);
      one += add;
    } else {
      uint32_t narrow;
      memcpy(&narrow, base + first * 4, 4);
      one = narrow + uint32_t(add);
    }
    off = pick(expand64(mask), off, VU64(one));
  }
  return off;
}

template <bool Shared, bool Wide, int E, int N, bool Store, bool Masked>
struct Access {
  static constexpr int bytes = E * N;

  HWTUNE_INLINE bool body(const Inst *I, std::byte *R, Warp *W, uint32_t mask) {
    if constexpr (Masked)
      if (HWTUNE_UNLIKELY(mask == 0))
        return true;
    MemDesc &D = W->mem[I->c];
    const uint64_t lo = Shared ? 0 : D.lo;
    const int64_t limit = Shared ? W->sharedBytes - bytes : D.limit;
    std::byte *host = Shared ? W->shared : D.host;
    VU64 off = laneOffsets<Wide, Masked>(R + I->a, uint64_t(D.imm) - lo, mask);
    const uint64_t first = off[Masked ? __builtin_ctz(mask) : 0];
    VU64 index = *reinterpret_cast<const VecOf<uint64_t, 32>::type
                                   __attribute__((aligned(8))) *>(kLaneIndex);
    if constexpr (!Masked && N == 1) {
      if (__builtin_reduce_or((off - first) ^ (index * uint64_t(E))) == 0) {
        if (HWTUNE_UNLIKELY(first > uint64_t(limit - 31 * E) ||
                            limit < 31 * E || ((first + lo) & (E - 1))))
          return moveSlow<E, Store>(I, R, W, mask);
        moveContiguous<E, Store>(host + first, R + (Store ? I->b : I->d));
        return true;
      }
    }
    // The sign is set where an offset is negative or beyond the limit.
    uint64_t outside = __builtin_reduce_or(off | (VU64(uint64_t(limit)) - off));
    uint64_t low = __builtin_reduce_or(off + (lo & (bytes - 1)));
    if (HWTUNE_UNLIKELY((outside >> 63) || (low & (bytes - 1))))
      return moveSlow<E, Store>(I, R, W, mask);
    alignas(64) uint64_t lanes[32];
    storeRaw(reinterpret_cast<std::byte *>(lanes), off);
    if constexpr (E == 4 && N == 4 && !Masked) {
      if constexpr (Store) {
        storeQuads(host, lanes, R, D.slots);
      } else {
        VU64 half =
            pick(bits<VS64>(index) < 16, VU64(lanes[0]), VU64(lanes[16]));
        if (__builtin_reduce_or(off ^ half) == 0)
          broadcastHalves(host + lanes[0], host + lanes[16], R, D.slots);
        else
          loadQuads(host, lanes, R, D.slots);
      }
    } else if constexpr (Masked) {
      for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = __builtin_ctz(left);
        for (int n = 0; n < N; ++n)
          moveElem<E, Store>(host + lanes[lane] + n * E, R + D.slots[n], lane);
      }
    } else {
      for (int n = 0; n < N; ++n) {
        std::byte *reg = R + D.slots[n];
        for (uint32_t lane = 0; lane < 32; ++lane)
          moveElem<E, Store>(host + lanes[lane] + n * E, reg, lane);
      }
    }
    return true;
  }

  static void run(HWTUNE_HANDLER_ARGS) {
    if (HWTUNE_UNLIKELY(!body(I, R, W, mask)))
      return;
    if constexpr (Masked)
      HWTUNE_GO_MASKED(I + 1);
    else
      HWTUNE_GO_FULL(I + 1);
  }
};

template <bool Shared, bool Wide, int E, int N>
void addAccess(Registry &r, const char *load, const char *store,
               const char *shape) {
  addEntry(r, load, shape,
           {&Access<Shared, Wide, E, N, false, false>::run,
            &Access<Shared, Wide, E, N, false, true>::run, ""});
  addEntry(r, store, shape,
           {&Access<Shared, Wide, E, N, true, false>::run,
            &Access<Shared, Wide, E, N, true, true>::run, ""});
}
template <bool Shared, bool Wide>
void addShapes(Registry &r, const char *load, const char *store) {
  addAccess<Shared, Wide, 1, 1>(r, load, store, ".1x1");
  addAccess<Shared, Wide, 2, 1>(r, load, store, ".2x1");
  addAccess<Shared, Wide, 4, 1>(r, load, store, ".4x1");
  addAccess<Shared, Wide, 8, 1>(r, load, store, ".8x1");
  addAccess<Shared, Wide, 4, 2>(r, load, store, ".4x2");
  addAccess<Shared, Wide, 8, 2>(r, load, store, ".8x2");
  addAccess<Shared, Wide, 4, 4>(r, load, store, ".4x4");
}

// --- counting events, before the access --------------------------------------

/// a: base register, c: descriptor. Hits need no more than a comparison.
template <bool Shared, bool Wide, bool Masked>
void countMemory(HWTUNE_HANDLER_ARGS) {
  const MemDesc &D = W->mem[I->c];
  CountMemo &memo = W->memos[I->c];
  VU64 off = laneOffsets<Wide, Masked>(R + I->a, uint64_t(D.imm), mask);
  uint64_t first = off[Masked ? __builtin_ctz(mask) : 0];
  uint32_t way = Shared ? 0 : first / 32 % 4;
  VU64 differ = (off - first) ^
                loadRaw<VU64>(reinterpret_cast<std::byte *>(memo.deltas[way]));
  if (HWTUNE_LIKELY(__builtin_reduce_or(differ) == 0 &&
                    memo.mask[way] == mask &&
                    memo.phase[way] == first % (Shared ? 4 : 128))) {
    MemCount &c = memo.counts[Shared];
    ++c.runs;
    c.sectors += memo.cost[way].sectors;
    c.lines += memo.cost[way].lines;
    c.wavefronts += memo.cost[way].wavefronts;
    c.lanes += uint32_t(__builtin_popcount(mask));
  } else {
    countMiss(W, I->c, R, mask);
  }
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}
void countSlow(HWTUNE_HANDLER_ARGS) {
  countMiss(W, I->c, R, mask);
  HWTUNE_GO(I + 1);
}
template <bool Shared, bool Wide> void addCount(Registry &r, const char *name) {
  addEntry(r, "count.memory", name,
           {&countMemory<Shared, Wide, false>, &countMemory<Shared, Wide, true>,
            ""});
}

// --- kernel parameters ------------------------------------------------------

template <int E, bool Masked> void loadParam(HWTUNE_HANDLER_ARGS) {
  using Lane = typename ElemOf<E>::Lane;
  using VL = typename VecOf<Lane, 32>::type;
  const MemDesc &D = W->mem[I->c];
  for (int n = 0; n < D.elems; ++n) {
    typename ElemOf<E>::T value;
    memcpy(&value, W->params + D.imm + n * E, E);
    VL v = VL(Lane(value));
    std::byte *reg = R + D.slots[n];
    if constexpr (Masked) {
      if constexpr (E == 8)
        v = pick(expand64(mask), v, loadRaw<VL>(reg));
      else
        v = pick(expand32(mask), v, loadRaw<VL>(reg));
    }
    storeRaw(reg, v);
  }
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}

template <int E> void addSlow(Registry &r, const char *shape) {
  addEntry(r, "mem.ld.slow", shape,
           {&slowHandler<E, false>, &slowHandler<E, false>, ""});
  addEntry(r, "mem.st.slow", shape,
           {&slowHandler<E, true>, &slowHandler<E, true>, ""});
  addEntry(r, "mem.ld.kernelparam", shape,
           {&loadParam<E, false>, &loadParam<E, true>, ""});
}

} // namespace

void addMemoryOps(Registry &r) {
  addShapes<false, true>(r, "mem.ld.global.q", "mem.st.global.q");
  addShapes<true, true>(r, "mem.ld.shared.q", "mem.st.shared.q");
  addShapes<true, false>(r, "mem.ld.shared.w", "mem.st.shared.w");
  addCount<true, true>(r, ".shared.q");
  addCount<true, false>(r, ".shared.w");
  addCount<false, true>(r, ".global.q");
  addCount<false, false>(r, ".global.w");
  addEntry(r, "count.memory", ".slow", {&countSlow, &countSlow, ""});
  addSlow<1>(r, ".1");
  addSlow<2>(r, ".2");
  addSlow<4>(r, ".4");
  addSlow<8>(r, ".8");
}

} // namespace hwtune::exec::HWTUNE_ISA
