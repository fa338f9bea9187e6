//===- DriverTableTest.cpp ------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Driver/DriverTable.h"

#include <gtest/gtest.h>

using namespace hwtune;

TEST(DriverTable, MissingLibraryIsNamed) {
  auto table = DriverTable::load("/nonexistent/libcuda.so.1");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("cannot load the CUDA driver library "
                                       "`/nonexistent/libcuda.so.1`: "),
            std::string::npos)
      << table.error().message;
}

TEST(DriverTable, LibraryWithoutTheApiNamesTheMissingSymbol) {
  auto table = DriverTable::load("libm.so.6");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message,
            "`libm.so.6` is no CUDA driver library that hwtune can use: it "
            "lacks the symbol `cuInit`");
}

TEST(DriverTable, ResultNames) {
  EXPECT_STREQ(cuda::resultName(cuda::Result::IllegalAddress),
               "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuda::resultName(static_cast<cuda::Result>(12345)), nullptr);
  DriverTable none;
  EXPECT_EQ(none.describe(cuda::Result::OutOfMemory),
            "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(none.describe(static_cast<cuda::Result>(12345)),
            "CUDA_ERROR_12345");
}

TEST(DriverTable, StickyErrors) {
  EXPECT_TRUE(cuda::isSticky(cuda::Result::IllegalAddress));
  EXPECT_TRUE(cuda::isSticky(cuda::Result::LaunchFailed));
  EXPECT_FALSE(cuda::isSticky(cuda::Result::OutOfMemory));
  EXPECT_FALSE(cuda::isSticky(cuda::Result::LaunchOutOfResources));
}
