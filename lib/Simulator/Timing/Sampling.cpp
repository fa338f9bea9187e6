//===- Sampling.cpp - which blocks stand for the grid ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Sampling.h"
#include "hwtune/Support/Random.h"

#include <algorithm>
#include <array>
#include <set>

using namespace hwtune;
using namespace hwtune::timing;

namespace {

/// A run of positions along one dimension that count as alike.
struct Range {
  uint32_t begin = 0, size = 0;
};

std::vector<Range> ranges(uint32_t extent) {
  if (extent <= 1)
    return {{0, 1}};
  if (extent == 2)
    return {{0, 1}, {1, 1}};
  return {{0, 1}, {1, extent - 2}, {extent - 1, 1}};
}

uint64_t linear(exec::Dim3 grid, uint64_t x, uint64_t y, uint64_t z) {
  return x + grid[0] * (y + grid[1] * z);
}

} // namespace

std::vector<BlockClass>
timing::sampleClasses(exec::Dim3 grid, uint32_t interior, uint64_t seed) {
  std::vector<BlockClass> classes;
  Random random(seed);
  for (Range rz : ranges(grid[2]))
    for (Range ry : ranges(grid[1]))
      for (Range rx : ranges(grid[0])) {
        uint64_t size = uint64_t(rx.size) * ry.size * rz.size;
        // A range of one block between two borders is inside, too.
        auto isInside = [](Range r, uint32_t extent) {
          return extent > 2 && r.begin == 1;
        };
        unsigned inside = isInside(rx, grid[0]) + isInside(ry, grid[1]) +
                          isInside(rz, grid[2]);
        unsigned dims = (grid[0] > 2) + (grid[1] > 2) + (grid[2] > 2);
        uint64_t wanted = inside == 0 ? 1 : inside == dims ? interior : 2;
        wanted = std::clamp<uint64_t>(wanted, 1, size);
        std::set<uint64_t> chosen;
        // With `wanted` <= size a bounded number of draws nearly always
        // suffices; what is missing is filled in order.
        for (uint64_t tries = 0; tries < 8 * wanted && chosen.size() < wanted;
             ++tries) {
          uint64_t at = random.below(size);
          chosen.insert(linear(grid, rx.begin + at % rx.size,
                               ry.begin + at / rx.size % ry.size,
                               rz.begin + at / rx.size / ry.size));
        }
        BlockClass cls;
        cls.blocks.assign(chosen.begin(), chosen.end());
        cls.weight = double(size) / double(cls.blocks.size());
        cls.fixedDims = dims - inside;
        classes.push_back(std::move(cls));
      }
  return classes;
}

std::vector<uint64_t> timing::blocksOfOneSM(uint64_t gridBlocks, uint64_t sms,
                                            uint64_t count) {
  std::vector<uint64_t> blocks;
  sms = std::clamp<uint64_t>(sms, 1, std::max<uint64_t>(1, gridBlocks));
  uint64_t first = sms / 2;
  // The SM with the most blocks is the one that ends last.
  if (gridBlocks % sms && first >= gridBlocks % sms)
    first = gridBlocks % sms / 2;
  for (uint64_t b = first; b < gridBlocks && blocks.size() < count; b += sms)
    blocks.push_back(b);
  return blocks;
}

Neighbours timing::neighbours(exec::Dim3 grid) {
  std::array<uint64_t, 3> at{};
  for (unsigned d = 0; d < 3; ++d)
    at[d] = grid[d] > 2 ? (grid[d] - 1) / 2 : 0;
  auto step = [&](unsigned d) {
    std::array<uint64_t, 3> to = at;
    if (to[d] + 1 < grid[d])
      ++to[d];
    return linear(grid, to[0], to[1], to[2]);
  };
  return {linear(grid, at[0], at[1], at[2]), step(0), step(1), step(2)};
}
