//===- MatrixTest.cpp - mma, wmma and the moves of fragments --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are filled and read by the layouts of the PTX ISA's figures; the
// expected product is a host loop on small integers, which every type holds
// exactly.
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

#include <functional>

using namespace hwtune::exec;

namespace {

struct Shape {
  const char *name; ///< up to the types
  const char *a, *b, *acc;
  int m, n, k, bits; ///< of one element of A and B
  int regsA, regsB, regsC;
};

uint32_t encode(const std::string &type, int v) {
  if (type == "f16")
    return std::bit_cast<uint16_t>(_Float16(v));
  if (type == "bf16")
    return std::bit_cast<uint32_t>(float(v)) >> 16;
  if (type == "tf32" || type == "f32")
    return std::bit_cast<uint32_t>(float(v));
  if (type == "e4m3" || type == "e5m2") {
    const uint32_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48},
                   e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44};
    return (type == "e4m3" ? e4m3 : e5m2)[std::abs(v)] | (v < 0 ? 0x80 : 0);
  }
  return uint32_t(v);
}

/// Row and column of part `e` of register `r` of a lane, as the figures give.
struct Place {
  int row, col;
};
Place placeA(const Shape &s, int lane, int r, int e) {
  int perReg = 32 / s.bits, g = lane / 4, t = lane % 4;
  if (s.m == 8)
    return {g, t * perReg + e + r * 4 * perReg};
  return {g + (r % 2 ? 8 : 0), t * perReg + e + r / 2 * 4 * perReg};
}
Place placeB(const Shape &s, int lane, int r, int e) {
  int perReg = 32 / s.bits;
  return {lane % 4 * perReg + e + r * 4 * perReg, lane / 4};
}
Place placeC(int lane, int i) {
  return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
}

void checkMma(const Shape &s) {
  bool isSigned = s.a[0] != 'u' && s.b[0] != 'u';
  auto valueA = [&](int i, int k) {
    int v = (i * 5 + k * 3) % 7 - 3;
    return isSigned ? v : std::abs(v);
  };
  auto valueB = [&](int k, int j) {
    int v = (k * 2 + j * 7) % 5 - 2;
    return isSigned ? v : std::abs(v);
  };
  bool halfAcc = std::string(s.acc) == "f16";
  auto list = [](const std::string &reg, int n) {
    std::string out = "{";
    for (int i = 0; i < n; ++i)
      out += (i ? ", " : "") + reg + std::to_string(i);
    return out + "}";
  };
  int total = s.regsA + s.regsB + s.regsC;
  std::string ptx =
      std::string(kPtxHeader) +
      ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %t, "
      "%a<8>, %b<8>, %c<8>, %d<8>; .reg .b64 %in, %out;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
      "mad.wide.u32 %in, %t, " +
      std::to_string(4 * total) + ", %in; mad.wide.u32 %out, %t, " +
      std::to_string(4 * s.regsC) + ", %out;\n";
  int at = 0;
  for (auto [reg, n] : {std::pair("%a", s.regsA), std::pair("%b", s.regsB),
                        std::pair("%c", s.regsC)})
    for (int i = 0; i < n; ++i, ++at)
      ptx += "ld.global.b32 " + std::string(reg) + std::to_string(i) +
             ", [%in+" + std::to_string(4 * at) + "];\n";
  std::string inst = std::string("mma.sync.aligned.") + s.name + ".row.col." +
                     s.acc + "." + s.a + "." + s.b + "." + s.acc;
  ptx += inst + " " + list("%d", s.regsC) + ", " + list("%a", s.regsA) + ", " +
         list("%b", s.regsB) + ", " + list("%c", s.regsC) + ";\n";
  for (int i = 0; i < s.regsC; ++i)
    ptx += "st.global.b32 [%out+" + std::to_string(4 * i) + "], %d" +
           std::to_string(i) + ";\n";
  ptx += "ret; }";
  ExecHarness h(ptx);
  ASSERT_TRUE(h.program) << h.error << ptx;

  std::vector<uint32_t> in(32 * total);
  uint32_t elem = s.bits == 32 ? ~0u : (1u << s.bits) - 1;
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < s.regsA; ++r)
      for (int e = 0; e < 32 / s.bits; ++e) {
        Place p = placeA(s, lane, r, e);
        in[lane * total + r] |= (encode(s.a, valueA(p.row, p.col)) & elem)
                                << (e * s.bits % 32);
      }
    for (int r = 0; r < s.regsB; ++r)
      for (int e = 0; e < 32 / s.bits; ++e) {
        Place p = placeB(s, lane, r, e);
        in[lane * total + s.regsA + r] |=
            (encode(s.b, valueB(p.row, p.col)) & elem) << (e * s.bits % 32);
      }
    for (int i = 0; i < s.regsC * (halfAcc ? 2 : 1); ++i) {
      Place p = placeC(lane, i);
      uint32_t v = encode(s.acc, p.row - p.col);
      in[lane * total + s.regsA + s.regsB + (halfAcc ? i / 2 : i)] |=
          halfAcc ? v << (i % 2 * 16) : v;
    }
  }
  auto dIn = h.upload(in), dOut = h.upload(std::vector<uint32_t>(32 * s.regsC));
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {dIn, dOut});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto out = h.download<uint32_t>(dOut, 32 * s.regsC);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < s.regsC * (halfAcc ? 2 : 1); ++i) {
      Place p = placeC(lane, i);
      int want = p.row - p.col;
      for (int k = 0; k < s.k; ++k)
        want += valueA(p.row, k) * valueB(k, p.col);
      uint32_t got = out[lane * s.regsC + (halfAcc ? i / 2 : i)];
      if (halfAcc)
        got = (got >> (i % 2 * 16)) & 0xffff;
      ASSERT_EQ(got, encode(s.acc, want))
          << inst << " lane " << lane << " element " << i;
    }
}

TEST(Matrix, MmaShapes) {
  const Shape shapes[] = {
      {"m16n8k8", "f16", "f16", "f32", 16, 8, 8, 16, 2, 1, 4},
      {"m16n8k16", "f16", "f16", "f32", 16, 8, 16, 16, 4, 2, 4},
      {"m16n8k16", "f16", "f16", "f16", 16, 8, 16, 16, 4, 2, 2},
      {"m16n8k8", "f16", "f16", "f16", 16, 8, 8, 16, 2, 1, 2},
      {"m16n8k8", "bf16", "bf16", "f32", 16, 8, 8, 16, 2, 1, 4},
      {"m16n8k16", "bf16", "bf16", "f32", 16, 8, 16, 16, 4, 2, 4},
      {"m16n8k4", "tf32", "tf32", "f32", 16, 8, 4, 32, 2, 1, 4},
      {"m16n8k8", "tf32", "tf32", "f32", 16, 8, 8, 32, 4, 2, 4},
      {"m8n8k16", "s8", "s8", "s32", 8, 8, 16, 8, 1, 1, 2},
      {"m16n8k16", "s8", "s8", "s32", 16, 8, 16, 8, 2, 1, 4},
      {"m16n8k32", "s8", "s8", "s32", 16, 8, 32, 8, 4, 2, 4},
      {"m16n8k32", "u8", "u8", "s32", 16, 8, 32, 8, 4, 2, 4},
      {"m8n8k32", "s4", "s4", "s32", 8, 8, 32, 4, 1, 1, 2},
      {"m16n8k32", "s4", "s4", "s32", 16, 8, 32, 4, 2, 1, 4},
      {"m16n8k64", "u4", "u4", "s32", 16, 8, 64, 4, 4, 2, 4},
      {"m16n8k32", "e4m3", "e4m3", "f32", 16, 8, 32, 8, 4, 2, 4},
      {"m16n8k32", "e5m2", "e4m3", "f32", 16, 8, 32, 8, 4, 2, 4},
  };
  for (const Shape &s : shapes)
    checkMma(s);
}

TEST(Matrix, MmaDouble) {
  ExecHarness h(std::string(kPtxHeader) +
                R"(.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %t; .reg .b64 %in, %out, %o2; .reg .f64 %a, %b, %c<2>, %d<2>;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 32, %in; mad.wide.u32 %out, %t, 16, %out;
  ld.global.f64 %a, [%in]; ld.global.f64 %b, [%in+8]; ld.global.v2.f64 {%c0, %c1}, [%in+16];
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%a}, {%b}, {%c0, %c1};
  st.global.v2.f64 [%out], {%d0, %d1}; ret; })");
  ASSERT_TRUE(h.program) << h.error;
  std::vector<double> in(128);
  for (int lane = 0; lane < 32; ++lane) {
    in[lane * 4] = lane / 4 + 10 * (lane % 4);      // A[g][t] = g + 10 t
    in[lane * 4 + 1] = lane % 4 - 0.5 * (lane / 4); // B[t][g] = t - g / 2
    in[lane * 4 + 2] = in[lane * 4 + 3] = 0.25;
  }
  auto dIn = h.upload(in), dOut = h.upload(std::vector<double>(64));
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {32, 1, 1}, {dIn, dOut}).ok());
  auto out = h.download<double>(dOut, 64);
  for (int row = 0; row < 8; ++row)
    for (int col = 0; col < 8; ++col) {
      double want = 0.25;
      for (int k = 0; k < 4; ++k)
        want += (row + 10 * k) * (k - 0.5 * col);
      EXPECT_EQ(out[(row * 4 + col / 2) * 2 + col % 2], want)
          << row << " " << col;
    }
}

TEST(Matrix, LdmatrixStmatrixMovmatrix) {
  ExecHarness h(std::string(kPtxHeader) +
                R"(.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %t, %s, %r<8>; .reg .b64 %in, %out; .shared .align 16 .b8 buf[1024];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 16, %in; mad.wide.u32 %out, %t, 32, %out;
  mov.u32 %s, buf; mad.lo.u32 %s, %t, 16, %s;
  ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in]; st.shared.v4.u32 [%s], {%r0, %r1, %r2, %r3}; bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%s];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r4, %r5}, [%s];
  movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;
  bar.sync 0;
  stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%s], {%r0};
  bar.sync 0;
  ld.shared.u32 %r7, [%s];
  st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}; st.global.v4.u32 [%out+16], {%r4, %r5, %r6, %r7}; ret; })");
  ASSERT_TRUE(h.program) << h.error;
  std::vector<uint16_t> in(256); // four matrices, row by row: value = 256 *
                                 // matrix + 16 * row + column
  for (uint16_t i = 0; i < 256; ++i)
    in[i] = uint16_t(i / 64 * 256 + i / 8 % 8 * 16 + i % 8);
  auto dIn = h.upload(in), dOut = h.upload(std::vector<uint32_t>(256));
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {dIn, dOut});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto out = h.download<uint32_t>(dOut, 256);
  auto two = [](uint32_t low, uint32_t high) { return low | (high << 16); };
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t g = lane / 4, c = lane % 4 * 2;
    for (uint32_t m = 0; m < 4; ++m)
      EXPECT_EQ(out[lane * 8 + m],
                two(m * 256 + g * 16 + c, m * 256 + g * 16 + c + 1));
    EXPECT_EQ(out[lane * 8 + 4], two(c * 16 + g, (c + 1) * 16 + g));
    EXPECT_EQ(out[lane * 8 + 6],
              two(256 + g * 16 + c, 256 + g * 16 + c + 1)); // transposed twice
    if (lane <
        8) // row `lane` of the stored transpose: column `lane` of matrix 0
      EXPECT_EQ(out[lane * 8 + 7], two(lane, 16 + lane));
  }
}

/// C = A B + C through wmma fragments and memory, in every layout.
TEST(Matrix, WmmaShapesAndLayouts) {
  struct {
    int m, n, k;
    const char *type, *acc;
    int regsA, regsB, regsC;
  } cases[] = {
      {16, 16, 16, "f16", "f32", 8, 8, 8}, {32, 8, 16, "f16", "f32", 8, 8, 8},
      {8, 32, 16, "f16", "f16", 8, 8, 4},  {16, 16, 16, "bf16", "f32", 4, 4, 8},
      {16, 16, 8, "tf32", "f32", 4, 4, 8}, {16, 16, 16, "s8", "s32", 2, 2, 8},
      {32, 8, 16, "u8", "s32", 4, 1, 8}};
  for (auto &c : cases)
    for (int layout = 0; layout < 4; ++layout) {
      const char *la = layout & 1 ? "col" : "row",
                 *lb = layout & 2 ? "col" : "row";
      std::string shape = "m" + std::to_string(c.m) + "n" +
                          std::to_string(c.n) + "k" + std::to_string(c.k),
                  t = c.type, acc = c.acc;
      auto list = [](const char *reg, int n) {
        std::string out = "{";
        for (int i = 0; i < n; ++i)
          out += std::string(i ? ", " : "") + reg + std::to_string(i);
        return out + "}";
      };
      std::string types =
          t == "f16" ? acc + "." + acc : acc + "." + t + "." + t + "." + acc;
      int ldA = layout & 1 ? c.m + 8 : c.k + 8,
          ldB = layout & 2 ? c.k + 8 : c.n + 8;
      std::string ptx =
          std::string(kPtxHeader) +
          ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) { "
          ".reg .b32 %a<8>, %b<8>, %c<8>; .reg .b64 %pa, %pb, %pc;\n"
          "ld.param.u64 %pa, [a]; ld.param.u64 %pb, [b]; ld.param.u64 %pc, "
          "[c];\n"
          "wmma.load.a.sync.aligned." +
          la + "." + shape + ".global." + t + " " + list("%a", c.regsA) +
          ", [%pa], " + std::to_string(ldA) +
          ";\n"
          "wmma.load.b.sync.aligned." +
          lb + "." + shape + ".global." + t + " " + list("%b", c.regsB) +
          ", [%pb], " + std::to_string(ldB) +
          ";\n"
          "wmma.load.c.sync.aligned.row." +
          shape + ".global." + acc + " " + list("%c", c.regsC) +
          ", [%pc];\n"
          "wmma.mma.sync.aligned." +
          la + "." + lb + "." + shape + "." + types + " " +
          list("%c", c.regsC) + ", " + list("%a", c.regsA) + ", " +
          list("%b", c.regsB) + ", " + list("%c", c.regsC) +
          ";\n"
          "wmma.store.d.sync.aligned.row." +
          shape + ".global." + acc + " [%pc], " + list("%c", c.regsC) +
          ";\nret; }";
      ExecHarness h(ptx);
      ASSERT_TRUE(h.program) << h.error << ptx;
      auto valueA = [&](int i, int k) { return (i * 3 + k) % 4; };
      auto valueB = [&](int k, int j) { return (k + j * 5) % 3; };
      auto bytes = [](const std::string &type) {
        return type == "f16" || type == "bf16" ? 2
               : type == "s8" || type == "u8"  ? 1
                                               : 4;
      };
      auto fill = [&](int rows, int cols, bool col, int ld,
                      const std::string &type, std::function<int(int, int)> f) {
        std::vector<uint8_t> out(
            size_t((col ? cols : rows) * ld * bytes(type)));
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < cols; ++j) {
            uint32_t v = encode(type, f(i, j));
            memcpy(&out[size_t((col ? j * ld + i : i * ld + j) * bytes(type))],
                   &v, size_t(bytes(type)));
          }
        return out;
      };
      auto a = h.upload(fill(c.m, c.k, layout & 1, ldA, t, valueA)),
           b = h.upload(fill(c.k, c.n, layout & 2, ldB, t, valueB));
      auto d = h.upload(
          fill(c.m, c.n, false, c.n, acc, [](int i, int j) { return i + j; }));
      auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {a, b, d});
      ASSERT_TRUE(r.ok()) << r.diagnostic.str();
      auto out = h.download<uint8_t>(d, size_t(c.m * c.n * bytes(acc)));
      auto want = fill(c.m, c.n, false, c.n, acc, [&](int i, int j) {
        int sum = i + j;
        for (int k = 0; k < c.k; ++k)
          sum += valueA(i, k) * valueB(k, j);
        return sum;
      });
      EXPECT_EQ(out, want) << shape << " " << t << " " << la << " " << lb;
    }
}

TEST(Matrix, WrongShapesAreRefused) {
  ExecHarness h(
      std::string(kPtxHeader) +
      ".visible .entry k() { .reg .b32 %r<9>; "
      "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, "
      "{%r4,%r5}, {%r6}, {%r0,%r1,%r2,%r3}; ret; }");
  ASSERT_TRUE(h.program) << h.error;
  ASSERT_EQ(h.program->refusals().size(), 1u);
  EXPECT_NE(h.program->refusals()[0].text.find("this shape does not exist"),
            std::string::npos);
}

} // namespace
