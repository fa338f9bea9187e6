//===- StubLibraryTest.cpp - the vendor's own list of symbols -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled only where the CUDA toolkit's stub of the driver is found: it has
// every symbol that drivers export, and does nothing.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Driver/DriverTable.h"

#include <gtest/gtest.h>

using namespace hwtune;

TEST(StubLibrary, EverySymbolExists) {
  auto table = DriverTable::load(HWTUNE_CUDA_STUB);
  ASSERT_TRUE(bool(table)) << table.error().message;
  EXPECT_EQ((*table)->kind(), DriverKind::Real);
#define HWTUNE_IS_THERE(need, name, symbol, params)                            \
  EXPECT_NE((*table)->name, nullptr) << #symbol;
  HWTUNE_CUDA_FUNCTIONS(HWTUNE_IS_THERE)
  EXPECT_EQ((*table)->cuInit(0), cuda::Result::StubLibrary);
}
