//===- RunnerTest.cpp - launch sizes and runner programs ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Runner.h"

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
  EXPECT_LE(iterations, 1024.0 * 1024 * 1024);
  EXPECT_GE(iterations, 1024.0 * 1024);
}

TEST(RunnerProgram, HoldsTheLaunch) {
  LaunchDescription launch;
  launch.ptxFile = "kernel.ptx";
  launch.expectedFile = "expected.bin";
  BufferDesc buffer;
  buffer.name = "a\"b";
  buffer.shape = {4, 2};
  buffer.isOutput = true;
  launch.buffers = {buffer};
  KernelDesc kernel;
  kernel.entry = "f";
  kernel.grid = {7, 2, 1};
  kernel.block = {64, 1, 1};
  kernel.dynamicSharedBytes = 50000;
  ArgDesc size;
  size.kind = ArgDesc::Kind::Scalar;
  size.scalar = 12;
  ArgDesc half = size;
  half.type = ElementType::F16;
  half.scalar = 1.5; // 0x3e00
  kernel.args = {ArgDesc{}, size, half};
  launch.kernels = {kernel};
  std::string program = runnerProgram(launch);
  EXPECT_NE(program.find(R"({"a\"b", "f32", "buffer_0.bin", 32, true})"),
            std::string::npos);
  EXPECT_NE(
      program.find(
          R"({"f", {7, 2, 1}, {64, 1, 1}, 50000, {{true, 0, 0, 0x0}, {false, 0, 0, 0xc}, {false, 0, 0, 0x3e00}}})"),
      std::string::npos);
}

} // namespace
