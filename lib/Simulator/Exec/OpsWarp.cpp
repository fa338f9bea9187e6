//===- OpsWarp.cpp - shuffles, votes, special registers -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Ops.h"

#include <chrono>
#include <cstring>

namespace hwtune::exec {

namespace {

uint32_t word(const std::byte *R, uint32_t slot, uint32_t lane) {
  uint32_t v;
  memcpy(&v, R + slot + lane * 4, 4);
  return v;
}
void setWord(std::byte *R, uint32_t slot, uint32_t lane, uint32_t v) {
  memcpy(R + slot + lane * 4, &v, 4);
}
uint64_t quad(const std::byte *R, uint32_t slot, uint32_t lane) {
  uint64_t v;
  memcpy(&v, R + slot + lane * 8, 8);
  return v;
}
uint32_t pred(const std::byte *R, uint32_t slot) {
  uint32_t v;
  memcpy(&v, R + slot, 4);
  return v;
}
void setPred(std::byte *R, uint32_t slot, uint32_t mask, uint32_t value) {
  uint32_t v = (pred(R, slot) & ~mask) | (value & mask);
  memcpy(R + slot, &v, 4);
}

/// Membermasks of all lanes that are here, together.
uint32_t membersAt(const std::byte *R, uint32_t slot, uint32_t mask) {
  uint32_t all = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    all |= word(R, slot, uint32_t(__builtin_ctz(left)));
  return all;
}

void parkHere(HWTUNE_HANDLER_ARGS, uint32_t members) {
  parkSync(W, I, mask, members);
}

#define HWTUNE_SYNC(slot)                                                      \
  uint32_t members = membersAt(R, slot, mask);                                 \
  if (HWTUNE_UNLIKELY(!syncReady(W, mask, members))) {                         \
    parkHere(I, R, W, mask, members);                                          \
    HWTUNE_GO_TO(switchPath);                                                  \
  }

// --- shuffles ---------------------------------------------------------------

enum class Shuffle { Up, Down, Bfly, Idx };

/// d = shfl(a, b, c); second word: d member mask, a predicate or 0. As PTX ISA
/// gives it: a segment mask and a clamp in c.
template <Shuffle Mode> void shuffle(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I[1].d)
  uint32_t from[kLanes], to[kLanes], valid = 0;
  memcpy(from, R + I->a, sizeof(from));
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint32_t b = word(R, I->b, lane) & 31, c = word(R, I->c, lane);
    uint32_t clamp = c & 31, segment = (c >> 8) & 31;
    uint32_t maxLane = (lane & segment) | (clamp & ~segment),
             minLane = lane & segment;
    int j;
    bool in;
    if constexpr (Mode == Shuffle::Up) {
      j = int(lane) - int(b);
      in = j >= int(maxLane);
    } else if constexpr (Mode == Shuffle::Down) {
      j = int(lane + b);
      in = j <= int(maxLane);
    } else if constexpr (Mode == Shuffle::Bfly) {
      j = int(lane ^ b);
      in = j <= int(maxLane);
    } else {
      j = int(minLane | (b & ~segment));
      in = j <= int(maxLane);
    }
    if (!in)
      j = int(lane);
    to[lane] = from[j & 31];
    valid |= in ? 1u << lane : 0;
  }
  if (mask == kFullMask)
    memcpy(R + I->d, to, sizeof(to));
  else
    for (uint32_t left = mask; left; left &= left - 1) {
      uint32_t lane = uint32_t(__builtin_ctz(left));
      setWord(R, I->d, lane, to[lane]);
    }
  if (I[1].a)
    setPred(R, I[1].a, mask, valid);
  HWTUNE_GO(I + 2);
}

// --- votes and matches ------------------------------------------------------

/// Each lane votes among the members it names.
enum class Vote { All, Any, Uni, Ballot };
template <Vote Mode> void vote(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I->b)
  uint32_t p = pred(R, I->a);
  for (uint32_t left = mask; left;) {
    uint32_t lane = uint32_t(__builtin_ctz(left)), named = word(R, I->b, lane);
    // Usually one mask for all lanes; else lanes with other masks come later.
    uint32_t same = 0;
    for (uint32_t l = left; l; l &= l - 1)
      if (word(R, I->b, uint32_t(__builtin_ctz(l))) == named)
        same |= l & -l;
    left &= ~same;
    uint32_t here = named & mask, yes = p & here;
    if constexpr (Mode == Vote::Ballot) {
      for (uint32_t l = same; l; l &= l - 1)
        setWord(R, I->d, uint32_t(__builtin_ctz(l)), yes);
    } else {
      bool v = Mode == Vote::All   ? yes == here
               : Mode == Vote::Any ? yes != 0
                                   : yes == here || yes == 0;
      setPred(R, I->d, same, v ? kFullMask : 0);
    }
  }
  HWTUNE_GO(I + 1);
}

template <bool All, bool Wide> void match(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I->b)
  uint64_t value[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    value[lane] = Wide ? quad(R, I->a, lane) : word(R, I->a, lane);
  uint32_t result[kLanes] = {}, allEqual = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left)),
             named = word(R, I->b, lane) & mask, same = 0;
    for (uint32_t l = named; l; l &= l - 1)
      if (value[__builtin_ctz(l)] == value[lane])
        same |= l & -l;
    if constexpr (All) {
      result[lane] = same == named ? named : 0;
      allEqual |= same == named ? 1u << lane : 0;
    } else {
      result[lane] = same;
    }
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    setWord(R, I->d, lane, result[lane]);
  }
  if (All && I->c)
    setPred(R, I->c, mask, allEqual);
  HWTUNE_GO(I + 1);
}

template <class T, class F> void reduce(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I->b)
  uint32_t value[kLanes];
  memcpy(value, R + I->a, sizeof(value));
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left)),
             named = word(R, I->b, lane) & mask;
    bool first = true;
    T sum{};
    for (uint32_t l = named; l; l &= l - 1) {
      T v;
      memcpy(&v, &value[__builtin_ctz(l)], 4);
      sum = first ? v : F{}(sum, v);
      first = false;
    }
    memcpy(R + I->d + lane * 4, &sum, 4);
  }
  HWTUNE_GO(I + 1);
}
template <class T, class F> Entry reducer(F) {
  return {&reduce<T, F>, &reduce<T, F>, "www"};
}

template <bool Max, bool Abs, bool NaN> Entry floatReducer() {
  return reducer<float>([](float a, float b) {
    uint32_t x, y, r;
    if (Abs)
      a = __builtin_fabsf(a), b = __builtin_fabsf(b);
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    if (a != a || b != b)
      r = (NaN || (a != a && b != b)) ? 0x7fffffff : a != a ? y : x;
    else if (a == b)
      r = Max ? x & y : x | y;
    else
      r = (Max ? a > b : a < b) ? x : y;
    float out;
    memcpy(&out, &r, 4);
    return out;
  });
}

void elect(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I->a)
  uint32_t leader =
      uint32_t(__builtin_ctz(members & mask ? members & mask : mask));
  for (uint32_t left = mask; left; left &= left - 1)
    setWord(R, I->d, uint32_t(__builtin_ctz(left)), leader);
  setPred(R, I->b, mask, 1u << leader);
  HWTUNE_GO(I + 1);
}

void warpBarrier(HWTUNE_HANDLER_ARGS) {
  HWTUNE_SYNC(I->a)
  HWTUNE_GO(I + 1);
}

void activeMask(HWTUNE_HANDLER_ARGS) {
  for (uint32_t left = mask; left; left &= left - 1)
    setWord(R, I->d, uint32_t(__builtin_ctz(left)), mask);
  HWTUNE_GO(I + 1);
}

// --- special registers ------------------------------------------------------

/// Instructions stand for clocks; only differences and order mean anything in
/// functional mode.
uint64_t clockOf(Warp *W) {
  return W->launch->sliced - uint64_t(W->slice) + ++W->launch->ticks;
}

/// What a block of the launch gets of the shared memory that programs have.
uint64_t allocatedShared(const Launch &L) {
  const LaunchRequest &q = *L.request;
  uint64_t bytes = q.function->staticSharedBytes + q.dynamicSharedBytes;
  uint64_t unit = q.options.sharedUnitBytes;
  return (bytes + unit - 1) / unit * unit;
}

uint64_t specialValue(Warp *W, ptx::SpecialReg reg, uint32_t component,
                      uint32_t number) {
  using S = ptx::SpecialReg;
  const Launch &L = *W->launch;
  const LaunchRequest &q = *L.request;
  uint32_t i = component;
  if (component == 3) // the fourth element of every vector
    return 0;
  uint32_t warps = uint32_t(W->block->warps.size());
  switch (reg) {
  case S::NTid:
    return q.block[i];
  case S::CtaId:
  case S::ClusterId: // every block is a cluster of its own
    return W->block->id[i];
  case S::NCtaId:
  case S::NClusterId:
    return q.grid[i];
  case S::WarpId:
    return W->index;
  case S::NWarpId:
    return warps;
  case S::SmId:
    return W->block->linear % (q.options.smCount ? q.options.smCount : 1);
  case S::NSmId:
    return q.options.smCount;
  case S::GridId:
    return q.options.gridId;
  case S::Clock:
    return uint32_t(clockOf(W));
  case S::ClockHi:
    return clockOf(W) >> 32;
  case S::Clock64:
    return clockOf(W);
  case S::GlobalTimer:
    return uint64_t(double(clockOf(W)) * 1000.0 / q.options.clockMHz);
  case S::GlobalTimerLo:
    return uint32_t(double(clockOf(W)) * 1000.0 / q.options.clockMHz);
  case S::GlobalTimerHi:
    return uint64_t(double(clockOf(W)) * 1000.0 / q.options.clockMHz) >> 32;
  case S::TotalSmemSize:
    return allocatedShared(L);
  case S::AggrSmemSize:
    return allocatedShared(L) + q.options.reservedSharedBytes;
  case S::ReservedSmemOffsetBegin:
    return L.reservedShared;
  case S::ReservedSmemOffsetEnd:
    return L.reservedShared + q.options.reservedSharedBytes;
  case S::ReservedSmemOffsetCap:
    return q.options.reservedSharedBytes;
  case S::ReservedSmemOffset: // two halves
    return L.reservedShared + number * q.options.reservedSharedBytes / 2;
  case S::DynamicSmemSize:
    return q.dynamicSharedBytes;
  case S::ClusterNCtaId:
    return 1;
  case S::ClusterNCtaRank:
    return 1;
  case S::EnvReg:
    // The grid workspace of cooperative launches: high and low word.
    return number == 1   ? L.workspace >> 32
           : number == 2 ? uint32_t(L.workspace)
                         : 0;
  default:
    return 0;
  }
}

uint32_t laneValue(ptx::SpecialReg reg, uint32_t lane, uint64_t uniform) {
  using S = ptx::SpecialReg;
  switch (reg) {
  case S::LaneId:
    return lane;
  case S::LaneMaskEq:
    return 1u << lane;
  case S::LaneMaskLt:
    return (1u << lane) - 1;
  case S::LaneMaskLe:
    return (2u << lane) - 1;
  case S::LaneMaskGt:
    return ~((2u << lane) - 1);
  case S::LaneMaskGe:
    return ~((1u << lane) - 1);
  default:
    return uint32_t(uniform);
  }
}

/// a: register, b: component, c: number.
template <bool Wide> void readSpecial(HWTUNE_HANDLER_ARGS) {
  auto reg = ptx::SpecialReg(I->a);
  uint64_t uniform = specialValue(W, reg, I->b, I->c);
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    if constexpr (Wide)
      memcpy(R + I->d + lane * 8, &uniform, 8);
    else
      setWord(R, I->d, lane, laneValue(reg, lane, uniform));
  }
  HWTUNE_GO(I + 1);
}

template <bool Move> void moveOct(HWTUNE_HANDLER_ARGS) {
  // An Oct register is two halves of 32 lanes of 8 bytes.
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t low = quad(R, I->a, lane),
             high = Move ? quad(R, I->a + 256, lane) : quad(R, I->b, lane);
    memcpy(R + I->d + lane * 8, &low, 8);
    memcpy(R + I->d + 256 + lane * 8, &high, 8);
  }
  HWTUNE_GO(I + 1);
}
void unpackOct(HWTUNE_HANDLER_ARGS) {
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t low = quad(R, I->b, lane), high = quad(R, I->b + 256, lane);
    memcpy(R + I->d + lane * 8, &low, 8);
    memcpy(R + I->a + lane * 8, &high, 8);
  }
  HWTUNE_GO(I + 1);
}

} // namespace

bool wholeWarp(Warp *W, const Inst *I, uint32_t mask) {
  if (syncReady(W, mask, kFullMask))
    return true;
  parkSync(W, I, mask, kFullMask);
  W->stop = Stop::Switch;
  return false;
}

void addWarpOps(Registry &r) {
  addEntry(r, "shfl.up", "",
           {&shuffle<Shuffle::Up>, &shuffle<Shuffle::Up>, ""});
  addEntry(r, "shfl.down", "",
           {&shuffle<Shuffle::Down>, &shuffle<Shuffle::Down>, ""});
  addEntry(r, "shfl.bfly", "",
           {&shuffle<Shuffle::Bfly>, &shuffle<Shuffle::Bfly>, ""});
  addEntry(r, "shfl.idx", "",
           {&shuffle<Shuffle::Idx>, &shuffle<Shuffle::Idx>, ""});
  addEntry(r, "vote.all", "", {&vote<Vote::All>, &vote<Vote::All>, ""});
  addEntry(r, "vote.any", "", {&vote<Vote::Any>, &vote<Vote::Any>, ""});
  addEntry(r, "vote.uni", "", {&vote<Vote::Uni>, &vote<Vote::Uni>, ""});
  addEntry(r, "vote.ballot", "",
           {&vote<Vote::Ballot>, &vote<Vote::Ballot>, ""});
  addEntry(r, "match.any", ".b32",
           {&match<false, false>, &match<false, false>, ""});
  addEntry(r, "match.any", ".b64",
           {&match<false, true>, &match<false, true>, ""});
  addEntry(r, "match.all", ".b32",
           {&match<true, false>, &match<true, false>, ""});
  addEntry(r, "match.all", ".b64",
           {&match<true, true>, &match<true, true>, ""});
  addEntry(r, "redux.add", ".u32",
           reducer<uint32_t>([](auto a, auto b) { return a + b; }));
  addEntry(r, "redux.add", ".s32",
           reducer<uint32_t>([](auto a, auto b) { return a + b; }));
  addEntry(r, "redux.min", ".u32",
           reducer<uint32_t>([](auto a, auto b) { return a < b ? a : b; }));
  addEntry(r, "redux.max", ".u32",
           reducer<uint32_t>([](auto a, auto b) { return a > b ? a : b; }));
  addEntry(r, "redux.min", ".s32",
           reducer<int32_t>([](auto a, auto b) { return a < b ? a : b; }));
  addEntry(r, "redux.max", ".s32",
           reducer<int32_t>([](auto a, auto b) { return a > b ? a : b; }));
  addEntry(r, "redux.and", ".b32",
           reducer<uint32_t>([](auto a, auto b) { return a & b; }));
  addEntry(r, "redux.or", ".b32",
           reducer<uint32_t>([](auto a, auto b) { return a | b; }));
  addEntry(r, "redux.xor", ".b32",
           reducer<uint32_t>([](auto a, auto b) { return a ^ b; }));
  addEntry(r, "redux.min", ".f32", floatReducer<false, false, false>());
  addEntry(r, "redux.max", ".f32", floatReducer<true, false, false>());
  addEntry(r, "redux.min.NaN", ".f32", floatReducer<false, false, true>());
  addEntry(r, "redux.max.NaN", ".f32", floatReducer<true, false, true>());
  addEntry(r, "redux.min.abs", ".f32", floatReducer<false, true, false>());
  addEntry(r, "redux.max.abs", ".f32", floatReducer<true, true, false>());
  addEntry(r, "redux.min.abs.NaN", ".f32", floatReducer<false, true, true>());
  addEntry(r, "redux.max.abs.NaN", ".f32", floatReducer<true, true, true>());
  addEntry(r, "elect", "", {&elect, &elect, ""});
  addEntry(r, "bar.warp", "", {&warpBarrier, &warpBarrier, ""});
  addEntry(r, "activemask", "", {&activeMask, &activeMask, ""});
  addEntry(r, "sreg", ".word", {&readSpecial<false>, &readSpecial<false>, ""});
  addEntry(r, "sreg", ".wide", {&readSpecial<true>, &readSpecial<true>, ""});
  addEntry(r, "mov", ".b128", {&moveOct<true>, &moveOct<true>, "oo"});
  addEntry(r, "pack", ".2x64", {&moveOct<false>, &moveOct<false>, "oqq"});
  addEntry(r, "unpack", ".2x64", {&unpackOct, &unpackOct, "qqo"});
}

} // namespace hwtune::exec
