//===- TextTableTest.cpp - aligned columns --------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/TextTable.h"

#include <gtest/gtest.h>

using namespace hwtune;

static TextTable sample() {
  TextTable table;
  table.column("op");
  table.column("time", TextTable::Align::Right);
  table.row({"matmul", "1 ms"});
  table.row({"µ", "100 ms"});
  table.row({"x"});
  return table;
}

TEST(TextTable, Aligned) {
  EXPECT_EQ(sample().str(), "op        time\n"
                            "------  ------\n"
                            "matmul    1 ms\n"
                            "µ       100 ms\n"
                            "x\n");
}

TEST(TextTable, Markdown) {
  TextTable table = sample();
  table.row({"a|b\nc", "2"});
  EXPECT_EQ(table.markdown(), "| op | time |\n"
                              "| --- | ---: |\n"
                              "| matmul | 1 ms |\n"
                              "| µ | 100 ms |\n"
                              "| x |  |\n"
                              "| a\\|b c | 2 |\n");
}
