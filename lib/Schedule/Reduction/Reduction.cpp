//===- Reduction.cpp - several threads for each result --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the input is contiguous along the reduction, the lanes of one result
// are neighbouring threads and meet by shuffles; where it is contiguous along
// the results, neighbouring threads own neighbouring results, and the lanes
// meet in shared memory. All results of a block stay in it: a reduction to a
// handful of numbers fills as many blocks as it has results, no more.
//
//===----------------------------------------------------------------------===//

#include "../Loops/LoopView.h"
#include "hwtune/Schedule/Factories.h"

#include <algorithm>

namespace hwtune {
namespace {

using namespace loops;

enum KnobIndex : unsigned { Threads, Lanes, Vector, Unroll };

struct Plan {
  LoopView view;
  bool alongReduction = true;
  unsigned inner = 0; ///< group of the vectors
  int64_t widest = 1; ///< elements of an access along it
  std::vector<int64_t> widths(int64_t wish) const;
  int64_t results() const { return view.points(LoopKind::Parallel); }
  int64_t reduced() const { return view.points(LoopKind::Reduction); }
};

std::vector<int64_t> Plan::widths(int64_t wish) const {
  std::vector<int64_t> out;
  for (unsigned k = 0; k < view.workload->operands.size(); ++k)
    out.push_back(view.width(k, inner, wish) == wish ? wish : 1);
  return out;
}

/// The largest input decides along which loops threads are neighbours.
Plan planOf(const Workload &w) {
  Plan p;
  p.view = viewOf(w, true);
  std::vector<unsigned> parallel = p.view.of(LoopKind::Parallel),
                        reduced = p.view.of(LoopKind::Reduction);
  unsigned main = 0;
  int64_t most = -1;
  for (unsigned k = 0; k + 1 < w.operands.size(); ++k) {
    int64_t moved = 1;
    for (size_t g = 0; g < p.view.groups.size(); ++g)
      if (p.view.stride[k][g] != 0)
        moved *= std::max<int64_t>(1, p.view.groups[g].assumed);
    if (!w.operands[k].isScalar && moved > most) {
      most = moved;
      main = k;
    }
  }
  std::optional<unsigned> fast = p.view.fastest(main);
  p.alongReduction = parallel.empty() || !fast ||
                     p.view.groups[*fast].kind == LoopKind::Reduction;
  p.inner = p.alongReduction ? reduced.back() : parallel.back();
  for (int64_t wish : {16, 8, 4, 2})
    if (p.widest == 1 && p.view.multiple(p.inner) % wish == 0 &&
        p.view.width(main, p.inner, wish) == wish)
      p.widest = wish;
  return p;
}

bool isKnownCombiner(std::string_view c) {
  for (std::string_view known :
       {"add", "mul", "and", "or", "xor", "maximumf", "minimumf", "maxnumf",
        "minnumf", "maxsi", "minsi", "maxui", "minui"})
    if (c == known)
      return true;
  return false;
}

/// Bytes of shared memory: a slot per warp, or one per thread and result.
int64_t sharedBytes(const Workload &w, const Plan &p,
                    std::span<const int64_t> c) {
  int64_t size = sizeInBytes(w.operands.back().type);
  if (p.alongReduction)
    return c[Lanes] > 32 ? c[Threads] / 32 * size : 0;
  return c[Lanes] > 1 ? c[Threads] * c[Vector] * size : 0;
}

int64_t blocksOf(const Plan &p, std::span<const int64_t> c) {
  int64_t perBlock = c[Threads] / std::max<int64_t>(1, c[Lanes]) *
                     (p.alongReduction ? 1 : c[Vector]);
  return ceilDiv(p.results(), std::max<int64_t>(1, perBlock));
}

double registersOf(const Workload &w, std::span<const int64_t> c) {
  constexpr double kBase = 18; // ids, addresses, counters
  double words = 0;
  for (const Operand &op : w.operands)
    if (!op.isScalar)
      words += double(c[Vector]) * (op.isOutput ? 1.0 : double(c[Unroll])) *
               std::max(1.0, double(sizeInBytes(op.type)) / 4);
  return kBase + words + (w.body.special > 0 ? 8 : 0);
}

class Reduction final : public Schedule {
public:
  std::string_view name() const override { return "reduction"; }

  std::string mismatch(const Workload &w) const override {
    bool kind = w.kind == WorkloadKind::Reduction ||
                w.kind == WorkloadKind::Contraction || // a matrix by a vector
                w.kind == WorkloadKind::Generic;
    if (!kind || w.operands.empty() || !isKnownCombiner(w.combiner))
      return "it does not combine one output by one associative operation";
    unsigned outputs = 0, reductions = 0, shaped = 0;
    for (const Operand &op : w.operands) {
      outputs += op.isOutput;
      shaped += !op.isOutput && !op.isScalar;
      if (!op.isLinear)
        return "an operand is not indexed by sums of loops";
    }
    for (const Loop &l : w.loops)
      reductions += l.kind == LoopKind::Reduction;
    if (outputs != 1 || reductions == 0 || shaped == 0)
      return "it does not reduce an input to one output";
    return "";
  }

  Space space(const Workload &w, const TargetSpec &t) const override {
    auto own = std::make_shared<Workload>(w); // the space may outlive `w`
    auto p = std::make_shared<Plan>(planOf(*own));
    Space s;
    s.knobs = {{"threads", {64, 128, 256, 512, 1024}, "threads of a block"},
               {"lanes",
                {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
                "threads of one result"},
               {"vector", {1, 2, 4, 8}, "elements of an access"},
               {"unroll", {1, 2, 4, 8}, "accesses in flight of one thread"}};
    s.constraints.push_back(atMost("threads", "threads of a block", Threads,
                                   double(t.maxThreadsPerBlock)));
    s.constraints.push_back({"lanes",
                             {Threads, Lanes},
                             "threads of one result",
                             [](std::span<const int64_t> c) {
                               return std::pair(double(c[Lanes]),
                                                double(c[Threads]));
                             }});
    s.constraints.push_back(atMost(
        "vector", "elements of an access (16 bytes, rows and types allow)",
        Vector, double(p->widest)));
    s.constraints.push_back(
        {"lanes",
         {Lanes, Vector},
         "threads of one result against reduction steps",
         [p](std::span<const int64_t> c) {
           int64_t steps =
               ceilDiv(p->reduced(), p->alongReduction ? c[Vector] : 1);
           return std::pair(double(c[Lanes]), double(powerOfTwoAtLeast(steps)));
         }});
    s.constraints.push_back(
        {"unroll",
         {Lanes, Vector, Unroll},
         "steps in flight of one result against reduction steps",
         [p](std::span<const int64_t> c) {
           int64_t steps =
               ceilDiv(p->reduced(), p->alongReduction ? c[Vector] : 1);
           return std::pair(double(c[Unroll] == 1 ? 0 : c[Lanes] * c[Unroll]),
                            double(steps));
         }});
    s.constraints.push_back(
        {"shared-memory",
         {Threads, Lanes, Vector},
         "shared memory of a block (bytes)",
         [own, p, most = double(t.sharedPerBlock)](std::span<const int64_t> c) {
           return std::pair(double(sharedBytes(*own, *p, c)), most);
         }});
    s.constraints.push_back(
        {"registers",
         {Threads, Vector, Unroll},
         "registers of a block",
         [own, most = double(t.registersPerBlock)](std::span<const int64_t> c) {
           return std::pair(registersOf(*own, c) * double(c[Threads]), most);
         }});
    s.constraints.push_back(
        {"grid",
         {Threads, Lanes, Vector},
         "blocks of the grid",
         [p, most = double(t.maxGridX)](std::span<const int64_t> c) {
           return std::pair(double(blocksOf(*p, c)), most);
         }});
    return s;
  }

  Config generic(const Workload &w, const TargetSpec &t) const override {
    Plan p = planOf(w);
    int64_t threads = std::min<int64_t>(256, t.maxThreadsPerBlock),
            vector = nearest({1, 2, 4}, p.widest);
    int64_t steps =
        powerOfTwoAtLeast(ceilDiv(p.reduced(), p.alongReduction ? vector : 1));
    // 256 threads a row; a column's lanes leave a warp's width of columns.
    int64_t lanes = std::min(p.alongReduction ? threads : threads / 32, steps);
    return {threads, std::max<int64_t>(1, lanes), vector, 1};
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
    auto number = [](int64_t v) { return std::to_string(v) + " : i64"; };
    return launchScript(
        "launch_reduction", c[Threads],
        {{"collapse", arrayText(p.view.collapse())},
         {"lanes", number(c[Lanes])},
         {"along", p.alongReduction ? "\"reduction\"" : "\"parallel\""},
         {"width", number(c[Vector])},
         {"unroll", number(c[Unroll])},
         {"widths", arrayText(p.widths(c[Vector]))}});
  }

  std::vector<PtxPromise> promises(const Workload &w, const TargetSpec &,
                                   const Config &c) const override {
    Plan p = planOf(w);
    std::vector<PtxPromise> out{
        {"ld.local", 0, 0, "no array of a thread lives in memory"},
        {"st.local", 0, 0, "no array of a thread lives in memory"}};
    if (p.alongReduction && c[Lanes] > 1)
      out.push_back({"shfl.sync.bfly", 1, INT64_MAX, "lanes meet by shuffles"});
    if (sharedBytes(w, p, c) == 0) {
      out.push_back({"st.shared", 0, 0, "nothing goes through shared memory"});
      out.push_back({"bar.sync", 0, 0, "nothing goes through shared memory"});
    } else {
      out.push_back({"bar.sync", 1, INT64_MAX, "lanes meet in shared memory"});
    }
    return out;
  }
};

KernelFeatures Reduction::features(const Workload &w, const TargetSpec &t,
                                   const Config &c) const {
  Plan p = planOf(w);
  KernelFeatures f;
  f.threadsPerBlock = double(c[Threads]);
  f.blocks = double(blocksOf(p, c));
  f.sharedBytes = double(sharedBytes(w, p, c));
  f.registers = registersOf(w, c);
  double width = double(c[Vector]), lanes = double(c[Lanes]);
  double steps = double(ceilDiv(p.reduced(), p.alongReduction ? c[Vector] : 1));
  double mine = std::max(1.0, steps / lanes); // steps of one thread
  addBody(f, w, mine * width);
  // Lane indices of the first warp.
  std::vector<std::vector<int64_t>> at;
  std::vector<unsigned> kinds =
      p.view.of(p.alongReduction ? LoopKind::Reduction : LoopKind::Parallel);
  std::vector<unsigned> others =
      p.view.of(p.alongReduction ? LoopKind::Parallel : LoopKind::Reduction);
  auto place = [&](std::vector<int64_t> &index,
                   const std::vector<unsigned> &groups, int64_t number,
                   bool stepped) {
    std::vector<int64_t> counts;
    for (unsigned g : groups)
      counts.push_back(p.view.groups[g].assumed /
                       (stepped && g == p.inner ? c[Vector] : 1));
    std::vector<int64_t> parts = splitNumber(number, counts);
    for (size_t i = 0; i < groups.size(); ++i)
      index[groups[i]] =
          parts[i] * (stepped && groups[i] == p.inner ? c[Vector] : 1);
  };
  int64_t neighbours = p.alongReduction ? c[Lanes] : c[Threads] / c[Lanes];
  for (int64_t lane = 0; lane < t.warpSize; ++lane) {
    std::vector<int64_t> index(p.view.groups.size(), 0);
    place(index, kinds, lane % neighbours, true);
    if (!others.empty())
      place(index, others, lane / neighbours, false);
    at.push_back(index);
  }
  std::vector<int64_t> widths = p.widths(c[Vector]), whole = assumedExtents(w);
  for (unsigned k = 0; k < w.operands.size() && f.numStreams < kMaxStreams - 1;
       ++k) {
    const Operand &op = w.operands[k];
    if (op.isScalar)
      continue;
    AccessStream &s = f.streams[f.numStreams++];
    bool moves = p.view.stride[k][p.inner] != 0;
    double perStep = moves ? width / double(widths[k]) : 1;
    double writes =
        op.isOutput ? (p.alongReduction ? 1 : width / double(widths[k])) / lanes
                    : 0;
    s.loads = op.isOutput ? writes : mine * perStep;
    s.stores = writes;
    s.vectorBytes = double(sizeInBytes(op.type) * widths[k]);
    WarpAccess a = warpAccess(p.view, k, int64_t(s.vectorBytes), t, at);
    s.sectors = a.sectors;
    s.lines = a.lines;
    s.wavefronts = a.wavefronts;
    s.totalBytes = double(footprintBytes(w, op, whole));
    s.uniqueBytes = s.totalBytes / std::max(1.0, f.blocks);
  }
  double rounds = 0;
  for (int64_t l = std::min<int64_t>(c[Lanes], 32); p.alongReduction && l > 1;
       l /= 2)
    ++rounds;
  f.shuffles = rounds * (c[Lanes] > 32 ? 2 : 1) *
               std::max(1.0, double(sizeInBytes(w.operands.back().type)) / 4);
  if (f.sharedBytes > 0) {
    double exchanges = p.alongReduction ? 1 : width * 2;
    f.barriers = 1;
    for (int64_t l = c[Lanes] / 2; !p.alongReduction && l > 1; l /= 2)
      ++f.barriers;
    AccessStream &s = f.streams[f.numStreams++];
    s.isShared = true;
    s.loads = exchanges * f.barriers;
    s.stores = exchanges;
    s.vectorBytes = double(sizeInBytes(w.operands.back().type));
  }
  f.loopTurns = std::max(1.0, mine / double(c[Unroll]));
  f.accumulators = width;
  f.fragments = width * double(c[Unroll]);
  f.ilp = width;
  f.otherInsts = 30 + 3 * f.loopTurns + mine + 4 * f.shuffles;
  f.unrolledBody = double(c[Unroll]) * (1 + width);
  f.codeBytes = 16 * (f.unrolledBody + 60);
  f.vectorWidth = width;
  f.flops = w.flops();
  return f;
}

} // namespace

std::unique_ptr<Schedule> createReductionSchedule() {
  return std::make_unique<Reduction>();
}

} // namespace hwtune
