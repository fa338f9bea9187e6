//===- CacheTest.cpp - hit rates against an exact simulation --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is a small kernel given twice: as features in closed form, and as
// the address of every access. The addresses go through set-associative LRU
// caches with sector-sized lines, waves of resident blocks side by side, and
// hit rates and bytes per level must agree with the model's.
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "hwtune/Model/Cost.h"
#include "hwtune/Support/Random.h"

#include <functional>
#include <gtest/gtest.h>
#include <list>
#include <set>

using namespace hwtune;

namespace {

constexpr int64_t kSector = 32;

/// Exact set-associative LRU cache of sector-sized lines.
class Cache {
public:
  Cache(int64_t bytes, int64_t ways) : ways(ways) {
    sets.resize(size_t(std::max<int64_t>(bytes / kSector / ways, 1)));
  }
  /// True on a hit; fills on a miss.
  bool access(int64_t sector) {
    // Folded, so that power-of-two strides do not all meet in one set.
    uint64_t hash = uint64_t(sector) * 0x9e3779b97f4a7c15u;
    std::list<int64_t> &set = sets[(hash >> 32) % sets.size()];
    for (auto it = set.begin(); it != set.end(); ++it)
      if (*it == sector) {
        set.splice(set.begin(), set, it);
        return true;
      }
    set.push_front(sector);
    if (int64_t(set.size()) > ways)
      set.pop_back();
    return false;
  }

private:
  int64_t ways;
  std::vector<std::list<int64_t>> sets;
};

/// Byte address that `lane` of `warp` of `block` reads at `step`.
using Address = std::function<int64_t(int64_t block, int64_t warp, int64_t lane,
                                      int64_t step)>;
struct Stream {
  AccessStream features;
  Address address;
};
struct Case {
  std::string name;
  int64_t blocks = 1, warps = 1, steps = 1;
  std::vector<Stream> streams;
};
struct Result {
  double requests = 0, l1Misses = 0, l2Misses = 0;
};

Result simulate(const Case &c, const TargetSpec &t, int64_t blocksPerSM) {
  Result r;
  Cache l2(t.l2Bytes, 16);
  std::vector<Cache> l1(size_t(t.smCount), Cache(t.l1PlusShared, 8));
  int64_t wave = t.smCount * blocksPerSM;
  Random random(1);
  for (int64_t first = 0; first < c.blocks; first += wave) {
    // Which SM gets which block of a wave is not documented: by seed.
    std::vector<int64_t> place(static_cast<size_t>(wave));
    for (int64_t i = 0; i < wave; ++i)
      place[size_t(i)] = i % t.smCount;
    for (size_t i = place.size(); i > 1; --i)
      std::swap(place[i - 1], place[random.below(i)]);
    for (int64_t step = 0; step < c.steps; ++step)
      for (int64_t b = first; b < std::min(first + wave, c.blocks); ++b)
        for (int64_t w = 0; w < c.warps; ++w)
          for (const Stream &s : c.streams) {
            std::set<int64_t> sectors;
            for (int64_t lane = 0; lane < 32; ++lane)
              sectors.insert(s.address(b, w, lane, step) / kSector);
            for (int64_t sector : sectors) {
              ++r.requests;
              if (l1[size_t(place[size_t(b - first)])].access(sector))
                continue;
              ++r.l1Misses;
              r.l2Misses += !l2.access(sector);
            }
          }
  }
  return r;
}

TargetSpec cacheTarget() {
  TargetSpec t = roundTarget();
  t.smCount = 4;
  t.l1PlusShared = 16 * 1024;
  t.l2Bytes = 128 * 1024;
  t.maxBlocksPerSM = 2;
  return t;
}

AccessStream stream(double loads, double sectors, double unique, double total,
                    double sharing = 1, double reuse = 0) {
  AccessStream s;
  s.loads = loads;
  s.sectors = sectors;
  s.lines = std::max(1.0, sectors / 4);
  s.uniqueBytes = unique;
  s.totalBytes = total;
  s.sharingBlocks = sharing;
  s.reuseBytes = reuse;
  return s;
}

constexpr int64_t kFar = int64_t(1) << 32; // between operands

/// Every byte read once.
Case streaming(int64_t blocks, int64_t warps, int64_t steps) {
  double unique = double(warps * steps * 128);
  return {"streaming",
          blocks,
          warps,
          steps,
          {{stream(double(steps), 4, unique, unique * double(blocks)),
            [=](auto b, auto w, auto l, auto s) {
              return ((b * warps + w) * steps + s) * 128 + l * 4;
            }}}};
}

/// Every warp of a block reads the block's own `bytes` over and over.
Case ownTable(int64_t blocks, int64_t warps, int64_t rounds, int64_t bytes) {
  int64_t steps = rounds * bytes / 128;
  return {"own table",
          blocks,
          warps,
          steps,
          {{stream(double(steps), 4, double(bytes), double(bytes * blocks)),
            [=](auto b, auto, auto l, auto s) {
              return b * bytes + (s * 128 + l * 4) % bytes;
            }}}};
}

/// All blocks read one table once, in step.
Case commonTable(int64_t blocks, int64_t bytes) {
  int64_t steps = bytes / 128;
  return {"common table",
          blocks,
          1,
          steps,
          {{stream(double(steps), 4, double(bytes), double(bytes),
                   double(blocks), 128),
            [=](auto, auto, auto l, auto s) { return s * 128 + l * 4; }}}};
}

/// Each lane reads its own row of `row` bytes word by word: a sector serves
/// eight steps if L1 holds one sector a lane.
Case rowPerLane(int64_t blocks, int64_t warps, int64_t row) {
  double unique = double(warps * 32 * row);
  return {"row per lane",
          blocks,
          warps,
          row / 4,
          {{stream(double(row / 4), 32, unique, unique * double(blocks), 1,
                   double(warps * 32 * kSector)),
            [=](auto b, auto w, auto l, auto s) {
              return ((b * warps + w) * 32 + l) * row + s * 4;
            }}}};
}

/// Naive matmul, one output a lane: a warp is a row of 32 outputs, `warps`
/// rows a block. A is one word a warp and step, B a line that all warps share.
Case matmul(int64_t tilesM, int64_t tilesN, int64_t warps, int64_t k) {
  int64_t blocks = tilesM * tilesN, n = tilesN * 32, m = tilesM * warps;
  // Of the eight blocks in flight, those in one row and in one column.
  double inRow = double(std::min<int64_t>(tilesN, 8));
  double inColumn =
      std::max(1.0, double(std::min<int64_t>(8, blocks)) / double(tilesN));
  double bytesA = double(warps * k * 4), bytesB = double(k * 128);
  return {"matmul",
          blocks,
          warps,
          k,
          {{stream(double(k), 1, bytesA, double(m * k * 4), inRow,
                   double(warps * kSector)),
            [=](auto b, auto w, auto, auto s) {
              return ((b / tilesN * warps + w) * k + s) * 4;
            }},
           {stream(double(k), 4, bytesB, double(k * n * 4), inColumn, 128),
            [=](auto b, auto, auto l, auto s) {
              return kFar + (s * n + b % tilesN * 32 + l) * 4;
            }}}};
}

/// One-dimensional stencil of `taps` taps over warps * 32 outputs a block.
Case stencil(int64_t blocks, int64_t warps, int64_t taps) {
  int64_t width = warps * 32;
  double unique = double((width + taps - 1) * 4);
  double total = double((width * blocks + taps - 1) * 4);
  // An unaligned line of 128 bytes touches five sectors, seven times of eight.
  double sectors = taps > 1 ? 4 + 7.0 / 8 * double(taps - 1) / double(taps) : 4;
  return {"stencil",
          blocks,
          warps,
          taps,
          {{stream(double(taps), sectors, unique, total),
            [=](auto b, auto w, auto l, auto s) {
              return (b * width + w * 32 + l + s) * 4;
            }}}};
}

void check(const Case &c) {
  TargetSpec t = cacheTarget();
  KernelFeatures f;
  f.threadsPerBlock = double(c.warps * 32);
  f.blocks = double(c.blocks);
  f.fma32 = 1;
  f.numStreams = int(c.streams.size());
  for (size_t i = 0; i < c.streams.size(); ++i)
    f.streams[i] = c.streams[i].features;
  Prediction p = predict(f, t);
  Result r = simulate(c, t, int64_t(p.blocksPerSM));
  double hit1 = 1 - r.l1Misses / r.requests;
  double hit2 = r.l1Misses > 0 ? 1 - r.l2Misses / r.l1Misses : 0;
  SCOPED_TRACE(c.name + ": " + std::to_string(c.blocks) + " blocks, " +
               std::to_string(c.warps) + " warps, " + std::to_string(c.steps) +
               " steps");
  EXPECT_NEAR(p.l1Hit, hit1, 0.06);
  EXPECT_NEAR(p.l2Hit, hit2, 0.12);
  EXPECT_NEAR(p.l2BytesMoved / (r.l1Misses * kSector), 1, 0.15);
  EXPECT_NEAR(p.dramBytesMoved / (r.l2Misses * kSector), 1, 0.15);
}

} // namespace

TEST(CacheModel, Streaming) {
  check(streaming(1, 1, 8));
  check(streaming(8, 4, 16));
  check(streaming(40, 2, 64));
}

TEST(CacheModel, TableOfABlockThatFitsL1) {
  check(ownTable(1, 1, 2, 1024));
  check(ownTable(8, 1, 4, 2048));
  check(ownTable(16, 4, 8, 4096));
  check(ownTable(24, 2, 16, 1024));
}

TEST(CacheModel, TableOfABlockThatFitsL2Only) {
  check(ownTable(4, 1, 4, 20 * 1024));
  check(ownTable(4, 1, 8, 20 * 1024));
}

TEST(CacheModel, TableThatAllBlocksRead) {
  check(commonTable(4, 4096));
  check(commonTable(16, 8192));
  check(commonTable(32, 64 * 1024));
}

TEST(CacheModel, RowPerLane) {
  check(rowPerLane(4, 1, 64));
  check(rowPerLane(8, 2, 128));
  check(rowPerLane(16, 4, 64));
}

TEST(CacheModel, NaiveMatmul) {
  check(matmul(1, 1, 8, 64));
  check(matmul(2, 2, 8, 64));
  check(matmul(4, 4, 4, 128));
  check(matmul(8, 4, 8, 96));
}

TEST(CacheModel, Stencil) {
  check(stencil(1, 4, 5));
  check(stencil(8, 4, 9));
  check(stencil(32, 8, 15));
  check(stencil(16, 2, 3));
}
