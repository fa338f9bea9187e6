//===- ReferenceTest.cpp - the CPU reference ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/Reference.h"

#include "hwtune/Measure/Generator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace hwtune;
using namespace mlir;

namespace {

class ReferenceTest : public testing::Test {
protected:
  ReferenceTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  Operation *parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    Operation *op = nullptr;
    if (module)
      module->walk([&](linalg::LinalgOp o) { op = o; });
    EXPECT_NE(op, nullptr) << text;
    return op;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

double f32(uint64_t seed, uint64_t i) {
  return generatedValue(seed, i, ElementType::F32);
}

TEST_F(ReferenceTest, MatmulIsThePlainLoopNest) {
  Operation *op =
      parse("func.func @f(%a: memref<5x7xf32>, %b: memref<7x6xf32>, %c: "
            "memref<5x6xf32>) {\n"
            "  linalg.matmul ins(%a, %b : memref<5x7xf32>, memref<7x6xf32>) "
            "outs(%c : memref<5x6xf32>)\n  return }");
  auto r = computeReference(op, {{{{5, 7}, 1}, {{7, 6}, 2}, {{5, 6}, 3}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  ASSERT_EQ(r->size(), 1u);
  const ExpectedValues &e = (*r)[0].expected;
  ASSERT_EQ(e.values.size(), 30u);
  EXPECT_TRUE(e.indices.empty());
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j) {
      double sum = f32(3, i * 6 + j), magnitude = std::abs(sum);
      for (int k = 0; k < 7; ++k) {
        double p = f32(1, i * 7 + k) * f32(2, k * 6 + j);
        sum += p;
        magnitude += std::abs(p);
      }
      EXPECT_DOUBLE_EQ(e.values[i * 6 + j], sum);
      // 7 additions and one product, each of at most u times all terms.
      EXPECT_NEAR(e.bounds[i * 6 + j], magnitude * 9 * std::ldexp(1.0, -24),
                  1e-12);
    }
}

/// Rows of 3 elements, 5 apart, from the third element on; b is column by
/// column.
TEST_F(ReferenceTest, StridedOperandsAreAddressedAsTheyLie) {
  Operation *op = parse(
      "func.func @f(%a: memref<2x3xf32, strided<[5, 1], offset: 2>>, %b: "
      "memref<2x3xf32, strided<[1, 2]>>) {\n"
      "  linalg.copy ins(%a : memref<2x3xf32, strided<[5, 1], offset: 2>>) "
      "outs(%b : memref<2x3xf32, strided<[1, 2]>>)\n  return }");
  auto r = computeReference(op, {{{{2, 3}, 1}, {{2, 3}, 2}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  const ExpectedValues &e = (*r)[0].expected;
  ASSERT_EQ(e.values.size(), 6u);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(e.values[i + 2 * j], f32(1, 2 + 5 * i + j));
}

TEST_F(ReferenceTest, StridedOutputsLeaveGapsAlone) {
  Operation *op =
      parse("func.func @f(%a: memref<2x3xf32>, %b: memref<2x3xf32, "
            "strided<[4, 1], offset: 1>>) {\n"
            "  linalg.copy ins(%a : memref<2x3xf32>) outs(%b : "
            "memref<2x3xf32, strided<[4, 1], offset: 1>>)\n  return }");
  auto r = computeReference(op, {{{{2, 3}, 1}, {{2, 3}, 2}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  const ExpectedValues &e = (*r)[0].expected;
  EXPECT_EQ(e.indices, (std::vector<uint64_t>{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(e.values[3], f32(1, 3));
}

TEST_F(ReferenceTest, ChosenElementsAreThoseOfAll) {
  Operation *op =
      parse("func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: "
            "memref<?x?xf32>) {\n"
            "  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) "
            "outs(%c : memref<?x?xf32>)\n  return }");
  ReferenceInputs in{{{{9, 4}, 1}, {{4, 8}, 2}, {{9, 8}, 3}}, {}};
  auto all = computeReference(op, in);
  auto some = computeReference(op, in, {{0, 13, 71}});
  ASSERT_TRUE(all);
  ASSERT_TRUE(some);
  EXPECT_EQ((*some)[0].expected.indices, (std::vector<uint64_t>{0, 13, 71}));
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ((*some)[0].expected.values[i],
              (*all)[0].expected.values[(*some)[0].expected.indices[i]]);
}

/// One rounding per operation: (x + y) * x has 2 u |x + y| |x| and more where
/// x + y cancels.
TEST_F(ReferenceTest, RunningErrorByHand) {
  Operation *op = parse("func.func @f(%a: memref<3xf32>, %b: memref<3xf32>, "
                        "%c: memref<3xf32>) {\n"
                        "  linalg.generic {indexing_maps = [affine_map<(i) -> "
                        "(i)>, affine_map<(i) -> (i)>, affine_map<(i) -> "
                        "(i)>], iterator_types = [\"parallel\"]}\n"
                        "    ins(%a, %b : memref<3xf32>, memref<3xf32>) "
                        "outs(%c : memref<3xf32>) {\n"
                        "  ^bb0(%x: f32, %y: f32, %z: f32):\n    %s = "
                        "arith.addf %x, %y : f32\n    %r = arith.mulf %s, %x : "
                        "f32\n    linalg.yield %r : f32 }\n  return }");
  auto r = computeReference(op, {{{{3}, 5}, {{3}, 6}, {{3}, 7}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  const double u = std::ldexp(1.0, -24);
  for (int i = 0; i < 3; ++i) {
    double x = f32(5, i), y = f32(6, i), v = (x + y) * x;
    EXPECT_DOUBLE_EQ((*r)[0].expected.values[i], v);
    double sumError = u * (std::abs(x) + std::abs(y));
    EXPECT_NEAR((*r)[0].expected.bounds[i],
                sumError * std::abs(x) + u * std::abs(v), 1e-12);
  }
}

TEST_F(ReferenceTest, IntegersWrapAround) {
  Operation *op =
      parse("func.func @f(%a: memref<64xi8>, %c: memref<i8>) {\n"
            "  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
            "affine_map<(i) -> ()>], iterator_types = [\"reduction\"]}\n"
            "    ins(%a : memref<64xi8>) outs(%c : memref<i8>) {\n"
            "  ^bb0(%x: i8, %z: i8):\n    %k = arith.constant 77 : i8\n    %m "
            "= arith.muli %x, %k : i8\n    %r = arith.addi %m, %z : i8\n    "
            "linalg.yield %r : i8 }\n  return }");
  auto r = computeReference(op, {{{{64}, 5}, {{}, 6}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  auto sum = static_cast<int8_t>(generatedValue(6, 0, ElementType::I8));
  for (int i = 0; i < 64; ++i)
    sum = static_cast<int8_t>(
        sum + static_cast<int8_t>(generatedValue(5, i, ElementType::I8)) * 77);
  EXPECT_EQ((*r)[0].expected.values[0], sum);
  EXPECT_EQ((*r)[0].expected.bounds[0], 0);
}

TEST_F(ReferenceTest, CopiesAreExact) {
  Operation *op =
      parse("func.func @f(%a: memref<4x5xf16>, %c: memref<5x4xf16>) {\n"
            "  linalg.transpose ins(%a : memref<4x5xf16>) outs(%c : "
            "memref<5x4xf16>) permutation = [1, 0]\n  return }");
  auto r = computeReference(op, {{{{4, 5}, 5}, {{5, 4}, 6}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ((*r)[0].expected.values[i * 4 + j],
                generatedValue(5, j * 5 + i, ElementType::F16));
      EXPECT_EQ((*r)[0].expected.bounds[i * 4 + j], 0);
    }
}

TEST_F(ReferenceTest, MathOpsCarryTheirBound) {
  Operation *op = parse("func.func @f(%a: memref<4xf32>, %c: memref<4xf32>) {\n"
                        "  linalg.exp ins(%a : memref<4xf32>) outs(%c : "
                        "memref<4xf32>)\n  return }");
  auto r = computeReference(op, {{{{4}, 5}, {{4}, 6}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  for (int i = 0; i < 4; ++i) {
    double v = std::exp(f32(5, i));
    EXPECT_NEAR((*r)[0].expected.values[i], v, 1e-15 * v);
    EXPECT_NEAR((*r)[0].expected.bounds[i], 2 * 1.5 * std::ldexp(v, -24),
                1e-12); // 1.5 ulp
  }
}

/// Of 1 and 0, 0 and 0, and 0/0 and 0: what each predicate of MLIR means.
TEST_F(ReferenceTest, ComparisonsOrderedAndUnordered) {
  struct {
    const char *predicate;
    bool greater, equal, unordered;
  } rows[] = {{"false", false, false, false}, {"oeq", false, true, false},
              {"ogt", true, false, false},    {"oge", true, true, false},
              {"olt", false, false, false},   {"ole", false, true, false},
              {"one", true, false, false},    {"ord", true, true, false},
              {"ueq", false, true, true},     {"ugt", true, false, true},
              {"uge", true, true, true},      {"ult", false, false, true},
              {"ule", false, true, true},     {"une", true, false, true},
              {"uno", false, false, true},    {"true", true, true, true}};
  for (auto &row : rows) {
    auto compared = [&](std::string_view left) {
      std::string text =
          "func.func @f(%a: memref<1xf32>, %c: memref<1xf32>) {\n"
          "  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
          "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]}\n"
          "    ins(%a : memref<1xf32>) outs(%c : memref<1xf32>) {\n"
          "  ^bb0(%x: f32, %z: f32):\n"
          "    %zero = arith.subf %x, %x : f32\n"
          "    %one = arith.constant 1.0 : f32\n"
          "    %nan = arith.divf %zero, %zero : f32\n    %p = arith.cmpf " +
          std::string(row.predicate) + ", " + std::string(left) +
          ", %zero : f32\n"
          "    %r = arith.select %p, %one, %zero : f32\n"
          "    linalg.yield %r : f32 }\n  return }";
      auto r =
          computeReference(parse(text.c_str()), {{{{1}, 5}, {{1}, 6}}, {}});
      EXPECT_TRUE(r) << r.error().str();
      return r && (*r)[0].expected.values[0] != 0;
    };
    EXPECT_EQ(compared("%one"), row.greater) << row.predicate;
    EXPECT_EQ(compared("%zero"), row.equal) << row.predicate;
    EXPECT_EQ(compared("%nan"), row.unordered) << row.predicate;
  }
}

/// A comparison that rounding could turn covers both outcomes.
TEST_F(ReferenceTest, DoubtfulSelectsCoverBothSides) {
  Operation *op = parse(
      "func.func @f(%a: memref<1xf32>, %c: memref<1xf32>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
      "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]}\n"
      "    ins(%a : memref<1xf32>) outs(%c : memref<1xf32>) {\n"
      "  ^bb0(%x: f32, %z: f32):\n    %k = arith.constant 3.0 : f32\n    %t = "
      "arith.constant 0.3333333432674408 : f32\n    %p = arith.mulf %k, %t : "
      "f32\n"
      "    %one = arith.constant 1.0 : f32\n    %g = arith.cmpf ogt, %p, %one "
      ": f32\n    %ten = arith.constant 10.0 : f32\n    %r = arith.select %g, "
      "%ten, %one : f32\n    linalg.yield %r : f32 }\n  return }");
  auto r = computeReference(op, {{{{1}, 5}, {{1}, 6}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  EXPECT_GE((*r)[0].expected.bounds[0], 9);
}

/// A value within its rounding error of a step can fall to either side.
TEST_F(ReferenceTest, StepsAfterRoundingHaveTwoSides) {
  auto run = [&](const std::string &body, const std::string &type) {
    return computeReference(
        parse("func.func @f(%a: memref<1xf32>, %c: memref<1x" + type +
              ">) {\n"
              "  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
              "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]}\n"
              "    ins(%a : memref<1xf32>) outs(%c : memref<1x" +
              type + ">) {\n  ^bb0(%x: f32, %z: " + type + "):\n" + body +
              "    linalg.yield %r : " + type + " }\n  return }"),
        {{{{1}, 5}, {{1}, 6}}, {}});
  };
  // 3 * float(1/3) = 1.00000003, with an error of 6e-8: 1, or 0 from below 1.
  auto step = run("    %k = arith.constant 3.0 : f32\n    %t = arith.constant "
                  "0.3333333432674408 : f32\n    %p = arith.mulf %k, %t : f32\n"
                  "    %r = arith.fptosi %p : f32 to i32\n",
                  "i32");
  ASSERT_TRUE(step) << step.error().str();
  EXPECT_EQ((*step)[0].expected.values[0], 1);
  EXPECT_EQ((*step)[0].expected.bounds[0], 1);
  auto exact = run("    %k = arith.constant 2.5 : f32\n    %r = arith.fptosi "
                   "%k : f32 to i32\n",
                   "i32");
  ASSERT_TRUE(exact) << exact.error().str();
  EXPECT_EQ((*exact)[0].expected.values[0], 2);
  EXPECT_EQ((*exact)[0].expected.bounds[0], 0);
}

/// What exceeds the type is infinite; what may exceed it, anything.
TEST_F(ReferenceTest, OverflowIsOfTheType) {
  auto run = [&](const char *factor) {
    return computeReference(
        parse(
            std::string("func.func @f(%a: memref<1xf16>, %c: memref<1xf16>) "
                        "{\n  linalg.generic {indexing_maps = [affine_map<(i) "
                        "-> (i)>, affine_map<(i) -> (i)>], iterator_types = "
                        "[\"parallel\"]}\n    ins(%a : memref<1xf16>) outs(%c "
                        ": memref<1xf16>) {\n  ^bb0(%x: f16, %z: f16):\n"
                        "    %k = arith.constant 256.0 : f16\n"
                        "    %t = arith.constant ") +
            factor +
            " : f16\n    %r = arith.mulf %k, %t : f16\n"
            "    linalg.yield %r : f16 }\n  return }"),
        {{{{1}, 5}, {{1}, 6}}, {}});
  };
  auto beyond = run("300.0"); // 76800; the largest f16 is 65504
  ASSERT_TRUE(beyond) << beyond.error().str();
  EXPECT_TRUE(std::isinf((*beyond)[0].expected.values[0]));
  auto near = run("255.9"); // 65510, rounded down to 65504 or up
  ASSERT_TRUE(near) << near.error().str();
  EXPECT_EQ((*near)[0].expected.bounds[0], kAnyValue);
  auto below = run("128.0");
  ASSERT_TRUE(below) << below.error().str();
  EXPECT_EQ((*below)[0].expected.values[0], 32768);
}

/// An output indexed by a sum of loops: all iterations run in order.
TEST_F(ReferenceTest, OutputsThatAreNoPermutationRunInOrder) {
  Operation *op =
      parse("func.func @f(%a: memref<4xf32>, %b: memref<2xf32>, %c: "
            "memref<5xf32>) {\n"
            "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, "
            "affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i + j)>], "
            "iterator_types = [\"parallel\", \"parallel\"]}\n"
            "    ins(%a, %b : memref<4xf32>, memref<2xf32>) outs(%c : "
            "memref<5xf32>) {\n"
            "  ^bb0(%x: f32, %y: f32, %z: f32):\n    linalg.yield %x : f32 }\n "
            " return }");
  auto r = computeReference(op, {{{{4}, 5}, {{2}, 7}, {{5}, 6}}, {}});
  ASSERT_TRUE(r) << r.error().str();
  // Element e is written by (e-1, 1) and later by (e, 0), where these exist.
  for (int e = 0; e < 5; ++e)
    EXPECT_EQ((*r)[0].expected.values[e], f32(5, std::min(e, 3)));
}

TEST_F(ReferenceTest, Refusals) {
  Operation *op = parse("func.func @f(%a: memref<?xf32>, %c: memref<?xf32>) {\n"
                        "  linalg.copy ins(%a : memref<?xf32>) outs(%c : "
                        "memref<?xf32>)\n  return }");
  auto rank = computeReference(op, {{{{4, 4}, 5}, {{4}, 6}}, {}});
  ASSERT_FALSE(rank);
  EXPECT_EQ(rank.error().message, "operand 0 needs a shape of rank 1");
  auto size = computeReference(op, {{{{8}, 5}, {{4}, 6}}, {}});
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().message,
            "dimension 0 of operand 1 has size 4, the loops reach 7");
  auto order = computeReference(op, {{{{4}, 5}, {{4}, 6}}, {}}, {{2, 1}});
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().message,
            "index 1 of operand 1 is out of order or not below 4");
}

} // namespace
