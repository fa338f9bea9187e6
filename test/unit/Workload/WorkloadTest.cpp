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

TEST(Workload, Totals) {
  Workload w = matmul(64, 32, 16);
  EXPECT_FALSE(w.isDynamic());
  EXPECT_EQ(w.points(), 64 * 32 * 16);
  EXPECT_EQ(w.flops(), 2.0 * 64 * 32 * 16);
  w.loops[2].extent = kDynamic;
  EXPECT_TRUE(w.isDynamic());
  EXPECT_EQ(w.points(10), 64 * 32 * 10);
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
