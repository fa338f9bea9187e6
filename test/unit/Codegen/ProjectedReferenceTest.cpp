//===- ProjectedReferenceTest.cpp - sums of products ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/ProjectedReference.h"

#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/Generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace hwtune;

namespace {

/// One operand whose dimension d is indexed by loop `loops[d]`.
Operand operandOf(size_t loopCount, const std::vector<size_t> &loops) {
  Operand operand;
  for (size_t loop : loops) {
    LinearExpr index;
    index.coefficients.assign(loopCount, 0);
    index.coefficients[loop] = 1;
    operand.index.push_back(index);
    operand.shape.push_back(kDynamic);
  }
  return operand;
}

/// c[...] += a[...] b[...], loops as named.
Workload productOf(size_t loopCount, const std::vector<size_t> &a,
                   const std::vector<size_t> &b, const std::vector<size_t> &c,
                   bool readsInit) {
  Workload w;
  w.kind = WorkloadKind::Contraction;
  w.combiner = "add";
  w.loops.resize(loopCount);
  w.operands = {operandOf(loopCount, a), operandOf(loopCount, b),
                operandOf(loopCount, c)};
  w.operands[2].isOutput = true;
  w.operands[2].readsInit = readsInit;
  return w;
}

/// Linear index of an operand's element in iteration `at`.
uint64_t elementAt(const Operand &operand, const std::vector<int64_t> &at,
                   const std::vector<int64_t> &extents) {
  uint64_t index = 0;
  for (const LinearExpr &expr : operand.index)
    for (size_t loop = 0; loop < at.size(); ++loop)
      if (expr.coefficients[loop])
        index = index * uint64_t(extents[loop]) + uint64_t(at[loop]);
  return index;
}

const std::vector<uint64_t> kSeeds = {11, 12, 13};

/// The whole output in f64, one iteration after the other.
std::vector<double> outputOf(const Workload &w,
                             const std::vector<int64_t> &extents) {
  uint64_t elements = 1;
  for (size_t loop = 0; loop < extents.size(); ++loop)
    if (isIndexedBy(w.operands[2], unsigned(loop)))
      elements *= uint64_t(extents[loop]);
  std::vector<double> c(elements, 0);
  for (uint64_t i = 0; w.operands[2].readsInit && i < elements; ++i)
    c[i] = generatedValue(kSeeds[2], i, w.operands[2].type);
  std::vector<int64_t> at(extents.size(), 0);
  int64_t points = std::accumulate(extents.begin(), extents.end(), int64_t(1),
                                   std::multiplies<>());
  for (int64_t i = 0; i < points; ++i) {
    auto value = [&](size_t o) {
      const Operand &operand = w.operands[o];
      return generatedValue(kSeeds[o], elementAt(operand, at, extents),
                            operand.type);
    };
    c[elementAt(w.operands[2], at, extents)] += value(0) * value(1);
    for (size_t loop = extents.size(); loop-- > 0;) {
      if (++at[loop] < extents[loop])
        break;
      at[loop] = 0;
    }
  }
  return c;
}

/// Sums of `projectContraction` against those of the output itself.
void check(const Workload &w, const std::vector<int64_t> &extents,
           double mostProducts, int64_t group) {
  std::optional<ProjectedReference> r =
      projectContraction(w, extents, kSeeds, 5, mostProducts);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->projection.group, group);
  std::vector<int64_t> shape;
  for (const LinearExpr &expr : w.operands[2].index)
    for (size_t loop = 0; loop < extents.size(); ++loop)
      if (expr.coefficients[loop])
        shape.push_back(extents[loop]);
  std::vector<double> c = outputOf(w, extents);
  std::vector<double> sums = project(r->projection, ElementType::F64, shape,
                                     std::as_bytes(std::span(c)));
  ASSERT_EQ(r->sums.values.size(), sums.size());
  ASSERT_EQ(r->sums.bounds.size(), sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(r->sums.values[i], sums[i], 1e-11) << i;
    EXPECT_GT(r->sums.bounds[i], 0);
  }
}

} // namespace

TEST(ProjectedReference, Matmul) {
  Workload w = productOf(3, {0, 2}, {2, 1}, {0, 1}, true);
  check(w, {50, 7, 20}, 1e9, 16); // 3 groups of 16, one of 2
  check(w, {50, 7, 20}, 350, 20); // 7000 products for 350: 20 rows each
  check(w, {50, 7, 20}, 1, 50);   // all rows
  check(w, {7, 50, 20}, 1e9, 16); // columns, the longer side, are summed
}

TEST(ProjectedReference, TransposedBatchedAndMoreLoopsASide) {
  // c[n, b, m] = a[k, m, b] b[b, n, k]
  check(productOf(4, {3, 1, 0}, {0, 2, 3}, {2, 0, 1}, false), {3, 40, 5, 9},
        1e9, 16);
  // c[m0, n, m1] += a[m1, m0, k] b[k, n]: rows run along m0, then m1
  check(productOf(4, {2, 0, 3}, {3, 1}, {0, 1, 2}, true), {6, 5, 7, 8}, 1e9,
        16);
  // A dot product of one element: nothing to sum along.
  check(productOf(1, {0}, {0}, {}, true), {30}, 1e9, 1);
}

TEST(ProjectedReference, OnlyPlainFloatingPointProducts) {
  std::vector<int64_t> extents{20, 7, 20};
  auto make = [&](auto change) {
    Workload w = productOf(3, {0, 2}, {2, 1}, {0, 1}, true);
    change(w);
    return projectContraction(w, extents, kSeeds, 5).has_value();
  };
  EXPECT_TRUE(make([](Workload &) {}));
  EXPECT_FALSE(make([](Workload &w) { w.combiner = "maximumf"; }));
  EXPECT_FALSE(make([](Workload &w) { w.kind = WorkloadKind::Convolution; }));
  EXPECT_FALSE(make([](Workload &w) { w.accumulator = ElementType::F16; }));
  EXPECT_FALSE(make([](Workload &w) { w.operands[0].type = ElementType::I8; }));
  EXPECT_FALSE(make([](Workload &w) { w.operands[1].strides = {100, 1}; }));
  EXPECT_FALSE(make([](Workload &w) { w.operands[1].index[0].constant = 1; }));
}

// 8 sqrt(G) (4 (K + 4) u + 4 v) s for G = 16, K = 20, u = v = 2^-24 and
// s^2 = 20 * E(a^2) E(b^2) + E(c^2), where E(x^2) of a magnitude uniform in
// [1/4, 5/4] is 31/48.
TEST(ProjectedReference, ToleranceByHand) {
  Workload w = productOf(3, {0, 2}, {2, 1}, {0, 1}, true);
  std::vector<int64_t> extents{400, 300, 20};
  std::optional<ProjectedReference> r =
      projectContraction(w, extents, kSeeds, 5);
  ASSERT_TRUE(r);
  double e = 31.0 / 48, s = std::sqrt(20 * e * e + e);
  double delta = (4 * 24 + 4) * 0x1p-24 * s;
  EXPECT_NEAR(r->sums.bounds[0] / (8 * 4 * delta), 1, 0.02);
  EXPECT_NEAR(s, 2.997, 1e-3);
}

// The output as a kernel in f32 gives it passes, one element left at 0 does
// not.
TEST(ProjectedReference, TellsRoundingFromError) {
  Workload w = productOf(3, {0, 2}, {2, 1}, {0, 1}, false);
  std::vector<int64_t> extents{96, 40, 256}, shape{96, 40};
  std::optional<ProjectedReference> r =
      projectContraction(w, extents, kSeeds, 5);
  ASSERT_TRUE(r);
  BufferDesc buffer;
  buffer.shape = shape;
  std::vector<float> c(96 * 40, 0);
  for (int64_t m = 0; m < 96; ++m)
    for (int64_t n = 0; n < 40; ++n)
      for (int64_t k = 0; k < 256; ++k)
        c[size_t(m * 40 + n)] +=
            float(generatedValue(11, uint64_t(m * 256 + k), ElementType::F32)) *
            float(generatedValue(12, uint64_t(k * 40 + n), ElementType::F32));
  ExpectedDesc desc;
  desc.projection = r->projection;
  desc.relative = 1;
  auto bad = [&] {
    return compareSums(buffer, std::as_bytes(std::span(c)), r->sums, desc).bad;
  };
  EXPECT_EQ(bad(), 0);
  size_t at = 0;
  while (std::fabs(c[at]) < 1)
    ++at;
  c[at] = 0;
  EXPECT_EQ(bad(), 1);
}
