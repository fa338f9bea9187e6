//===- Constants.cpp - the model's constants as a distribution ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Constants.h"

#include "hwtune/Support/Random.h"

#include <cmath>

namespace hwtune {

namespace {

// Doubt of a constant that was reasoned, not measured: about x/÷ 1.5.
constexpr double kWide = 0.4;
// Registers a compiler adds vary less (about 15 %).
constexpr double kNarrow = 0.15;

using C = ConstantId;
constexpr ConstantInfo kTable[kNumConstants] = {
    {C::SharedInst, "shared_inst", 1.3, kWide,
     "the access, and an address step every few of them"},
    {C::GlobalInst, "global_inst", 2.0, kWide,
     "the access and its 64-bit address"},
    {C::CopyInst, "copy_inst", 3.0, kWide,
     "two addresses and a loop step per copied vector"},
    {C::GuardedCopyInst, "guarded_copy_inst", 20.0, kWide,
     "index arithmetic and two comparisons per dimension; counters show 20"},
    {C::LoopTurn, "loop_turn", 4.0, kWide,
     "increment, compare, branch, pointer step"},
    {C::OtherInst, "other_inst", 1.0, kNarrow, "one slot each"},
    {C::SharedWord, "shared_word", 0.5, kWide,
     "register write-back, 64 lanes' words a clock"},
    {C::GlobalWord, "global_word", 1.0, kWide,
     "register write-back behind the L1's data stage"},
    {C::MemoryInst, "memory_inst", 1.0, kWide, "the description's rate"},
    {C::Wavefront, "wavefront", 1.0, kWide, "the description's rate"},
    {C::L2Rate, "l2_rate", 1.0, kWide, "the description's rate"},
    {C::L2OverDram, "l2_over_dram", 3.0, kWide,
     "L2 rate over DRAM rate, 2.6 to 3.6 on GPUs where both are measured"},
    {C::DramRate, "dram_rate", 1.0, kWide, "the description's rate"},
    {C::L1Keep, "l1_keep", 0.8, kWide,
     "streaming data pushes reused lines out before LRU order would"},
    {C::L2Keep, "l2_keep", 0.8, kWide, "as for L1, and hashing is uneven"},
    {C::ChainInst, "chain_inst", 2.0, kWide,
     "issue interval of dependent instructions of one warp"},
    {C::LoadExposed, "load_exposed", 0.75, kWide,
     "a quarter of the loads were issued far enough ahead of their use"},
    {C::MissExposed, "miss_exposed", 0.5, kWide,
     "two misses of a warp overlap"},
    {C::CopyExposed, "copy_exposed", 1.0, kWide,
     "a copy phase waits for its last load"},
    {C::Barrier, "barrier", 30.0, kWide, "arrival spread of a block's warps"},
    {C::Shuffle, "shuffle", 1.0, kWide, "a shuffle's result is used at once"},
    {C::Registers, "registers", 28.0, kNarrow,
     "addresses, indices, loop counters"},
    {C::RegisterScale, "register_scale", 1.0, kNarrow, "the schedule's word"},
    {C::SpillTouch, "spill_touch", 1.0, kWide,
     "a spilled value is loaded or stored at every use"},
    {C::BodyLimit, "body_limit", 4500.0, kWide,
     "straight-line instructions that compilers schedule without spilling"},
    {C::Tail, "tail", 1.0, kWide,
     "what the last wave takes beyond its share of blocks"},
    {C::Phases, "phases", 0.6, kWide,
     "warps leave a barrier apart: a third of a block's phases overlap"},
    {C::Icache, "icache", 0.3, kWide,
     "three warps of a sub-core are near enough to share a fetched line"},
    {C::WideVector, "wide_vector", 0.02, kWide,
     "vectors beyond 16 bytes are split and need aligned registers"},
    {C::Tensor, "tensor", 1.0, kWide, "the description's rate"},
    {C::Special, "special", 1.0, kWide, "the description's rate"},
    {C::Launch, "launch", 1.0, kWide, "the description's time"},
};

} // namespace

std::span<const ConstantInfo> constantTable() { return kTable; }

Constants Constants::reasoned() {
  Constants result;
  for (const ConstantInfo &info : kTable)
    result[info.id] = info.reasoned;
  return result;
}

Ensemble makeEnsemble(unsigned size, uint64_t seed, const Constants &center) {
  Ensemble result(size ? size : 1, center);
  for (const ConstantInfo &info : kTable) {
    // A sequence of its own: a new constant leaves the others as they were.
    Random random(seed, static_cast<uint64_t>(info.id));
    for (unsigned m = 1; m < size; m += 2) {
      double factor = std::exp(info.sigma * random.normal());
      result[m][info.id] *= factor;
      if (m + 1 < size)
        result[m + 1][info.id] /= factor;
    }
  }
  return result;
}

Constants wrongConstants(const Constants &base, double factor, uint64_t seed) {
  Constants result = base;
  Random random(seed, /*stream=*/0x77726f6e67); // apart from makeEnsemble's
  for (double &value : result.values)
    value = random.next() & 1 ? value * factor : value / factor;
  return result;
}

} // namespace hwtune
