//===- LaunchSizesTest.cpp ------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Workload/LaunchSizes.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

Operand operand(std::vector<int64_t> shape,
                std::vector<std::vector<int64_t>> coefficients) {
  Operand result;
  result.shape = std::move(shape);
  for (auto &row : coefficients)
    result.index.push_back({row, 0});
  return result;
}

/// A 1-d convolution with stride 2: input (2 w + k), both sizes unknown.
TEST(LaunchShapes, FollowFromAssumedExtents) {
  Workload w;
  w.loops = {{LoopKind::Parallel, kDynamic}, {LoopKind::Reduction, 3}};
  Operand scalar;
  scalar.isScalar = true;
  w.operands = {operand({kDynamic}, {{2, 1}}), scalar, operand({3}, {{0, 1}}),
                operand({kDynamic}, {{1, 0}})};
  // 2 * 1023 + 2 + 1 elements of input for 1024 of output.
  EXPECT_EQ(launchShapes(w),
            (std::vector<std::vector<int64_t>>{{2049}, {3}, {1024}}));
}

/// The same with an input of 20 elements: 2 w + k <= 19, whatever is assumed.
TEST(LaunchShapes, StayWithinKnownSizes) {
  Workload w;
  w.loops = {{LoopKind::Parallel, kDynamic}, {LoopKind::Reduction, kDynamic}};
  w.operands = {operand({20}, {{2, 1}}), operand({kDynamic}, {{0, 1}}),
                operand({kDynamic}, {{1, 0}})};
  for (LaunchSizes sizes : {LaunchSizes::Usual, LaunchSizes::Tails}) {
    auto shapes = launchShapes(w, sizes);
    EXPECT_LE(2 * (shapes[2][0] - 1) + shapes[1][0] - 1, 19);
    EXPECT_GE(std::min(shapes[1][0], shapes[2][0]), 1);
  }
}

/// Six unknown loops: the launch is no longer than a matmul of 1024.
TEST(LaunchShapes, BoundTheIterations) {
  Workload w;
  std::vector<std::vector<int64_t>> each;
  for (size_t i = 0; i < 6; ++i) {
    w.loops.push_back(
        {i < 3 ? LoopKind::Parallel : LoopKind::Reduction, kDynamic});
    each.emplace_back(6, 0);
    each.back()[i] = 1;
  }
  w.operands = {
      operand({kDynamic, kDynamic, kDynamic}, {each[3], each[4], each[5]}),
      operand({kDynamic, kDynamic, kDynamic}, {each[0], each[1], each[2]})};
  double iterations = 1;
  for (const auto &shape : launchShapes(w))
    for (int64_t extent : shape)
      iterations *= double(extent);
  EXPECT_LE(iterations, double(1 << 26));
  EXPECT_GE(iterations, double(1 << 22));
}

/// A 3-d convolution of unknown sizes: windows are small, and neither operands
/// nor the launch grow with the number of loops.
TEST(LaunchShapes, OfWindowsStaySmall) {
  enum { N, D, H, W, F, KD, KH, KW, C, Loops };
  Workload w;
  w.kind = WorkloadKind::Convolution;
  auto at = [](std::vector<int> loops) {
    std::vector<int64_t> row(Loops);
    for (int loop : loops)
      row[size_t(loop)] = 1;
    return row;
  };
  for (int i = 0; i < Loops; ++i)
    w.loops.push_back(
        {i < KD ? LoopKind::Parallel : LoopKind::Reduction, kDynamic});
  std::vector<int64_t> five(5, kDynamic);
  w.operands = {
      operand(five, {at({N}), at({D, KD}), at({H, KH}), at({W, KW}), at({C})}),
      operand(five, {at({KD}), at({KH}), at({KW}), at({C}), at({F})}),
      operand(five, {at({N}), at({D}), at({H}), at({W}), at({F})})};
  for (LaunchSizes sizes : {LaunchSizes::Usual, LaunchSizes::Tails}) {
    auto shapes = launchShapes(w, sizes);
    double iterations = double(shapes[0][4]);
    for (size_t d = 0; d < 5; ++d)
      iterations *= double(shapes[2][d]) * (d < 3 ? double(shapes[1][d]) : 1);
    EXPECT_LE(iterations, double(1 << 26));
    EXPECT_GE(iterations, double(1 << 20));
    for (const auto &shape : shapes) {
      double elements = 1;
      for (int64_t size : shape)
        elements *= double(size);
      EXPECT_LE(elements, double(1 << 22));
    }
    EXPECT_EQ(std::vector<int64_t>(shapes[1].begin(), shapes[1].begin() + 3),
              (std::vector<int64_t>{3, 3, 3}));
  }
  // Tails stay odd.
  std::vector<int64_t> tails = launchShapes(w, LaunchSizes::Tails)[2];
  for (int64_t size : tails)
    EXPECT_EQ(size % 2, 1) << size;
}

} // namespace
