//===- Footprint.cpp - elements and bytes of a tile -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Workload/Workload.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>

namespace hwtune {

namespace {

/// One summand of an index expression: stride * i for i in [0, count).
struct Term {
  int64_t stride, count;
};

/// Distinct sums, exact, by marking every value of a small span.
int64_t countByMarking(const std::vector<Term> &terms, int64_t span) {
  std::vector<bool> seen(span), next;
  seen[0] = true;
  for (const Term &term : terms) {
    next.assign(span, false);
    for (int64_t value = 0; value < span; ++value)
      for (int64_t i = 0; seen[value] && i < term.count; ++i)
        next[value + i * term.stride] = true;
    seen.swap(next);
  }
  return std::count(seen.begin(), seen.end(), true);
}

/// Distinct values of the sum of `terms`. Exact where the terms, by rising
/// stride, continue one arithmetic progression (every window with strides and
/// dilations that overlaps, every dense split) or all lie apart, and wherever
/// the span is small; else the smaller of the two upper bounds.
int64_t distinctSums(std::vector<Term> terms) {
  std::erase_if(terms, [](Term t) { return t.stride == 0 || t.count <= 1; });
  if (terms.empty())
    return 1;
  std::sort(terms.begin(), terms.end(), [](Term a, Term b) {
    return a.stride < b.stride || (a.stride == b.stride && a.count < b.count);
  });
  int64_t step = terms[0].stride, count = terms[0].count;
  int64_t span = step * (count - 1), product = count, divisor = step;
  bool progression = true, apart = true;
  for (size_t i = 1; i < terms.size(); ++i) {
    const Term &term = terms[i];
    apart &= term.stride > span;
    progression &= term.stride % step == 0 && term.stride / step <= count;
    count += term.stride / step * (term.count - 1);
    span += term.stride * (term.count - 1);
    product = saturatingMul(product, term.count);
    divisor = std::gcd(divisor, term.stride);
  }
  if (progression)
    return count;
  if (apart)
    return product;
  constexpr int64_t kMarkLimit = 1 << 14;
  if (span < kMarkLimit)
    return countByMarking(terms, span + 1);
  return std::min(product, span / divisor + 1);
}

/// Iterations of loop `i` in a tile: never more than the loop has.
int64_t clipped(const Workload &w, std::span<const int64_t> tile, size_t i) {
  int64_t extent = w.loops[i].extent;
  return extent == kDynamic ? tile[i] : std::min(tile[i], extent);
}

int64_t tilePoints(const Workload &w, std::span<const int64_t> tile) {
  int64_t points = 1;
  for (size_t i = 0; i < w.loops.size(); ++i)
    points = saturatingMul(points, clipped(w, tile, i));
  return points;
}

int64_t nonLinearFootprint(const Workload &w, const Operand &op,
                           std::span<const int64_t> tile) {
  int64_t elements = 1;
  for (int64_t extent : op.shape) {
    if (extent == kDynamic)
      return tilePoints(w, tile);
    elements = saturatingMul(elements, extent);
  }
  return std::min(elements, tilePoints(w, tile));
}

/// Bytes one visit of a tile moves: an output that is read first moves twice.
double moved(const Workload &w, const Operand &op,
             std::span<const int64_t> tile) {
  return double(footprintBytes(w, op, tile)) *
         (op.isOutput && op.readsInit ? 2 : 1);
}

} // namespace

int64_t footprint(const Workload &w, const Operand &op,
                  std::span<const int64_t> tile) {
  assert(tile.size() == w.loops.size() && "one tile size per loop");
  if (op.isScalar)
    return 0;
  for (size_t i = 0; i < w.loops.size(); ++i)
    if (clipped(w, tile, i) <= 0)
      return 0;
  if (!op.isLinear)
    return nonLinearFootprint(w, op, tile);
  int64_t elements = 1, iterations = 1;
  std::vector<bool> used(w.loops.size());
  for (const LinearExpr &expr : op.index) {
    std::vector<Term> terms;
    for (size_t i = 0; i < expr.coefficients.size(); ++i) {
      int64_t count = clipped(w, tile, i);
      // A negative stride touches as many values as its mirror image.
      terms.push_back({std::abs(expr.coefficients[i]), count});
      if (expr.coefficients[i] && !used[i]) {
        used[i] = true;
        iterations = saturatingMul(iterations, count);
      }
    }
    elements = saturatingMul(elements, distinctSums(std::move(terms)));
  }
  // Dimensions that share a loop (a diagonal) touch less than their box.
  return std::min(elements, iterations);
}

int64_t footprintBytes(const Workload &w, const Operand &op,
                       std::span<const int64_t> tile) {
  return saturatingMul(footprint(w, op, tile), sizeInBytes(op.type));
}

int64_t footprintInSectors(const Workload &w, const Operand &op,
                           std::span<const int64_t> tile, int64_t sectorBytes) {
  int64_t elements = footprint(w, op, tile), size = sizeInBytes(op.type);
  auto sectors = [&](int64_t count) {
    return (saturatingMul(count, size) + sectorBytes - 1) / sectorBytes;
  };
  if (!op.isLinear || op.index.empty() || elements == 0)
    return sectors(elements) * sectorBytes;
  // Elements from the first to the last of one contiguous run.
  int64_t run = 1;
  for (size_t d = op.index.size(); d-- > 0;) {
    int64_t span = 1;
    for (size_t i = 0; i < op.index[d].coefficients.size(); ++i)
      span += std::abs(op.index[d].coefficients[i]) * (clipped(w, tile, i) - 1);
    run = saturatingMul(run, span);
    if (span != op.shape[d])
      break;
  }
  int64_t perRun = std::max<int64_t>(1, std::min(run, elements));
  int64_t runs = (elements + perRun - 1) / perRun;
  return saturatingMul(runs, sectors(perRun) * sectorBytes);
}

/// Sum over all tiles of `loops` of what `op` moves; the loops left out are
/// covered by the tile that `sizes` holds for them. Full and cut tiles are
/// counted apart, loop by loop.
static double sumOverTiles(const Workload &w, const Operand &op,
                           std::span<const int64_t> tile,
                           const std::vector<bool> &tiled,
                           std::vector<int64_t> &sizes, size_t loop) {
  if (loop == w.loops.size())
    return moved(w, op, sizes);
  int64_t extent = assumedExtent(w, loop);
  int64_t size = std::min(tile[loop], extent);
  sizes[loop] = size;
  if (!tiled[loop] || size <= 0)
    return sumOverTiles(w, op, tile, tiled, sizes, loop + 1);
  double sum =
      double(extent / size) * sumOverTiles(w, op, tile, tiled, sizes, loop + 1);
  if (extent % size) {
    sizes[loop] = extent % size;
    sum += sumOverTiles(w, op, tile, tiled, sizes, loop + 1);
  }
  return sum;
}

double bytesMoved(const Workload &w, std::span<const int64_t> tile) {
  assert(tile.size() == w.loops.size() && "one tile size per loop");
  double bytes = 0;
  for (const Operand &op : w.operands) {
    std::vector<bool> tiled(w.loops.size(), true);
    for (size_t i = 0; i < w.loops.size(); ++i)
      if (op.isOutput && w.loops[i].kind == LoopKind::Reduction)
        tiled[i] = false;
    std::vector<int64_t> sizes(w.loops.size());
    bytes += sumOverTiles(w, op, tile, tiled, sizes, 0);
  }
  return bytes;
}

double minBytes(const Workload &w) {
  std::vector<int64_t> whole = assumedExtents(w);
  double bytes = 0;
  for (const Operand &op : w.operands)
    bytes += moved(w, op, whole);
  return bytes;
}

double reuse(const Workload &w, const Operand &op,
             std::span<const int64_t> tile) {
  int64_t elements = footprint(w, op, tile);
  return elements ? double(tilePoints(w, tile)) / double(elements) : 0;
}

std::optional<unsigned> unitStrideLoop(const Operand &op) {
  if (!op.isLinear || op.isScalar)
    return std::nullopt;
  // Dimensions of extent 1 do not separate elements.
  size_t last = op.index.size();
  while (last > 0 && op.shape.size() == op.index.size() &&
         op.shape[last - 1] == 1)
    --last;
  if (last == 0 || (!op.strides.empty() && op.strides[last - 1] != 1))
    return std::nullopt;
  const std::vector<int64_t> &fastest = op.index[last - 1].coefficients;
  for (unsigned i = 0; i < fastest.size(); ++i) {
    bool elsewhere = false;
    for (size_t dim = 0; dim + 1 < last; ++dim)
      elsewhere |= op.index[dim].coefficients[i] != 0;
    if (fastest[i] == 1 && !elsewhere)
      return i;
  }
  return std::nullopt;
}

} // namespace hwtune
