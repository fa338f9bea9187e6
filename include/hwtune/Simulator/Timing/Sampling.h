//===- Sampling.h - which blocks stand for the grid -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks at a border of the grid do less or other work than those inside, so
// each class of position (first, interior or last in each dimension) is sampled
// and weighted by how many blocks it has.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_SAMPLING_H
#define HWTUNE_SIMULATOR_TIMING_SAMPLING_H

#include "hwtune/Simulator/Exec/Exec.h"

#include <cstdint>
#include <vector>

namespace hwtune::timing {

struct BlockClass {
  std::vector<uint64_t> blocks; ///< linear indices of the sample, distinct
  double weight = 1;            ///< blocks of the class / blocks sampled
  unsigned fixedDims = 0;       ///< dimensions in which it lies at a border
};

/// At most `interior` blocks of the all-interior class, at most two of the
/// classes interior in some dimension, one of each corner. The weights times
/// the sampled blocks add up to the grid.
std::vector<BlockClass> sampleClasses(exec::Dim3 grid, uint32_t interior,
                                      uint64_t seed);

/// Of `blocks` that run `resident` at a time, those of the last round.
inline uint64_t lastRound(uint64_t blocks, uint64_t resident) {
  return (blocks - 1) % resident + 1;
}

/// Blocks that one SM of `sms` gets, in order, at most `count` of them: an SM
/// in the middle, so that the first is not a border block.
std::vector<uint64_t> blocksOfOneSM(uint64_t gridBlocks, uint64_t sms,
                                    uint64_t count);

/// A block in the middle of the grid, and its neighbours in x, y and z (equal
/// to it where the grid has no neighbour).
struct Neighbours {
  uint64_t center = 0, x = 0, y = 0, z = 0;
};
Neighbours neighbours(exec::Dim3 grid);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_SAMPLING_H
