//===- IntegerTest.cpp - integer instructions against the PTX ISA ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out by hand from the PTX ISA's definitions, or by
// plain C++ that follows them bit by bit.
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

#include <random>

using namespace hwtune::exec;

namespace {

struct Case {
  const char *body;
  std::vector<std::string> types;
  const char *out;
  std::vector<uint64_t> in;
  uint64_t expected;
};

void check(const std::vector<Case> &cases) {
  for (const Case &c : cases)
    EXPECT_EQ(evaluate(c.body, c.types, c.out, {c.in})[0], c.expected)
        << c.body << " of " << std::hex << (c.in.empty() ? 0 : c.in[0]) << ", "
        << (c.in.size() > 1 ? c.in[1] : 0);
}

const std::vector<std::string> w1{"b32"}, w2{"b32", "b32"},
    w3{"b32", "b32", "b32"}, w4{"b32", "b32", "b32", "b32"};
const std::vector<std::string> q1{"b64"}, q2{"b64", "b64"},
    q3{"b64", "b64", "b64"}, h2{"b16", "b16"};

TEST(Integer, AddSubMul) {
  check({
      {"add.s32 %z, %a, %b;", w2, "b32", {0x7fffffff, 1}, 0x80000000},
      {"add.u64 %z, %a, %b;", q2, "b64", {~0ull, 2}, 1},
      {"add.s16 %z, %a, %b;", h2, "b16", {0xffff, 3}, 2},
      {"add.sat.s32 %z, %a, %b;", w2, "b32", {0x7fffffff, 1}, 0x7fffffff},
      {"add.sat.s32 %z, %a, %b;",
       w2,
       "b32",
       {0x80000000, 0xffffffff},
       0x80000000},
      {"sub.sat.s32 %z, %a, %b;", w2, "b32", {0x80000000, 1}, 0x80000000},
      {"sub.s32 %z, %a, %b;", w2, "b32", {3, 5}, 0xfffffffe},
      {"sub.u16 %z, %a, %b;", h2, "b16", {0, 1}, 0xffff},
      {"mul.lo.s32 %z, %a, %b;", w2, "b32", {0x10001, 0x10001}, 0x20001},
      {"mul.hi.u32 %z, %a, %b;",
       w2,
       "b32",
       {0xffffffff, 0xffffffff},
       0xfffffffe},
      {"mul.hi.s32 %z, %a, %b;", w2, "b32", {0xffffffff, 0xffffffff}, 0},
      {"mul.hi.s32 %z, %a, %b;", w2, "b32", {0x80000000, 2}, 0xffffffff},
      {"mul.hi.u16 %z, %a, %b;", h2, "b16", {0xffff, 0xffff}, 0xfffe},
      {"mul.hi.s16 %z, %a, %b;", h2, "b16", {0x8000, 2}, 0xffff},
      {"mul.hi.u64 %z, %a, %b;", q2, "b64", {~0ull, ~0ull}, ~0ull - 1},
      {"mul.hi.s64 %z, %a, %b;", q2, "b64", {~0ull, 5}, ~0ull},
      {"mul.wide.s32 %z, %a, %b;", w2, "b64", {0xffffffff, 3}, uint64_t(-3)},
      {"mul.wide.u32 %z, %a, %b;", w2, "b64", {0xffffffff, 3}, 0x2fffffffdull},
      {"mul.wide.s16 %z, %a, %b;", h2, "b32", {0xffff, 3}, 0xfffffffd},
      {"mul.wide.u16 %z, %a, %b;", h2, "b32", {0xffff, 0xffff}, 0xfffe0001},
      {"mad.lo.s32 %z, %a, %b, %c;", w3, "b32", {5, 7, 0xffffffff}, 34},
      {"mad.hi.u32 %z, %a, %b, %c;", w3, "b32", {0x80000000, 4, 10}, 12},
      {"mad.hi.sat.s32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x7fffffff, 0x7fffffff, 0x7fffffff},
       0x7fffffff},
      {"mad.wide.u32 %z, %a, %b, %c;",
       {"b32", "b32", "b64"},
       "b64",
       {0xffffffff, 0xffffffff, 1},
       0xfffffffe00000002ull},
      {"mad.wide.s32 %z, %a, %b, %c;",
       {"b32", "b32", "b64"},
       "b64",
       {0xffffffff, 1, 0},
       ~0ull},
      {"mul24.lo.s32 %z, %a, %b;", w2, "b32", {0x00ffffff, 2}, 0xfffffffe},
      {"mul24.hi.u32 %z, %a, %b;", w2, "b32", {0xffffff, 0xffffff}, 0xfffffe00},
      {"mad24.lo.u32 %z, %a, %b, %c;", w3, "b32", {0x1000002, 3, 1}, 7},
      {"sad.u32 %z, %a, %b, %c;", w3, "b32", {3, 10, 100}, 107},
      {"sad.s32 %z, %a, %b, %c;", w3, "b32", {0xfffffffe, 3, 1}, 6},
  });
}

TEST(Integer, DivideAndRemainder) {
  check({
      {"div.s32 %z, %a, %b;", w2, "b32", {uint32_t(-7), 2}, uint32_t(-3)},
      {"rem.s32 %z, %a, %b;", w2, "b32", {uint32_t(-7), 2}, uint32_t(-1)},
      {"div.u32 %z, %a, %b;", w2, "b32", {0xffffffff, 16}, 0x0fffffff},
      {"rem.u64 %z, %a, %b;", q2, "b64", {~0ull, 10}, 5},
      {"div.s32 %z, %a, %b;",
       w2,
       "b32",
       {0x80000000, 0xffffffff},
       0x80000000}, // must not trap on the host
      {"rem.s32 %z, %a, %b;", w2, "b32", {0x80000000, 0xffffffff}, 0},
      {"div.s64 %z, %a, %b;", q2, "b64", {1ull << 63, ~0ull}, 1ull << 63},
      {"div.s16 %z, %a, %b;", h2, "b16", {uint16_t(-9), 4}, uint16_t(-2)},
  });
}

TEST(Integer, MinMaxAbsNeg) {
  check({
      {"min.s32 %z, %a, %b;", w2, "b32", {0xffffffff, 1}, 0xffffffff},
      {"min.u32 %z, %a, %b;", w2, "b32", {0xffffffff, 1}, 1},
      {"max.s64 %z, %a, %b;", q2, "b64", {~0ull, 1}, 1},
      {"max.u64 %z, %a, %b;", q2, "b64", {~0ull, 1}, ~0ull},
      {"min.s16 %z, %a, %b;", h2, "b16", {0x8000, 1}, 0x8000},
      {"max.u16 %z, %a, %b;", h2, "b16", {0x8000, 1}, 0x8000},
      {"max.relu.s32 %z, %a, %b;", w2, "b32", {0xfffffff0, 0xffffffff}, 0},
      {"abs.s32 %z, %a;", w1, "b32", {0x80000000}, 0x80000000},
      {"abs.s64 %z, %a;", q1, "b64", {uint64_t(-5)}, 5},
      {"neg.s32 %z, %a;", w1, "b32", {5}, 0xfffffffb},
      {"min.s16x2 %z, %a, %b;",
       w2,
       "b32",
       {0x8000'0005, 0x0001'0003},
       0x8000'0003},
      {"add.u16x2 %z, %a, %b;",
       w2,
       "b32",
       {0xffff'0001, 0x0001'0002},
       0x0000'0003},
  });
}

TEST(Integer, CarryChains) {
  // 128-bit sums from 32-bit parts: the carry must run through all of them.
  check({
      {"add.cc.u32 %x0, %a, %b; addc.cc.u32 %x1, %c, 0; addc.u32 %z, %x9, 0;",
       w3,
       "b32",
       {0xffffffff, 1, 0xffffffff},
       1},
      {"add.cc.u32 %x0, %a, %b; addc.u32 %z, %c, 0;",
       w3,
       "b32",
       {0xfffffffe, 1, 7},
       7},
      {"sub.cc.u32 %x0, %a, %b; subc.u32 %z, %c, 0;", w3, "b32", {0, 1, 7}, 6},
      {"sub.cc.u32 %x0, %a, %b; subc.cc.u32 %x1, %c, 0; subc.u32 %z, %c, 5;",
       w3,
       "b32",
       {0, 1, 0},
       0xfffffffa},
      // The carry is the complement of the borrow.
      {"sub.cc.u32 %x0, %a, %b; addc.u32 %z, 0, 0;", w2, "b32", {3, 4}, 0},
      {"sub.cc.u32 %x0, %a, %b; addc.u32 %z, 0, 0;", w2, "b32", {4, 4}, 1},
      {"add.cc.u64 %y0, %a, %b; addc.u64 %z, %c, 1;",
       q3,
       "b64",
       {~0ull, 1, 40},
       42},
      {"mad.lo.cc.u32 %x0, %a, %b, %c; madc.hi.u32 %z, %a, %b, 0;",
       w3,
       "b32",
       {0xffffffff, 0xffffffff, 0xffffffff},
       0xffffffff},
      {"mad.lo.cc.u32 %x0, %a, %b, %c; madc.hi.u32 %z, %a, %b, 0;",
       w3,
       "b32",
       {0x10000, 0x10000, 5},
       1},
      // 1 * 1 + (2^64 - 1) carries; -1 * 1 has the high word -1.
      {"mad.lo.cc.u64 %y0, %a, %b, %c; madc.hi.u64 %z, %a, %b, 0;",
       q3,
       "b64",
       {1, 1, ~0ull},
       1},
      {"mad.lo.cc.s64 %y0, %a, %b, %c; madc.hi.s64 %z, %a, %b, 0;",
       q3,
       "b64",
       {~0ull, 1, 1},
       0},
      {"mad.lo.cc.u64 %y0, %a, %b, %c; madc.hi.cc.u64 %y1, %a, %b, -1; "
       "addc.u64 %z, 0, 0;",
       q3,
       "b64",
       {1ull << 63, 4, 0},
       1},
  });
}

TEST(Integer, ShiftsClamp) {
  check({
      {"shl.b32 %z, %a, %b;", w2, "b32", {1, 31}, 0x80000000},
      {"shl.b32 %z, %a, %b;", w2, "b32", {1, 32}, 0},
      {"shl.b32 %z, %a, %b;", w2, "b32", {1, 0xffffffff}, 0},
      {"shl.b16 %z, %a, %b;", {"b16", "b32"}, "b16", {1, 16}, 0},
      {"shl.b64 %z, %a, %b;", {"b64", "b32"}, "b64", {1, 63}, 1ull << 63},
      {"shl.b64 %z, %a, %b;", {"b64", "b32"}, "b64", {1, 64}, 0},
      {"shr.u32 %z, %a, %b;", w2, "b32", {0x80000000, 32}, 0},
      {"shr.s32 %z, %a, %b;", w2, "b32", {0x80000000, 40}, 0xffffffff},
      {"shr.s32 %z, %a, %b;", w2, "b32", {0x80000000, 4}, 0xf8000000},
      {"shr.s64 %z, %a, %b;", {"b64", "b32"}, "b64", {1ull << 63, 100}, ~0ull},
      {"shr.u64 %z, %a, %b;", {"b64", "b32"}, "b64", {1ull << 63, 63}, 1},
      {"shr.s16 %z, %a, %b;", {"b16", "b32"}, "b16", {0x8000, 20}, 0xffff},
      {"shr.u16 %z, %a, %b;", {"b16", "b32"}, "b16", {0x8000, 15}, 1},
      {"shf.l.wrap.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x80000001, 0x12345678, 4},
       0x23456788},
      {"shf.l.wrap.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xaaaaaaaa, 0x12345678, 32},
       0x12345678},
      {"shf.l.clamp.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xaaaaaaaa, 0x12345678, 40},
       0xaaaaaaaa},
      {"shf.r.wrap.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x12345678, 0xf, 4},
       0xf1234567},
      {"shf.r.clamp.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x12345678, 0xf, 32},
       0xf},
  });
}

/// d[i] for i < 32 as the pseudo-code of bfe in the PTX ISA gives it.
uint64_t bfe(uint64_t a, uint32_t b, uint32_t c, bool isSigned, int msb) {
  uint32_t pos = b & 0xff, len = c & 0xff;
  bool sbit = isSigned && len &&
              ((a >> std::min<uint32_t>(pos + len - 1, uint32_t(msb))) & 1);
  uint64_t d = 0;
  for (uint32_t i = 0; i <= uint32_t(msb); ++i)
    d |= uint64_t(i < len && pos + i <= uint32_t(msb) ? (a >> (pos + i)) & 1
                                                      : sbit)
         << i;
  return d;
}
uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, int msb) {
  uint32_t pos = c & 0xff, len = d & 0xff;
  for (uint32_t i = 0; i < len && pos + i <= uint32_t(msb); ++i)
    b = (b & ~(1ull << (pos + i))) | (((a >> i) & 1) << (pos + i));
  return b;
}

TEST(Integer, BitFields) {
  std::mt19937 random(7);
  std::vector<std::vector<uint64_t>> rows32, rows64;
  for (uint32_t pos : {0u, 1u, 5u, 16u, 31u, 32u, 40u, 63u, 64u, 255u, 256u})
    for (uint32_t len : {0u, 1u, 3u, 16u, 31u, 32u, 33u, 64u, 255u})
      for (uint64_t a : {0x80000001ull, 0x7fffffffull, 0xdeadbeefcafef00dull}) {
        rows32.push_back({uint32_t(a), pos, len});
        rows64.push_back({a, pos, len});
      }
  auto u32 = evaluate("bfe.u32 %z, %a, %b, %c;", w3, "b32", rows32),
       s32 = evaluate("bfe.s32 %z, %a, %b, %c;", w3, "b32", rows32);
  auto u64 =
      evaluate("bfe.u64 %z, %a, %b, %c;", {"b64", "b32", "b32"}, "b64", rows64);
  auto s64 =
      evaluate("bfe.s64 %z, %a, %b, %c;", {"b64", "b32", "b32"}, "b64", rows64);
  auto i32 = evaluate("bfi.b32 %z, %a, 0x12345678, %b, %c;", w3, "b32", rows32);
  auto i64 = evaluate("bfi.b64 %z, %a, 0x123456789abcdef0, %b, %c;",
                      {"b64", "b32", "b32"}, "b64", rows64);
  for (size_t i = 0; i < rows32.size(); ++i) {
    auto &r = rows32[i], &q = rows64[i];
    uint32_t p = uint32_t(r[1]), n = uint32_t(r[2]);
    EXPECT_EQ(u32[i], bfe(r[0], p, n, false, 31)) << p << " " << n;
    EXPECT_EQ(s32[i], bfe(r[0], p, n, true, 31)) << p << " " << n;
    EXPECT_EQ(u64[i], bfe(q[0], p, n, false, 63)) << p << " " << n;
    EXPECT_EQ(s64[i], bfe(q[0], p, n, true, 63)) << p << " " << n;
    EXPECT_EQ(i32[i], bfi(r[0], 0x12345678, p, n, 31)) << p << " " << n;
    EXPECT_EQ(i64[i], bfi(q[0], 0x123456789abcdef0, p, n, 63)) << p << " " << n;
  }
}

TEST(Integer, BitCounting) {
  check({
      {"popc.b32 %z, %a;", w1, "b32", {0xf0f0f0f1}, 17},
      {"popc.b64 %z, %a;", q1, "b32", {~0ull}, 64},
      {"clz.b32 %z, %a;", w1, "b32", {0}, 32},
      {"clz.b32 %z, %a;", w1, "b32", {0x00800000}, 8},
      {"clz.b64 %z, %a;", q1, "b32", {0}, 64},
      {"brev.b32 %z, %a;", w1, "b32", {0x1}, 0x80000000},
      {"brev.b64 %z, %a;", q1, "b64", {0x3}, 0xc000000000000000ull},
      {"bfind.u32 %z, %a;", w1, "b32", {0}, 0xffffffff},
      {"bfind.u32 %z, %a;", w1, "b32", {0x400}, 10},
      {"bfind.s32 %z, %a;", w1, "b32", {0xffffffff}, 0xffffffff},
      {"bfind.s32 %z, %a;", w1, "b32", {0xfffffff0}, 3},
      {"bfind.shiftamt.u32 %z, %a;", w1, "b32", {0x400}, 21},
      {"bfind.s64 %z, %a;", q1, "b32", {0x7000000000000000ull}, 62},
      {"fns.b32 %z, %a, %b, %c;", w3, "b32", {0b101100, 0, 2}, 3},
      {"fns.b32 %z, %a, %b, %c;", w3, "b32", {0b101100, 5, uint32_t(-2)}, 3},
      {"fns.b32 %z, %a, %b, %c;", w3, "b32", {0b101100, 2, 0}, 2},
      {"fns.b32 %z, %a, %b, %c;", w3, "b32", {0b101100, 1, 0}, 0xffffffff},
      {"szext.clamp.s32 %z, %a, %b;", w2, "b32", {0xff, 8}, 0xffffffff},
      {"szext.wrap.u32 %z, %a, %b;", w2, "b32", {0xff, 36}, 0xf},
      {"bmsk.clamp.b32 %z, %a, %b;", w2, "b32", {4, 8}, 0xff0},
      {"bmsk.wrap.b32 %z, %a, %b;", w2, "b32", {36, 4}, 0xf0},
  });
}

TEST(Integer, Lop3AllTables) {
  for (int table = 0; table < 256; ++table) {
    auto z = evaluate("lop3.b32 %z, %a, %b, %c, " + std::to_string(table) + ";",
                      w3, "b32", {{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}});
    EXPECT_EQ(z[0] & 0xff, uint64_t(table));
  }
}

TEST(Integer, Prmt) {
  check({
      {"prmt.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0x77665544, 0x7531},
       0x77553311},
      {"prmt.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x80, 0x7f, 0x4c88},
       0x7f'00'ff'ff},
      {"prmt.b32.f4e %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0x77665544, 1},
       0x44332211},
      {"prmt.b32.b4e %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0x77665544, 1},
       0x66770011},
      {"prmt.b32.rc8 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0, 2},
       0x22222222},
      {"prmt.b32.ecl %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0, 1},
       0x33221111},
      {"prmt.b32.ecr %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0, 1},
       0x11111100},
      {"prmt.b32.rc16 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x33221100, 0, 1},
       0x33223322},
  });
}

TEST(Integer, DotProducts) {
  check({
      {"dp4a.u32.u32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xff010203, 0x02030405, 10},
       10 + 255 * 2 + 3 + 8 + 15},
      {"dp4a.s32.s32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xff010203, 0x02030405, 10},
       10 - 2 + 3 + 8 + 15},
      {"dp4a.s32.u32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xff000000, 0xff000000, 0},
       uint32_t(-255)},
      {"dp2a.lo.u32.u32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x00030002, 0x07060504, 1},
       1 + 2 * 4 + 3 * 5},
      {"dp2a.hi.s32.s32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xffff0002, 0x07ff0504, 1},
       uint32_t(1 - 2 - 7)},
  });
}

TEST(Integer, Logic) {
  check({
      {"and.b32 %z, %a, %b;", w2, "b32", {0xff00, 0x0ff0}, 0x0f00},
      {"or.b64 %z, %a, %b;", q2, "b64", {1, 1ull << 40}, (1ull << 40) | 1},
      {"xor.b16 %z, %a, %b;", h2, "b16", {0xffff, 0x0f0f}, 0xf0f0},
      {"not.b16 %z, %a;", {"b16"}, "b16", {0x00ff}, 0xff00},
      {"cnot.b32 %z, %a;", w1, "b32", {0}, 1},
      {"cnot.b32 %z, %a;", w1, "b32", {5}, 0},
      {"lop3.and.b32 %z|%p, %a, %b, 0, 0xc0, 1; selp.b32 %z, 11, 22, %p;",
       w2,
       "b32",
       {1, 1},
       11},
      {"lop3.and.b32 %z|%p, %a, %b, 0, 0xc0, 1; selp.b32 %z, 11, 22, %p;",
       w2,
       "b32",
       {1, 2},
       22},
  });
}

TEST(Integer, Comparisons) {
  auto truth = [](const char *cmp, uint64_t a, uint64_t b) {
    std::string type = std::string(cmp).substr(std::string(cmp).find('.') + 1);
    std::string reg = "b" + type.substr(1);
    return evaluate(std::string("setp.") + cmp +
                        " %p, %a, %b; selp.b32 %z, 1, 0, %p;",
                    {reg, reg}, "b32", {{a, b}})[0];
  };
  EXPECT_EQ(truth("lt.s32", 0xffffffff, 0), 1u);
  EXPECT_EQ(truth("lt.u32", 0xffffffff, 0), 0u);
  EXPECT_EQ(truth("lo.u32", 1, 2), 1u);
  EXPECT_EQ(truth("hs.u32", 2, 2), 1u);
  EXPECT_EQ(truth("ge.s64", 1ull << 63, 0), 0u);
  EXPECT_EQ(truth("gt.s16", 0x7fff, 0x8000), 1u);
  EXPECT_EQ(truth("eq.b64", 5, 5), 1u);
  EXPECT_EQ(truth("ne.b16", 5, 5), 0u);
  // p = (a < b) and c, q = !(a < b) and c
  auto z = evaluate(
      "setp.ne.b32 %p, %c, 0; setp.lt.and.s32 %p|%q, %a, %b, %p; selp.b32 %x0, "
      "1, 0, %p; selp.b32 %x1, 2, 0, %q; or.b32 %z, %x0, %x1;",
      w3, "b32", {{1, 2, 1}, {2, 1, 1}, {1, 2, 0}, {2, 1, 0}});
  EXPECT_EQ(z, (std::vector<uint64_t>{1, 2, 0, 0}));
  z = evaluate(
      "setp.ne.b32 %p, %c, 0; setp.lt.xor.s32 %p|%q, %a, %b, !%p; selp.b32 "
      "%x0, 1, 0, %p; selp.b32 %x1, 2, 0, %q; or.b32 %z, %x0, %x1;",
      w3, "b32", {{1, 2, 1}, {2, 1, 1}, {1, 2, 0}, {2, 1, 0}});
  EXPECT_EQ(z, (std::vector<uint64_t>{1, 2, 2, 1}));
  check({
      {"set.lt.u32.s32 %z, %a, %b;", w2, "b32", {1, 2}, 0xffffffff},
      {"set.lt.f32.s32 %z, %a, %b;", w2, "b32", {1, 2}, f32(1.0f)},
      {"slct.s32.s32 %z, %a, %b, %c;", w3, "b32", {7, 9, 0}, 7},
      {"slct.s32.s32 %z, %a, %b, %c;", w3, "b32", {7, 9, 0x80000000}, 9},
      {"slct.u64.f32 %z, %a, %b, %c;",
       {"b64", "b64", "b32"},
       "b64",
       {7, 9, f32(-0.0f)},
       7},
      {"slct.b32.f32 %z, %a, %b, %c;", w3, "b32", {7, 9, 0x7fc00000}, 9},
  });
}

TEST(Integer, MovesAndPacking) {
  check({
      {"mov.b64 {%x0, %x1}, %a; add.u32 %z, %x0, %x1;",
       q1,
       "b32",
       {0x0000000500000007ull},
       12},
      {"mov.b64 %z, {%a, %b};", w2, "b64", {1, 2}, 0x200000001ull},
      {"mov.b64 {_, %z}, %a;", q1, "b32", {0x0000000500000007ull}, 5},
      {".reg .b16 %h<4>; mov.b32 {%h0, %h1}, %a; mov.b32 %z, {%h1, %h0};",
       w1,
       "b32",
       {0x11112222},
       0x22221111},
      {".reg .b16 %h<4>; mov.b64 {%h0, %h1, %h2, %h3}, %a; mov.b64 %z, {%h3, "
       "%h2, %h1, %h0};",
       q1,
       "b64",
       {0x1111222233334444ull},
       0x4444333322221111ull},
      {"mov.u32 %x0, %laneid; mov.u32 %x1, %lanemask_lt; add.u32 %z, %x0, %x1;",
       {},
       "b32",
       {},
       0},
  });
}

TEST(Integer, RefusesByNameAndLine) {
  // What is no instruction of PTX is an error of the module ...
  ExecHarness wrong(std::string(kPtxHeader) +
                    ".entry k() {\n  frobnicate.s32;\n  ret;\n}\n");
  EXPECT_NE(wrong.error.find("5:"), std::string::npos) << wrong.error;
  EXPECT_NE(wrong.error.find("frobnicate.s32"), std::string::npos)
      << wrong.error;
  // ... what is one and is not implemented, of the thread that comes to it.
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %q; .reg .pred %p;
  ld.param.u64 %q, [p];
  ld.param.u32 %r5, [n];
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p, %r0, %r5;
  @%p tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%q, {%r0}];
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  ASSERT_EQ(h.program->refusals().size(), 1u);
  EXPECT_EQ(h.program->refusals()[0].line, 11u);
  EXPECT_EQ(h.program->refusals()[0].function, "k");
  EXPECT_EQ(h.program->refusals()[0].text,
            "unsupported instruction 'tex.1d.v4.s32.s32'");
  EXPECT_TRUE(h.run("k", {1, 1, 1}, {64, 1, 1}, {0, 64}).ok());
  LaunchResult r = h.run("k", {1, 1, 1}, {64, 1, 1}, {0, 35});
  EXPECT_EQ(r.status, LaunchStatus::Unsupported);
  EXPECT_EQ(r.diagnostic.str(),
            "k: PTX line 11: thread (35,0,0) of block (0,0,0): unsupported: "
            "unsupported instruction 'tex.1d.v4.s32.s32'");
}

TEST(Integer, NegatedVideoOperandsAndPairs) {
  // vmad: (-a * b + c), (a * b - c) scaled; relu on pairs of 16 bits.
  check({
      {"vmad.s32.s32.s32 %z, -%a, %b, %c;", w3, "b32", {3, 4, 100}, 88},
      {"vmad.s32.s32.s32 %z, %a, -%b, %c;", w3, "b32", {3, 4, 100}, 88},
      {"vmad.s32.s32.s32 %z, %a, %b, -%c;", w3, "b32", {30, 4, 100}, 20},
      {"vmad.s32.s32.s32.shr7 %z, %a, %b, -%c;", w3, "b32", {128, 3, 128}, 2},
      {"min.relu.s16x2 %z, %a, %b;",
       w2,
       "b32",
       {0xfff6'0007, 0x0003'0009},
       0x0000'0007},
      {"max.relu.s16x2 %z, %a, %b;",
       w2,
       "b32",
       {0xfff6'fff7, 0x0003'fff0},
       0x0003'0000},
  });
}

TEST(Integer, PacksWithSaturation) {
  // The ISA's definition: saturate both, b lowest, c shifted above.
  check({
      {"cvt.pack.sat.u16.s32 %z, %a, %b;",
       w2,
       "b32",
       {70000, 0xffffffff},
       0xffff0000},
      {"cvt.pack.sat.s16.s32 %z, %a, %b;",
       w2,
       "b32",
       {0xffff0000, 40000},
       0x80007fff},
      {"cvt.pack.sat.u8.s32.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {300, 0xfffffff0, 0xabcd1234},
       0x1234ff00},
      {"cvt.pack.sat.s8.s32.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xffffff00, 5, 0xabcd1234},
       0x12348005},
      {"cvt.pack.sat.s4.s32.b32 %z, %a, %b, %c;",
       w3,
       "b32",
       {100, 0xffffff9c, 0x1234567},
       0x23456778},
      {"cvt.pack.sat.u2.s32.b32 %z, %a, %b, %c;", w3, "b32", {2, 9, 1}, 0x1b},
  });
}

} // namespace

namespace {

TEST(Integer, VideoScalar) {
  check({
      {"vadd.u32.u32.u32 %z, %a.b1, %b.h1;",
       w2,
       "b32",
       {0x0000ff00, 0x00020000},
       0x101},
      {"vadd.s32.s32.s32 %z, %a.b0, %b.b0;",
       w2,
       "b32",
       {0xff, 0xff},
       0xfffffffe},
      {"vsub.u32.u32.u32.sat %z, %a, %b;", w2, "b32", {1, 2}, 0},
      {"vabsdiff.u32.s32.s32 %z, %a, %b;", w2, "b32", {0xffffffff, 4}, 5},
      {"vmax.s32.s32.s32.add %z, %a, %b, %c;",
       w3,
       "b32",
       {3, 0xfffffff0, 10},
       13},
      {"vadd.u32.u32.u32 %z.b2, %a, %b, %c;",
       w3,
       "b32",
       {0x10, 0x101, 0xaabbccdd},
       0xaa11ccdd},
      {"vshl.u32.u32.u32.clamp %z, %a, %b;", w2, "b32", {1, 40}, 0},
      {"vshl.u32.u32.u32.wrap %z, %a, %b;", w2, "b32", {1, 40}, 256},
      {"vmad.s32.s32.s32.shr7 %z, %a, %b, %c;", w3, "b32", {256, 3, 128}, 7},
      {"vset.s32.s32.lt %z, %a, %b;", w2, "b32", {0xffffffff, 0}, 1},
  });
}

TEST(Integer, VideoSimd) {
  check({
      {"vadd4.u32.u32.u32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xff010203, 0x01010101, 0},
       0x00020304},
      {"vadd4.u32.u32.u32.sat %z, %a, %b, %c;",
       w3,
       "b32",
       {0xff010203, 0x01010101, 0},
       0xff020304},
      {"vsub2.s32.s32.s32.sat %z, %a, %b, %c;",
       w3,
       "b32",
       {0x80000005, 0x00010003, 0},
       0x80000002},
      {"vabsdiff4.u32.u32.u32.add %z, %a, %b, %c;",
       w3,
       "b32",
       {0x01050a00, 0x02010a03, 100},
       108},
      {"vavrg4.u32.u32.u32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x01020304, 0x02020202, 0},
       0x02020303},
      {"vmax2.s32.s32.s32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xffff0001, 0x00010000, 0},
       0x00010001},
      {"vset4.u32.u32.lt %z, %a, %b, %c;",
       w3,
       "b32",
       {0x01020304, 0x02020202, 0},
       0x01000000},
      {"vadd2.u32.u32.u32 %z.h1, %a, %b, %c;",
       w3,
       "b32",
       {0x00010001, 0x00020002, 0xaaaabbbb},
       0x0003bbbb},
  });
}

} // namespace
