//===- Script.cpp - transform-dialect text of a matmul --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune::matmul {
namespace {

class Writer {
public:
  Writer(const Workload &w, const Roles &roles, const TargetSpec &t,
         const Choice &c)
      : w(w), roles(roles), target(t), c(c) {}
  std::string write();

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    text += "    ";
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
    text += '\n';
  }
  void patterns(std::string_view list);
  void tileBlocks();
  void tileReductions();
  void promote();
  void copy();
  void tileThreads();
  void keepInRegisters();
  void lower();
  /// Position of `loop` among the loops that the tiled op still has.
  size_t position(unsigned loop) const {
    return std::find(left.begin(), left.end(), loop) - left.begin();
  }

  const Workload &w;
  const Roles &roles;
  const TargetSpec &target;
  const Choice &c;
  std::string text;
  std::vector<unsigned> left; ///< loops of the op so far
};

constexpr std::string_view kOne = "(!any) -> !any";
constexpr std::string_view kTwo = "(!any) -> (!any, !any)";

void Writer::patterns(std::string_view list) {
  line("transform.apply_patterns to %f {{ {} }} : !any", list);
}

void Writer::tileBlocks() {
  std::vector<int64_t> tile = gridTiles(w, roles, c), round = tile;
  std::replace(round.begin(), round.end(), int64_t(0), int64_t(1));
  round[roles.k] = c.blockK;
  for (unsigned loop = 0; loop < w.loops.size(); ++loop)
    if (tile[loop] != 1)
      left.push_back(loop);
  line("// One tile of C per block.");
  line("%tile, %launch = transform.hwtune.tile_to_grid %generic tile_sizes "
       "[{}] round_to [{}] threads {} drop_unit_loops : {}",
       fmt::join(tile, ", "), fmt::join(round, ", "), c.threads(), kTwo);
}

void Writer::tileReductions() {
  std::string op = "%tile";
  for (unsigned loop : roles.reductions) {
    line("%r{0}, %rloop{0} = transform.hwtune.tile_loop {1} dim {2} size 1 "
         "drop_unit_loop : {3}",
         loop, op, position(loop), kTwo);
    left.erase(left.begin() + position(loop));
    op = fmt::format("%r{}", loop);
  }
  line("%step, %kloop = transform.hwtune.tile_loop {} dim {} size {} : {}", op,
       position(roles.k), c.blockK, kTwo);
}

void Writer::promote() {
  std::string op = "%step";
  for (bool isA : {true, false}) {
    if (!(isA ? c.sharedA : c.sharedB))
      continue;
    const char *name = isA ? "a" : "b";
    line("%with_{0}, %copy_{0} = transform.hwtune.promote {1} operand {2} pad "
         "{3} buffers {4} : {5}",
         name, op, isA ? roles.a.operand : roles.b.operand,
         isA ? c.padA : c.padB, c.stages, kTwo);
    op = fmt::format("%with_{}", name);
  }
  line("transform.annotate {} \"hwtune.compute\" : !any", op);
  if (c.stages > 1) {
    line("// The copies of later steps are in flight while this one computes.");
    line("transform.hwtune.pipeline %kloop stages {} : !any", c.stages);
  } else if (c.sharedA || c.sharedB) {
    line("transform.hwtune.barrier {} : !any",
         c.sharedA ? "%copy_a" : "%copy_b");
    line("transform.hwtune.barrier {} : !any", op);
  }
}

void Writer::copy() {
  // Copies are told apart by the number of the buffer they fill.
  std::string_view async = c.stages > 1 ? " async" : "";
  for (bool isA : {true, false}) {
    if (!(isA ? c.sharedA : c.sharedB))
      continue;
    const char *name = isA ? "a" : "b";
    if (c.stages > 1)
      line("%copies_{0} = transform.structured.match "
           "attributes{{hwtune.buffer = {1} : i64}} in %f : {2}",
           name, isA ? roles.a.operand : roles.b.operand, kOne);
    line("transform.hwtune.distribute_copy %{}_{} vector {}{} : !any",
         c.stages > 1 ? "copies" : "copy", name, isA ? c.vectorA : c.vectorB,
         async);
  }
}

void Writer::tileThreads() {
  line("%compute = transform.structured.match attributes{{hwtune.compute}} in "
       "%f : {}",
       kOne);
  line("%kk, %kkloop = transform.hwtune.tile_loop %compute dim {} size {} : {}",
       position(roles.k), c.stepK(), kTwo);
  line("transform.annotate %kkloop \"hwtune.unroll\" : !any");
  if (c.mma) {
    line("transform.hwtune.mma_contraction %kk warp_tile [{}, {}] : !any",
         c.warpM(), c.warpN());
    return;
  }
  std::vector<int64_t> tile(left.size(), 0), threads(left.size(), 0);
  tile[position(roles.m)] = c.pieceM();
  threads[position(roles.m)] = c.threadsM();
  tile[position(roles.n)] = c.pieceN();
  threads[position(roles.n)] = c.threadsN();
  line("// Register tiles, dealt cyclically: {} x {} of {} x {} per thread.",
       c.threadM / c.pieceM(), c.threadN / c.pieceN(), c.pieceM(), c.pieceN());
  line("%pieces = transform.hwtune.tile_to_threads %kk tile_sizes [{}] "
       "num_threads [{}] : {}",
       fmt::join(tile, ", "), fmt::join(threads, ", "), kOne);
  line("transform.hwtune.vectorize_contraction %pieces : !any");
}

void Writer::keepInRegisters() {
  patterns("transform.apply_patterns.memref.fold_memref_alias_ops "
           "transform.apply_patterns.canonicalization");
  line("transform.apply_cse to %f : !any");
  line("transform.hwtune.guard_transfers %f : !any");
  line("transform.hwtune.hoist_accumulators %f : !any");
}

void Writer::lower() {
  line("transform.hwtune.lower_transfers %f : !any");
  if (c.unroll > 1) {
    line("%unroll = transform.structured.match attributes{{hwtune.unroll}} in "
         "%f : {}",
         kOne);
    line("transform.loop.unroll %unroll {{factor = {}}} : !any", c.unroll);
  }
  patterns("transform.apply_patterns.canonicalization");
  line("transform.apply_cse to %f : !any");
  if (sharedBytes(roles, c) > target.sharedPerBlock)
    line("transform.hwtune.dynamic_shared %launch : !any");
}

std::string Writer::write() {
  text = "!any = !transform.any_op\n"
         "module attributes {transform.with_named_sequence} {\n"
         "  transform.named_sequence @__transform_main(%m: !any "
         "{transform.readonly}) {\n";
  line("%op = transform.structured.match attributes{{hwtune.op}} in %m : {}",
       kOne);
  line("%generic = transform.structured.generalize %op : {}", kOne);
  line("%f = transform.structured.match ops{{[\"func.func\"]}} in %m : {}",
       kOne);
  tileBlocks();
  tileReductions();
  promote();
  copy();
  tileThreads();
  keepInRegisters();
  lower();
  line("transform.yield");
  text += "  }\n}\n";
  return text;
}

} // namespace

std::vector<int64_t> gridTiles(const Workload &w, const Roles &roles,
                               const Choice &c) {
  std::vector<int64_t> tiles(w.loops.size(), 0);
  for (unsigned loop : roles.outer)
    tiles[loop] = 1;
  tiles[roles.m] = c.blockM;
  tiles[roles.n] = c.blockN;
  return tiles;
}

std::string script(const Workload &w, const Roles &roles, const TargetSpec &t,
                   const Choice &c) {
  return Writer(w, roles, t, c).write();
}

} // namespace hwtune::matmul
