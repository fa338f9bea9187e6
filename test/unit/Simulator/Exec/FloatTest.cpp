//===- FloatTest.cpp - floating point against the PTX ISA -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

#include <cfenv>
#include <cmath>
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
        << c.body << std::hex << " of " << c.in[0];
}
const std::vector<std::string> w1{"b32"}, w2{"b32", "b32"},
    w3{"b32", "b32", "b32"}, h1{"b16"}, h2{"b16", "b16"},
    h3{"b16", "b16", "b16"};
const uint64_t nan32 = 0x7fffffff, inf = 0x7f800000, neg = 0x80000000;

TEST(Float, SpecialValues) {
  check({
      {"add.f32 %z, %a, %b;", w2, "b32", {inf, inf | neg}, nan32},
      {"add.f32 %z, %a, %b;",
       w2,
       "b32",
       {0x7f812345, f32(1)},
       nan32}, // payloads are not kept
      {"mul.f32 %z, %a, %b;", w2, "b32", {0, inf}, nan32},
      {"fma.rn.f32 %z, %a, %b, %c;",
       w3,
       "b32",
       {0xffc00001, f32(1), f32(1)},
       nan32},
      {"add.f32 %z, %a, %b;", w2, "b32", {neg, 0}, 0},
      {"add.f32 %z, %a, %b;", w2, "b32", {neg, neg}, neg},
      {"add.rm.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(1), f32(-1)},
       neg}, // exact zero, rounding down
      {"add.rp.f32 %z, %a, %b;", w2, "b32", {f32(1), f32(-1)}, 0},
      {"min.f32 %z, %a, %b;", w2, "b32", {nan32, f32(2)}, f32(2)},
      {"min.f32 %z, %a, %b;", w2, "b32", {f32(2), nan32}, f32(2)},
      {"min.f32 %z, %a, %b;", w2, "b32", {0x7fc00000, 0xffc00000}, nan32},
      {"min.f32 %z, %a, %b;", w2, "b32", {0, neg}, neg},
      {"min.f32 %z, %a, %b;", w2, "b32", {neg, 0}, neg},
      {"max.f32 %z, %a, %b;", w2, "b32", {neg, 0}, 0},
      {"max.NaN.f32 %z, %a, %b;", w2, "b32", {f32(2), 0xffc00000}, nan32},
      {"max.xorsign.abs.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(-3), f32(2)},
       f32(-3)},
      {"min.xorsign.abs.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(-3), f32(-2)},
       f32(2)},
      {"max.f32 %z, %a, %b, %c;", w3, "b32", {f32(1), f32(5), f32(3)}, f32(5)},
      {"copysign.f32 %z, %a, %b;", w2, "b32", {f32(-1), f32(7)}, f32(-7)},
      {"sqrt.rn.f32 %z, %a;", w1, "b32", {f32(-1)}, nan32},
      {"sqrt.rn.f32 %z, %a;", w1, "b32", {neg}, neg},
      {"rcp.rn.f32 %z, %a;", w1, "b32", {neg}, inf | neg},
      {"rsqrt.approx.f32 %z, %a;", w1, "b32", {0}, inf},
      {"div.rn.f32 %z, %a, %b;", w2, "b32", {f32(1), 0}, inf},
      {"div.approx.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(1), 0x7f000000},
       0}, // 2^127: quotients of 0
      {"div.approx.f32 %z, %a, %b;", w2, "b32", {inf, 0x7f000000}, nan32},
      {"testp.subnormal.f32 %p, %a; selp.b32 %z, 1, 0, %p;", w1, "b32", {1}, 1},
      {"testp.normal.f32 %p, %a; selp.b32 %z, 1, 0, %p;", w1, "b32", {1}, 0},
      {"testp.notanumber.f32 %p, %a; selp.b32 %z, 1, 0, %p;",
       w1,
       "b32",
       {nan32},
       1},
      {"testp.infinite.f64 %p, %a; selp.b32 %z, 1, 0, %p;",
       {"b64"},
       "b32",
       {f64(INFINITY)},
       1},
  });
}

TEST(Float, FlushAndSaturate) {
  check({
      {"add.f32 %z, %a, %b;", w2, "b32", {1, 1}, 2}, // subnormals are kept
      {"add.ftz.f32 %z, %a, %b;", w2, "b32", {0x80000001, 0}, 0},
      {"mul.ftz.f32 %z, %a, %b;", w2, "b32", {0x00800000, f32(-0.5f)}, neg},
      {"mul.f32 %z, %a, %b;", w2, "b32", {0x00800000, f32(-0.5f)}, 0x80400000},
      {"fma.rn.ftz.f32 %z, %a, %b, %c;",
       w3,
       "b32",
       {1, f32(1e30f), f32(2)},
       f32(2)},
      {"fma.rn.sat.f32 %z, %a, %b, %c;",
       w3,
       "b32",
       {f32(2), f32(2), 0},
       f32(1)},
      {"add.sat.f32 %z, %a, %b;", w2, "b32", {nan32, 0}, 0},
      {"add.sat.f32 %z, %a, %b;", w2, "b32", {f32(-3), 0}, 0},
      {"abs.ftz.f32 %z, %a;", w1, "b32", {0x80000001}, 0},
      {"div.ftz.rn.f32 %z, %a, %b;", w2, "b32", {0x00800000, f32(2)}, 0},
      {"div.ftz.full.f32 %z, %a, %b;", w2, "b32", {f32(6), f32(2)}, f32(3)},
      {"setp.eq.ftz.f32 %p, %a, 0f00000000; selp.b32 %z, 1, 0, %p;",
       w1,
       "b32",
       {1},
       1},
      {"setp.eq.f32 %p, %a, 0f00000000; selp.b32 %z, 1, 0, %p;",
       w1,
       "b32",
       {1},
       0},
      {"ex2.approx.ftz.f32 %z, %a;", w1, "b32", {f32(-140)}, 0},
  });
}

TEST(Float, ComparisonsWithNaN) {
  const char *ordered[] = {"eq", "ne", "lt", "le", "gt", "ge", "num"},
             *unordered[] = {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"};
  auto run = [](const char *op, const char *type) {
    std::string reg = type[1] == '6' ? "b64" : "b32";
    uint64_t one = reg == "b64" ? f64(1) : f32(1),
             nan = reg == "b64" ? f64(NAN) : nan32;
    return evaluate(std::string("setp.") + op + "." + type +
                        " %p, %a, %b; selp.b32 %z, 1, 0, %p;",
                    {reg, reg}, "b32", {{one, nan}, {nan, nan}});
  };
  for (const char *type : {"f32", "f64"}) {
    for (const char *op : ordered)
      EXPECT_EQ(run(op, type), (std::vector<uint64_t>{0, 0})) << op << type;
    for (const char *op : unordered)
      EXPECT_EQ(run(op, type), (std::vector<uint64_t>{1, 1})) << op << type;
  }
}

float volatileOp(char op, float a, float b, float c) {
  volatile float x = a, y = b, z = c, r;
  switch (op) {
  case '+':
    r = x + y;
    break;
  case '-':
    r = x - y;
    break;
  case '*':
    r = x * y;
    break;
  case '/':
    r = x / y;
    break;
  case 's':
    r = std::sqrt(x);
    break;
  default:
    r = std::fma(float(x), float(y), float(z));
  }
  return r;
}

/// Against the host's own rounding modes, on random bits and edges.
TEST(Float, AllRoundingModesF32) {
  std::mt19937 random(1234);
  std::vector<std::vector<uint64_t>> rows;
  const uint32_t edges[] = {0,          0x80000000, 1,          0x80000001,
                            0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
                            0x3f800000, 0x3f800001, 0xbf800000, 0x7f800000,
                            0x33800000};
  for (uint32_t a : edges)
    for (uint32_t b : edges)
      rows.push_back({a, b, edges[(a + b) % 13]});
  for (int i = 0; i < 3000; ++i) {
    uint32_t e = random() % 24;
    auto near = [&] {
      return ((random() & 0x807fffff) | ((110 + random() % (e + 1)) << 23));
    };
    rows.push_back({near(), near(), near()});
  }
  struct {
    const char *name;
    int mode;
  } modes[] = {{"rn", FE_TONEAREST},
               {"rz", FE_TOWARDZERO},
               {"rm", FE_DOWNWARD},
               {"rp", FE_UPWARD}};
  struct {
    const char *op, *args;
    char code;
  } ops[] = {{"add", "%a, %b", '+'}, {"sub", "%a, %b", '-'},
             {"mul", "%a, %b", '*'}, {"div", "%a, %b", '/'},
             {"sqrt", "%a", 's'},    {"fma", "%a, %b, %c", 'f'}};
  for (auto mode : modes)
    for (auto op : ops) {
      auto z = evaluate(std::string(op.op) + "." + mode.name + ".f32 %z, " +
                            op.args + ";",
                        w3, "b32", rows);
      for (size_t i = 0; i < rows.size(); ++i) {
        auto get = [&](int k) {
          return std::bit_cast<float>(uint32_t(rows[i][k]));
        };
        std::fesetround(mode.mode);
        float want = volatileOp(op.code, get(0), get(1), get(2));
        std::fesetround(FE_TONEAREST);
        uint64_t bits = std::isnan(want) ? nan32 : f32(want);
        ASSERT_EQ(z[i], bits)
            << op.op << "." << mode.name << std::hex << " " << rows[i][0] << " "
            << rows[i][1] << " " << rows[i][2];
      }
    }
}

TEST(Float, AllRoundingModesF64) {
  std::mt19937_64 random(99);
  std::vector<std::vector<uint64_t>> rows;
  for (int i = 0; i < 1000; ++i)
    rows.push_back({f64(double(int64_t(random())) * 1e-3),
                    f64(double(int64_t(random())) * 1e-7),
                    f64(double(int64_t(random())))});
  struct {
    const char *name;
    int mode;
  } modes[] = {{"rn", FE_TONEAREST},
               {"rz", FE_TOWARDZERO},
               {"rm", FE_DOWNWARD},
               {"rp", FE_UPWARD}};
  for (auto mode : modes) {
    auto sum = evaluate(std::string("add.") + mode.name + ".f64 %z, %a, %b;",
                        {"b64", "b64", "b64"}, "b64", rows);
    auto quotient =
        evaluate(std::string("div.") + mode.name + ".f64 %z, %a, %b;",
                 {"b64", "b64", "b64"}, "b64", rows);
    auto fused =
        evaluate(std::string("fma.") + mode.name + ".f64 %z, %a, %b, %c;",
                 {"b64", "b64", "b64"}, "b64", rows);
    auto narrow = evaluate(std::string("cvt.") + mode.name + ".f32.f64 %z, %a;",
                           {"b64", "b64", "b64"}, "b32", rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      volatile double a = std::bit_cast<double>(rows[i][0]),
                      b = std::bit_cast<double>(rows[i][1]),
                      c = std::bit_cast<double>(rows[i][2]);
      std::fesetround(mode.mode);
      volatile double s = a + b, q = a / b,
                      f = std::fma(double(a), double(b), double(c));
      volatile float n = float(a);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(sum[i], f64(s));
      ASSERT_EQ(quotient[i], f64(q));
      ASSERT_EQ(fused[i], f64(f));
      ASSERT_EQ(narrow[i], f32(n));
    }
  }
}

/// The gross reciprocal takes and gives the upper 32 bits alone: 1/3 is
/// 0x3fd55555'55555555.
TEST(Float, GrossReciprocalOfDoubles) {
  const char *rcp = "rcp.approx.ftz.f64 %z, %a;";
  const uint64_t sign = 1ull << 63, infinity = 0x7ffull << 52;
  check({
      {rcp, {"b64"}, "b64", {f64(3)}, 0x3fd5555500000000},
      {rcp, {"b64"}, "b64", {f64(1) + 0xffffffff}, f64(1)},
      {rcp, {"b64"}, "b64", {f64(-0.25)}, f64(-4)},
      {rcp, {"b64"}, "b64", {0x000fffff00000000}, infinity}, // subnormal
      {rcp, {"b64"}, "b64", {sign | 1}, sign | infinity},
      {rcp, {"b64"}, "b64", {f64(-0x1.8p1023)}, sign}, // result subnormal
      {rcp, {"b64"}, "b64", {infinity}, 0},
  });
}

/// PTX's bounds on the approximations.
TEST(Float, ApproximationsStayWithinTheirBounds) {
  std::vector<std::vector<uint64_t>> rows;
  for (int i = -400; i < 400; ++i)
    rows.push_back({f32(float(i) * 0.0077f + 0.001f)});
  auto get = [&](const char *body) { return evaluate(body, w1, "b32", rows); };
  auto ex2 = get("ex2.approx.f32 %z, %a;"),
       lg2 = get("abs.f32 %a, %a; lg2.approx.f32 %z, %a;"),
       sin = get("sin.approx.f32 %z, %a;"), cos = get("cos.approx.f32 %z, %a;"),
       tanh = get("tanh.approx.f32 %z, %a;"),
       rsqrt = get("abs.f32 %a, %a; rsqrt.approx.f32 %z, %a;"),
       rcp = get("rcp.approx.f32 %z, %a;");
  for (size_t i = 0; i < rows.size(); ++i) {
    double x = std::bit_cast<float>(uint32_t(rows[i][0])), m = std::fabs(x);
    auto v = [&](const std::vector<uint64_t> &z) {
      return double(std::bit_cast<float>(uint32_t(z[i])));
    };
    EXPECT_LE(std::fabs(v(ex2) / std::exp2(x) - 1), std::exp2(-22.5)) << x;
    EXPECT_LE(std::fabs(v(lg2) - std::log2(m)),
              std::exp2(-22) * std::max(1.0, std::fabs(std::log2(m))))
        << x;
    EXPECT_LE(std::fabs(v(sin) - std::sin(x)), std::exp2(-20.5)) << x;
    EXPECT_LE(std::fabs(v(cos) - std::cos(x)), std::exp2(-20.5)) << x;
    EXPECT_LE(std::fabs(v(tanh) / std::tanh(x) - 1), std::exp2(-11)) << x;
    EXPECT_LE(std::fabs(v(rsqrt) * std::sqrt(m) - 1), std::exp2(-22.9)) << x;
    EXPECT_LE(std::fabs(v(rcp) * x - 1), std::exp2(-23)) << x;
  }
}

TEST(Float, ToIntegerSaturates) {
  check({
      {"cvt.rzi.s32.f32 %z, %a;", w1, "b32", {f32(-2.7f)}, uint32_t(-2)},
      {"cvt.rni.s32.f32 %z, %a;", w1, "b32", {f32(2.5f)}, 2},
      {"cvt.rni.s32.f32 %z, %a;", w1, "b32", {f32(3.5f)}, 4},
      {"cvt.rmi.s32.f32 %z, %a;", w1, "b32", {f32(-2.1f)}, uint32_t(-3)},
      {"cvt.rpi.s32.f32 %z, %a;", w1, "b32", {f32(2.1f)}, 3},
      {"cvt.rzi.s32.f32 %z, %a;", w1, "b32", {f32(3e9f)}, 0x7fffffff},
      {"cvt.rzi.s32.f32 %z, %a;", w1, "b32", {f32(-3e9f)}, 0x80000000},
      {"cvt.rzi.s32.f32 %z, %a;", w1, "b32", {nan32}, 0},
      {"cvt.rzi.u32.f32 %z, %a;", w1, "b32", {f32(-5)}, 0},
      {"cvt.rzi.u32.f32 %z, %a;", w1, "b32", {f32(5e9f)}, 0xffffffff},
      {"cvt.rzi.u32.f32 %z, %a;", w1, "b32", {f32(3e9f)}, 3000000000u},
      {"cvt.rzi.s64.f32 %z, %a;",
       w1,
       "b64",
       {f32(1e30f)},
       0x7fffffffffffffffull},
      {"cvt.rzi.s64.f64 %z, %a;",
       {"b64"},
       "b64",
       {f64(NAN)},
       0x8000000000000000ull},
      {"cvt.rzi.u64.f64 %z, %a;",
       {"b64"},
       "b64",
       {f64(1e19)},
       10000000000000000000ull},
      {"cvt.rzi.s8.f32 %z, %a;", w1, "b32", {f32(-300)}, uint32_t(-128)},
      {"cvt.rzi.u8.f32 %z, %a;", w1, "b32", {f32(300)}, 255},
      {"cvt.rzi.ftz.s32.f32 %z, %a;", w1, "b32", {1}, 0},
      {"cvt.rpi.f32.f32 %z, %a;", w1, "b32", {f32(-0.5f)}, neg},
      {"cvt.rni.f32.f32 %z, %a;", w1, "b32", {f32(-2.5f)}, f32(-2)},
      {"cvt.sat.f32.f32 %z, %a;", w1, "b32", {f32(1.5f)}, f32(1)},
  });
}

TEST(Float, RareConversions) {
  // The combinations without a handler of their own; values by hand.
  const uint64_t h300 = 0x5cb0, hMinus3_5 = 0xc300, bf2_5 = 0x4020;
  check({
      {"cvt.rzi.u8.f16 %z, %a;", {"b16"}, "b16", {h300}, 255},
      {"cvt.rzi.s8.f16 %z, %a;", {"b16"}, "b16", {hMinus3_5}, 0xfffd},
      {"cvt.rni.s8.f16 %z, %a;", {"b16"}, "b16", {hMinus3_5}, 0xfffc},
      {"cvt.rni.u8.f16 %z, %a;", {"b16"}, "b16", {0x7e00}, 0},
      {"cvt.rn.f64.bf16 %z, %a;", {"b16"}, "b64", {bf2_5}, f64(2.5)},
      // 2^53 + 1 between two doubles, and its negation.
      {"cvt.rz.f64.s64 %z, %a;",
       {"b64"},
       "b64",
       {(1ull << 53) + 1},
       f64(9007199254740992.0)},
      // 0 is +0 in every mode; 2^64 - 1 lies between 2^64 - 2048 and 2^64.
      {"cvt.rm.f64.u64 %z, %a;", {"b64"}, "b64", {0}, 0},
      {"cvt.rm.f64.s64 %z, %a;", {"b64"}, "b64", {0}, 0},
      {"cvt.rm.f64.u32 %z, %a;", w1, "b64", {0}, 0},
      {"cvt.rm.f32.u64 %z, %a;", {"b64"}, "b32", {0}, 0},
      {"cvt.rm.f64.u64 %z, %a;",
       {"b64"},
       "b64",
       {~0ull},
       f64(0x1.fffffffffffffp63)},
      {"cvt.rp.f64.u64 %z, %a;", {"b64"}, "b64", {~0ull}, f64(0x1p64)},
      {"cvt.rz.f64.u64 %z, %a;",
       {"b64"},
       "b64",
       {(1ull << 53) + 1},
       f64(0x1p53)},
      {"cvt.rp.sat.f64.u8 %z, %a;", {"b16"}, "b64", {7}, f64(1)},
      {"cvt.rp.f64.u16 %z, %a;", {"b16"}, "b64", {65535}, f64(65535)},
      {"cvt.rm.f32.s8 %z, %a;", {"b16"}, "b32", {0xff80}, f32(-128)},
      // 65519 is below the tie at 65520: down to 65504, up to infinity.
      {"cvt.rm.sat.f16.f64 %z, %a;", {"b64"}, "b16", {f64(0.1)}, 0x2e66},
      {"cvt.rp.f16.f64 %z, %a;", {"b64"}, "b16", {f64(0.1)}, 0x2e67},
      {"cvt.rm.f16.f64 %z, %a;", {"b64"}, "b16", {f64(65519)}, 0x7bff},
      {"cvt.rp.f16.f64 %z, %a;", {"b64"}, "b16", {f64(65519)}, 0x7c00},
      {"cvt.rn.sat.f16.s32 %z, %a;", w1, "b16", {0xffffffff}, 0},
      {"cvt.rn.sat.f64.s32 %z, %a;", w1, "b64", {5}, f64(1)},
      {"cvt.rni.sat.f64.f64 %z, %a;", {"b64"}, "b64", {f64(0.5)}, f64(0)},
      {"cvt.rpi.sat.f16.f16 %z, %a;", {"b16"}, "b16", {0x3800}, 0x3c00},
      {"cvt.rn.ftz.f32.bf16 %z, %a;", {"b16"}, "b32", {0x0001}, 0},
      {"cvt.ftz.sat.f64.f32 %z, %a;", w1, "b64", {f32(2)}, f64(1)},
      {"cvt.rz.ftz.sat.f32.f64 %z, %a;", {"b64"}, "b32", {f64(1e-40)}, 0},
      {"cvt.rz.satfinite.relu.f16.f32 %z, %a;", w1, "b16", {f32(-1)}, 0},
      {"cvt.rz.satfinite.relu.f16.f32 %z, %a;", w1, "b16", {f32(1e9f)}, 0x7bff},
      {"cvt.rz.satfinite.relu.f16x2.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(-1), f32(1e9f)},
       0x00007bff},
      {"cvt.rn.satfinite.relu.f16.f32 %z, %a;", w1, "b16", {f32(-1)}, 0},
      // 2 and -2, 600 and 1 as e4m3: 0x40, 0, the largest (448), 0x38.
      {"cvt.rn.satfinite.relu.e4m3x2.f16x2 %z, %a;",
       w1,
       "b16",
       {0x4000c000},
       0x4000},
      {"cvt.rn.satfinite.relu.e4m3x2.f16x2 %z, %a;",
       w1,
       "b16",
       {0x60b03c00},
       0x7e38},
      {"cvt.rn.relu.tf32.f32 %z, %a;", w1, "b32", {f32(-2)}, 0},
      {"cvt.rn.bf16.f16 %z, %a;", {"b16"}, "b16", {0x3c01}, 0x3f80},
      {"cvt.rp.bf16.f16 %z, %a;", {"b16"}, "b16", {0x3c01}, 0x3f81},
      {"cvt.sat.f16.f16 %z, %a;", {"b16"}, "b16", {0x4000}, 0x3c00},
  });
}

/// add, mul and fma on two f32 in 64 bits, against the host's.
TEST(Float, PairsOfF32) {
  const float a[] = {1.5f, -3e38f}, b[] = {2.25f, 3e38f}, c[] = {-1, 0.125f};
  auto pack = [](float low, float high) {
    return uint64_t(f32(high)) << 32 | f32(low);
  };
  std::vector<std::string> q3 = {"b64", "b64", "b64"};
  std::vector<uint64_t> in = {pack(a[0], a[1]), pack(b[0], b[1]),
                              pack(c[0], c[1])};
  check({
      {"add.rn.f32x2 %z, %a, %b;", q3, "b64", in,
       pack(a[0] + b[0], a[1] + b[1])},
      {"mul.f32x2 %z, %a, %b;", q3, "b64", in, pack(a[0] * b[0], a[1] * b[1])},
      {"fma.rn.f32x2 %z, %a, %b, %c;", q3, "b64", in,
       pack(std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]))},
      {"add.ftz.f32x2 %z, %a, %b;", q3, "b64", {1, 0, 0}, 0},
  });
}

/// Halves with an f32, from sm_100 on. 1.5 is 0x3e00 and 0x3fc0, -2.25 0xc080
/// and 0xc010; 0x0001 is 2^-24 as f16.
TEST(Float, HalvesWithSingle) {
  std::vector<std::string> two = {"b16", "b32"}, three = {"b16", "b16", "b32"};
  float tiny = 0x1p-30f;
  check({
      {"add.f32.f16 %z, %a, %b;", two, "b32", {0x3e00, f32(0.25f)}, f32(1.75f)},
      {"sub.rn.f32.bf16 %z, %a, %b;", two, "b32", {0x3fc0, f32(4)}, f32(-2.5f)},
      {"add.rn.f32.f16 %z, %a, %b;", two, "b32", {1, f32(0)}, f32(0x1p-24f)},
      {"add.rn.sat.f32.bf16 %z, %a, %b;", two, "b32", {0x3fc0, f32(1)}, f32(1)},
      {"fma.rn.f32.f16 %z, %a, %b, %c;",
       three,
       "b32",
       {0x3e00, 0xc080, f32(10)},
       f32(6.625f)},
      {"fma.rn.f32.bf16 %z, %a, %b, %c;",
       three,
       "b32",
       {0x3fc0, 0xc010, f32(10)},
       f32(6.625f)},
      // One rounding: the tiny term decides which way.
      {"fma.rz.f32.bf16 %z, %a, %b, %c;",
       three,
       "b32",
       {0x3fc0, 0x3fc0, f32(-tiny)},
       f32(std::nextafter(2.25f, 0.0f))},
      {"fma.rm.f32.f16 %z, %a, %b, %c;",
       three,
       "b32",
       {0x3e00, 0x3e00, f32(tiny)},
       f32(2.25f)},
      {"add.rp.f32.f16 %z, %a, %b;",
       two,
       "b32",
       {0x3e00, f32(tiny)},
       f32(std::nextafter(1.5f, 2.0f))},
      {"fma.rz.sat.f32.f16 %z, %a, %b, %c;",
       three,
       "b32",
       {0x3e00, 0xc080, f32(1)},
       f32(0)},
  });
}

TEST(Float, BetweenIntegers) {
  check({
      {"cvt.s64.s32 %z, %a;", w1, "b64", {0x80000000}, 0xffffffff80000000ull},
      {"cvt.u64.u32 %z, %a;", w1, "b64", {0x80000000}, 0x80000000ull},
      {"cvt.u32.u64 %z, %a;",
       {"b64"},
       "b32",
       {0x1234567890abcdefull},
       0x90abcdef},
      {"cvt.s32.s8 %z, %a;", w1, "b32", {0x180}, uint32_t(-128)},
      {"cvt.u32.u8 %z, %a;", w1, "b32", {0x180}, 0x80},
      {"cvt.s8.s32 %z, %a;",
       w1,
       "b32",
       {0x1ff},
       0xffffffff}, // extended into the wider register
      {"cvt.u8.u32 %z, %a;", w1, "b32", {0x1ff}, 0xff},
      {"cvt.sat.u8.s32 %z, %a;", w1, "b32", {uint32_t(-5)}, 0},
      {"cvt.sat.s8.s32 %z, %a;", w1, "b32", {1000}, 127},
      {"cvt.sat.u32.s64 %z, %a;", {"b64"}, "b32", {1ull << 40}, 0xffffffff},
      {"cvt.s16.s32 %x0, %a; mov.b32 %z, %x0;",
       w1,
       "b32",
       {0x18000},
       0xffff8000},
      {"cvt.rn.f32.s32 %z, %a;", w1, "b32", {16777217}, f32(16777216.0f)},
      {"cvt.rp.f32.s32 %z, %a;", w1, "b32", {16777217}, f32(16777218.0f)},
      {"cvt.rz.f32.u64 %z, %a;",
       {"b64"},
       "b32",
       {~0ull},
       f32(18446742974197923840.0f)},
      {"cvt.rn.f32.u64 %z, %a;",
       {"b64"},
       "b32",
       {~0ull},
       f32(18446744073709551616.0f)},
      {"cvt.rn.f64.u64 %z, %a;",
       {"b64"},
       "b64",
       {~0ull},
       f64(18446744073709551616.0)},
      {"cvt.rz.f64.u64 %z, %a;",
       {"b64"},
       "b64",
       {~0ull},
       f64(18446744073709549568.0)},
      {"cvt.rn.f32.s64 %z, %a;", {"b64"}, "b32", {uint64_t(-3)}, f32(-3)},
  });
}

TEST(Float, Halves) {
  check({
      {"cvt.rn.f16.f32 %z, %a;",
       w1,
       "b16",
       {f32(65520.0f)},
       0x7c00}, // ties to the infinity
      {"cvt.rz.f16.f32 %z, %a;", w1, "b16", {f32(65520.0f)}, 0x7bff},
      {"cvt.rn.f16.f32 %z, %a;", w1, "b16", {f32(5.9604645e-08f)}, 1},
      {"cvt.rn.f16.f32 %z, %a;",
       w1,
       "b16",
       {f32(2.9802322e-08f)},
       0}, // half of it: to even
      {"cvt.rn.f16.f32 %z, %a;", w1, "b16", {0xffc12345}, 0x7fff},
      {"cvt.f32.f16 %z, %a;", h1, "b32", {0x0001}, f32(5.9604645e-08f)},
      {"cvt.f32.f16 %z, %a;", h1, "b32", {0xfc00}, inf | neg},
      {"cvt.rn.bf16.f32 %z, %a;", w1, "b16", {0x3f808000}, 0x3f80}, // tie, even
      {"cvt.rn.bf16.f32 %z, %a;", w1, "b16", {0x3f818000}, 0x3f82},
      {"cvt.rz.bf16.f32 %z, %a;", w1, "b16", {0x3f81ffff}, 0x3f81},
      {"cvt.rn.f16x2.f32 %z, %a, %b;", w2, "b32", {f32(1), f32(2)}, 0x3c004000},
      {"cvt.rn.relu.bf16x2.f32 %z, %a, %b;",
       w2,
       "b32",
       {f32(-1), f32(2)},
       0x00004000},
      {"cvt.rna.tf32.f32 %z, %a;", w1, "b32", {0x3f801000}, 0x3f802000},
      {"cvt.rn.satfinite.e4m3x2.f32 %z, %a, %b;",
       w2,
       "b16",
       {f32(1000), f32(1)},
       0x7e38},
      {"cvt.rn.satfinite.e5m2x2.f32 %z, %a, %b;",
       w2,
       "b16",
       {f32(-1e9f), f32(1)},
       0xfb3c},
      {"cvt.rn.f16x2.e4m3x2 %z, %a;", h1, "b32", {0x7e38}, 0x5f003c00},
      {"cvt.rzi.s32.f16 %z, %a;", h1, "b32", {0xc500}, uint32_t(-5)},
      {"cvt.rn.f16.s32 %z, %a;", w1, "b16", {2049}, 0x6800},
      {"add.f16 %z, %a, %b;", h2, "b16", {0x3c00, 0x3c00}, 0x4000},
      {"add.f16 %z, %a, %b;", h2, "b16", {0x7bff, 0x7bff}, 0x7c00},
      {"mul.f16 %z, %a, %b;", h2, "b16", {0x0001, 0x3800}, 0}, // half the
                                                               // least: to even
      {"fma.rn.f16 %z, %a, %b, %c;",
       h3,
       "b16",
       {0x7bff, 0x7bff, 0xfbff},
       0x7c00},
      {"fma.rn.relu.f16 %z, %a, %b, %c;", h3, "b16", {0x3c00, 0xbc00, 0}, 0},
      {"add.sat.f16 %z, %a, %b;", h2, "b16", {0x3c00, 0x3c00}, 0x3c00},
      {"add.ftz.f16 %z, %a, %b;", h2, "b16", {0x0001, 0x0001}, 0},
      {"fma.rn.f16x2 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x3c004000, 0x40004000, 0x3c003c00},
       0x42004500},
      {"fma.rn.bf16x2 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x3f804000, 0x40004000, 0x3f803f80},
       0x404040a0},
      // 1 * 1 + 2^-9 lies between 1 and 1 + 2^-7; -1 * 1 - 2^-9 likewise.
      {"fma.rz.bf16 %z, %a, %b, %c;",
       h3,
       "b16",
       {0x3f80, 0x3f80, 0x3b00},
       0x3f80},
      {"fma.rp.bf16 %z, %a, %b, %c;",
       h3,
       "b16",
       {0x3f80, 0x3f80, 0x3b00},
       0x3f81},
      {"fma.rm.bf16 %z, %a, %b, %c;",
       h3,
       "b16",
       {0xbf80, 0x3f80, 0xbb00},
       0xbf81},
      {"fma.rp.relu.bf16x2 %z, %a, %b, %c;",
       w3,
       "b32",
       {0x3f80bf80, 0x3f803f80, 0x3b00bb00},
       0x3f810000},
      {"max.f16x2 %z, %a, %b;",
       w2,
       "b32",
       {0x7e003c00, 0x40000000},
       0x40003c00},
      {"max.NaN.bf16 %z, %a, %b;", h2, "b16", {0x7fc0, 0x3f80}, 0x7fff},
      {"neg.f16x2 %z, %a;", w1, "b32", {0x3c000000}, 0xbc008000},
      {"setp.lt.f16 %p, %a, %b; selp.b32 %z, 1, 0, %p;",
       h2,
       "b32",
       {0xbc00, 0x3c00},
       1},
      {"ex2.approx.f16 %z, %a;", h1, "b16", {0x4200}, 0x4800},
      {"tanh.approx.bf16 %z, %a;", h1, "b16", {0x0000}, 0x0000},
  });
}

TEST(Float, PairComparisons) {
  check({
      {"setp.lt.f16x2 %p|%q, %a, %b; selp.b32 %x0, 1, 0, %p; selp.b32 %x1, 2, "
       "0, %q; or.b32 %z, %x0, %x1;",
       w2,
       "b32",
       {0x40003c00, 0x3c004000},
       1},
      {"set.ge.f16x2.f16x2 %z, %a, %b;",
       w2,
       "b32",
       {0x40003c00, 0x3c004000},
       0x3c000000},
      {"set.neu.bf16x2.bf16x2 %z, %a, %b;",
       w2,
       "b32",
       {0x7fc03f80, 0x3f803f80},
       0x3f800000},
      {"set.gtu.u32.f16x2 %z, %a, %b;",
       w2,
       "b32",
       {0xfc004248, 0x00008000},
       0x0000ffff},
      {"set.eq.s32.bf16x2 %z, %a, %b;",
       w2,
       "b32",
       {0x3f803f80, 0x3f807fc0},
       0xffff0000},
  });
}

/// All pairs of edges and random bits, against one rounding of the exact value.
template <typename H>
uint16_t exactFma(uint16_t a, uint16_t b, uint16_t c, H toLong) {
  // The host's 64-bit mantissa holds product and sum of these inputs exactly.
  long double v = toLong(a) * toLong(b) + toLong(c);
  if (v != v)
    return 0x7fff;
  return std::bit_cast<uint16_t>(static_cast<_Float16>(double(v)));
}
TEST(Float, HalfFmaOnManyInputs) {
  std::mt19937 random(5);
  std::vector<std::vector<uint64_t>> rows;
  for (int i = 0; i < 4000;
       ++i) // exponents close together: sums are exact in double
    rows.push_back({(random() & 0x83ff) | 0x3000 | (random() & 0xc00),
                    (random() & 0x83ff) | 0x3000 | (random() & 0xc00),
                    (random() & 0x83ff) | 0x2c00 | (random() & 0xc00)});
  auto z = evaluate("fma.rn.f16 %z, %a, %b, %c;", h3, "b16", rows);
  auto s = evaluate("add.f16 %z, %a, %b;", h3, "b16", rows);
  auto toLong = [](uint64_t h) {
    return static_cast<long double>(std::bit_cast<_Float16>(uint16_t(h)));
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(z[i], exactFma(uint16_t(rows[i][0]), uint16_t(rows[i][1]),
                             uint16_t(rows[i][2]), toLong))
        << i;
    ASSERT_EQ(s[i], exactFma(uint16_t(rows[i][0]), 0x3c00, uint16_t(rows[i][1]),
                             toLong))
        << i;
  }
  // bf16: a tie that a far smaller addend decides; double rounding would lose
  // it.
  check({{"fma.rn.bf16 %z, %a, %b, %c;",
          h3,
          "b16",
          {0x3f81, 0x3fc0, 0x0080},
          0x3fc2},
         {"fma.rn.bf16 %z, %a, %b, %c;",
          h3,
          "b16",
          {0x3f81, 0x3fc0, 0x8080},
          0x3fc1}});
}

/// A sum whose exact value lies just above a tie of f16: rounding it to f32 or
/// double first would lose that.
TEST(Float, HalfFmaRoundsOnce) {
  // 1.0009765625 * 1.0009765625 = 1 + 2^-9 + 2^-20; ties come from 2^-11.
  check({{"fma.rn.f16 %z, %a, %b, %c;",
          h3,
          "b16",
          {0x3c01, 0x3c01, 0x9000},
          0x3c02}}); // c = -2^-11: exactly 1+2^-9-2^-11+2^-20
  check({{"fma.rn.f16 %z, %a, %b, %c;",
          h3,
          "b16",
          {0x3c01, 0x3c01, 0x1000},
          0x3c03}}); // just above the tie
}

} // namespace
