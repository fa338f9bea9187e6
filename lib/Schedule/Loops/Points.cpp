//===- Points.cpp - the parameters of launch_points -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Points.h"

#include <algorithm>

namespace hwtune::loops {

static std::vector<int64_t> orderOf(const PointsPlan &p) {
  if (!p.order.empty())
    return p.order;
  std::vector<unsigned> parallel = p.view.of(LoopKind::Parallel);
  return {parallel.begin(), parallel.end()};
}

std::vector<int64_t> tileCounts(const PointsPlan &p) {
  std::vector<int64_t> counts;
  for (int64_t g : orderOf(p))
    counts.push_back(ceilDiv(p.view.groups[g].assumed, p.tile[g]));
  return counts;
}

static int64_t tilesOf(const PointsPlan &p) {
  int64_t tiles = 1;
  for (int64_t c : tileCounts(p))
    tiles *= std::max<int64_t>(1, c);
  return tiles;
}

int64_t blocksOf(const PointsPlan &p) {
  return ceilDiv(tilesOf(p), p.threads * p.perThread);
}

static int64_t tilePoints(const PointsPlan &p) {
  int64_t n = 1;
  for (int64_t t : p.tile)
    n *= t;
  return n;
}

/// Loads of operand `k` for one tile: points that differ in it, by width.
static double loadsPerTile(const PointsPlan &p, unsigned k) {
  double n = 1;
  for (size_t g = 0; g < p.tile.size(); ++g)
    if (p.view.stride[k][g] != 0)
      n *= double(p.tile[g]);
  return n / double(p.widths[k]);
}

/// How often the loads of operand `k` run: the reduction loops down to the
/// innermost one that moves it.
static double timesLoaded(const PointsPlan &p, unsigned k) {
  double times = 1, soFar = 1;
  for (size_t g = 0; g < p.view.groups.size(); ++g) {
    if (p.view.groups[g].kind != LoopKind::Reduction)
      continue;
    soFar *= double(p.view.groups[g].assumed);
    if (p.view.stride[k][g] != 0)
      times = soFar;
  }
  return times;
}

static bool hasReduction(const PointsPlan &p) {
  return !p.view.of(LoopKind::Reduction).empty();
}

double registersOf(const PointsPlan &p) {
  constexpr double kBase = 16; ///< ids, addresses, loop counters
  double words = 0;
  const Workload &w = *p.view.workload;
  double inFlight = hasReduction(p) ? double(std::min<int64_t>(p.unroll, 4))
                                    : double(p.perThread);
  for (unsigned k = 0; k < w.operands.size(); ++k) {
    const Operand &op = w.operands[k];
    if (op.isScalar)
      continue;
    double regs = loadsPerTile(p, k) * double(p.widths[k]) *
                  std::max(1.0, double(sizeInBytes(op.type)) / 4);
    if (!op.isOutput)
      words += regs * inFlight + 2;
    else if (hasReduction(p))
      words += double(tilePoints(p)) *
                   std::max(1.0, double(sizeInBytes(op.type)) / 4) +
               2;
    else
      words += 2;
  }
  return kBase + words + (w.body.special > 0 ? 8 : 0);
}

/// Indices of the first tile of each lane of the first warp.
static std::vector<std::vector<int64_t>> laneIndices(const PointsPlan &p,
                                                     int64_t warp) {
  std::vector<std::vector<int64_t>> out;
  std::vector<int64_t> order = orderOf(p), counts = tileCounts(p);
  for (int64_t lane = 0; lane < std::min(warp, p.threads) && lane < tilesOf(p);
       ++lane) {
    std::vector<int64_t> at(p.view.groups.size(), 0),
        parts = splitNumber(lane, counts);
    for (size_t i = 0; i < order.size(); ++i)
      at[order[i]] = parts[i] * p.tile[order[i]];
    out.push_back(at);
  }
  return out;
}

/// Iterations of each loop of the workload that one block covers.
static std::vector<int64_t> blockTile(const PointsPlan &p) {
  std::vector<int64_t> tile(p.view.workload->loops.size(), 1),
      order = orderOf(p), counts = tileCounts(p);
  int64_t left = p.threads * p.perThread;
  for (size_t i = order.size(); i-- > 0;) {
    const Group &g = p.view.groups[order[i]];
    int64_t take = std::min(left, std::max<int64_t>(1, counts[i]));
    left = ceilDiv(left, take);
    int64_t iterations = take * p.tile[order[i]];
    for (size_t l = g.loops.size(); l-- > 0;) {
      int64_t extent =
          std::max<int64_t>(1, assumedExtent(*p.view.workload, g.loops[l]));
      tile[g.loops[l]] = std::min(iterations, extent);
      iterations = ceilDiv(iterations, extent);
    }
  }
  for (size_t l = 0; l < tile.size(); ++l)
    if (p.view.workload->loops[l].kind == LoopKind::Reduction)
      tile[l] = assumedExtent(*p.view.workload, l);
  return tile;
}

/// What a block touches between two turns of its outermost reduction loop: no
/// use of a byte is farther from the one before it.
static std::vector<int64_t> reuseTile(const PointsPlan &p,
                                      std::vector<int64_t> block) {
  const std::vector<Loop> &loops = p.view.workload->loops;
  for (size_t l = 0; l < block.size(); ++l)
    if (loops[l].kind == LoopKind::Reduction && block[l] > 1) {
      block[l] = 1;
      break;
    }
  return block;
}

static void addStream(KernelFeatures &f, const PointsPlan &p, unsigned k,
                      const TargetSpec &t,
                      const std::vector<std::vector<int64_t>> &lanes,
                      const std::vector<int64_t> &block,
                      const std::vector<int64_t> &reuse) {
  const Workload &w = *p.view.workload;
  const Operand &op = w.operands[k];
  if (op.isScalar || f.numStreams == kMaxStreams)
    return;
  AccessStream &s = f.streams[f.numStreams++];
  double accesses = loadsPerTile(p, k) * double(p.perThread);
  if (!op.isOutput)
    s.loads = accesses * timesLoaded(p, k);
  else {
    s.stores = accesses;
    s.loads = op.readsInit ? accesses : 0;
  }
  s.vectorBytes = double(sizeInBytes(op.type) * p.widths[k]);
  WarpAccess a =
      warpAccess(p.view, k, sizeInBytes(op.type) * p.widths[k], t, lanes);
  s.sectors = a.sectors;
  s.lines = a.lines;
  s.wavefronts = a.wavefronts;
  s.uniqueBytes = double(footprintInSectors(w, op, block, t.sectorBytes));
  // The outputs of a reduction are touched before and after its loops only.
  s.reuseBytes = op.isOutput && hasReduction(p)
                     ? double(p.threads) * s.vectorBytes
                     : double(footprintInSectors(w, op, reuse, t.sectorBytes));
  std::vector<int64_t> whole = assumedExtents(w);
  s.totalBytes = double(footprintBytes(w, op, whole));
  double blocks = double(blocksOf(p));
  s.sharingBlocks =
      std::max(1.0, std::min(blocks, blocks * s.uniqueBytes /
                                         std::max(1.0, s.totalBytes)));
}

KernelFeatures featuresOf(const PointsPlan &p, const TargetSpec &t) {
  KernelFeatures f;
  const Workload &w = *p.view.workload;
  f.threadsPerBlock = double(p.threads);
  f.blocks = double(blocksOf(p));
  f.registers = registersOf(p);
  double points = double(tilePoints(p) * p.perThread),
         steps = double(p.view.points(LoopKind::Reduction));
  addBody(f, w, points * steps);
  auto lanes = laneIndices(p, t.warpSize);
  auto block = blockTile(p), reuse = reuseTile(p, block);
  double accesses = 0;
  for (unsigned k = 0; k < w.operands.size(); ++k) {
    addStream(f, p, k, t, lanes, block, reuse);
    f.fragments += w.operands[k].isOutput || w.operands[k].isScalar
                       ? 0
                       : loadsPerTile(p, k) * double(p.widths[k]);
  }
  for (int i = 0; i < f.numStreams; ++i)
    accesses += f.streams[i].loads + f.streams[i].stores;
  bool reduces = hasReduction(p);
  f.loopTurns = reduces ? std::max(1.0, steps / double(p.unroll)) : 1;
  f.accumulators = reduces ? double(tilePoints(p)) : 0;
  f.ilp = reduces ? double(tilePoints(p)) : points;
  // Ids and the first address; per turn counter, compare, branch; per access
  // the address where a loop moves it.
  double split = 6.0 * double(std::max<size_t>(1, tileCounts(p).size()));
  f.otherInsts = 10 + split * double(p.perThread) +
                 (reduces ? 4 * f.loopTurns + 0.75 * accesses : 0);
  double perTurn =
      (f.fma32 + f.fp32 + f.fp64 + f.fp16 + f.integer + accesses) / f.loopTurns;
  f.unrolledBody = perTurn;
  f.codeBytes = 16 * (perTurn + 40);
  f.vectorWidth = double(*std::max_element(p.widths.begin(), p.widths.end()));
  f.flops = w.flops();
  return f;
}

std::string scriptOf(const PointsPlan &p) {
  auto number = [](int64_t v) { return std::to_string(v) + " : i64"; };
  std::vector<std::pair<std::string, std::string>> a{
      {"collapse", arrayText(p.view.collapse())},
      {"tile", arrayText(p.tile)},
      {"per_thread", number(p.perThread)},
      {"unroll", number(p.unroll)}};
  if (!p.order.empty())
    a.emplace_back("order", arrayText(p.order));
  if (p.vectorLoop >= 0)
    a.emplace_back("vector_loop", number(p.vectorLoop));
  a.emplace_back("widths", arrayText(p.widths));
  return launchScript("launch_points", p.threads, a);
}

/// The opcode of one 16-byte access: two or four registers a lane.
static const char *wideAccess(ElementType type, bool store) {
  if (sizeInBytes(type) == 8)
    return store ? "st.global.v2" : "ld.global.v2";
  return store ? "st.global.v4" : "ld.global.v4";
}

std::vector<PtxPromise> promisesOf(const PointsPlan &p) {
  std::vector<PtxPromise> out{
      {"ld.local", 0, 0, "no array of a thread lives in memory"},
      {"st.local", 0, 0, "no array of a thread lives in memory"}};
  const Workload &w = *p.view.workload;
  for (unsigned k = 0; k < w.operands.size(); ++k) {
    const Operand &op = w.operands[k];
    if (op.isScalar || !op.isOutput ||
        p.widths[k] * sizeInBytes(op.type) != kAccessBytes)
      continue;
    out.push_back({wideAccess(op.type, true), int64_t(loadsPerTile(p, k)),
                   INT64_MAX,
                   "16-byte stores of operand " + std::to_string(k)});
  }
  return out;
}

} // namespace hwtune::loops
