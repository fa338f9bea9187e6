//===- ProjectedReference.cpp - what sums of a product must be ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/ProjectedReference.h"

#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/Generator.h"

#include <algorithm>
#include <cmath>

namespace hwtune {
namespace {

/// Fewer elements make no shorter work worth having.
constexpr int64_t kLeastGroup = 16;
/// Elements of an operand that are held in memory.
constexpr int64_t kMostHeld = int64_t(1) << 26;
/// Standard deviations that a sum may be off: see the header.
constexpr double kDeviations = 8;

/// Loops of a product by the operands that they index.
struct Product {
  /// `left` and `right` also index the output, one input each; `left` is the
  /// side whose elements are summed.
  std::vector<size_t> left, right, batch, reduction;
  const Operand *leftInput = nullptr, *rightInput = nullptr, *output = nullptr;
  size_t leftNumber = 0, rightNumber = 1;
};

bool isPackedFloat(const Operand &operand) {
  return !operand.isScalar && isFloat(operand.type) &&
         operand.strides.empty() && operand.offset == 0 &&
         isProjectedPermutation(operand);
}

int64_t extentOf(const std::vector<size_t> &loops,
                 std::span<const int64_t> extents) {
  int64_t product = 1;
  for (size_t loop : loops)
    product *= extents[loop];
  return product;
}

int64_t elementsOf(const Operand &operand, std::span<const int64_t> extents) {
  int64_t elements = 1;
  for (size_t loop = 0; loop < extents.size(); ++loop)
    if (isIndexedBy(operand, unsigned(loop)))
      elements *= extents[loop];
  return elements;
}

/// Dimension of a projected permutation that `loop` indexes.
size_t dimensionOf(const Operand &operand, size_t loop) {
  size_t d = 0;
  while (operand.index[d].coefficients[loop] == 0)
    ++d;
  return d;
}

std::optional<Product> productOf(const Workload &w,
                                 std::span<const int64_t> extents) {
  if (w.kind != WorkloadKind::Contraction || w.combiner != "add" ||
      w.operands.size() != 3 || !w.operands[2].isOutput ||
      !std::all_of(w.operands.begin(), w.operands.end(), isPackedFloat) ||
      (w.accumulator != ElementType::F32 && w.accumulator != ElementType::F64))
    return std::nullopt;
  Product p{{}, {}, {}, {}, &w.operands[0], &w.operands[1], &w.operands[2]};
  for (size_t loop = 0; loop < w.loops.size(); ++loop) {
    bool a = isIndexedBy(w.operands[0], unsigned(loop));
    bool b = isIndexedBy(w.operands[1], unsigned(loop));
    bool c = isIndexedBy(w.operands[2], unsigned(loop));
    if (a + b + c < 2)
      return std::nullopt;
    (!c ? p.reduction : !b ? p.left : !a ? p.right : p.batch).push_back(loop);
  }
  // In the order of the output's dimensions, which number the elements.
  for (std::vector<size_t> *loops : {&p.left, &p.right})
    std::sort(loops->begin(), loops->end(), [&](size_t x, size_t y) {
      return dimensionOf(*p.output, x) < dimensionOf(*p.output, y);
    });
  // The longer side gives the fewer sums.
  if (extentOf(p.left, extents) < extentOf(p.right, extents)) {
    std::swap(p.left, p.right);
    std::swap(p.leftInput, p.rightInput);
    std::swap(p.leftNumber, p.rightNumber);
  }
  return p;
}

/// Elements that one iteration of each loop moves in a packed operand.
std::vector<int64_t> stridesOf(const Operand &operand,
                               std::span<const int64_t> extents) {
  std::vector<int64_t> perLoop(extents.size(), 0);
  int64_t stride = 1;
  for (size_t d = operand.index.size(); d-- > 0;)
    for (size_t loop = 0; loop < extents.size(); ++loop)
      if (operand.index[d].coefficients[loop] != 0) {
        perLoop[loop] = stride;
        stride *= extents[loop];
        break;
      }
  return perLoop;
}

/// Offset of every iteration of `loops`, the last one fastest.
std::vector<int64_t> offsets(const std::vector<size_t> &loops,
                             std::span<const int64_t> extents,
                             const std::vector<int64_t> &strides) {
  std::vector<int64_t> result{0};
  for (size_t loop : loops) {
    std::vector<int64_t> next;
    next.reserve(result.size() * size_t(extents[loop]));
    for (int64_t prefix : result)
      for (int64_t i = 0; i < extents[loop]; ++i)
        next.push_back(prefix + i * strides[loop]);
    result = std::move(next);
  }
  return result;
}

/// A whole operand as the generator makes it; float holds all types but f64.
template <typename T>
std::vector<T> contentsOf(const Operand &operand, uint64_t seed,
                          int64_t elements) {
  constexpr int64_t kPiece = 1 << 16;
  std::vector<T> values(size_t(elements), 0);
  int64_t size = sizeInBytes(operand.type);
  std::vector<std::byte> piece;
  for (int64_t at = 0; at < elements; at += kPiece) {
    int64_t count = std::min(kPiece, elements - at);
    piece.resize(size_t(count * size));
    generate(seed, operand.type, piece, uint64_t(at));
    for (int64_t i = 0; i < count; ++i)
      values[size_t(at + i)] =
          T(decodeElement(operand.type, piece.data() + i * size));
  }
  return values;
}

template <typename T> double meanSquare(const std::vector<T> &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return values.empty() ? 0 : sum / double(values.size());
}

/// One batch at a time: packs the right input, folds rows of the left one.
template <typename T> class Projector {
public:
  Projector(const Product &p, std::span<const int64_t> extents,
            std::span<const uint64_t> seeds)
      : p(p), extents(extents.begin(), extents.end()),
        left(contentsOf<T>(*p.leftInput, seeds[p.leftNumber],
                           elementsOf(*p.leftInput, extents))),
        right(contentsOf<T>(*p.rightInput, seeds[p.rightNumber],
                            elementsOf(*p.rightInput, extents))) {
    if (p.output->readsInit)
      initial =
          contentsOf<T>(*p.output, seeds[2], elementsOf(*p.output, extents));
  }

  /// Sums of the whole output in the order of `project`.
  std::vector<double> sums(const Projection &projection) const;
  /// Root mean square of an element: s of the header.
  double spread() const {
    double products = double(extentOf(p.reduction, extents));
    return std::sqrt(products * meanSquare(left) * meanSquare(right) +
                     meanSquare(initial));
  }

private:
  std::vector<int64_t> keptNumbers() const;

  const Product &p;
  std::vector<int64_t> extents;
  std::vector<T> left, right, initial;
};

/// For each loop, what an iteration adds to the number of a sum in its group.
template <typename T> std::vector<int64_t> Projector<T>::keptNumbers() const {
  std::vector<int64_t> perLoop(extents.size(), 0);
  int64_t next = 1;
  for (size_t d = p.output->index.size(); d-- > 0;)
    for (const std::vector<size_t> *loops : {&p.right, &p.batch})
      for (size_t loop : *loops)
        if (dimensionOf(*p.output, loop) == d) {
          perLoop[loop] = next;
          next *= extents[loop];
        }
  return perLoop;
}

template <typename T>
std::vector<double> Projector<T>::sums(const Projection &projection) const {
  auto all = [&](const std::vector<size_t> &loops, const Operand &operand) {
    return offsets(loops, extents, stridesOf(operand, extents));
  };
  std::vector<int64_t> leftRow = all(p.left, *p.leftInput),
                       leftSum = all(p.reduction, *p.leftInput),
                       leftBatch = all(p.batch, *p.leftInput);
  std::vector<int64_t> rightSum = all(p.reduction, *p.rightInput),
                       rightColumn = all(p.right, *p.rightInput),
                       rightBatch = all(p.batch, *p.rightInput);
  std::vector<int64_t> outRow = all(p.left, *p.output),
                       outColumn = all(p.right, *p.output),
                       outBatch = all(p.batch, *p.output);
  std::vector<int64_t> kept = keptNumbers();
  std::vector<int64_t> keptColumn = offsets(p.right, extents, kept),
                       keptBatch = offsets(p.batch, extents, kept);
  size_t rows = leftRow.size(), columns = rightColumn.size(),
         depth = leftSum.size(), group = size_t(projection.group);
  size_t perGroup = columns * leftBatch.size();
  std::vector<double> result((rows + group - 1) / group * perGroup, 0);
  std::vector<T> packed(depth * columns);
  std::vector<double> folded(depth), sum(columns);
  for (size_t batch = 0; batch < leftBatch.size(); ++batch) {
    for (size_t k = 0; k < depth; ++k)
      for (size_t n = 0; n < columns; ++n)
        packed[k * columns + n] =
            right[size_t(rightBatch[batch] + rightSum[k] + rightColumn[n])];
    for (size_t first = 0; first < rows; first += group) {
      std::fill(folded.begin(), folded.end(), 0);
      std::fill(sum.begin(), sum.end(), 0);
      for (size_t m = first; m < std::min(first + group, rows); ++m) {
        double sign = projectionSign(projection.seed, m);
        for (size_t k = 0; k < depth; ++k)
          folded[k] +=
              sign * left[size_t(leftBatch[batch] + leftRow[m] + leftSum[k])];
        for (size_t n = 0; !initial.empty() && n < columns; ++n)
          sum[n] += sign *
                    initial[size_t(outBatch[batch] + outRow[m] + outColumn[n])];
      }
      for (size_t k = 0; k < depth; ++k)
        for (size_t n = 0; n < columns; ++n)
          sum[n] += folded[k] * packed[k * columns + n];
      for (size_t n = 0; n < columns; ++n)
        result[first / group * perGroup +
               size_t(keptBatch[batch] + keptColumn[n])] = sum[n];
    }
  }
  return result;
}

double unitOf(ElementType type) {
  return std::ldexp(1, -significandBits(type));
}

/// How the output of `p` is folded, with sums that cost `mostProducts`.
Projection projectionOf(const Product &p, std::span<const int64_t> extents,
                        uint64_t seed, double mostProducts) {
  double points = 1;
  for (int64_t extent : extents)
    points *= double(extent);
  Projection projection;
  projection.group =
      std::min(std::max(kLeastGroup, int64_t(std::ceil(points / mostProducts))),
               extentOf(p.left, extents));
  projection.seed = seed;
  projection.summed.resize(p.output->index.size());
  for (size_t loop : p.left)
    projection.summed[dimensionOf(*p.output, loop)] = true;
  return projection;
}

template <typename T>
ExpectedValues sumsOf(const Product &p, std::span<const int64_t> extents,
                      std::span<const uint64_t> seeds, ElementType accumulator,
                      const Projection &projection) {
  Projector<T> projector(p, extents, seeds);
  ExpectedValues sums;
  sums.values = projector.sums(projection);
  double depth = double(extentOf(p.reduction, extents));
  double delta =
      (4 * (depth + 4) * unitOf(accumulator) + 4 * unitOf(p.output->type)) *
      projector.spread();
  int64_t rows = extentOf(p.left, extents);
  int64_t perGroup = extentOf(p.right, extents) * extentOf(p.batch, extents);
  for (int64_t i = 0; i < int64_t(sums.values.size()); ++i) {
    int64_t left = rows - i / perGroup * projection.group;
    double elements = double(std::min(projection.group, left));
    sums.bounds.push_back(kDeviations * std::sqrt(elements) * delta);
  }
  return sums;
}

} // namespace

std::optional<ProjectedReference>
projectContraction(const Workload &w, std::span<const int64_t> extents,
                   std::span<const uint64_t> seeds, uint64_t seed,
                   double mostProducts) {
  std::optional<Product> p = productOf(w, extents);
  if (!p)
    return std::nullopt;
  for (const Operand &operand : w.operands)
    if (int64_t held = elementsOf(operand, extents);
        held == 0 || held > kMostHeld)
      return std::nullopt;
  bool isWide = std::any_of(
      w.operands.begin(), w.operands.end(),
      [](const Operand &operand) { return operand.type == ElementType::F64; });
  ProjectedReference result;
  result.projection = projectionOf(*p, extents, seed, mostProducts);
  result.sums = (isWide ? sumsOf<double> : sumsOf<float>)(*p, extents, seeds,
                                                          w.accumulator,
                                                          result.projection);
  return result;
}

} // namespace hwtune
