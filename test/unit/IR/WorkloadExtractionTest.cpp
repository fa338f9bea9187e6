//===- WorkloadExtractionTest.cpp - linalg operation to Workload ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/IR/OpIsolation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

class WorkloadExtractionTest : public testing::Test {
protected:
  WorkloadExtractionTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                        mlir::memref::MemRefDialect,
                        mlir::tensor::TensorDialect>();
  }

  /// The only LinalgOp of a function with `arguments` and `body`.
  Expected<Workload> extract(const std::string &arguments,
                             const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\n return }",
        mlir::ParserConfig(&context));
    EXPECT_TRUE(module);
    std::vector<TunableOp> ops = collectLinalgOps(*module);
    EXPECT_EQ(ops.size(), 1u);
    op = ops.front().op;
    return ops.front().workload;
  }

  static std::vector<int64_t> extents(const Workload &w) {
    std::vector<int64_t> result;
    for (const Loop &loop : w.loops)
      result.push_back(loop.extent);
    return result;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *op = nullptr;
};

constexpr const char *kMatmulArguments =
    "%a: tensor<8x16xf16>, %b: tensor<16x4xf16>, %c: tensor<8x4xf32>";
constexpr const char *kMatmul =
    "%0 = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x4xf16>) "
    "outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>";

TEST_F(WorkloadExtractionTest, Matmul) {
  Expected<Workload> w = extract(kMatmulArguments, kMatmul);
  ASSERT_TRUE(w) << w.error().message;
  EXPECT_EQ(w->kind, WorkloadKind::Contraction);
  EXPECT_EQ(w->opName, "linalg.matmul");
  EXPECT_EQ(extents(*w), (std::vector<int64_t>{8, 4, 16}));
  EXPECT_EQ(w->loops[2].kind, LoopKind::Reduction);
  EXPECT_EQ(w->body.fma, 1);
  EXPECT_EQ(w->body.flops, 2);
  EXPECT_EQ(w->combiner, "add");
  EXPECT_EQ(w->accumulator, ElementType::F32);
  ASSERT_EQ(w->operands.size(), 3u);
  EXPECT_EQ(w->operands[0].type, ElementType::F16);
  EXPECT_FALSE(w->operands[0].isOutput);
  EXPECT_TRUE(w->operands[2].isOutput);
  EXPECT_TRUE(w->operands[2].readsInit);
  // b is indexed (k, n).
  EXPECT_EQ(w->operands[1].index[0].coefficients,
            (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(w->operands[1].index[1].coefficients,
            (std::vector<int64_t>{0, 1, 0}));
}

// Where an index is not linear, the workload knows one that is nowhere less, so
// that a buffer of unknown size is made large enough.
TEST_F(WorkloadExtractionTest, BoundsOfIndicesThatAreNotLinear) {
  Expected<Workload> w = extract(
      "%a: memref<?x?x?xf32>, %b: memref<8x6xf32>",
      "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j "
      "mod 4, 3 * (j floordiv 3) + i + 5)>, affine_map<(i, j) -> (i, j)>], "
      "iterator_types = [\"parallel\", \"parallel\"]} ins(%a : "
      "memref<?x?x?xf32>) outs(%b : memref<8x6xf32>) {\n^bb0(%x: f32, %y: f32):"
      "\n linalg.yield %x : f32\n}");
  ASSERT_TRUE(w) << w.error().message;
  const Operand &a = w->operands[0];
  EXPECT_FALSE(a.isLinear);
  std::vector<int64_t> loops = {8, 6};
  EXPECT_GE(reach(a.index[0], loops), 4);
  EXPECT_EQ(reach(a.index[1], loops), 4);
  EXPECT_GE(reach(a.index[2], loops), 3 + 7 + 5 + 1);
  EXPECT_LE(reach(a.index[2], loops), 3 * 5 + 7 + 5 + 1);
}

/// The named op, the same as a generic, under other value names, on memrefs,
/// and with an annotation: one key, and it never changes.
/// What one operand does not say of a loop, another may.
TEST_F(WorkloadExtractionTest, OperandsTellEachOthersSizes) {
  Expected<Workload> w = extract(
      "%a: memref<?x1x?xf32>, %b: memref<5x12x?xf32>, %c: memref<?x?x64xf32>",
      "linalg.batch_matmul ins(%a, %b : memref<?x1x?xf32>, "
      "memref<5x12x?xf32>) outs(%c : memref<?x?x64xf32>)");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->operands[0].shape, (std::vector<int64_t>{5, 1, 12}));
  EXPECT_EQ(w->operands[1].shape, (std::vector<int64_t>{5, 12, 64}));
  EXPECT_EQ(w->operands[2].shape, (std::vector<int64_t>{5, 1, 64}));
  EXPECT_EQ(extents(*w), (std::vector<int64_t>{5, 1, 64, 12}));
}

TEST_F(WorkloadExtractionTest, PromisesWholeRowsWhereTheHostCanTestThem) {
  auto promised = [&](const std::string &a, const std::string &b,
                      const std::string &c) {
    Expected<Workload> w = extract(
        "%a: memref<" + a + ">, %b: memref<" + b + ">, %c: memref<" + c + ">",
        "linalg.matmul ins(%a, %b : memref<" + a + ">, memref<" + b +
            ">) outs(%c : memref<" + c + ">)");
    EXPECT_TRUE(w);
    return w && w->wholeRows;
  };
  EXPECT_TRUE(promised("?x?xf32", "?x?xf32", "?x?xf32"));
  EXPECT_TRUE(promised("?x64xf32", "64x?xf32", "?x?xf32"));
  // Nothing is dynamic along a row.
  EXPECT_FALSE(promised("?x64xf32", "64x64xf32", "?x64xf32"));
  EXPECT_FALSE(promised("8x64xf32", "64x64xf32", "8x64xf32"));
  // The rows of A are 6 elements apart.
  EXPECT_FALSE(promised("?x6xf32", "6x?xf32", "?x?xf32"));
}

TEST_F(WorkloadExtractionTest, KeyIgnoresNamesAndForms) {
  std::string named = extract(kMatmulArguments, kMatmul)->key;
  std::string generic =
      extract("%x: tensor<8x16xf16>, %y: tensor<16x4xf16>, %z: tensor<8x4xf32>",
              R"(%r = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                         affine_map<(i, j, k) -> (k, j)>,
                         affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"], some.note = 1}
        ins(%x, %y : tensor<8x16xf16>, tensor<16x4xf16>)
        outs(%z : tensor<8x4xf32>) {
      ^bb0(%p: f16, %q: f16, %s: f32):
        %1 = arith.extf %p : f16 to f32
        %2 = arith.extf %q : f16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %s, %3 : f32
        linalg.yield %4 : f32 } -> tensor<8x4xf32>)")
          ->key;
  std::string buffers =
      extract("%a: memref<8x16xf16>, %b: memref<16x4xf16>, %c: memref<8x4xf32>",
              "linalg.matmul ins(%a, %b : memref<8x16xf16>, memref<16x4xf16>) "
              "outs(%c : memref<8x4xf32>)")
          ->key;
  EXPECT_EQ(named, generic);
  EXPECT_EQ(named, buffers);
  // A stored key must still be found by a later version.
  EXPECT_EQ(named,
            "06559cc3c406bd9060b80ab60c64cd208e2a468e0142f2cacca7f32dfac2bd5a");
}

TEST_F(WorkloadExtractionTest, KeySeesShapesTypesAndConstants) {
  auto scaled = [&](const std::string &type, const std::string &constant) {
    return extract("%a: tensor<" + type + ">",
                   "%k = arith.constant " + constant +
                       " : f32\n%0 = linalg.generic {indexing_maps = "
                       "[affine_map<(i) -> (i)>], iterator_types = "
                       "[\"parallel\"]} outs(%a : tensor<" +
                       type +
                       ">) { ^bb0(%x: f32): %1 = arith.mulf %x, %k : f32 "
                       "linalg.yield %1 : f32 } -> tensor<" +
                       type + ">")
        ->key;
  };
  EXPECT_EQ(scaled("64xf32", "2.0"), scaled("64xf32", "2.0"));
  EXPECT_NE(scaled("64xf32", "2.0"), scaled("64xf32", "3.0"));
  EXPECT_NE(scaled("64xf32", "2.0"), scaled("65xf32", "2.0"));
  EXPECT_NE(scaled("64xf32", "2.0"), scaled("?xf32", "2.0"));
}

TEST_F(WorkloadExtractionTest, CanonicalText) {
  (void)extract("%a: memref<?x4xf32>, %b: memref<4x?xf32>",
                "linalg.transpose ins(%a : memref<?x4xf32>) outs(%b : "
                "memref<4x?xf32>) permutation = [1, 0]");
  EXPECT_EQ(canonicalText(op), "hwtune-op 1\n"
                               "loops p4 p?\n"
                               "in ?x4xf32 at (d0, d1) -> (d1, d0)\n"
                               "out 4x?xf32 at (d0, d1) -> (d0, d1)\n"
                               "linalg.yield %0\n");
}

TEST_F(WorkloadExtractionTest, Kinds) {
  EXPECT_EQ(extract("%a: tensor<4x8xf32>, %b: tensor<8x4xf32>",
                    "%0 = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%b : "
                    "tensor<8x4xf32>) permutation = [1, 0]")
                ->kind,
            WorkloadKind::Transpose);
  EXPECT_EQ(extract("%v: f32, %b: tensor<8x4xf32>",
                    "%0 = linalg.fill ins(%v : f32) outs(%b : tensor<8x4xf32>) "
                    "-> tensor<8x4xf32>")
                ->kind,
            WorkloadKind::Elementwise);
  Expected<Workload> sum = extract(
      "%a: tensor<4x8xf32>, %b: tensor<4xf32>",
      "%0 = linalg.reduce {arith.addf} ins(%a : tensor<4x8xf32>) outs(%b : "
      "tensor<4xf32>) dimensions = [1]");
  EXPECT_EQ(sum->kind, WorkloadKind::Reduction);
  EXPECT_EQ(sum->combiner, "add");
  Expected<Workload> conv = extract(
      "%i: memref<1x9x9x3xf32>, %f: memref<3x3x3x5xf32>, %o: "
      "memref<1x4x4x5xf32>",
      "linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%i, "
      "%f : memref<1x9x9x3xf32>, memref<3x3x3x5xf32>) outs(%o : "
      "memref<1x4x4x5xf32>)");
  EXPECT_EQ(conv->kind, WorkloadKind::Convolution);
  EXPECT_EQ(conv->operands[0].index[1].coefficients,
            (std::vector<int64_t>{0, 2, 0, 0, 1, 0, 0}));
  Expected<Workload> pool = extract(
      "%i: memref<1x9x9x3xf32>, %w: memref<3x3xf32>, %o: memref<1x4x4x3xf32>",
      "linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%i, %w "
      ": memref<1x9x9x3xf32>, memref<3x3xf32>) outs(%o : memref<1x4x4x3xf32>)");
  EXPECT_EQ(pool->kind, WorkloadKind::Pooling);
  EXPECT_EQ(pool->combiner, "maximumf");
}

/// a * a summed is no contraction: there is one input to tile, not two.
TEST_F(WorkloadExtractionTest, SquareSumIsNoContraction) {
  Expected<Workload> w = extract("%a: tensor<4x8xf32>, %b: tensor<4xf32>",
                                 R"(%0 = linalg.generic {
        indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) {
      ^bb0(%x: f32, %s: f32):
        %1 = arith.mulf %x, %x : f32
        %2 = arith.addf %s, %1 : f32
        linalg.yield %2 : f32 } -> tensor<4xf32>)");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->kind, WorkloadKind::Reduction);
  EXPECT_EQ(w->body.fma, 1);
}

TEST_F(WorkloadExtractionTest, BodyCounts) {
  Expected<Workload> w = extract("%a: tensor<4xf32>, %i: tensor<4xi32>",
                                 R"(%0 = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}
        ins(%i : tensor<4xi32>) outs(%a : tensor<4xf32>) {
      ^bb0(%n: i32, %s: f32):
        %k = arith.addi %n, %n : i32
        %x = arith.sitofp %k : i32 to f32
        %e = math.exp %x : f32
        %m = arith.maximumf %e, %x : f32
        %d = arith.divf %m, %x : f32
        linalg.yield %d : f32 } -> tensor<4xf32>)");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->body.integer, 1);
  EXPECT_EQ(w->body.special, 2); // exp, div
  EXPECT_EQ(w->body.flops, 3);   // exp, max, div
  EXPECT_EQ(w->body.fma, 0);
  EXPECT_FALSE(w->operands.back().readsInit);
}

TEST_F(WorkloadExtractionTest, StridedOperands) {
  Expected<Workload> w = extract(
      "%a: memref<4x?xf32, strided<[8, ?], offset: ?>>, %b: memref<4x?xf32>",
      "linalg.copy ins(%a : memref<4x?xf32, strided<[8, ?], offset: ?>>) "
      "outs(%b : memref<4x?xf32>)");
  ASSERT_TRUE(w) << w.error().str();
  EXPECT_EQ(w->operands[0].strides, (std::vector<int64_t>{8, kDynamic}));
  EXPECT_EQ(w->operands[0].offset, kDynamic);
  EXPECT_TRUE(w->operands[1].strides.empty());
  EXPECT_EQ(w->operands[1].offset, 0);
}

TEST_F(WorkloadExtractionTest, Refusals) {
  auto reason = [&](const std::string &arguments, const std::string &body) {
    Expected<Workload> w = extract(arguments, body);
    return w ? std::string("accepted") : w.error().message;
  };
  EXPECT_EQ(reason("%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>",
                   "%0 = linalg.copy ins(%a : tensor<4xcomplex<f32>>) outs(%b "
                   ": tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>"),
            "operand 0: element type complex<f32> is not supported, expected "
            "f64, f32, f16, bf16, f8E4M3FN, f8E5M2 or a signless i64, i32, "
            "i16, i8, i1");
  std::string tiled =
      "memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>";
  EXPECT_EQ(
      reason("%a: " + tiled + ", %b: memref<4x4xf32>",
             "linalg.copy ins(%a : " + tiled + ") outs(%b : memref<4x4xf32>)"),
      "operand 0: layout of " + tiled +
          " is not strided, expected an offset and strides");
  EXPECT_EQ(
      reason("%a: memref<4x4xf32>, %b: memref<4x4xf32, strided<[0, 1]>>",
             "linalg.copy ins(%a : memref<4x4xf32>) outs(%b : "
             "memref<4x4xf32, strided<[0, 1]>>)"),
      "operand 1: layout of memref<4x4xf32, strided<[0, 1]>> has stride 0 "
      "in an output, expected elements that do not overlap");
  EXPECT_EQ(reason("%a: memref<4xf32, 3>, %b: memref<4xf32>",
                   "linalg.copy ins(%a : memref<4xf32, 3>) outs(%b : "
                   "memref<4xf32>)"),
            "operand 0: memory space of memref<4xf32, 3> is not the default "
            "one");
  EXPECT_EQ(reason("%a: tensor<0xf32>, %b: tensor<0xf32>",
                   "%0 = linalg.copy ins(%a : tensor<0xf32>) outs(%b : "
                   "tensor<0xf32>) -> tensor<0xf32>"),
            "loop 0 has 0 iterations, expected at least one");
  std::string generic = R"(linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%a : memref<4xf32>) { ^bb0(%x: f32): )";
  EXPECT_EQ(reason("%a: memref<4xf32>, %k: f32",
                   generic + "%1 = arith.mulf %x, %k : f32 linalg.yield %1 : "
                             "f32 }"),
            "body operation 'arith.mulf' uses a value from outside the "
            "operation, expected an operand or a constant");
  EXPECT_EQ(reason("%a: memref<4xf32>, %m: memref<f32>",
                   generic + "memref.store %x, %m[] : memref<f32> linalg.yield "
                             "%x : f32 }"),
            "body operation 'memref.store' has side effects, expected pure "
            "operations");
}

TEST_F(WorkloadExtractionTest, NotALinalgOp) {
  (void)extract(kMatmulArguments, kMatmul);
  Expected<Workload> w = extractWorkload(op->getParentOp());
  ASSERT_FALSE(w);
  EXPECT_EQ(w.error().message,
            "'func.func' does not implement the LinalgOp interface");
}

/// What is tuned alone is the same workload, and stands alone.
TEST_F(WorkloadExtractionTest, IsolationKeepsTheWorkload) {
  Expected<Workload> w = extract("%a: tensor<?x8xf32>",
                                 R"(%k = arith.constant 2.0 : f32
      %0 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"], some.note = 1}
        outs(%a : tensor<?x8xf32>) {
      ^bb0(%x: f32):
        %1 = arith.mulf %x, %k : f32
        linalg.yield %1 : f32 } -> tensor<?x8xf32>)");
  ASSERT_TRUE(w);
  mlir::OwningOpRef<mlir::ModuleOp> isolated = isolateOp(op);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*isolated)));
  std::vector<TunableOp> ops = collectLinalgOps(*isolated);
  ASSERT_EQ(ops.size(), 1u);
  ASSERT_TRUE(ops[0].workload);
  EXPECT_EQ(ops[0].workload->key, w->key);
  EXPECT_TRUE(ops[0].op->hasAttr(kIsolatedOpMark));
  EXPECT_FALSE(ops[0].op->hasAttr("some.note"));
  EXPECT_EQ(ops[0].op->getNumResults(), 0u);
  // And its text reads back.
  EXPECT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(
      isolatedText(op), mlir::ParserConfig(&context)));
}

} // namespace
