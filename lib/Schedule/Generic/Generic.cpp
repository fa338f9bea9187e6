//===- Generic.cpp - any linalg op, one thread a result -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes whatever no other schedule takes: any maps, any body, several results,
// no parallel loop at all. Reductions run inside a thread, in order.
//
//===----------------------------------------------------------------------===//

#include "../Loops/Points.h"
#include "hwtune/Schedule/Factories.h"

#include <algorithm>

namespace hwtune {
namespace {

using namespace loops;

enum KnobIndex : unsigned { Threads, PerThread, Unroll };

class Generic final : public Schedule {
public:
  std::string_view name() const override { return "generic"; }
  std::string mismatch(const Workload &) const override { return ""; }

  Space space(const Workload &w, const TargetSpec &t) const override {
    int64_t inner = 1;
    for (size_t l = 0; l < w.loops.size(); ++l)
      if (w.loops[l].kind == LoopKind::Reduction)
        inner = std::max<int64_t>(1, assumedExtent(w, l));
    auto own = std::make_shared<Workload>(w); // the space may outlive `w`
    Space s;
    s.knobs = {{"threads", {32, 64, 128, 256, 512, 1024}, "threads of a block"},
               {"per_thread", {1, 2, 4}, "results of one thread"},
               {"unroll",
                {1, 2, 4, 8},
                "copies of the innermost reduction loop's body"}};
    s.constraints.push_back(atMost("threads", "threads of a block", Threads,
                                   double(t.maxThreadsPerBlock)));
    s.constraints.push_back(atMost("unroll",
                                   "iterations of the innermost reduction loop",
                                   Unroll, double(inner)));
    s.constraints.push_back(
        {"grid",
         {Threads, PerThread},
         "blocks of the grid",
         [own, most = double(t.maxGridX)](std::span<const int64_t> v) {
           return std::pair(
               double(blocksOf(plan(*own, v[Threads], v[PerThread], 1))), most);
         }});
    return s;
  }
  Config generic(const Workload &, const TargetSpec &t) const override {
    return {std::min<int64_t>(256, t.maxThreadsPerBlock), 1, 1};
  }
  LaunchShape shape(const Workload &, const TargetSpec &,
                    const Config &c) const override {
    return {c[Threads], 0, false};
  }
  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &c) const override {
    return featuresOf(plan(w, c[Threads], c[PerThread], c[Unroll]), t);
  }
  std::string script(const Workload &w, const TargetSpec &,
                     const Config &c) const override {
    return scriptOf(plan(w, c[Threads], c[PerThread], c[Unroll]));
  }
  std::vector<PtxPromise> promises(const Workload &, const TargetSpec &,
                                   const Config &) const override {
    return {};
  }

private:
  static PointsPlan plan(const Workload &w, int64_t threads, int64_t perThread,
                         int64_t unroll) {
    PointsPlan p;
    p.view = viewOf(w, false);
    p.threads = threads;
    p.perThread = perThread;
    p.unroll = unroll;
    p.tile.assign(p.view.groups.size(), 1);
    p.widths.assign(w.operands.size(), 1);
    // Neighbouring threads write neighbouring elements.
    std::optional<unsigned> fast;
    for (unsigned k = 0; k < w.operands.size() && !fast; ++k)
      if (w.operands[k].isOutput)
        fast = p.view.fastest(k);
    if (!fast || p.view.groups[*fast].kind != LoopKind::Parallel)
      return p;
    for (unsigned g : p.view.of(LoopKind::Parallel))
      if (g != *fast)
        p.order.push_back(g);
    p.order.push_back(*fast);
    return p;
  }
};

} // namespace

std::unique_ptr<Schedule> createGenericSchedule() {
  return std::make_unique<Generic>();
}

} // namespace hwtune
