//===- TailCheckTest.cpp - a small launch to check a winner on ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/TailCheck.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Target/KnownTargets.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

class TailCheckTest : public testing::Test {
protected:
  /// The check of the only linalg op of `text` with its generic schedule.
  std::string moduleOf(const std::string &text,
                       const std::string &config = "") {
    context = createCompilerContext();
    module = *parseModule(*context, text);
    mlir::linalg::LinalgOp op;
    module->walk([&](mlir::linalg::LinalgOp found) { op = found; });
    Workload w = *extractWorkload(op);
    TargetSpec target = *knownTarget("a100-sxm4-80gb");
    const Schedule &schedule = *scheduleFor(w);
    Config chosen = config.empty()
                        ? schedule.generic(w, target)
                        : *schedule.space(w, target).fromText(config);
    TailCheck check = tailCheck(op, w, schedule, target, chosen);
    shapes = check.shapes;
    return check.module;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::vector<int64_t>> shapes;
};

std::string product(const std::string &a, const std::string &b,
                    const std::string &c) {
  return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c +
         ") {\n linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%c : " + c + ")\n return\n}";
}

TEST_F(TailCheckTest, StaticSizesShrinkToOddMultiplesOfTheirPowerOfTwo) {
  // 1024 -> 17 * 16, 1000 -> 33 * 8, 50 stays.
  std::string text = moduleOf(product(
      "memref<1024x50xf32>", "memref<50x1000xf32>", "memref<1024x1000xf32>"));
  EXPECT_NE(text.find("memref<272x50xf32>, memref<50x264xf32>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("hwtune.op"), std::string::npos);
  EXPECT_TRUE(shapes.empty());
}

TEST_F(TailCheckTest, DynamicSizesAreGivenApart) {
  std::string text = moduleOf(
      product("memref<?x?xf32>", "memref<?x?xf32>", "memref<?x?xf32>"));
  EXPECT_NE(text.find("memref<?x?xf32>"), std::string::npos);
  ASSERT_EQ(shapes.size(), 3u);
}

TEST_F(TailCheckTest, WhatIsSmallIsCheckedWholeAnyway) {
  EXPECT_EQ(moduleOf(product("memref<64x64xf32>", "memref<64x64xf32>",
                             "memref<64x64xf32>")),
            "");
}

TEST_F(TailCheckTest, WindowsKeepTheirHalo) {
  std::string text = moduleOf(
      "func.func @f(%a: memref<1x1026x1026x3xf32>, %b: memref<3x3x3x32xf32>, "
      "%c: memref<1x512x512x32xf32>) {\n"
      " linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%a, "
      "%b : memref<1x1026x1026x3xf32>, memref<3x3x3x32xf32>) outs(%c : "
      "memref<1x512x512x32xf32>)\n return\n}");
  // 512 -> 80: 2 * 79 + 2 + 1 of the input.
  EXPECT_NE(text.find("memref<1x161x161x3xf32>"), std::string::npos) << text;
  EXPECT_NE(text.find("memref<1x80x80x32xf32>"), std::string::npos) << text;
}

} // namespace
