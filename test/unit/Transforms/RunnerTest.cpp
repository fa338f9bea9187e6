//===- RunnerTest.cpp - runner programs -----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Runner.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

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
