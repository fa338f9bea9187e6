//===- Constants.h - the model's constants as a distribution ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that the model needs beside the hardware's: how much an instruction
// costs to prepare, how much latency stays visible, how many registers a
// compiler adds. None belongs to one GPU or one kernel. Each has a reasoned
// value and a log-normal doubt; a vector alone sits on a knife edge, so the
// search averages an ensemble of vectors, the first of which is the reasoned
// one. An ensemble of size 1 is valid.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_CONSTANTS_H
#define HWTUNE_MODEL_CONSTANTS_H

#include "hwtune/Support/Expected.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hwtune {

enum class ConstantId : unsigned {
  SharedInst,      ///< issue slots of one shared load or store
  GlobalInst,      ///< issue slots of one global load or store
  CopyInst,        ///< extra slots of one global->shared copy
  GuardedCopyInst, ///< the same where the copy loop tests bounds
  LoopTurn,        ///< slots of one turn of the main loop
  OtherInst,       ///< slots of one other instruction
  SharedWord,      ///< load/store clocks per 32-bit word and lane, shared
  GlobalWord,      ///< the same, global
  MemoryInst,      ///< scale of the load/store unit's clocks per instruction
  Wavefront,       ///< scale of its clocks per wavefront
  L2Rate,          ///< scale of L2 clocks per byte
  L2OverDram,      ///< L2 rate over DRAM rate where L2's is unknown
  DramRate,        ///< scale of DRAM clocks per byte
  L1Keep,          ///< share of L1 that holds reused data
  L2Keep,          ///< share of L2 that holds reused data
  ChainInst,       ///< clocks of a non-FMA instruction in one warp's chain
  LoadExposed,     ///< share of a load's latency seen at each wait
  MissExposed,     ///< share of L2 latency seen per L1 miss
  CopyExposed,     ///< share of DRAM latency seen per copy phase
  Barrier,         ///< clocks a warp loses at a barrier
  Shuffle,         ///< share of a shuffle's latency seen
  Registers,       ///< registers beside accumulators and fragments
  RegisterScale,   ///< scale of a schedule's own register estimate
  SpillTouch,      ///< spill accesses per register too many and use
  BodyLimit,       ///< straight-line instructions scheduled without spills
  Tail,            ///< what the last wave takes beyond its share of blocks
  Phases,          ///< share of phases that one block does not overlap
  Icache,          ///< scale of instruction fetch beyond the cache
  WideVector,      ///< slowdown per doubling of a vector beyond 16 bytes
  Tensor,          ///< scale of matrix-unit clocks
  Special,         ///< scale of special-function clocks
  Launch,          ///< scale of launch overhead
  Count
};
inline constexpr unsigned kNumConstants =
    static_cast<unsigned>(ConstantId::Count);

struct ConstantInfo {
  ConstantId id;
  std::string_view name; ///< snake_case; stable, kept in records
  double reasoned;
  double sigma;         ///< of the logarithm
  std::string_view why; ///< where the value comes from
};
/// In the order of `ConstantId`.
std::span<const ConstantInfo> constantTable();

/// One vector: a value for every constant.
struct Constants {
  std::array<double, kNumConstants> values{};

  double operator[](ConstantId id) const {
    return values[static_cast<unsigned>(id)];
  }
  double &operator[](ConstantId id) {
    return values[static_cast<unsigned>(id)];
  }
  static Constants reasoned();
};

/// Vectors, the first of which is the reasoned one.
using Ensemble = std::vector<Constants>;

/// Vectors whose mean is a predicted time, where nothing else is asked for.
inline constexpr unsigned kDefaultEnsembleSize = 48;
/// Vectors that a search learns from, the first of which are those above: the
/// more, the nearer one is to the truth where the reasoned vector is far off.
inline constexpr unsigned kSearchEnsembleSize = 96;

/// `size` >= 1 vectors around `center`, the first being `center` itself, the
/// others in pairs of mirror images, so that to first order their mean is
/// `center`'s prediction whatever the seed (antithetic variates: Hammersley and
/// Morton, 1956). A smaller ensemble of the same seed is the start of a larger.
/// One seed, one ensemble, on every machine.
Ensemble makeEnsemble(unsigned size = kDefaultEnsembleSize, uint64_t seed = 0,
                      const Constants &center = Constants::reasoned());

/// Every constant multiplied or divided by `factor` (each by a coin of
/// `seed`): to judge a search whose model is wrong.
Constants wrongConstants(const Constants &base, double factor, uint64_t seed);

} // namespace hwtune

#endif // HWTUNE_MODEL_CONSTANTS_H
