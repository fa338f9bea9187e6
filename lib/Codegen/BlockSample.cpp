//===- BlockSample.cpp - a few blocks in place of a whole grid ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/BlockSample.h"

#include "hwtune/Support/Random.h"

#include <algorithm>
#include <set>

namespace hwtune {
namespace {

constexpr unsigned kSeededBlocks = 8;
/// Corners along more loops than these are left out.
constexpr unsigned kCornerLoops = 4;

/// The tiled loops of a grid, the last one fastest.
struct TileGrid {
  std::vector<size_t> loops;
  std::vector<int64_t> counts; ///< blocks along each
  int64_t total = 1;

  /// Tile number along each loop of block `number` in launch order.
  std::vector<int64_t> tileOf(int64_t number) const {
    std::vector<int64_t> tile(loops.size());
    for (size_t i = loops.size(); i-- > 0; number /= counts[i])
      tile[i] = number % counts[i];
    return tile;
  }
  int64_t numberOf(const std::vector<int64_t> &tile) const {
    int64_t number = 0;
    for (size_t i = 0; i < loops.size(); ++i)
      number = number * counts[i] + tile[i];
    return number;
  }
};

TileGrid gridOf(std::span<const int64_t> extents,
                std::span<const int64_t> tiles) {
  TileGrid grid;
  for (size_t loop = 0; loop < tiles.size(); ++loop)
    if (tiles[loop] > 0) {
      grid.loops.push_back(loop);
      grid.counts.push_back((extents[loop] + tiles[loop] - 1) / tiles[loop]);
      grid.total *= grid.counts.back();
    }
  return grid;
}

/// First and last along each loop, in every combination.
std::set<int64_t> corners(const TileGrid &grid) {
  std::vector<size_t> wide;
  for (size_t i = 0; i < grid.loops.size(); ++i)
    if (grid.counts[i] > 1)
      wide.push_back(i);
  if (wide.size() > kCornerLoops)
    wide.erase(wide.begin(), wide.end() - kCornerLoops);
  std::set<int64_t> numbers;
  for (unsigned which = 0; which < (1u << wide.size()); ++which) {
    std::vector<int64_t> tile(grid.loops.size(), 0);
    for (size_t i = 0; i < wide.size(); ++i)
      if (which >> i & 1)
        tile[wide[i]] = grid.counts[wide[i]] - 1;
    numbers.insert(grid.numberOf(tile));
  }
  return numbers;
}

/// Half-open range of each loop inside a block.
using Ranges = std::vector<std::array<int64_t, 2>>;

Ranges rangesOf(const TileGrid &grid, int64_t number,
                std::span<const int64_t> extents,
                std::span<const int64_t> tiles) {
  Ranges ranges;
  for (int64_t extent : extents)
    ranges.push_back({0, extent});
  std::vector<int64_t> tile = grid.tileOf(number);
  for (size_t i = 0; i < grid.loops.size(); ++i) {
    size_t loop = grid.loops[i];
    int64_t from = tile[i] * tiles[loop];
    ranges[loop] = {from, std::min(from + tiles[loop], extents[loop])};
  }
  return ranges;
}

/// The loop that indexes dimension `d` of a projected permutation.
size_t loopAt(const Operand &output, size_t d) {
  const std::vector<int64_t> &factors = output.index[d].coefficients;
  return size_t(std::find(factors.begin(), factors.end(), 1) - factors.begin());
}

void appendElements(const Operand &output, std::span<const int64_t> extents,
                    const Ranges &ranges, std::vector<uint64_t> &elements) {
  std::vector<uint64_t> prefixes{0};
  for (size_t d = 0; d < output.index.size(); ++d) {
    size_t loop = loopAt(output, d);
    std::vector<uint64_t> next;
    next.reserve(prefixes.size() * size_t(ranges[loop][1] - ranges[loop][0]));
    for (uint64_t prefix : prefixes)
      for (int64_t at = ranges[loop][0]; at < ranges[loop][1]; ++at)
        next.push_back(prefix * uint64_t(extents[loop]) + uint64_t(at));
    prefixes = std::move(next);
  }
  elements.insert(elements.end(), prefixes.begin(), prefixes.end());
}

} // namespace

std::optional<BlockSample> sampleBlocks(const Workload &w,
                                        std::span<const int64_t> extents,
                                        std::span<const int64_t> tiles,
                                        const std::array<int64_t, 3> &launch,
                                        uint64_t seed) {
  if (tiles.size() != extents.size())
    return std::nullopt;
  TileGrid grid = gridOf(extents, tiles);
  std::set<int64_t> numbers = corners(grid);
  if (grid.total != launch[0] * launch[1] * launch[2] ||
      grid.total <= int64_t(numbers.size() + kSeededBlocks))
    return std::nullopt;
  Random random(seed);
  for (size_t wanted = numbers.size() + kSeededBlocks; numbers.size() < wanted;)
    numbers.insert(int64_t(random.next() % uint64_t(grid.total)));
  BlockSample sample;
  for (int64_t number : numbers)
    sample.blocks.push_back({number % launch[0], number / launch[0] % launch[1],
                             number / launch[0] / launch[1]});
  for (const Operand &output : w.operands) {
    if (!output.isOutput)
      continue;
    if (!isProjectedPermutation(output))
      return std::nullopt;
    std::vector<uint64_t> &elements = sample.elements.emplace_back();
    for (int64_t number : numbers)
      appendElements(output, extents, rangesOf(grid, number, extents, tiles),
                     elements);
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()),
                   elements.end());
  }
  return sample;
}

} // namespace hwtune
