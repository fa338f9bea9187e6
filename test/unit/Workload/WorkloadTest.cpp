//===- WorkloadTest.cpp - types and totals --------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include <gtest/gtest.h>

using namespace hwtune;

TEST(Workload, ElementTypes) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::F8E4M3, ElementType::F8E5M2, ElementType::I64,
        ElementType::I32, ElementType::I16, ElementType::I8, ElementType::I1})
    EXPECT_EQ(parseElementType(toString(type)), type);
  EXPECT_EQ(toString(ElementType::BF16), "bf16");
  EXPECT_EQ(sizeInBytes(ElementType::F64), 8);
  EXPECT_EQ(sizeInBytes(ElementType::BF16), 2);
  EXPECT_EQ(sizeInBytes(ElementType::I1), 1);
  EXPECT_FALSE(parseElementType("f31"));
}

using Numbers = std::vector<int64_t>;

TEST(Workload, ElementStrides) {
  Operand op;
  op.shape = {4, 5, 6};
  EXPECT_EQ(elementStrides(op), (Numbers{30, 6, 1}));
  op.shape = {4, 5, kDynamic};
  EXPECT_EQ(elementStrides(op), (Numbers{kDynamic, kDynamic, 1}));
  op.strides = {64, 8, 1};
  EXPECT_EQ(elementStrides(op), (Numbers{64, 8, 1}));
}

TEST(Workload, LaunchStridesNeverOverlap) {
  EXPECT_EQ(launchStrides({}, Numbers{4, 5}), (Numbers{5, 1}));
  EXPECT_EQ(launchStrides(Numbers{kDynamic, 1}, Numbers{4, 5}),
            (Numbers{5, 1}));
  EXPECT_EQ(launchStrides(Numbers{1, kDynamic}, Numbers{4, 5}),
            (Numbers{1, 4}));
  EXPECT_EQ(launchStrides(Numbers{16, kDynamic}, Numbers{4, 5}),
            (Numbers{16, 64}));
}

TEST(Workload, SpannedElements) {
  EXPECT_EQ(spannedElements(Numbers{4, 5}, Numbers{5, 1}, 0), 20);
  // The last row ends after 5 of its 16 elements.
  EXPECT_EQ(spannedElements(Numbers{4, 5}, Numbers{16, 1}, 3), 3 + 3 * 16 + 5);
  EXPECT_EQ(spannedElements(Numbers{4, 0}, Numbers{16, 1}, 3), 0);
  EXPECT_EQ(spannedElements(Numbers{}, Numbers{}, 2), 3);
}

TEST(Workload, Totals) {
  Workload w = matmul(64, 32, 16);
  EXPECT_FALSE(w.isDynamic());
  EXPECT_EQ(w.points(), 64 * 32 * 16);
  EXPECT_EQ(w.flops(), 2.0 * 64 * 32 * 16);
  w.loops[2].extent = kDynamic;
  EXPECT_TRUE(w.isDynamic());
  EXPECT_EQ(w.points(), 64 * 32 * 1024);
  w.loops.assign(8, {LoopKind::Parallel, 1 << 20});
  EXPECT_EQ(w.points(), INT64_MAX);
}

TEST(Workload, RowMultiple) {
  Workload w = matmul(kDynamic, 6, kDynamic);
  // A: m x k; B: k x 6. A known extent has its own factor.
  EXPECT_EQ(rowMultiple(w, w.operands[0]), 1);
  EXPECT_EQ(rowMultiple(w, w.operands[1]), 2);
  w.operands[1].shape[1] = 64; // no access is wider than 16 bytes
  EXPECT_EQ(rowMultiple(w, w.operands[1]), 4);
  w.wholeRows = true;
  EXPECT_EQ(rowMultiple(w, w.operands[0]), 4);
  w.operands[0].type = ElementType::F16;
  EXPECT_EQ(rowMultiple(w, w.operands[0]), 8);
  w.operands[0].shape.clear();
  EXPECT_EQ(rowMultiple(w, w.operands[0]), 1);
}
