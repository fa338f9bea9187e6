//===- ConstExprTest.cpp - constant expressions of PTX --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTestUtil.h"

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
/// The immediate that `text` gives as the source of a `mov`.
Operand immediate(const std::string &text) {
  Module m = parsedBody(".reg .b64 %r; mov.b64 %r, " + text + ";");
  if (m.functions.empty() || m.functions[0].body.empty())
    return {};
  const Function &f = m.functions[0];
  Operand o = f.operandsOf(f.body[0])[1];
  EXPECT_EQ(o.kind, OperandKind::Immediate) << text;
  return o;
}

TEST(PtxConstExpr, Integers) {
  struct Case {
    const char *text;
    int64_t value;
    Type type;
  } cases[] = {
      {"0", 0, Type::S64},
      {"42", 42, Type::S64},
      {"-1", -1, Type::S64},
      {"0x10", 16, Type::S64},
      {"0X1fU", 31, Type::U64},
      {"0b101", 5, Type::S64},
      {"017", 15, Type::S64},
      {"9223372036854775808", INT64_MIN, Type::U64},
      {"0xffffffffffffffff", -1, Type::U64},
      {"WARP_SZ", 32, Type::S64},
      {"1+2*3", 7, Type::S64},
      {"(1+2)*3", 9, Type::S64},
      {"10-3-2", 5, Type::S64},
      {"7/2", 3, Type::S64},
      {"-7/2", -3, Type::S64},
      {"-7 % 3", -1, Type::S64},
      {"1<<4", 16, Type::S64},
      {"-16>>2", -4, Type::S64},
      {"0x8000000000000000>>63", 1, Type::U64},
      {"-1>0U", 1, Type::S64},
      {"-1>0", 0, Type::S64},
      {"3==3", 1, Type::S64},
      {"3!=3", 0, Type::S64},
      {"2<=2", 1, Type::S64},
      {"2>=3", 0, Type::S64},
      {"6&3", 2, Type::S64},
      {"6|3", 7, Type::S64},
      {"6^3", 5, Type::S64},
      {"~0", -1, Type::S64},
      {"!5", 0, Type::S64},
      {"!0", 1, Type::S64},
      {"2&&0", 0, Type::S64},
      {"2||0", 1, Type::S64},
      {"1?2:3", 2, Type::S64},
      {"0?2:1?4:5", 4, Type::S64},
      {"(.u64)-1>>63", 1, Type::U64},
      {"(.s64)0x8000000000000000>>63", -1, Type::S64},
      {"- -3", 3, Type::S64},
      // What traps or is undefined in C is defined here.
      {"(-9223372036854775807-1)/-1", INT64_MIN, Type::S64},
      {"(-9223372036854775807-1) % -1", 0, Type::S64},
      {"9223372036854775807+1", INT64_MIN, Type::S64},
      {"1.5<2", 1, Type::S64},
  };
  for (const Case &c : cases) {
    Operand o = immediate(c.text);
    EXPECT_EQ(o.value, c.value) << c.text;
    EXPECT_EQ(o.type, c.type) << c.text;
  }
}

TEST(PtxConstExpr, Floats) {
  struct Case {
    const char *text;
    uint64_t bits;
    Type type;
  } cases[] = {
      {"0f3F800000", 0x3f800000, Type::F32},
      {"0F80000000", 0x80000000, Type::F32},
      {"-0f3F800000", 0xbf800000, Type::F32},
      {"0f7FC12345", 0x7fc12345, Type::F32},
      {"0f7F812345", 0x7f812345, Type::F32}, // a signalling NaN keeps its bits
      {"0fFF800000", 0xff800000, Type::F32},
      {"0f00000001", 1, Type::F32},
      {"0d3FF0000000000000", 0x3ff0000000000000, Type::F64},
      {"0D7FF0000000000001", 0x7ff0000000000001, Type::F64},
      {"1.5", 0x3ff8000000000000, Type::F64},
      {"1.", 0x3ff0000000000000, Type::F64},
      {"2e3", 0x409f400000000000, Type::F64},
      {"-25E-2", 0xbfd0000000000000, Type::F64},
      {"1.0+1", 0x4000000000000000, Type::F64},
      {"1.0/4", 0x3fd0000000000000, Type::F64},
  };
  for (const Case &c : cases) {
    Operand o = immediate(c.text);
    EXPECT_EQ(uint64_t(o.value), c.bits) << c.text;
    EXPECT_EQ(o.type, c.type) << c.text;
  }
}
} // namespace
