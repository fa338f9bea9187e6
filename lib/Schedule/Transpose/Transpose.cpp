//===- Transpose.cpp - elementwise between two layouts --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of two loops, the one that is fastest in an input and the one that is
// fastest in the output, goes through shared memory, so that both sides are
// accessed along their rows. With `shared` = 0 it does not, and one side is
// accessed across rows: worth it only where the caches hold them.
//
//===----------------------------------------------------------------------===//

#include "../Loops/Points.h"
#include "hwtune/Schedule/Factories.h"

#include <algorithm>
#include <numeric>

namespace hwtune {
namespace {

using namespace loops;

enum KnobIndex : unsigned { Shared, TileIn, TileOut, Threads, Vector, Pad };

struct Plan {
  std::string mismatch;
  LoopView view;
  unsigned first = 0, second = 0; ///< groups fastest in the inputs, the output
  std::vector<int64_t> staged;    ///< operands
  int64_t widest = 1;
};

/// Elements of an access that all operands allow along their own loop.
int64_t widestOf(const Plan &p) {
  const Workload &w = *p.view.workload;
  for (int64_t wish : {8, 4, 2}) {
    bool all = true;
    for (unsigned k = 0; k < w.operands.size(); ++k) {
      bool staged =
          std::find(p.staged.begin(), p.staged.end(), k) != p.staged.end();
      unsigned along = staged ? p.first : p.second;
      if (!w.operands[k].isScalar && p.view.stride[k][along] != 0)
        all &= p.view.width(k, along, wish) == wish;
    }
    for (unsigned g : {p.first, p.second})
      all &= p.view.multiple(g) % wish == 0;
    if (all)
      return wish;
  }
  return 1;
}

Plan planOf(const Workload &w) {
  Plan p;
  if (w.kind != WorkloadKind::Transpose) {
    p.mismatch = "it is no transpose: all loops parallel, an input and the "
                 "output fastest along different ones";
    return p;
  }
  p.view = viewOf(w, true);
  std::optional<unsigned> out, in;
  for (unsigned k = 0; k < w.operands.size() && !out; ++k)
    if (w.operands[k].isOutput && !w.operands[k].isScalar)
      out = p.view.fastest(k);
  for (unsigned k = 0; out && k < w.operands.size(); ++k) {
    if (w.operands[k].isOutput || w.operands[k].isScalar)
      continue;
    std::optional<unsigned> fast = p.view.fastest(k);
    if (!fast || *fast == *out || p.view.stride[k][*out] == 0 ||
        (in && *in != *fast))
      continue;
    in = fast;
    p.staged.push_back(k);
  }
  if (!out || !in) {
    p.mismatch = "no input is contiguous along another loop than the output";
    return p;
  }
  p.first = *in;
  p.second = *out;
  p.widest = widestOf(p);
  return p;
}

int64_t pitch(std::span<const int64_t> c) { return c[TileIn] + c[Pad]; }

int64_t sharedBytes(const Workload &w, const Plan &p,
                    std::span<const int64_t> c) {
  int64_t bytes = 0;
  for (int64_t k : p.staged)
    bytes += c[TileOut] * pitch(c) * sizeInBytes(w.operands[k].type);
  return c[Shared] ? bytes : 0;
}

/// The direct form: threads along the output.
PointsPlan direct(const Workload &w, const Plan &p,
                  std::span<const int64_t> c) {
  PointsPlan d;
  d.view = p.view;
  d.view.workload = &w;
  d.threads = c[Threads];
  d.tile.assign(p.view.groups.size(), 1);
  d.tile[p.second] = c[Vector];
  d.vectorLoop = p.second;
  for (unsigned k = 0; k < w.operands.size(); ++k)
    d.widths.push_back(p.view.width(k, p.second, c[Vector]));
  for (unsigned g = 0; g < p.view.groups.size(); ++g)
    if (g != p.second)
      d.order.push_back(g);
  d.order.push_back(p.second);
  return d;
}

int64_t blocksOf(const Plan &p, std::span<const int64_t> c) {
  int64_t n = ceilDiv(p.view.groups[p.first].assumed, c[TileIn]) *
              ceilDiv(p.view.groups[p.second].assumed, c[TileOut]);
  for (unsigned g = 0; g < p.view.groups.size(); ++g)
    if (g != p.first && g != p.second)
      n *= std::max<int64_t>(1, p.view.groups[g].assumed);
  return std::max<int64_t>(1, n);
}

/// Wavefronts of a warp's read down the columns of the tile.
double columnWavefronts(const Workload &w, const Plan &p, const TargetSpec &t,
                        std::span<const int64_t> c) {
  int64_t size = sizeInBytes(w.operands[p.staged.front()].type),
          lines = c[TileOut] / c[Vector];
  std::vector<std::vector<int64_t>> words(t.sharedBanks);
  for (int64_t lane = 0; lane < t.warpSize; ++lane) {
    int64_t s = lane % lines * c[Vector], f = lane / lines;
    int64_t word = (s * pitch(c) + f) * size / t.bankBytes;
    auto &bank = words[word % t.sharedBanks];
    if (std::find(bank.begin(), bank.end(), word) == bank.end())
      bank.push_back(word);
  }
  size_t worst = 1;
  for (auto &bank : words)
    worst = std::max(worst, bank.size());
  return double(worst);
}

class Transpose final : public Schedule {
public:
  std::string_view name() const override { return "transpose"; }
  std::string mismatch(const Workload &w) const override {
    return planOf(w).mismatch;
  }
  Space space(const Workload &w, const TargetSpec &t) const override;

  Config generic(const Workload &w, const TargetSpec &t) const override {
    int64_t threads = std::min<int64_t>(256, t.maxThreadsPerBlock);
    return {1, 32, 32, threads, nearest({1, 2, 4}, planOf(w).widest), 1};
  }
  LaunchShape shape(const Workload &w, const TargetSpec &,
                    const Config &c) const override {
    return {c[Threads], sharedBytes(w, planOf(w), c), false};
  }
  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &c) const override;
  std::string script(const Workload &w, const TargetSpec &,
                     const Config &c) const override {
    Plan p = planOf(w);
    if (!c[Shared])
      return scriptOf(direct(w, p, c));
    auto number = [](int64_t v) { return std::to_string(v) + " : i64"; };
    return launchScript(
        "launch_transpose", c[Threads],
        {{"collapse", arrayText(p.view.collapse())},
         {"loops", arrayText({int64_t(p.first), int64_t(p.second)})},
         {"tile", arrayText({c[TileIn], c[TileOut]})},
         {"staged", arrayText(p.staged)},
         {"width", number(c[Vector])},
         {"pad", number(c[Pad])}});
  }
  std::vector<PtxPromise> promises(const Workload &w, const TargetSpec &,
                                   const Config &c) const override {
    Plan p = planOf(w);
    if (!c[Shared]) {
      std::vector<PtxPromise> out = promisesOf(direct(w, p, c));
      out.push_back({"st.shared", 0, 0, "nothing goes through shared memory"});
      return out;
    }
    return {{"bar.sync", 1, 1, "one barrier between the two phases"},
            {"st.shared", 1, INT64_MAX, "the tile goes through shared memory"},
            {"ld.shared", 1, INT64_MAX, "the tile goes through shared memory"}};
  }
};

Space Transpose::space(const Workload &w, const TargetSpec &t) const {
  auto own = std::make_shared<Workload>(w); // the space may outlive `w`
  auto p = std::make_shared<Plan>(planOf(*own));
  auto extent = [&](unsigned g) {
    return double(
        powerOfTwoAtLeast(std::max<int64_t>(32, p->view.groups[g].assumed)));
  };
  Space s;
  s.knobs = {{"shared", {1, 0}, "1: through shared memory, 0: directly", true},
             {"tile_in",
              {16, 32, 64, 128},
              "elements of a tile along the input's fastest loop"},
             {"tile_out",
              {16, 32, 64, 128},
              "elements of a tile along the output's fastest loop"},
             {"threads", {64, 128, 256, 512, 1024}, "threads of a block"},
             {"vector", {1, 2, 4, 8}, "elements of a global access"},
             {"pad", {0, 1, 2, 4}, "extra elements of a tile row"}};
  s.constraints.push_back(atMost("threads", "threads of a block", Threads,
                                 double(t.maxThreadsPerBlock)));
  s.constraints.push_back(
      atMost("vector", "elements of an access (16 bytes, rows and types allow)",
             Vector, double(p->widest)));
  s.constraints.push_back(atMost("tile", "tile along the input's fastest loop",
                                 TileIn, extent(p->first)));
  s.constraints.push_back(atMost("tile", "tile along the output's fastest loop",
                                 TileOut, extent(p->second)));
  // Directly there is no tile and no row: one value of each stands for all.
  s.constraints.push_back(
      {"direct",
       {Shared, TileIn, TileOut, Pad},
       "tile and padding without shared memory",
       [](std::span<const int64_t> c) {
         bool first = c[TileIn] == 32 && c[TileOut] == 32 && c[Pad] == 0;
         return std::pair(c[Shared] || first ? 0.0 : 1.0, 0.0);
       }});
  s.constraints.push_back(
      {"threads",
       {Shared, TileIn, TileOut, Threads, Vector},
       "accesses of the smaller tile side a round needs all threads for",
       [](std::span<const int64_t> c) {
         int64_t accesses = c[TileIn] * c[TileOut] / c[Vector];
         return std::pair(c[Shared] ? double(c[Threads]) : 0.0,
                          double(accesses));
       }});
  s.constraints.push_back(
      {"threads",
       {Shared, TileIn, TileOut, Threads, Vector},
       "accesses of one tile row in a round of all threads",
       [](std::span<const int64_t> c) {
         return std::pair(
             c[Shared] ? double(std::max(c[TileIn], c[TileOut]) / c[Vector])
                       : 0.0,
             double(c[Threads]));
       }});
  s.constraints.push_back(
      {"shared-memory",
       {Shared, TileIn, TileOut, Pad},
       "shared memory of a block (bytes)",
       [own, p, most = double(t.sharedPerBlock)](std::span<const int64_t> c) {
         return std::pair(double(sharedBytes(*own, *p, c)), most);
       }});
  s.constraints.push_back(
      {"grid",
       {Shared, TileIn, TileOut},
       "blocks of the grid",
       [p, most = double(t.maxGridX)](std::span<const int64_t> c) {
         return std::pair(c[Shared] ? double(blocksOf(*p, c)) : 0.0, most);
       }});
  return s;
}

KernelFeatures Transpose::features(const Workload &w, const TargetSpec &t,
                                   const Config &c) const {
  Plan p = planOf(w);
  if (!c[Shared])
    return featuresOf(direct(w, p, c), t);
  KernelFeatures f;
  double points =
      double(c[TileIn] * c[TileOut]) / double(c[Threads]); // of one thread
  f.threadsPerBlock = double(c[Threads]);
  f.blocks = double(blocksOf(p, c));
  f.sharedBytes = double(sharedBytes(w, p, c));
  double rounds = std::max(1.0, points / double(c[Vector]));
  f.registers =
      20 + double(p.staged.size()) * std::min(points, 16.0) + 2 * rounds;
  addBody(f, w, points);
  std::vector<int64_t> whole = assumedExtents(w);
  for (unsigned k = 0; k < w.operands.size() && f.numStreams < kMaxStreams - 1;
       ++k) {
    const Operand &op = w.operands[k];
    if (op.isScalar)
      continue;
    bool staged =
        std::find(p.staged.begin(), p.staged.end(), k) != p.staged.end();
    unsigned along = staged ? p.first : p.second,
             across = staged ? p.second : p.first;
    int64_t lines = (staged ? c[TileIn] : c[TileOut]) / c[Vector];
    std::vector<std::vector<int64_t>> at;
    for (int64_t lane = 0; lane < t.warpSize; ++lane) {
      std::vector<int64_t> index(p.view.groups.size(), 0);
      index[along] = lane % lines * c[Vector];
      index[across] = lane / lines;
      at.push_back(index);
    }
    int64_t width = p.view.stride[k][along] == 0 ? 1 : c[Vector];
    AccessStream &s = f.streams[f.numStreams++];
    s.loads = op.isOutput ? (op.readsInit ? rounds : 0) : rounds;
    s.stores = op.isOutput ? rounds : 0;
    s.vectorBytes = double(sizeInBytes(op.type) * width);
    WarpAccess a = warpAccess(p.view, k, int64_t(s.vectorBytes), t, at);
    s.sectors = a.sectors;
    s.lines = a.lines;
    s.wavefronts = a.wavefronts;
    s.totalBytes = double(footprintBytes(w, op, whole));
    s.uniqueBytes = s.totalBytes / std::max(1.0, f.blocks);
  }
  AccessStream &s = f.streams[f.numStreams++];
  s.isShared = true;
  s.loads = points * double(p.staged.size());
  s.stores = s.loads;
  s.vectorBytes = double(sizeInBytes(w.operands[p.staged.front()].type));
  s.wavefronts =
      (1 + columnWavefronts(w, p, t, c)) / 2; // rows are free of conflicts
  f.barriers = 1;
  f.copyPhases = 1;
  f.loopTurns = 1;
  f.ilp = points;
  // Thread and block indices to two tile positions, and their bounds: integer
  // work, 64-bit addresses in two parts. Counted in PTX.
  f.integer += 50 + 4 * rounds;
  f.otherInsts = 10 + 2 * rounds;
  f.unrolledBody = 4 * points;
  f.codeBytes = 16 * (f.unrolledBody + 60);
  f.vectorWidth = double(c[Vector]);
  f.flops = w.flops();
  return f;
}

} // namespace

std::unique_ptr<Schedule> createTransposeSchedule() {
  return std::make_unique<Transpose>();
}

} // namespace hwtune
