//===- ParserErrorTest.cpp - one case per message of the PTX parser -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTestUtil.h"

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
struct Case {
  const char *text;
  const char *error;
};

TEST(PtxParserErrors, Head) {
  const Case cases[] = {
      {"", "1:1: expected `.version` first, found end of text"},
      {"\x01", "1:1: unexpected byte 0x01"},
      {".version 8", "1:10: expected a version as in `8.0`, found `8`"},
      {".version 10.0 .target sm_80",
       "1:10: PTX version 10.0 is not known, expected 1.0 to 9.x"},
      {".version 8.0 .entry",
       "1:14: expected `.target` after `.version`, found `.entry`"},
      {".version 8.0 .target 80",
       "1:22: expected a target as in `sm_80`, found `80`"},
      {".version 8.0 .target sm_8x",
       "1:22: `sm_8x` is not a target, expected one as in `sm_80`"},
      {".version 8.0 .target sm_80, sm_90",
       "1:29: second target `sm_90` after `sm_80`"},
      {".version 8.0 .target debug",
       "1:27: `.target` names no architecture, expected one as in `sm_80`"},
      {".version 8.0 /* .target", "1:14: comment does not end"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(errorOf(c.text), c.error) << c.text;
}

TEST(PtxParserErrors, Module) {
  const Case cases[] = {
      {".address_size 16", "4:15: address size is 16, expected 32 or 64"},
      {".address_size -1",
       "4:15: the address size is -1, expected 0 to 4294967295"},
      {".address_size 1.5", "4:15: expected the address size, found a float"},
      {"foo", "4:1: expected a directive, found `foo`"},
      {".foo", "4:1: expected a directive of a module, found `.foo`"},
      {"@x", "4:1: expected a directive, found `@` outside a function"},
      {".visible .reg .b32 x;",
       "4:10: `.reg` is not allowed outside a function"},
      {".visible x", "4:10: expected `.entry`, `.func` or a variable's space "
                     "after the linkage, found `x`"},
      {".file 1 2", "4:9: expected a file name, found `2`"},
      {".section 1", "4:10: expected a section name, found `1`"},
      {".section .x 1", "4:13: expected `{` to begin the section, found `1`"},
      {".section .x {", "4:13: section does not end"},
      {".alias a, b;", "4:8: `a` is not a function declared before"},
      {".pragma x;", "4:9: expected a string after `.pragma`, found `x`"},
      {".pragma \"x\"",
       "4:12: expected `;` after the pragma, found end of text"},
      {".pragma \"x", "4:9: string does not end on its line"},
      {".global .u32 a; .global .u32 a;",
       "4:30: `a` is declared twice in one scope"},
      {".extern .global .u32 a; .global .f32 a;",
       "4:38: `a` was declared as `.global .u32`"},
      {".global a;", "4:9: expected a type, found `a`"},
      {".global .pred a;",
       "4:15: `.pred` is a type of registers, not of `.global`"},
      {".global .u32 .f32 a;", "4:14: second type `.f32` after `.u32`"},
      {".global .v2 .v4 .f32 a;",
       "4:13: second vector size in one declaration"},
      {".global .x a;",
       "4:9: expected a type, `.align` or a vector size, found `.x`"},
      {".global .align 3 .u32 a;",
       "4:16: alignment is 3, expected a power of two up to 65536"},
      {".global .attribute x",
       "4:20: expected `(` after `.attribute`, found `x`"},
      {".global .attribute(x)", "4:20: expected an attribute, found `x`"},
      {".global .u32 5;", "4:14: expected a name, found `5`"},
      {".global .u32 a[-1];", "4:16: dimension is -1, expected 0 or more"},
      {".global .u32 a[2][];",
       "4:19: expected the size of an inner dimension, found `]`"},
      {".global .u32 a[1<<40];",
       "4:16: variable `a` is larger than 2^40 bytes"},
      {".global .u32 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
       "4:64: variable has more than 16 dimensions"},
      {".global .u32 a[];",
       "4:14: array `a` has neither a size nor initial values"},
      {".global .u32 a b;", "4:16: expected `;` after the variable, found `b`"},
      {".shared .u32 a = 1;",
       "4:16: `.shared` variables cannot have initial values"},
      {".global .u32 a[2] = 1;",
       "4:21: expected `{` before the initial values of an array, found `1`"},
      {".global .u32 a[1] = {1, 2};",
       "4:25: more initial values than `a` has elements"},
      {".global .u32 a[1] = {{1}};",
       "4:22: more nested braces than dimensions"},
      {".global .u32 a[2][2] = {1, {1}};",
       "4:28: braces begin in the middle of a row"},
      {".global .u32 a[2] = {1 2};", "4:24: expected `,` or `}` in the initial "
                                     "values begun at 4:21, found `2`"},
      {".global .u32 a = 1.5;", "4:18: initial value of a `.u32` is a float"},
      {".global .f16 a = 1.5;",
       "4:18: initial values of `.f16` are written as integers"},
      {".global .u64 a = b;", "4:18: undefined name `b` in an initial value"},
      {".global .u64 a = ];", "4:18: expected an initial value, found `]`"},
      {".global .u8 a = 0x1ff(a);",
       "4:23: mask is 0x1ff, expected one byte, as in 0xff00"},
      {".global .u8 a = 0(a);",
       "4:17: mask is 0, expected one byte, as in 0xff00"},
      {".global .u8 a[2][1<<39] = {{1},{1}};",
       "4:34: initial values are larger than 268435456 bytes"},
      {".global .u32 a = 1/0;",
       "4:19: division by zero in a constant expression"},
      {".global .u32 a = 1.0|2;",
       "4:21: operator needs integers, found a float"},
      {".global .u32 a = ~1.0;",
       "4:18: operator `~` needs an integer, found a float"},
      {".global .u32 a = (.u64)1.0;",
       "4:19: cast needs an integer, found a float"},
      {".global .u32 a = 1?2;",
       "4:21: expected `:` between the choices of `?`, found `;`"},
      {".global .u32 a = 0xg;", "4:18: `0xg` is not a number"},
      {".global .u32 a = 12ab;", "4:18: `12ab` is not a number"},
      {".global .u32 a = 1.5x;", "4:18: `1.5` is not a number"},
      {".global .u32 a = 0f12;",
       "4:18: `0f12` has not the 8 hexadecimal digits of a float"},
      {".global .u32 a = 1e999;", "4:18: `1e999` does not fit a 64-bit float"},
      {".global .u32 a = 99999999999999999999;",
       "4:18: integer `99999999999999999999` does not fit 64 bits"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(errorOf(kHead + c.text), c.error) << c.text;
}

TEST(PtxParserErrors, Functions) {
  const Case cases[] = {
      {".entry 1", "4:8: expected the kernel's name, found `1`"},
      {".func _", "4:7: expected the function's name, found `_`"},
      {".entry k(.reg .b32 a) {}", "4:10: expected `.param`, found `.reg`"},
      {".func f(x) {}", "4:9: expected `.param` or `.reg`, found `x`"},
      {".entry k(.param .b32 a",
       "4:23: expected `)` after the parameters, found end of text"},
      {".entry k() x",
       "4:12: expected `{` or `;` after the function's head, found `x`"},
      {".entry k() .foo {}",
       "4:12: expected a directive of a function, `{` or `;`, found `.foo`"},
      {".entry k() .maxntid x",
       "4:21: expected a number of threads, found `x`"},
      {".entry k() .maxnreg {", "4:21: expected a number, found `{`"},
      {".entry k(.param .b8 a[40000]) {}",
       "4:21: parameters of `k` need 40000 bytes, expected at most 32764"},
      {".entry k() {} .entry k() {}", "4:22: function `k` has two bodies"},
      {".func f(.param .b32 a); .func f() {}",
       "4:31: `f` was declared with other parameters"},
      {".global .u32 f; .func f() {}",
       "4:23: `f` is declared twice in one scope"},
      {".func f(.param .b32 a, .param .b32 a) {}",
       "4:36: `a` is declared twice in one scope"},
      {".entry k() {", "4:13: body of `k` begun at 4:12 does not end"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(errorOf(kHead + c.text), c.error) << c.text;
}

TEST(PtxParserErrors, Bodies) {
  // The body stands on line 5.
  const Case cases[] = {
      {".foo", "5:1: expected an instruction, a label or a directive of a "
               "body, found `.foo`"},
      {"5;", "5:1: expected an instruction, a label or a directive, found `5`"},
      {"@5 ret;", "5:2: expected a predicate register after `@`, found `5`"},
      {"@x ret;", "5:2: `x` is not a predicate register"},
      {".reg .b32 x; @x ret;", "5:15: `x` is not a predicate register"},
      {"@p 5;", "5:4: expected an instruction after the guard, found `5`"},
      {"L: L: ret;", "5:4: label `L` is declared twice in one scope"},
      {"bra L;", "5:5: undefined name `L`"},
      {"{ L: } bra L;", "5:12: undefined name `L`"},
      {"add.u32 r, r, x;", "5:15: undefined name `x`"},
      {"add.u32 r, r, %r1;", "5:15: undefined name `%r1`"},
      {".reg .b32 %q<4>; mov.b32 %q4, 1;", "5:26: undefined name `%q4`"},
      {".reg .b32 %q<4>; mov.b32 %q01, 1;", "5:26: undefined name `%q01`"},
      {"ret", "6:1: expected an operand, found `}`"},
      {"ret ret;", "5:1: `ret` has 1 operands, expected 0"},
      {"mov.u32 r, r r;",
       "5:14: expected `;` after the instruction, found `r`"},
      {"add.u32 r, r;", "5:1: `add.u32` has 2 operands, expected 3"},
      {"ld.u32 r;", "5:1: `ld.u32` has 1 operands, expected 2 to 4"},
      {"ld.u32 r, r;",
       "5:11: operand 2 of `ld.u32` must be an address in brackets"},
      {"add.u32 1, r, r;",
       "5:9: operand 1 of `add.u32` must be a register to write to"},
      {"bra 5;", "5:5: operand 1 of `bra` must be a label"},
      {"brx.idx r, r;",
       "5:12: operand 2 of `brx.idx` must be a list of branch targets"},
      {"add.u32 r, r, ts; ts: .branchtargets L; L:",
       "5:15: undefined name `ts`"},
      {"ts: .branchtargets L; L: add.u32 r, r, ts;",
       "5:40: operand 3 of `add.u32` must be a value"},
      {"ts: .branchtargets L;", "5:20: undefined name `L`"},
      {"ts: .branchtargets 5;", "5:20: expected a label, found `5`"},
      {"ts: .branchtargets L; ts: .branchtargets L; L:",
       "5:23: `ts` is declared twice in one scope"},
      {"ts: .calltargets 5;", "5:18: expected a function name, found `5`"},
      {"ts: .calltargets f;", "5:18: `f` is not a function declared before"},
      {"q: .callprototype 5;",
       "5:19: expected `_` in the prototype, found `5`"},
      {"q: .callprototype _ () .foo;",
       "5:24: expected `;` after the prototype, found `.foo`"},
      {".reg .b32 r;", "5:11: `r` is declared twice in one scope"},
      {".reg .b32 %q<2>; .reg .b32 %q<3>;",
       "5:28: registers `%q<>` are declared twice in one scope"},
      {".reg .b32 %q<2>; .reg .b32 %q1;",
       "5:28: `%q1` is declared twice in one scope"},
      {".reg .b32 %q<x>;", "5:14: expected the number of registers, found `x`"},
      {".reg .b32 5;", "5:11: expected a register name, found `5`"},
      {".reg .b32 %q", "6:1: expected `;` after the registers, found `}`"},
      {".extern .reg",
       "5:9: expected a variable's space after the linkage, found `.reg`"},
      {".loc 1 2 x",
       "5:10: expected file, line and column after `.loc`, found `x`"},
      {".loc 1 2 3, 5",
       "5:13: expected `function_name` or `inlined_at`, found `5`"},
      {".loc 1 2 3, function_name 5",
       "5:27: expected a label after `function_name`, found `5`"},
      {".loc 1 2 3, inlined_at x",
       "5:24: expected file, line and column after `inlined_at`, found `x`"},
      {"mov.u32 r, ;", "5:12: expected an operand, found `;`"},
      {"mov.u32 r, {r;", "5:14: expected `}` after the vector, found `;`"},
      {"mov.u32 r, {x};", "5:13: undefined name `x`"},
      {"mov.u32 r, {[r]};", "5:13: expected an element of a vector, found `[`"},
      {".reg .v2 .f32 v; mov.u32 r, {v};",
       "5:30: `v` is a vector inside a vector"},
      {".reg .v2 .f32 v; mov.f32 r, v.z;",
       "5:30: expected an element of a vector of 2 after the register, found "
       "`.z`"},
      {"mov.u32 r, %tid.q;", "5:16: expected `.x`, `.y`, `.z` or `.w` after "
                             "the special register, found `.q`"},
      {"mov.u32 r, r.x;", "5:13: expected `.b` or `.h` with its digits after "
                          "the register, found `.x`"},
      {"ld.u32 r, [x];", "5:12: undefined name `x`"},
      {"ld.u32 r, [%tid.x];", "5:12: `%tid` cannot be an address"},
      {"ld.u32 r, [r;", "5:13: expected `]` after the address, found `;`"},
      {"ld.u32 r, [r+x];", "5:14: expected a number, found `x`"},
      {"ld.u32 r, [;", "5:12: expected an address, found `;`"},
      {"ld.u32 r, [r, x];", "5:15: undefined name `x`"},
      {"ld.u32 r, [r, ;",
       "5:15: expected a coordinate of an address, found `;`"},
      {"setp.eq.u32 p|5, r, r;",
       "5:15: expected a register after `|`, found `5`"},
      {"setp.eq.u32 p|x, r, r;", "5:15: both sides of `|` must be registers"},
      {"setp.eq.and.u32 p, r, r, !x;",
       "5:27: `x` is not a register, so `!` cannot negate it"},
      {"mov.u64 r, generic(5);", "5:20: expected a variable's name, found `5`"},
      {"mov.u64 r, generic(r);", "5:20: `r` is not a variable"},
      {"mov.u64 r, k[1];", "5:12: `k` has no elements"},
      {"mov.u64 r, p0[x];",
       "5:15: expected the number of an element, found `x`"},
      {"call 5;", "5:6: expected a function or a register to call, found `5`"},
      {"call x;", "5:6: undefined name `x`"},
      {"call p0;", "5:6: `p0` is neither a function nor a register"},
      {"call (r k;", "5:9: expected `)` after the list of a call, found `k`"},
      {"call (r) k;", "5:10: expected `,` before the callee, found `k`"},
      {"call (x), k;", "5:7: undefined name `x`"},
      {"call k, (), 5;",
       "5:13: expected a prototype or a list of call targets, found `5`"},
      {"call k, (), r;",
       "5:13: `r` is neither a prototype nor a list of call targets"},
  };
  for (const Case &c : cases) {
    std::string text =
        kHead + ".entry k(.param .b64 p0) {.reg .b32 r; .reg .pred p;\n" +
        c.text + "\n}";
    EXPECT_EQ(errorOf(text), c.error) << c.text;
  }
}

TEST(PtxParserErrors, NestingIsBounded) {
  auto repeat = [](std::string_view what, unsigned n) {
    std::string all;
    for (unsigned i = 0; i < n; ++i)
      all += what;
    return all;
  };
  EXPECT_EQ(errorOf(kHead + ".global .u32 a = " + repeat("(", 100000)),
            "4:219: expression nests deeper than 200");
  EXPECT_EQ(errorOf(kHead + ".global .u32 a = " + repeat("-", 100000)),
            "4:219: expression nests deeper than 200");
  EXPECT_EQ(errorOf(kHead + ".global .u32 a = " + repeat("1?", 100000)),
            "4:420: expression nests deeper than 200");
  EXPECT_EQ(errorOf(kHead + ".entry k() " + repeat("{", 100000)),
            "4:212: scopes nest deeper than 200");
  EXPECT_EQ(
      errorOf(kHead + ".entry k() " + repeat("{", 150) + repeat("}", 150)),
      "no error");
}

TEST(PtxParserErrors, ManyScopesWithEqualNamesAreLinear) {
  std::string body;
  for (int i = 0; i < 50000; ++i)
    body += "{ .reg .pred p; .reg .b32 %t<3>; setp.eq.u32 p, %t1, 0; @p bra L; "
            "L: }\n";
  Module m = parsedBody(body);
  EXPECT_EQ(m.functions[0].body.size(), 100000u);
}
} // namespace
