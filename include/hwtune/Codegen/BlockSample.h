//===- BlockSample.h - a few blocks in place of a whole grid ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where running a whole kernel takes too long to check it, some blocks are run
// to their ends and everything that they must have written is compared.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_BLOCKSAMPLE_H
#define HWTUNE_CODEGEN_BLOCKSAMPLE_H

#include "hwtune/Workload/Workload.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hwtune {

struct BlockSample {
  std::vector<std::array<int64_t, 3>> blocks; ///< (x, y, z), in launch order
  /// Linear indices of the elements these blocks write, ascending; one list for
  /// each output of the workload, in order.
  std::vector<std::vector<uint64_t>> elements;
};

/// The corners of the grid, whose last blocks along each loop hold the tails,
/// and eight others by `seed`. `extents` are those of the loops in this launch,
/// `tiles` what one block computes of each (`Schedule::gridTiles`), `grid` the
/// launch's. None where the grid has no more blocks than that, is not made of
/// such tiles, or an output is not a projected permutation of the loops.
std::optional<BlockSample> sampleBlocks(const Workload &w,
                                        std::span<const int64_t> extents,
                                        std::span<const int64_t> tiles,
                                        const std::array<int64_t, 3> &grid,
                                        uint64_t seed);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_BLOCKSAMPLE_H
