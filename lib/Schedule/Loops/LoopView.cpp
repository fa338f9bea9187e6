//===- LoopView.cpp - a workload as groups of loops -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for groups and for vector accesses are those of lib/IR/Launch, so
// that no configuration is offered which the launch ops refuse.
//
//===----------------------------------------------------------------------===//

#include "LoopView.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hwtune::loops {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t powerOfTwoAtLeast(int64_t n) {
  int64_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

std::vector<int64_t> upTo(std::vector<int64_t> all, int64_t most) {
  int64_t least = all.front();
  std::erase_if(all, [&](int64_t v) { return v > most; });
  if (all.empty())
    all.push_back(least);
  return all;
}

int64_t nearest(const std::vector<int64_t> &values, int64_t wish) {
  int64_t best = values.front();
  for (int64_t v : values)
    if (v <= wish && (v > best || best > wish))
      best = v;
  return best;
}

std::vector<int64_t> splitNumber(int64_t number,
                                 const std::vector<int64_t> &counts) {
  std::vector<int64_t> out(counts.size(), 0);
  for (size_t i = counts.size(); i-- > 0;) {
    int64_t c = std::max<int64_t>(1, counts[i]);
    out[i] = i == 0 ? number : number % c;
    number /= c;
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static bool uses(const LinearExpr &e, unsigned loop) {
  return loop < e.coefficients.size() && e.coefficients[loop] != 0;
}

static bool runAsOne(const Operand &op, const std::vector<unsigned> &loops) {
  if (op.isScalar)
    return true;
  if (!op.isLinear)
    return false;
  std::vector<size_t> dims;
  for (size_t d = 0; d < op.index.size(); ++d)
    if (std::any_of(loops.begin(), loops.end(),
                    [&](unsigned l) { return uses(op.index[d], l); }))
      dims.push_back(d);
  if (dims.empty())
    return true;
  if (dims.size() != loops.size())
    return false;
  for (size_t i = 0; i < loops.size(); ++i)
    if (dims[i] != dims[0] + i || !isLoop(op.index[dims[i]], loops[i]))
      return false;
  // Where rows have gaps, the last row of one is not before the first of the
  // next.
  for (size_t d = dims.front(); !op.strides.empty() && d < dims.back(); ++d)
    if (op.strides[d + 1] == kDynamic || op.shape[d + 1] == kDynamic ||
        op.strides[d] != op.strides[d + 1] * op.shape[d + 1])
      return false;
  return true;
}

static std::vector<Group> groupsOf(const Workload &w, bool collapse) {
  std::vector<Group> groups;
  for (unsigned l = 0; l < w.loops.size(); ++l) {
    if (collapse && !groups.empty() && groups.back().kind == w.loops[l].kind) {
      std::vector<unsigned> longer = groups.back().loops;
      longer.push_back(l);
      if (std::all_of(
              w.operands.begin(), w.operands.end(),
              [&](const Operand &op) { return runAsOne(op, longer); })) {
        groups.back().loops = longer;
        int64_t &extent = groups.back().extent;
        extent = extent == kDynamic || w.loops[l].extent == kDynamic
                     ? kDynamic
                     : extent * w.loops[l].extent;
        groups.back().assumed =
            saturatingMul(groups.back().assumed, assumedExtent(w, l));
        continue;
      }
    }
    groups.push_back(
        {w.loops[l].kind, w.loops[l].extent, assumedExtent(w, l), {l}});
  }
  return groups;
}

static int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  return a == kUnknown || b == kUnknown ? kUnknown : a * b;
}
static int64_t plus(int64_t a, int64_t b) {
  return a == kUnknown || b == kUnknown ? kUnknown : a + b;
}

LoopView viewOf(const Workload &w, bool collapse) {
  LoopView v;
  v.workload = &w;
  v.groups = groupsOf(w, collapse);
  for (const Operand &op : w.operands) {
    std::vector<int64_t> stride(v.groups.size(), 0);
    int64_t constant = op.offset == kDynamic ? kUnknown : op.offset;
    std::vector<int64_t> steps = elementStrides(op);
    for (size_t d = op.index.size(); d-- > 0;) {
      int64_t step = steps[d] == kDynamic ? kUnknown : steps[d];
      for (size_t g = 0; g < v.groups.size(); ++g) {
        unsigned last = v.groups[g].loops.back();
        if (op.isLinear && uses(op.index[d], last))
          stride[g] =
              plus(stride[g], times(op.index[d].coefficients[last], step));
      }
      constant = plus(constant, times(op.index[d].constant, step));
    }
    if (!op.isLinear)
      stride.assign(v.groups.size(), kUnknown);
    v.stride.push_back(stride);
    v.constant.push_back(constant);
  }
  return v;
}

std::vector<int64_t> LoopView::collapse() const {
  std::vector<int64_t> out;
  for (const Group &g : groups)
    out.push_back(static_cast<int64_t>(g.loops.size()));
  return out;
}

std::vector<unsigned> LoopView::of(LoopKind kind) const {
  std::vector<unsigned> out;
  for (unsigned g = 0; g < groups.size(); ++g)
    if (groups[g].kind == kind)
      out.push_back(g);
  return out;
}

std::optional<unsigned> LoopView::fastest(unsigned operand) const {
  for (unsigned g = groups.size(); g-- > 0;)
    if (stride[operand][g] == 1)
      return g;
  return std::nullopt;
}

int64_t LoopView::multiple(unsigned group) const {
  const Group &g = groups[group];
  if (g.extent != kDynamic)
    return g.extent & -g.extent;
  int64_t best = 1;
  for (const Operand &op : workload->operands)
    if (!op.index.empty() && op.isLinear &&
        isLoop(op.index.back(), g.loops.back()))
      best = std::max(best, rowMultiple(*workload, op));
  return best;
}

int64_t LoopView::width(unsigned operand, unsigned group, int64_t wish) const {
  const Operand &op = workload->operands[operand];
  if (op.isScalar || !op.isLinear || op.type == ElementType::I1 ||
      stride[operand][group] != 1)
    return 1;
  int64_t w = std::min(wish, kAccessBytes / sizeInBytes(op.type));
  auto fits = [&](int64_t width) {
    if (constant[operand] == kUnknown || constant[operand] % width)
      return false;
    // A stride that is not known is a multiple of the row.
    int64_t row = rowMultiple(*workload, op);
    for (unsigned g = 0; g < groups.size(); ++g) {
      int64_t step = stride[operand][g] == kUnknown ? row : stride[operand][g];
      if (g != group && step % width)
        return false;
    }
    return true;
  };
  while (w > 1 && ((w & (w - 1)) || !fits(w)))
    --w;
  return std::max<int64_t>(1, w);
}

int64_t LoopView::points(LoopKind kind) const {
  int64_t n = 1;
  for (const Group &g : groups)
    if (g.kind == kind)
      n = saturatingMul(n, std::max<int64_t>(1, g.assumed));
  return n;
}

//===----------------------------------------------------------------------===//
// Accesses, scripts, counts
//===----------------------------------------------------------------------===//

WarpAccess warpAccess(const LoopView &v, unsigned operand, int64_t bytes,
                      const TargetSpec &t,
                      const std::vector<std::vector<int64_t>> &indices) {
  std::set<int64_t> sectors, lines, phase; // the last: lines of this phase
  int64_t size = sizeInBytes(v.workload->operands[operand].type);
  size_t lanesAtOnce =
      size_t(std::clamp<int64_t>(t.lineBytes / bytes, 1, t.warpSize));
  double wavefronts = 0;
  for (size_t lane = 0; lane < indices.size(); ++lane) {
    if (lane % lanesAtOnce == 0)
      phase.clear();
    const std::vector<int64_t> &at = indices[lane];
    int64_t element = 0;
    for (size_t g = 0; g < at.size(); ++g) {
      int64_t s = v.stride[operand][g];
      // A stride of unknown size is a row of the assumed extent.
      element += at[g] * (s == kUnknown ? kUsualExtent : s);
    }
    int64_t first = element * size, last = first + bytes - 1;
    for (int64_t s = first / t.sectorBytes; s <= last / t.sectorBytes; ++s)
      sectors.insert(s);
    for (int64_t l = first / t.lineBytes; l <= last / t.lineBytes; ++l) {
      lines.insert(l);
      wavefronts += phase.insert(l).second;
    }
  }
  return {std::max(1.0, double(sectors.size())),
          std::max(1.0, double(lines.size())), std::max(1.0, wavefronts)};
}

std::string arrayText(const std::vector<int64_t> &values) {
  return values.empty()
             ? "array<i64>"
             : fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string launchScript(
    std::string_view launchOp, int64_t threads,
    const std::vector<std::pair<std::string, std::string>> &attributes) {
  std::vector<std::string> list;
  for (const auto &[name, value] : attributes)
    list.push_back(name + " = " + value);
  return fmt::format(R"(module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%module: !transform.any_op {{transform.readonly}}) {{
    %op = transform.structured.match attributes {{hwtune.op}} in %module
      : (!transform.any_op) -> !transform.any_op
    %launch = transform.hwtune.{} %op threads {} {{
      {}
    }} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}
)",
                     launchOp, threads, fmt::join(list, ",\n      "));
}

/// Instructions of a special function as lowered (lib/Codegen/MathFunctions.h):
/// a polynomial, or a division.
static constexpr double kSpecialInsts = 14;

void addBody(KernelFeatures &f, const Workload &w, double n) {
  double plain = double(w.body.flops - 2 * w.body.fma) * n;
  plain = std::max(0.0, plain);
  bool integers =
      w.accumulator == ElementType::I64 || w.accumulator == ElementType::I32 ||
      w.accumulator == ElementType::I16 || w.accumulator == ElementType::I8 ||
      w.accumulator == ElementType::I1;
  if (integers) {
    f.integer += double(w.body.integer + w.body.fma) * n;
  } else if (w.accumulator == ElementType::F64) {
    f.fp64 += plain + double(w.body.fma) * n;
    f.integer += double(w.body.integer) * n;
  } else if (w.accumulator == ElementType::F16 ||
             w.accumulator == ElementType::BF16) {
    f.fp16 += plain + double(w.body.fma) * n;
    f.integer += double(w.body.integer) * n;
  } else {
    f.fma32 += double(w.body.fma) * n;
    f.fp32 += plain;
    f.integer += double(w.body.integer) * n;
  }
  f.fp32 += kSpecialInsts * double(w.body.special) * n;
}

Constraint atMost(std::string kind, std::string what, unsigned knob,
                  double limit) {
  return {std::move(kind),
          {knob},
          std::move(what),
          [knob, limit](std::span<const int64_t> values) {
            return std::pair(double(values[knob]), limit);
          }};
}

} // namespace hwtune::loops
