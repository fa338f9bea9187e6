//===- Traffic.cpp - bytes between L2 and DRAM ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Traffic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

using namespace hwtune;
using namespace hwtune::timing;

namespace {

using Lines = std::vector<uint64_t>;
/// Sorted lines by the allocation they lie in.
using ByAllocation = std::map<exec::DeviceAddress, Lines>;

ByAllocation split(const Lines &lines, unsigned lineBytes,
                   const exec::GlobalMemory &memory) {
  ByAllocation parts;
  const exec::Allocation *last = nullptr;
  for (uint64_t line : lines) {
    uint64_t address = line * lineBytes;
    if (!last || address < last->base || address >= last->base + last->bytes)
      last = memory.find(address);
    parts[last ? last->base : 0].push_back(line);
  }
  return parts;
}

double overlap(const Lines &a, const Lines &b) {
  if (a.empty())
    return 1;
  size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      ++common, ++i, ++j;
    else if (*i < *j)
      ++i;
    else
      ++j;
  }
  return double(common) / double(a.size());
}

/// How the lines of one allocation are shared between blocks.
struct Sharing {
  double lines = 0;
  std::array<double, 3> overlap{}; ///< of neighbours in x, y, z
  double most = 0;                 ///< lines that any block may touch
  /// Where blocks far apart go over the same range: how much of a block's time
  /// lies between their touches of one place.
  double apart = 0;
  bool isFar = false;
  std::array<uint64_t, 2> allocation{}; ///< first line and end

  /// Lines of `blocks`, those alone counted once that neighbours share.
  double sum(const std::array<double, 3> &blocks) const {
    double result = lines;
    for (unsigned d = 0; d < 3; ++d)
      result *= 1 + (blocks[d] - 1) * (1 - overlap[d]);
    return result;
  }
  double unique(const std::array<double, 3> &blocks) const {
    return std::min(sum(blocks), most);
  }
};

/// The box of the grid that `count` blocks in launch order cover.
std::array<double, 3> box(exec::Dim3 grid, uint64_t count) {
  double x = std::min<double>(grid[0], count);
  double y = std::clamp<double>(std::ceil(double(count) / grid[0]), 1, grid[1]);
  double z = std::clamp<double>(std::ceil(double(count) / grid[0] / grid[1]), 1,
                                grid[2]);
  return {x, y, z};
}

std::vector<Sharing> sharing(const std::array<const Lines *, 4> &blocks,
                             const std::array<bool, 3> &hasNeighbour,
                             unsigned lineBytes,
                             const exec::GlobalMemory &memory) {
  std::vector<Sharing> result;
  std::array<ByAllocation, 4> parts;
  for (unsigned i = 0; i < 4; ++i)
    parts[i] = split(*blocks[i], lineBytes, memory);
  for (const auto &[base, lines] : parts[0]) {
    Sharing share;
    share.lines = double(lines.size());
    const exec::Allocation *allocation = memory.find(base);
    share.most = allocation ? std::ceil(double(allocation->bytes) / lineBytes)
                            : share.lines;
    share.most = std::max(share.most, share.lines);
    if (allocation)
      share.allocation = {allocation->base / lineBytes,
                          (allocation->base + allocation->bytes) / lineBytes +
                              1};
    for (unsigned d = 0; d < 3; ++d)
      share.overlap[d] =
          hasNeighbour[d] ? overlap(lines, parts[d + 1][base]) : 1;
    result.push_back(share);
  }
  return result;
}

/// A line and when a block first touches it, in the block's own time from 0 to
/// 1.
using Touch = std::pair<uint64_t, double>;

/// Those between two lines, by line.
std::vector<Touch> touchesIn(const std::array<uint64_t, 2> &range,
                             const Lines &order) {
  std::vector<Touch> touches;
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] >= range[0] && order[i] < range[1])
      touches.emplace_back(order[i], double(i) / double(order.size()));
  std::sort(touches.begin(), touches.end());
  return touches;
}

/// Mean time between a touch of `a` and that of `b` next to it in memory.
double timeApart(const std::vector<Touch> &a, const std::vector<Touch> &b) {
  double apart = 0;
  for (const auto &[line, when] : a) {
    auto next = std::lower_bound(b.begin(), b.end(), Touch{line, 0});
    if (next == b.end() || (next != b.begin() &&
                            line - std::prev(next)->first < next->first - line))
      --next;
    apart += std::abs(when - next->second);
  }
  return apart / double(a.size());
}

/// Looks whether a block in the middle and those at the ends of the grid go
/// over the same range of an allocation, rather than each over its own part.
void lookFarAway(Sharing &share, const BlockLines &center,
                 std::initializer_list<const BlockLines *> ends) {
  std::vector<Touch> own = touchesIn(share.allocation, center.readOrder);
  if (own.empty())
    return;
  uint64_t lowest = own.front().first, highest = own.back().first;
  uint64_t narrowest = highest - lowest;
  double apart = 0;
  for (const BlockLines *end : ends) {
    std::vector<Touch> other = touchesIn(share.allocation, end->readOrder);
    if (other.empty())
      return;
    lowest = std::min(lowest, other.front().first);
    highest = std::max(highest, other.back().first);
    narrowest = std::min(narrowest, other.back().first - other.front().first);
    apart += timeApart(other, own) / double(ends.size());
  }
  share.isFar = 2 * narrowest > highest - lowest;
  if (!share.isFar)
    return;
  share.apart = apart;
  share.most = std::min(share.most, double(highest - lowest + 1));
}

/// Atomics of one block on an address, and what they and those of its
/// neighbours say of the grid's.
struct Meeting {
  double byCenter = 0, all = 0;
};

Meeting meeting(uint64_t address, double count,
                const std::array<const AtomicCounts *, 3> &others,
                exec::Dim3 grid) {
  double blocks = 1, sharers = 0, theirs = 0;
  for (unsigned d = 0; d < 3; ++d) {
    if (!others[d])
      continue;
    auto at = others[d]->find(address);
    if (at == others[d]->end())
      continue;
    blocks *= grid[d];
    ++sharers;
    theirs += double(at->second);
  }
  return {count * blocks, blocks * (sharers > 0 ? theirs / sharers : count)};
}

} // namespace

double timing::hotAtomics(const AtomicsByBlock &atomics, const Neighbours &near,
                          exec::Dim3 grid) {
  auto of = [&](uint64_t block) {
    auto at = atomics.find(block);
    return at == atomics.end() ? nullptr : &at->second;
  };
  const AtomicCounts *center = of(near.center);
  if (!center)
    return 0;
  auto neighbour = [&](uint64_t block) {
    return block == near.center ? nullptr : of(block);
  };
  std::array<const AtomicCounts *, 3> others{
      neighbour(near.x), neighbour(near.y), neighbour(near.z)};
  // One block chooses the address and the others count: the most of many counts
  // is more than the mean at that address.
  Meeting hottest;
  for (auto [address, count] : *center) {
    Meeting here = meeting(address, double(count), others, grid);
    if (here.byCenter > hottest.byCenter ||
        (here.byCenter == hottest.byCenter && here.all > hottest.all))
      hottest = here;
  }
  return hottest.all;
}

double timing::surviving(double volume, double cacheBytes) {
  return volume > 0 ? std::min(1.0, cacheBytes / (2 * volume)) : 1;
}

double timing::dramBytesPerClk(const TargetSpec &target, double readBytes,
                               double writeBytes) {
  if (target.dramGBs <= 0 || target.clockMHz <= 0)
    return 0;
  double read = target.dramEffRead.value_or(1);
  double mixed = target.dramEffMixed.value_or(read);
  double all = readBytes + writeBytes;
  double mix = all > 0 ? 2 * std::min(readBytes, writeBytes) / all : 0;
  return target.dramGBs * 1e3 / target.clockMHz * (read + mix * (mixed - read));
}

double timing::stillThere(double distance, double cacheBytes) {
  return cacheBytes > 0 ? std::clamp(2 - distance / cacheBytes, 0.0, 1.0) : 0;
}

void DramTraffic::followItself(double l2Bytes) {
  double kept = surviving(uniqueReadBytes + writeBytes, l2Bytes);
  readBytes -= kept * uniqueReadBytes;
  writeBytes -= kept * writeBytes;
}

DramTraffic timing::dramTraffic(const LinesByBlock &lines,
                                const Neighbours &near, exec::Dim3 grid,
                                uint64_t waveBlocks, double l2Bytes,
                                unsigned lineBytes,
                                const exec::GlobalMemory &memory,
                                bool byDistance) {
  DramTraffic traffic;
  static const BlockLines kNone;
  auto of = [&](uint64_t block) -> const BlockLines & {
    auto at = lines.find(block);
    return at == lines.end() ? kNone : at->second;
  };
  std::array<uint64_t, 4> ids{near.center, near.x, near.y, near.z};
  std::array<bool, 3> has{near.x != near.center, near.y != near.center,
                          near.z != near.center};
  std::array<const Lines *, 4> read, written;
  for (unsigned i = 0; i < 4; ++i) {
    read[i] = &of(ids[i]).read;
    written[i] = &of(ids[i]).written;
  }
  double total = double(grid[0]) * grid[1] * grid[2];
  waveBlocks = std::clamp<uint64_t>(waveBlocks, 1, uint64_t(total));
  double waves = total / double(waveBlocks);
  std::array<double, 3> whole{double(grid[0]), double(grid[1]),
                              double(grid[2])};
  std::array<double, 3> wave = box(grid, waveBlocks);
  std::vector<Sharing> reads = sharing(read, has, lineBytes, memory);
  auto ends = {&of(0), &of(uint64_t(total) - 1)};
  bool oneWave = byDistance && waves <= 1 && total > 2 * ids.size();
  if (oneWave) {
    for (Sharing &share : reads)
      lookFarAway(share, of(near.center), ends);
  }
  double volume = 0, flow = 0; // bytes: distinct, and all that are asked for
  for (const Sharing &share : reads) {
    volume += share.unique(wave) * lineBytes;
    flow += share.sum(wave) * lineBytes;
  }
  traffic.againHitRate = stillThere(volume, l2Bytes);
  // What survives from one wave to the next.
  double kept = surviving(volume, l2Bytes);
  for (const Sharing &share : reads) {
    double once = share.unique(whole) * lineBytes;
    double eachWave = std::max(once, waves * share.unique(wave) * lineBytes);
    traffic.readBytes += kept * once + (1 - kept) * eachWave;
    if (share.isFar) {
      double again = std::max(0.0, share.sum(whole) - share.most) * lineBytes;
      double distance = std::min(volume, share.apart * flow);
      traffic.readBytes += again * (1 - stillThere(distance, l2Bytes));
    }
    traffic.uniqueReadBytes += once;
  }
  traffic.blockReadSectors = double(of(near.center).readSectors) * total;
  for (const Sharing &share : sharing(written, has, lineBytes, memory))
    traffic.writeBytes += share.unique(whole) * lineBytes;
  return traffic;
}
