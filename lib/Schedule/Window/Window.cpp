//===- Window.cpp - convolutions and pooling, directly --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes a register tile of outputs: `tile_x` along the output's
// fastest loop, in accesses as wide as that allows, by `tile_y` along a second
// one that lets the input be reused which the first does not; the window and
// channel loops run inside, in order. No shared memory: the overlap of
// neighbouring windows is left to the caches.
//
//===----------------------------------------------------------------------===//

#include "../Loops/Points.h"
#include "hwtune/Schedule/Factories.h"

#include <algorithm>

namespace hwtune {
namespace {

using namespace loops;

enum KnobIndex : unsigned { Threads, TileX, TileY, Unroll };

/// The two loops of the register tile.
struct TileLoops {
  unsigned x = 0;
  std::optional<unsigned> y;
};

TileLoops tileLoops(const LoopView &v) {
  TileLoops out;
  const Workload &w = *v.workload;
  std::vector<unsigned> parallel = v.of(LoopKind::Parallel);
  unsigned output = w.operands.size() - 1;
  out.x = v.fastest(output).value_or(parallel.back());
  // Whether an input is the same all along loop `g`, and moves along `than`.
  auto reuses = [&](unsigned g, std::optional<unsigned> than) {
    for (unsigned k = 0; k < output && w.body.fma > 0; ++k)
      if (!w.operands[k].isScalar && v.stride[k][g] == 0 &&
          (!than || v.stride[k][*than] != 0))
        return true;
    return false;
  };
  // Reuse first: of what the tile's first loop does not reuse, then of any.
  for (unsigned pass = 0; pass < 3; ++pass)
    for (size_t i = parallel.size(); i-- > 0 && !out.y;) {
      unsigned g = parallel[i];
      if (g == out.x || v.groups[g].extent == 1)
        continue;
      if (pass == 2 ||
          reuses(g, pass == 0 ? std::optional(out.x) : std::nullopt))
        out.y = g;
    }
  return out;
}

PointsPlan plan(const Workload &w, const Config &c) {
  PointsPlan p;
  p.view = viewOf(w, false);
  TileLoops loops = tileLoops(p.view);
  p.threads = c[Threads];
  p.unroll = c[Unroll];
  p.tile.assign(p.view.groups.size(), 1);
  p.tile[loops.x] = c[TileX];
  if (loops.y)
    p.tile[*loops.y] = c[TileY];
  p.vectorLoop = loops.x;
  for (unsigned k = 0; k < w.operands.size(); ++k)
    p.widths.push_back(p.view.width(k, loops.x, c[TileX]));
  for (unsigned g : p.view.of(LoopKind::Parallel))
    if (g != loops.x)
      p.order.push_back(g);
  p.order.push_back(loops.x);
  return p;
}

class Window final : public Schedule {
public:
  std::string_view name() const override { return "window"; }

  std::string mismatch(const Workload &w) const override {
    if (w.kind != WorkloadKind::Convolution && w.kind != WorkloadKind::Pooling)
      return "it is no convolution or pooling: one output, combined over a "
             "window of an input";
    if (viewOf(w, false).of(LoopKind::Parallel).empty())
      return "it has no parallel loop";
    return "";
  }

  Space space(const Workload &w, const TargetSpec &t) const override {
    auto own = std::make_shared<Workload>(w); // the space may outlive `w`
    LoopView v = viewOf(w, false);
    TileLoops loops = tileLoops(v);
    // A larger tile than the loop never fits: all would run point by point.
    auto extent = [&](std::optional<unsigned> g) {
      return g ? std::max<int64_t>(1, v.groups[*g].assumed) : 1;
    };
    int64_t inner = std::max<int64_t>(
        1, v.groups[v.of(LoopKind::Reduction).back()].assumed);
    Space s;
    s.knobs = {
        {"threads", {32, 64, 128, 256, 512}, "threads of a block"},
        {"tile_x", {1, 2, 4, 8}, "outputs of a thread along the fastest loop"},
        {"tile_y", {1, 2, 4, 8}, "outputs of a thread along a second loop"},
        {"unroll",
         {1, 2, 4, 8},
         "copies of the innermost reduction loop's body"}};
    s.constraints.push_back(atMost("threads", "threads of a block", Threads,
                                   double(t.maxThreadsPerBlock)));
    s.constraints.push_back(atMost("tile", "outputs along the fastest loop",
                                   TileX, double(extent(loops.x))));
    s.constraints.push_back(atMost("tile", "outputs along the second loop",
                                   TileY, double(extent(loops.y))));
    s.constraints.push_back(atMost("unroll",
                                   "iterations of the innermost reduction loop",
                                   Unroll, double(inner)));
    s.constraints.push_back(
        {"registers",
         {TileX, TileY, Unroll},
         "registers of a thread",
         [own,
          most = double(t.maxRegistersPerThread)](std::span<const int64_t> c) {
           return std::pair(
               registersOf(plan(*own, {32, c[TileX], c[TileY], c[Unroll]})),
               most);
         }});
    s.constraints.push_back(
        {"registers",
         {Threads, TileX, TileY, Unroll},
         "registers of a block",
         [own, most = double(t.registersPerBlock)](std::span<const int64_t> c) {
           double one = registersOf(
               plan(*own, {c[Threads], c[TileX], c[TileY], c[Unroll]}));
           return std::pair(one * double(c[Threads]), most);
         }});
    return s;
  }

  Config generic(const Workload &w, const TargetSpec &t) const override {
    LoopView v = viewOf(w, false);
    TileLoops loops = tileLoops(v);
    int64_t tile = nearest({1, 2, 4}, v.groups[loops.x].assumed);
    return {std::min<int64_t>(256, t.maxThreadsPerBlock), tile, 1, 1};
  }
  LaunchShape shape(const Workload &, const TargetSpec &,
                    const Config &c) const override {
    return {c[Threads], 0, false};
  }
  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &c) const override {
    return featuresOf(plan(w, c), t);
  }
  std::string script(const Workload &w, const TargetSpec &,
                     const Config &c) const override {
    return scriptOf(plan(w, c));
  }
  std::vector<PtxPromise> promises(const Workload &w, const TargetSpec &,
                                   const Config &c) const override {
    return promisesOf(plan(w, c));
  }
};

} // namespace

std::unique_ptr<Schedule> createWindowSchedule() {
  return std::make_unique<Window>();
}

} // namespace hwtune
