//===- Roles.cpp - which loop of a contraction plays which part -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <algorithm>
#include <utility>

namespace hwtune::matmul {
namespace {

/// The loop that indexes dimension `d` of `op` alone.
std::optional<unsigned> loopOf(const Operand &op, size_t d) {
  std::optional<unsigned> loop;
  for (unsigned l = 0; l < op.index[d].coefficients.size(); ++l) {
    if (op.index[d].coefficients[l] == 0)
      continue;
    if (loop || op.index[d].coefficients[l] != 1 || op.index[d].constant != 0)
      return std::nullopt;
    loop = l;
  }
  return loop;
}

bool uses(const Operand &op, unsigned loop) {
  return std::any_of(
      op.index.begin(), op.index.end(),
      [&](const LinearExpr &expr) { return expr.coefficients[loop] != 0; });
}

/// A set of loops. Roles are found again for every configuration of a space, so
/// nothing here may allocate without need.
using LoopSet = uint64_t;
constexpr size_t kMostLoops = 64;

LoopSet setOf(unsigned loop) { return LoopSet(1) << loop; }
bool contains(LoopSet set, unsigned loop) { return set & setOf(loop); }

/// The last of `candidates` in the order of the dimensions of `op`.
std::optional<unsigned> fastestOf(const Operand &op, LoopSet candidates) {
  for (size_t d = op.index.size(); d-- > 0;) {
    std::optional<unsigned> loop = loopOf(op, d);
    if (loop && contains(candidates, *loop))
      return loop;
  }
  return std::nullopt;
}

Side sideOf(const Workload &w, unsigned operand, LoopSet tiled) {
  const Operand &op = w.operands[operand];
  Side side;
  side.operand = operand;
  side.bytes = sizeInBytes(op.type);
  side.fast = fastestOf(op, tiled);
  side.contiguous = side.fast && unitStrideLoop(op) == side.fast;
  return side;
}

std::string checkForm(const Workload &w) {
  if (w.kind != WorkloadKind::Contraction)
    return "it is no contraction but " + std::string(toString(w.kind));
  if (w.loops.size() > kMostLoops)
    return "it has more loops than a GPU program can have";
  size_t inputs = 0, outputs = 0;
  for (const Operand &op : w.operands) {
    if (op.isScalar || !op.isLinear)
      return "an operand is a scalar or not linearly indexed";
    for (size_t d = 0; d < op.index.size(); ++d)
      if (!loopOf(op, d))
        return "an operand is not indexed by one loop per dimension";
    (op.isOutput ? outputs : inputs) += 1;
  }
  if (inputs != 2 || outputs != 1)
    return "it has not two inputs and one output";
  return "";
}

/// Sums are f32 also where the op's are of the inputs' type: rounded once, at
/// the end, they are nearer to the exact ones.
bool fitsMma(const Workload &w, const Roles &roles) {
  ElementType a = w.operands[roles.a.operand].type;
  ElementType c = w.operands[roles.c.operand].type;
  return w.operands[roles.b.operand].type == a &&
         (a == ElementType::F16 || a == ElementType::BF16) &&
         w.accumulator == c && (c == ElementType::F32 || c == a) &&
         roles.c.contiguous && roles.c.fast == roles.n;
}

} // namespace

Roles assignRoles(const Workload &w) {
  Roles roles;
  roles.mismatch = checkForm(w);
  if (!roles.mismatch.empty())
    return roles;
  unsigned first = 0, second = 1, out = 2;
  const Operand &c = w.operands[out];
  // Loops of one input alone; loops of extent 1 are not worth a tile.
  LoopSet ofFirst = 0, ofSecond = 0, shared = 0; // shared: reductions over both
  for (unsigned l = 0; l < w.loops.size(); ++l) {
    bool inFirst = uses(w.operands[first], l),
         inSecond = uses(w.operands[second], l);
    if (w.loops[l].kind == LoopKind::Reduction)
      shared |= inFirst && inSecond ? setOf(l) : 0;
    else if (w.loops[l].extent != 1 && inFirst != inSecond)
      (inFirst ? ofFirst : ofSecond) |= setOf(l);
  }
  if (ofFirst == 0 || ofSecond == 0) {
    roles.mismatch = "an input has no loop of its own, as a vector: no element "
                     "of the other is used twice";
    return roles;
  }
  if (shared == 0) {
    roles.mismatch = "no reduction loop runs over both inputs";
    return roles;
  }
  // n runs along the rows of C: its input plays B.
  std::optional<unsigned> fastest = fastestOf(c, ofFirst | ofSecond);
  if (fastest && contains(ofFirst, *fastest)) {
    std::swap(first, second);
    std::swap(ofFirst, ofSecond);
  }
  roles.n = *fastestOf(c, ofSecond);
  roles.m = *fastestOf(c, ofFirst);
  std::optional<unsigned> k = fastestOf(w.operands[first], shared);
  if (w.loops[*k].extent == 1)
    k = fastestOf(w.operands[second], shared);
  roles.k = *k;

  LoopSet tiled = setOf(roles.m) | setOf(roles.n) | setOf(roles.k);
  for (unsigned l = 0; l < w.loops.size(); ++l)
    if (!contains(tiled, l))
      (w.loops[l].kind == LoopKind::Parallel ? roles.outer : roles.reductions)
          .push_back(l);
  roles.a = sideOf(w, first, tiled);
  roles.b = sideOf(w, second, tiled);
  roles.c = sideOf(w, out, tiled);
  roles.fitsMma = fitsMma(w, roles);
  return roles;
}

Choice choiceOf(const Config &v) {
  Choice c;
  c.blockM = v[BlockM];
  c.blockN = v[BlockN];
  c.blockK = v[BlockK];
  c.threadM = v[ThreadM];
  c.threadN = v[ThreadN];
  c.vectorA = v[VectorA];
  c.vectorB = v[VectorB];
  c.vectorC = v[VectorC];
  c.unroll = v[Unroll];
  c.sharedA = v[SharedA] != 0;
  c.sharedB = v[SharedB] != 0;
  c.padA = v[PadA];
  c.padB = v[PadB];
  c.stages = v[Stages];
  c.mma = v.size() > Mma && v[Mma] != 0;
  return c;
}

TileShape tileA(const Roles &roles, const Choice &c) {
  if (roles.a.fast == roles.k)
    return {c.blockM, c.blockK};
  return {c.blockK, c.blockM};
}

TileShape tileB(const Roles &roles, const Choice &c) {
  if (roles.b.fast == roles.k)
    return {c.blockN, c.blockK};
  return {c.blockK, c.blockN};
}

int64_t sharedBytes(const Roles &roles, const Choice &c) {
  TileShape a = tileA(roles, c), b = tileB(roles, c);
  // Each buffer starts at a multiple of the widest access.
  auto rounded = [](int64_t bytes) { return (bytes + 15) / 16 * 16; };
  int64_t total = 0;
  if (c.sharedA)
    total += rounded(c.stages * a.rows * (a.columns + c.padA) * roles.a.bytes);
  if (c.sharedB)
    total += rounded(c.stages * b.rows * (b.columns + c.padB) * roles.b.bytes);
  return total;
}

} // namespace hwtune::matmul
