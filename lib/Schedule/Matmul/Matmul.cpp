//===- Matmul.cpp - contractions through shared memory --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "hwtune/Schedule/Factories.h"
#include "hwtune/Target/Occupancy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hwtune {
namespace {

using namespace matmul;
using Values = std::span<const int64_t>;
using Pair = std::pair<double, double>;

/// Bytes of the widest access of one thread.
constexpr int64_t kWidestAccess = 16;
/// First architecture with cp.async, which stages > 1 need.
constexpr int kAsyncCapability = 80;
/// First architecture with multiply-adds on pairs of f32.
constexpr int kPackedCapability = 100;
/// Smallest cp.async, in bytes.
constexpr int64_t kSmallestAsync = 4;

/// Rows and columns that one ldmatrix brings, and results of a thread side by
/// side.
constexpr int64_t kMmaPiece = 16, kMmaPair = 2;

/// Turns of a loop that LLVM may unroll as a whole.
constexpr int64_t kMostUnrolled = 64;

Choice choiceOfSpan(Values v) { return choiceOf(Config(v.begin(), v.end())); }

/// Extent of `loop`, or `kDynamic`.
int64_t extent(const Workload &w, unsigned loop) {
  return w.loops[loop].extent;
}

/// Those of `all` that are not larger than the tile that holds `extent`.
std::vector<int64_t> upTo(std::vector<int64_t> all, int64_t extent) {
  if (extent == kDynamic)
    return all;
  int64_t enough = all.front();
  while (enough < extent)
    enough *= 2;
  std::erase_if(all, [&](int64_t v) { return v > enough; });
  return all;
}

/// Widest vector that every row of `side` allows at every multiple of it.
int64_t rowVector(const Workload &w, const Side &side) {
  return side.contiguous ? rowMultiple(w, w.operands[side.operand]) : 1;
}

std::vector<int64_t> vectorsOf(const Side &side) {
  std::vector<int64_t> values;
  for (int64_t v = 1; v * side.bytes <= kWidestAccess; v *= 2)
    values.push_back(v);
  return values;
}

/// A pad that keeps rows aligned for the widest access.
int64_t padOf(const Side &side) { return kWidestAccess / side.bytes; }

void addKnobs(Space &space, const Workload &w, const Roles &r) {
  auto knob = [&](std::string name, std::vector<int64_t> values,
                  std::string description, bool categorical = false) {
    space.knobs.push_back({std::move(name), std::move(values),
                           std::move(description), categorical});
  };
  const std::vector<int64_t> blocks = {16, 32, 64, 128, 256};
  const std::vector<int64_t> threads = {1, 2, 4, 8, 16};
  knob("block_m", upTo(blocks, extent(w, r.m)), "rows of C per block");
  knob("block_n", upTo(blocks, extent(w, r.n)), "columns of C per block");
  knob("block_k", upTo({8, 16, 32, 64}, extent(w, r.k)),
       "values of k per step of a block");
  knob("thread_m", threads, "rows of C per thread");
  knob("thread_n", threads, "columns of C per thread");
  knob("vector_a", vectorsOf(r.a), "elements per copied vector of A");
  knob("vector_b", vectorsOf(r.b), "elements per copied vector of B");
  knob("vector_c", {1, 2, 4},
       "columns of C in one piece of a register tile, and per store");
  knob("unroll", {1, 2, 4, 8}, "copies of the body of the loop inside block_k");
  knob("shared_a", {0, 1}, "A through shared memory", true);
  knob("shared_b", {0, 1}, "B through shared memory", true);
  knob("pad_a", {0, padOf(r.a)},
       "elements added to a row of A in shared memory");
  knob("pad_b", {0, padOf(r.b)},
       "elements added to a row of B in shared memory");
  knob("stages", {1, 2, 3, 4}, "buffers of A and B; 1 copies synchronously");
  if (r.fitsMma)
    knob("mma", {0, 1}, "on the matrix units (mma.sync)", true);
}

void addThreadConstraints(Space &space, const TargetSpec &t) {
  space.constraints.push_back(
      {"tile", {BlockM, ThreadM}, "rows per thread", [](Values v) {
         return Pair(v[ThreadM], v[BlockM]);
       }});
  space.constraints.push_back(
      {"tile", {BlockN, ThreadN}, "columns per thread", [](Values v) {
         return Pair(v[ThreadN], v[BlockN]);
       }});
  space.constraints.push_back(
      {"tile",
       {ThreadN, VectorC},
       "columns in one piece of a thread's tile",
       [](Values v) { return Pair(v[VectorC], v[ThreadN]); }});
  // Only values written by hand fail these.
  auto left = [&](std::vector<unsigned> knobs, std::string what, auto rest) {
    space.constraints.push_back(
        {"tile", std::move(knobs), std::move(what),
         [rest](Values v) { return Pair(rest(v), 0); }});
  };
  left({BlockM, ThreadM}, "rows of a block left over by whole threads",
       [](Values v) { return v[BlockM] % v[ThreadM]; });
  left({BlockN, ThreadN}, "columns of a block left over by whole threads",
       [](Values v) { return v[BlockN] % v[ThreadN]; });
  left({ThreadM}, "rows of a thread left over by whole pieces",
       [](Values v) { return v[ThreadM] % choiceOfSpan(v).pieceM(); });
  left({ThreadN, VectorC}, "columns of a thread left over by whole pieces",
       [](Values v) { return v[ThreadN] % choiceOfSpan(v).pieceN(); });
  std::vector<unsigned> steps = {BlockK, Unroll};
  if (space.knobs.size() > Mma)
    steps.push_back(Mma);
  left(steps, "values of k left over by whole unrolled steps", [](Values v) {
    return v[BlockK] % (choiceOfSpan(v).stepK() * v[Unroll]);
  });
  std::vector<unsigned> four = {BlockM, BlockN, ThreadM, ThreadN};
  auto threadsOf = [](Values v) {
    return (v[BlockM] / v[ThreadM]) * (v[BlockN] / v[ThreadN]);
  };
  space.constraints.push_back({"threads", four, "threads of a block",
                               [=, limit = t.maxThreadsPerBlock](Values v) {
                                 return Pair(threadsOf(v), limit);
                               }});
  space.constraints.push_back({"warps", four,
                               "threads of a block beyond whole warps",
                               [=, warp = t.warpSize](Values v) {
                                 return Pair(threadsOf(v) % warp, 0);
                               }});
}

/// Constraints on the copies of one operand.
void addCopyConstraints(Space &space, const Workload &w, const Roles &r,
                        bool isA) {
  const Side &side = isA ? r.a : r.b;
  unsigned vector = isA ? VectorA : VectorB, shared = isA ? SharedA : SharedB,
           pad = isA ? PadA : PadB;
  std::string name = isA ? "A" : "B";
  space.constraints.push_back({"vector",
                               {vector},
                               "vector of " + name + " that divides its rows",
                               [=, limit = rowVector(w, side)](Values v) {
                                 return Pair(v[vector], limit);
                               }});
  space.constraints.push_back(
      {"unused-knob",
       {vector, shared},
       "vector of " + name + ", which is not copied",
       [=](Values v) { return Pair(v[vector], v[shared] ? v[vector] : 1); }});
  space.constraints.push_back(
      {"unused-knob",
       {pad, shared},
       "pad of " + name + ", which is not in shared memory",
       [=](Values v) { return Pair(v[pad], v[shared] ? v[pad] : 0); }});
  space.constraints.push_back(
      {"copy",
       {BlockM, BlockN, BlockK, ThreadM, ThreadN, vector, shared},
       "elements of " + name + " left over by whole rounds of the copy",
       [=](Values v) {
         Choice c = choiceOfSpan(v);
         if (!v[shared])
           return Pair(0, 0);
         TileShape tile = isA ? tileA(r, c) : tileB(r, c);
         if (tile.columns % v[vector] != 0)
           return Pair(tile.columns % v[vector], 0);
         return Pair(tile.rows * tile.columns % (c.threads() * v[vector]), 0);
       }});
  space.constraints.push_back(
      {"unaligned",
       {vector, pad},
       "elements by which padded rows of " + name + " miss a vector",
       [=](Values v) { return Pair(v[pad] % v[vector], 0); }});
}

/// Whether the elements of a row of `operand` follow each other: what the
/// asynchronous copy takes, however narrow.
bool hasRows(const Operand &operand) {
  return operand.strides.empty() || operand.strides.back() == 1;
}

void addStageConstraints(Space &space, const Workload &w, const Roles &r,
                         const TargetSpec &t) {
  space.constraints.push_back(
      {"unused-knob",
       {BlockK, Unroll},
       "copies of the loop inside block_k",
       [](Values v) {
         return Pair(v[Unroll],
                     std::max<int64_t>(1, v[BlockK] / Choice::kStepK));
       }});
  space.constraints.push_back(
      {"async-copy",
       {Stages},
       "compute capability for more than one stage",
       [have = t.computeCapability()](Values v) {
         return Pair(v[Stages] > 1 ? kAsyncCapability : 0, have);
       }});
  space.constraints.push_back(
      {"async-copy",
       {SharedA, SharedB, Stages},
       "stages where not both operands are in shared memory",
       [](Values v) {
         return Pair(v[Stages], v[SharedA] && v[SharedB] ? v[Stages] : 1);
       }});
  space.constraints.push_back(
      {"async-copy",
       {Stages},
       "stages where the elements of an operand's rows lie apart",
       [rows = hasRows(w.operands[r.a.operand]) &&
               hasRows(w.operands[r.b.operand])](Values v) {
         return Pair(v[Stages], rows ? v[Stages] : 1);
       }});
  space.constraints.push_back(
      {"async-copy",
       {VectorA, VectorB, Stages},
       "bytes of the smallest asynchronous copy",
       [a = r.a.bytes, b = r.b.bytes](Values v) {
         int64_t smallest = std::min(v[VectorA] * a, v[VectorB] * b);
         return Pair(v[Stages] > 1 ? kSmallestAsync : 0, smallest);
       }});
}

/// What the matrix units ask of the other knobs.
void addMmaConstraints(Space &space, const TargetSpec &t) {
  space.constraints.push_back({"mma",
                               {Mma},
                               "compute capability for mma.m16n8k16",
                               [have = t.computeCapability()](Values v) {
                                 return Pair(v[Mma] ? kAsyncCapability : 0,
                                             have);
                               }});
  space.constraints.push_back(
      {"mma",
       {SharedA, SharedB, Mma},
       "operands of the matrix units not in shared memory",
       [](Values v) {
         return Pair(v[Mma] ? 2 - v[SharedA] - v[SharedB] : 0, 0);
       }});
  space.constraints.push_back(
      {"mma",
       {VectorC, Mma},
       "columns in one piece beyond the pairs of the matrix units",
       [](Values v) {
         return Pair(v[Mma] ? std::abs(v[VectorC] - kMmaPair) : 0, 0);
       }});
  auto left = [&](std::vector<unsigned> knobs, std::string what, auto rest) {
    space.constraints.push_back(
        {"mma", std::move(knobs), std::move(what), [rest](Values v) {
           return Pair(v[Mma] ? rest(choiceOfSpan(v)) : 0, 0);
         }});
  };
  left({ThreadM, BlockM, Mma}, "rows left over by whole warps' fragments",
       [](const Choice &c) {
         return c.warpM() % kMmaPiece + c.blockM % c.warpM();
       });
  left({ThreadN, BlockN, Mma}, "columns left over by whole warps' fragments",
       [](const Choice &c) {
         return c.warpN() % kMmaPiece + c.blockN % c.warpN();
       });
  left({BlockK, Mma}, "values of k left over by whole fragments",
       [](const Choice &c) { return c.blockK % Choice::kMmaK; });
}

void addResourceConstraints(Space &space, const Workload &w, const Roles &r,
                            const TargetSpec &t) {
  space.constraints.push_back(
      {"shared-memory",
       {BlockM, BlockN, BlockK, SharedA, SharedB, PadA, PadB, Stages},
       "shared memory of a block (bytes)",
       [=, limit = std::max(t.sharedPerBlock, t.sharedPerBlockOptin)](
           Values v) { return Pair(sharedBytes(r, choiceOfSpan(v)), limit); }});
  std::vector<unsigned> knobs = {BlockM, BlockN, ThreadM, ThreadN, VectorC};
  space.constraints.push_back(
      {"registers", knobs, "registers of a thread (estimate)",
       [=, limit = t.maxRegistersPerThread](Values v) {
         return Pair(registerEstimate(r, w, choiceOfSpan(v)), limit);
       }});
  space.constraints.push_back(
      {"registers", knobs, "registers of a block (estimate)",
       [=, limit = t.registersPerBlock](Values v) {
         Choice c = choiceOfSpan(v);
         return Pair(registerEstimate(r, w, c) * c.threads(), limit);
       }});
}

class Matmul final : public Schedule {
public:
  std::string_view name() const override { return "matmul"; }

  std::string mismatch(const Workload &w) const override {
    return assignRoles(w).mismatch;
  }

  Space space(const Workload &w, const TargetSpec &t) const override {
    Roles roles = assignRoles(w);
    Space space;
    addKnobs(space, w, roles);
    addThreadConstraints(space, t);
    addCopyConstraints(space, w, roles, /*isA=*/true);
    addCopyConstraints(space, w, roles, /*isA=*/false);
    addStageConstraints(space, w, roles, t);
    if (roles.fitsMma)
      addMmaConstraints(space, t);
    addResourceConstraints(space, w, roles, t);
    return space;
  }

  Config generic(const Workload &w, const TargetSpec &t) const override;

  LaunchShape shape(const Workload &w, const TargetSpec &t,
                    const Config &config) const override {
    Choice c = choiceOf(config);
    int64_t bytes = sharedBytes(assignRoles(w), c);
    return {c.threads(), bytes, bytes > t.sharedPerBlock};
  }

  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &config) const override {
    return matmul::features(w, assignRoles(w), t, choiceOf(config));
  }

  std::function<KernelFeatures(const Config &)>
  boundFeatures(const Workload &w, const TargetSpec &t) const override {
    return [w, t, roles = assignRoles(w)](const Config &config) {
      return matmul::features(w, roles, t, choiceOf(config));
    };
  }

  std::string script(const Workload &w, const TargetSpec &t,
                     const Config &config) const override {
    return matmul::script(w, assignRoles(w), t, choiceOf(config));
  }

  std::vector<int64_t> gridTiles(const Workload &w, const TargetSpec &,
                                 const Config &config) const override {
    return matmul::gridTiles(w, assignRoles(w), choiceOf(config));
  }

  std::vector<PtxPromise> promises(const Workload &w, const TargetSpec &t,
                                   const Config &config) const override;
};

/// Block 64 x 64 x 16, thread 4 x 4, shared memory, vector 4: the design's
/// default, cut down knob by knob where it is not legal.
Config Matmul::generic(const Workload &w, const TargetSpec &t) const {
  Space space = this->space(w, t);
  Config wanted(NumKnobs);
  wanted[BlockM] = 64;
  wanted[BlockN] = 64;
  wanted[BlockK] = 16;
  wanted[ThreadM] = 4;
  wanted[ThreadN] = 4;
  wanted[VectorA] = 4;
  wanted[VectorB] = 4;
  wanted[VectorC] = 4;
  wanted[Unroll] = 4;
  wanted[SharedA] = wanted[SharedB] = 1;
  wanted[PadA] = wanted[PadB] = 0;
  wanted[Stages] = 1;
  wanted.resize(space.knobs.size(), 0); // no matrix units
  auto clamp = [&](unsigned knob) {
    const std::vector<int64_t> &values = space.knobs[knob].values;
    int64_t best = values.front();
    for (int64_t v : values)
      if (v <= wanted[knob])
        best = std::max(best, v);
    wanted[knob] = best;
  };
  for (unsigned knob = 0; knob < NumKnobs; ++knob)
    clamp(knob);
  // What is cut first where the whole is not legal.
  const unsigned order[] = {VectorA, VectorB, VectorC, Unroll,
                            ThreadM, ThreadN, BlockK};
  for (unsigned turn = 0; turn < 8 && space.reject(wanted); ++turn)
    for (unsigned knob : order) {
      if (!space.reject(wanted))
        break;
      Config smaller = wanted;
      smaller[knob] /= 2;
      const std::vector<int64_t> &values = space.knobs[knob].values;
      if (std::find(values.begin(), values.end(), smaller[knob]) ==
          values.end())
        continue;
      // Keep a cut only where it is a step towards legal: the reason changes.
      std::optional<Rejection> before = space.reject(wanted),
                               after = space.reject(smaller);
      if (!after || after->what != before->what ||
          after->needed < before->needed)
        wanted = smaller;
    }
  if (!space.reject(wanted))
    return wanted;
  // An odd workload: its first legal configuration in the space's order.
  Config first = wanted;
  space.forEach([&](const Config &config) {
    first = config;
    return false;
  });
  return first;
}

/// Of the `perThread` rows (or columns) of a thread, those that are certain to
/// exist: where the block is wider than the extent, the others are dead code.
static int64_t existing(int64_t perThread, int64_t block, int64_t extent) {
  if (extent == kDynamic || extent >= block)
    return perThread;
  return std::max<int64_t>(1, perThread * extent / block);
}

std::vector<PtxPromise> Matmul::promises(const Workload &w, const TargetSpec &t,
                                         const Config &config) const {
  Choice c = choiceOf(config);
  Roles r = assignRoles(w);
  std::vector<PtxPromise> promises;
  auto add = [&](std::string prefix, int64_t atLeast, int64_t atMost,
                 std::string why) {
    promises.push_back({std::move(prefix), atLeast, atMost, std::move(why)});
  };
  add("st.local", 0, 0, "no array of a thread may live in memory");
  if (c.mma) {
    int64_t fragments = c.warpM() / Choice::kMmaM * (c.warpN() / Choice::kMmaN);
    add("mma.sync", fragments, INT64_MAX,
        "each fragment of a warp's tile is one mma per 16 values of k");
    add("ldmatrix", (c.warpM() + c.warpN()) / kMmaPiece, INT64_MAX,
        "fragments of the inputs are loaded as matrices");
  }
  // LLVM unrolls a loop of few turns as a whole.
  int64_t turns = 1, outer = 1;
  if (int64_t k = extent(w, r.k); k != kDynamic)
    turns =
        std::clamp<int64_t>((k + c.blockK - 1) / c.blockK, 1, kMostUnrolled);
  for (unsigned loop : r.reductions)
    if (int64_t k = extent(w, loop); k != kDynamic)
      outer = std::clamp<int64_t>(outer * k, 1, kMostUnrolled);
  turns = std::min(turns * outer, kMostUnrolled);
  // In a single turn zeros beyond the end of k may be known, and fold.
  int64_t perStep =
      existing(c.threadM, c.blockM, extent(w, r.m)) *
      existing(c.threadN, c.blockN, extent(w, r.n)) *
      (turns > 1 ? existing(c.stepK() * c.unroll, c.blockK, extent(w, r.k))
                 : 1);
  // From sm_100 on, one instruction may do two of them.
  bool packed = t.computeCapability() >= kPackedCapability;
  if (w.accumulator == ElementType::F32 && !c.mma)
    add(packed ? "fma.rn" : "fma.rn.f32", packed ? perStep / 2 : perStep,
        INT64_MAX, "each value of the register tile is one fma per k");
  bool shared = c.sharedA || c.sharedB;
  add("st.shared", 0, shared && c.stages == 1 ? INT64_MAX : 0,
      "only synchronous copies store to shared memory");
  add("ld.shared", shared && !c.mma ? 1 : 0, shared && !c.mma ? INT64_MAX : 0,
      "operands in shared memory are read there");
  add("cp.async", c.stages > 1 ? 2 : 0, c.stages > 1 ? INT64_MAX : 0,
      "stages are filled asynchronously");
  if (shared && c.stages == 1)
    add("bar.sync", 2, 2 * turns,
        "one barrier before the copies and one after in each step of k");
  if (c.stages > 1)
    add("bar.sync", 1, turns + outer,
        "one barrier in each step of k and one after the steps");
  return promises;
}

} // namespace

std::unique_ptr<Schedule> createMatmulSchedule() {
  return std::make_unique<Matmul>();
}

} // namespace hwtune
