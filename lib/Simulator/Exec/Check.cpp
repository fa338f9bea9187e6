//===- Check.cpp - the shadows of a checked block -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Ops.h"

#include <cstring>
#include <limits>

namespace hwtune::exec {

void endCounting(Launch &launch);

CheckState::CheckState(size_t warps, size_t sharedBytes, uint64_t localStride)
    : warps(warps), localWords((localStride + 63) / 64) {
  size_t units = (sharedBytes + unit() - 1) >> unitBits;
  written.resize(units);
  writeTime.resize(units);
  writer.resize(units);
  lastRead.resize(units);
  readTime.resize(units * warps);
  clocks.assign(warps, Clock(warps));
  known.resize(warps);
  unwritten.resize(warps);
  // Zero pages until touched, as the memory that it shadows.
  local.reset(static_cast<uint64_t *>(
      calloc(warps * kLanes * localWords, sizeof(uint64_t))));
}

void CheckState::reset() {
  for (auto *bytes : {&written, &writer})
    std::fill(bytes->begin(), bytes->end(), 0);
  for (auto *times : {&writeTime, &lastRead, &readTime, &known})
    std::fill(times->begin(), times->end(), 0);
  for (size_t w = 0; w < warps; ++w) {
    std::fill(clocks[w].begin(), clocks[w].end(), 0);
    clocks[w][w] = 1;
    unwritten[w].clear();
  }
  barriers = {};
  atomics.clear();
}

template <typename T>
static std::vector<T> spread(const std::vector<T> &words, size_t factor) {
  std::vector<T> bytes(words.size() * factor);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = words[i / factor];
  return bytes;
}

void CheckState::useBytes() {
  written = spread(written, unit());
  writer = spread(writer, unit());
  for (auto *times : {&writeTime, &lastRead, &readTime})
    *times = spread(*times, unit());
  unitBits = 0;
}

static void join(CheckState::Clock &to, const CheckState::Clock &from) {
  to.resize(std::max(to.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

void CheckState::learn(uint32_t warp, const Clock &time) {
  Clock &clock = clocks[warp];
  join(clock, time);
  uint32_t least = std::numeric_limits<uint32_t>::max();
  for (size_t w = 0; w < clock.size(); ++w)
    least = w == warp ? least : std::min(least, clock[w]);
  known[warp] = least;
}

void CheckState::tell(Clock &time, uint32_t warp) {
  join(time, clocks[warp]);
  ++clocks[warp][warp];
}

void CheckState::setLocal(uint32_t warp, uint32_t lane, uint64_t at,
                          uint64_t bytes, bool isWritten) {
  uint64_t *words = &local[(warp * kLanes + lane) * localWords];
  for (uint64_t end = at + bytes; at < end;) {
    uint64_t count = std::min<uint64_t>(end - at, 64 - at % 64);
    uint64_t bits = (~uint64_t(0) >> (64 - count)) << (at % 64);
    words[at / 64] = isWritten ? words[at / 64] | bits : words[at / 64] & ~bits;
    at += count;
  }
}

// --- a launch and its blocks ------------------------------------------------

void beginModes(Launch &L) {
  if (L.mode & ModeCount)
    L.memos.resize(L.mem.size());
}

void startModes(Block &block) {
  const Launch &L = *block.launch;
  if (!(L.mode & ModeCheck))
    return;
  if (!block.check)
    block.check = std::make_shared<CheckState>(
        block.warps.size(), size_t(L.sharedBytes), L.localStride);
  CheckState &c = *block.check;
  c.reset();
  if (L.program->readsReservedShared) // given to the block as zeros
    std::fill(c.written.begin() + long(L.reservedShared >> c.unitBits),
              c.written.end(), 1);
  for (Warp &w : block.warps)
    checkLocal(&w, w.exists, 0, L.kernel->localBytes, false);
}

void endModes(Launch &L) {
  L.result.warpInstructions = L.sliced;
  if (L.mode & ModeCount)
    endCounting(L);
}

// --- what orders warps ------------------------------------------------------

void checkArrive(Block &block, uint32_t barrier, uint32_t warp) {
  if (CheckState *c = block.check.get())
    c->tell(c->barriers[barrier], warp);
}
void checkRelease(Block &block, uint32_t barrier, uint32_t warp) {
  if (CheckState *c = block.check.get())
    c->learn(warp, c->barriers[barrier]);
}
void checkBarrierEnd(Block &block, uint32_t barrier) {
  if (CheckState *c = block.check.get())
    c->barriers[barrier].clear();
}

// --- what is written or forgotten but by an access --------------------------

void checkAsyncLanded(Warp *W, const std::byte *to, uint32_t bytes) {
  if (CheckState *c = W->block->check.get())
    memset(c->written.data() + (size_t(to - W->shared) >> c->unitBits), 1,
           (bytes + c->unit() - 1) >> c->unitBits);
}

void checkLocal(Warp *W, uint32_t lanes, uint64_t at, uint64_t bytes,
                bool isWritten) {
  CheckState *c = W->block->check.get();
  if (!c || !bytes)
    return;
  for (uint32_t left = lanes; left; left &= left - 1)
    c->setLocal(W->index, uint32_t(__builtin_ctz(left)), at, bytes, isWritten);
}

} // namespace hwtune::exec
