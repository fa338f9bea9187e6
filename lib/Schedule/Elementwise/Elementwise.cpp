//===- Elementwise.cpp - one pass over parallel loops ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops along which every operand is contiguous run as one. A thread takes
// vectors of the fastest loop, `threads` vectors apart, and loads all of them
// before it stores one.
//
//===----------------------------------------------------------------------===//

#include "../Loops/Points.h"
#include "hwtune/Schedule/Factories.h"

#include <algorithm>

namespace hwtune {
namespace {

using namespace loops;

enum KnobIndex : unsigned { Threads, Vector, PerThread };

class Elementwise final : public Schedule {
public:
  std::string_view name() const override { return "elementwise"; }

  std::string mismatch(const Workload &w) const override {
    if (w.kind == WorkloadKind::Elementwise)
      return "";
    return "it is no elementwise op: loops all parallel, operands read and "
           "written in one order";
  }

  Space space(const Workload &w, const TargetSpec &t) const override {
    // The space may outlive the workload.
    auto own = std::make_shared<Workload>(w);
    Space s;
    s.knobs = {{"threads", {32, 64, 128, 256, 512, 1024}, "threads of a block"},
               {"vector",
                {1, 2, 4, 8, 16},
                "elements of the fastest loop in one access"},
               {"per_thread", {1, 2, 4, 8}, "vectors of one thread"}};
    s.constraints.push_back(atMost("threads", "threads of a block", Threads,
                                   double(t.maxThreadsPerBlock)));
    s.constraints.push_back(atMost(
        "vector", "elements of an access (16 bytes, rows and types allow)",
        Vector, double(widest(w))));
    s.constraints.push_back(
        {"registers",
         {Vector, PerThread},
         "registers of a thread",
         [own,
          most = double(t.maxRegistersPerThread)](std::span<const int64_t> v) {
           return std::pair(
               registersOf(plan(*own, 32, v[Vector], v[PerThread])), most);
         }});
    s.constraints.push_back(
        {"grid",
         {Threads, Vector, PerThread},
         "blocks of the grid",
         [own, most = double(t.maxGridX)](std::span<const int64_t> v) {
           return std::pair(double(blocksOf(plan(*own, v[Threads], v[Vector],
                                                 v[PerThread]))),
                            most);
         }});
    return s;
  }

  Config generic(const Workload &w, const TargetSpec &t) const override {
    int64_t threads = std::min<int64_t>(256, t.maxThreadsPerBlock);
    return {threads, nearest({1, 2, 4}, widest(w)), 1};
  }

  LaunchShape shape(const Workload &, const TargetSpec &,
                    const Config &c) const override {
    return {c[Threads], 0, false};
  }
  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &c) const override {
    return featuresOf(plan(w, c[Threads], c[Vector], c[PerThread]), t);
  }
  std::string script(const Workload &w, const TargetSpec &,
                     const Config &c) const override {
    return scriptOf(plan(w, c[Threads], c[Vector], c[PerThread]));
  }
  std::vector<PtxPromise> promises(const Workload &w, const TargetSpec &,
                                   const Config &c) const override {
    return promisesOf(plan(w, c[Threads], c[Vector], c[PerThread]));
  }

private:
  /// The loop that vectors lie along: the last one that moves the first output.
  static std::optional<unsigned> fastLoop(const LoopView &v) {
    for (unsigned k = 0; k < v.workload->operands.size(); ++k)
      if (v.workload->operands[k].isOutput && !v.workload->operands[k].isScalar)
        return v.fastest(k);
    return std::nullopt;
  }

  /// Elements for which every contiguous operand has full accesses: the tile,
  /// of which a wide type takes several.
  static int64_t widest(const Workload &w) {
    LoopView v = viewOf(w, true);
    std::optional<unsigned> g = fastLoop(v);
    if (!g)
      return 1;
    int64_t most = 1;
    for (int64_t wish : {16, 8, 4, 2}) {
      if (wish > v.groups[*g].assumed) // no vector would lie inside
        continue;
      bool all = true, some = false;
      for (unsigned k = 0; k < w.operands.size(); ++k) {
        if (w.operands[k].isScalar || v.stride[k][*g] == 0)
          continue;
        int64_t full =
            std::min(wish, kAccessBytes / sizeInBytes(w.operands[k].type));
        int64_t got = v.width(k, *g, wish);
        all &= got == full;
        some |= got == wish;
      }
      if (all && some) {
        most = wish;
        break;
      }
    }
    return most;
  }

  static PointsPlan plan(const Workload &w, int64_t threads, int64_t vector,
                         int64_t perThread) {
    PointsPlan p;
    p.view = viewOf(w, true);
    p.threads = threads;
    p.perThread = perThread;
    p.tile.assign(p.view.groups.size(), 1);
    std::optional<unsigned> g = fastLoop(p.view);
    for (unsigned k = 0; k < w.operands.size(); ++k)
      p.widths.push_back(g ? p.view.width(k, *g, vector) : 1);
    if (!g)
      return p;
    p.tile[*g] = vector;
    p.vectorLoop = *g;
    // The loop of the vectors is the fastest of the grid, too.
    for (unsigned i : p.view.of(LoopKind::Parallel))
      if (i != *g)
        p.order.push_back(i);
    p.order.push_back(*g);
    return p;
  }
};

} // namespace

std::unique_ptr<Schedule> createElementwiseSchedule() {
  return std::make_unique<Elementwise>();
}

} // namespace hwtune
