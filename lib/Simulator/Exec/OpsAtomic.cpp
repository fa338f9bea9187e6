//===- OpsAtomic.cpp - atom, red, cp.async --------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One host thread runs a launch, lane after lane: an atomic is a read and a
// write. Scopes and orders hold by themselves.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Modes.h"
#include "Ops.h"
#include "SoftFloat.h"

#include <array>
#include <cstring>

namespace hwtune::exec {

namespace {

uint64_t baseAddress(const std::byte *R, uint32_t slot, bool wide,
                     uint32_t lane) {
  if (wide) {
    uint64_t a;
    memcpy(&a, R + slot + lane * 8, 8);
    return a;
  }
  uint32_t a;
  memcpy(&a, R + slot + lane * 4, 4);
  return a;
}
uint64_t laneAddress(const std::byte *R, uint32_t slot, const MemDesc &D,
                     uint32_t lane) {
  uint64_t a = baseAddress(R, slot, D.wideBase, lane) + uint64_t(D.imm);
  return D.wideBase ? a : uint32_t(a);
}

template <class T> T laneGet(const std::byte *R, uint32_t slot, uint32_t lane) {
  T v;
  memcpy(&v, R + slot + lane * (sizeof(T) == 8 ? 8 : 4), sizeof(T));
  return v;
}

/// d = old value at [a]; new value F(old, b, ext0).
template <class T, class F> void atomic(HWTUNE_HANDLER_ARGS) {
  MemDesc &D = W->mem[I->c];
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t address = laneAddress(R, I->a, D, lane);
    std::byte *host;
    uint64_t off = address - D.lo;
    if (D.space == AddrSpace::Shared &&
        address <= uint64_t(W->sharedBytes) - sizeof(T) &&
        uint64_t(W->sharedBytes) >= sizeof(T) && !(address & (sizeof(T) - 1)))
      host = W->shared + address;
    else if (D.space != AddrSpace::Shared && D.limit >= 0 &&
             off <= uint64_t(D.limit) && !(address & (sizeof(T) - 1)))
      host = D.host + off;
    else if (!(host = resolveLane(W, D, address, lane, sizeof(T), I)))
      return;
    T old, b = laneGet<T>(R, I->b, lane);
    memcpy(&old, host, sizeof(T));
    T now = F{}(old, b, laneGet<T>(R, I[1].d, lane));
    memcpy(host, &now, sizeof(T));
    std::byte *to = R + I->d + lane * (sizeof(T) == 8 ? 8 : 4);
    if constexpr (sizeof(T) < 4)
      memset(to, 0, 4);
    memcpy(to, &old, sizeof(T));
  }
  HWTUNE_GO(I + 2);
}

/// The same on 128-bit registers, which are two halves of 32 lanes of 8 bytes.
template <bool Cas> void atomic128(HWTUNE_HANDLER_ARGS) {
  constexpr uint32_t high = kLanes * 8;
  MemDesc &D = W->mem[I->c];
  auto get = [&](uint32_t slot, uint32_t lane) {
    return std::array{laneGet<uint64_t>(R, slot, lane),
                      laneGet<uint64_t>(R, slot + high, lane)};
  };
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    std::byte *host =
        resolveLane(W, D, laneAddress(R, I->a, D, lane), lane, 16, I);
    if (!host)
      return;
    std::array<uint64_t, 2> old, now = get(I->b, lane);
    memcpy(old.data(), host, 16);
    if (Cas)
      now = old == now ? get(I[1].d, lane) : old;
    memcpy(host, now.data(), 16);
    memcpy(R + I->d + lane * 8, &old[0], 8);
    memcpy(R + I->d + high + lane * 8, &old[1], 8);
  }
  HWTUNE_GO(I + 2);
}

template <class T, class F>
void add(Registry &r, const char *op, const char *type, F) {
  addEntry(r, op, type, {&atomic<T, F>, &atomic<T, F>, ""});
}

template <class T> void addBits(Registry &r, const char *type) {
  add<T>(r, "atom.and", type, [](T a, T b, T) { return T(a & b); });
  add<T>(r, "atom.or", type, [](T a, T b, T) { return T(a | b); });
  add<T>(r, "atom.xor", type, [](T a, T b, T) { return T(a ^ b); });
}
template <class T> void addSwaps(Registry &r, const char *type) {
  add<T>(r, "atom.exch", type, [](T, T b, T) { return b; });
  add<T>(r, "atom.cas", type, [](T a, T b, T c) { return a == b ? c : a; });
}
template <class T> void addArithmetic(Registry &r, const char *type) {
  add<T>(r, "atom.add", type, [](T a, T b, T) { return T(a + b); });
  add<T>(r, "atom.min", type, [](T a, T b, T) { return a < b ? a : b; });
  add<T>(r, "atom.max", type, [](T a, T b, T) { return a > b ? a : b; });
}

uint32_t addF32(uint32_t a, uint32_t b, bool ftz) {
  auto flush = [&](uint32_t v) {
    return ftz && !(v & 0x7f800000) ? v & 0x80000000 : v;
  };
  float s = std::bit_cast<float>(flush(a)) + std::bit_cast<float>(flush(b));
  return s != s ? 0x7fffffff : flush(std::bit_cast<uint32_t>(s));
}
uint16_t addSmall(FloatFormat f, uint16_t a, uint16_t b) {
  return uint16_t(encodeFloat(
      f, addExactZero(decodeFloat(f, a), decodeFloat(f, b), Rounding::Nearest),
      Rounding::Nearest));
}
template <bool Max>
uint16_t extremeSmall(FloatFormat f, uint16_t a, uint16_t b) {
  double x = decodeFloat(f, a), y = decodeFloat(f, b);
  if (x != x)
    return y != y ? uint16_t(f.nan) : b;
  if (y != y)
    return a;
  if (x == y)
    return Max ? a & b : a | b;
  return (Max ? x > y : x < y) ? a : b;
}
template <uint16_t (*F)(FloatFormat, uint16_t, uint16_t)>
uint32_t pair(FloatFormat f, uint32_t a, uint32_t b) {
  return F(f, uint16_t(a), uint16_t(b)) |
         (uint32_t(F(f, uint16_t(a >> 16), uint16_t(b >> 16))) << 16);
}

void addFloats(Registry &r) {
  // On global memory red.add.f32 flushes subnormals, on shared it does not;
  // atom.add.f32 on global memory flushes too. The flush is not reproduced:
  // PTX says "may", and results on data without subnormals are equal.
  add<uint32_t>(r, "atom.add", ".f32", [](uint32_t a, uint32_t b, uint32_t) {
    return addF32(a, b, false);
  });
  add<double>(r, "atom.add", ".f64",
              [](double a, double b, double) { return a + b; });
  add<uint16_t>(r, "atom.add", ".f16", [](uint16_t a, uint16_t b, uint16_t) {
    return addSmall(kF16, a, b);
  });
  add<uint16_t>(r, "atom.add", ".bf16", [](uint16_t a, uint16_t b, uint16_t) {
    return addSmall(kBF16, a, b);
  });
  add<uint32_t>(r, "atom.add", ".f16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<addSmall>(kF16, a, b);
  });
  add<uint32_t>(r, "atom.add", ".bf16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<addSmall>(kBF16, a, b);
  });
  add<uint16_t>(r, "atom.min", ".f16", [](uint16_t a, uint16_t b, uint16_t) {
    return extremeSmall<false>(kF16, a, b);
  });
  add<uint16_t>(r, "atom.max", ".f16", [](uint16_t a, uint16_t b, uint16_t) {
    return extremeSmall<true>(kF16, a, b);
  });
  add<uint32_t>(r, "atom.min", ".f16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<extremeSmall<false>>(kF16, a, b);
  });
  add<uint32_t>(r, "atom.max", ".f16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<extremeSmall<true>>(kF16, a, b);
  });
  add<uint16_t>(r, "atom.min", ".bf16", [](uint16_t a, uint16_t b, uint16_t) {
    return extremeSmall<false>(kBF16, a, b);
  });
  add<uint16_t>(r, "atom.max", ".bf16", [](uint16_t a, uint16_t b, uint16_t) {
    return extremeSmall<true>(kBF16, a, b);
  });
  add<uint32_t>(r, "atom.min", ".bf16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<extremeSmall<false>>(kBF16, a, b);
  });
  add<uint32_t>(r, "atom.max", ".bf16x2", [](uint32_t a, uint32_t b, uint32_t) {
    return pair<extremeSmall<true>>(kBF16, a, b);
  });
}

// --- asynchronous copies ----------------------------------------------------

/// a: global base, b: shared base, c and ext2: descriptors, ext0: bytes to
/// read or 0, ext1: predicate that says to read none, or 0. The data are
/// fetched now and land at the wait, so that a missing wait shows.
void asyncCopy(HWTUNE_HANDLER_ARGS) {
  MemDesc &from = W->mem[I->c], &to = W->mem[I[1].b];
  uint32_t ignore = 0;
  if (I[1].a)
    memcpy(&ignore, R + I[1].a, 4);
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint32_t bytes = from.laneBytes, read = bytes;
    if (I[1].d)
      read = std::min(bytes, laneGet<uint32_t>(R, I[1].d, lane));
    if ((ignore >> lane) & 1)
      read = 0;
    WarpState::AsyncCopy copy{};
    copy.bytes = bytes;
    copy.to =
        resolveLane(W, to, laneAddress(R, I->b, to, lane), lane, bytes, I);
    if (!copy.to)
      return;
    if (read) {
      const std::byte *host = resolveLane(
          W, from, laneAddress(R, I->a, from, lane), lane, bytes, I);
      if (!host)
        return;
      memcpy(copy.data.data(), host, read);
    }
    W->state->pending[lane].push_back(copy);
  }
  HWTUNE_GO(I + 2);
}

void asyncCommit(HWTUNE_HANDLER_ARGS) {
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    W->state->groups[lane].push_back(std::move(W->state->pending[lane]));
    W->state->pending[lane].clear();
  }
  HWTUNE_GO(I + 1);
}

void land(Warp *W, const std::vector<WarpState::AsyncCopy> &group) {
  for (const auto &copy : group) {
    memcpy(copy.to, copy.data.data(), copy.bytes);
    checkAsyncLanded(W, copy.to, copy.bytes);
  }
}

} // namespace

void landCopies(Warp *W, uint32_t lanes) {
  for (uint32_t left = lanes; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    for (const auto &group : W->state->groups[lane])
      land(W, group);
    W->state->groups[lane].clear();
    land(W, W->state->pending[lane]);
    W->state->pending[lane].clear();
  }
}

namespace {

/// a: groups that may stay in flight, b: wait_all, which takes those too that
/// were not committed.
void asyncWait(HWTUNE_HANDLER_ARGS) {
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    auto &groups = W->state->groups[lane];
    while (groups.size() > I->a) {
      land(W, groups.front());
      groups.pop_front();
    }
    if (I->b) {
      land(W, W->state->pending[lane]);
      W->state->pending[lane].clear();
    }
  }
  HWTUNE_GO(I + 1);
}

} // namespace

void addAtomicOps(Registry &r) {
  for (const char *type : {".b32", ".u32", ".s32", ".f32"})
    addSwaps<uint32_t>(r, type);
  for (const char *type : {".b64", ".u64", ".s64", ".f64"})
    addSwaps<uint64_t>(r, type);
  addSwaps<uint16_t>(r, ".b16");
  for (const char *type : {".b32", ".u32", ".s32"})
    addBits<uint32_t>(r, type);
  for (const char *type : {".b64", ".u64", ".s64"})
    addBits<uint64_t>(r, type);
  addArithmetic<uint32_t>(r, ".u32");
  addArithmetic<int32_t>(r, ".s32");
  addArithmetic<uint64_t>(r, ".u64");
  addArithmetic<int64_t>(r, ".s64");
  add<uint32_t>(r, "atom.inc", ".u32", [](uint32_t a, uint32_t b, uint32_t) {
    return a >= b ? 0 : a + 1;
  });
  add<uint32_t>(r, "atom.dec", ".u32", [](uint32_t a, uint32_t b, uint32_t) {
    return a == 0 || a > b ? b : a - 1;
  });
  addFloats(r);
  addEntry(r, "atom.exch", ".b128", {&atomic128<false>, &atomic128<false>, ""});
  addEntry(r, "atom.cas", ".b128", {&atomic128<true>, &atomic128<true>, ""});
  addEntry(r, "async.copy", "", {&asyncCopy, &asyncCopy, ""});
  addEntry(r, "async.commit", "", {&asyncCommit, &asyncCommit, ""});
  addEntry(r, "async.wait", "", {&asyncWait, &asyncWait, ""});
}

} // namespace hwtune::exec
