//===- MatrixRareTest.cpp - f64, one-bit and Volta products ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel loads one fragment register after the other from memory that the
// host laid out by the figures of the ISA; the product is the host's.
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

using namespace hwtune::exec;

namespace {

/// "{%a0, %a1}"
std::string registers(const std::string &name, int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i)
    out += (i ? ", " : "") + name + std::to_string(i);
  return out + "}";
}

/// A kernel of one warp: loads A, B and C of each lane (`type` elements, one
/// after the other), runs `inst`, stores D.
std::string kernelOf(const std::string &inst, const std::string &ab,
                     const std::string &acc, int a, int b, int c) {
  auto bytes = [](const std::string &t) { return std::stoi(t.substr(1)) / 8; };
  int row = (a + b) * bytes(ab) + c * bytes(acc);
  std::string text =
      std::string(kPtxHeader) +
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .b32 %t; .reg .b64 %in, %out; .reg ." +
      ab + " %a<8>, %b<8>; .reg ." + acc + " %c<8>, %d<8>;\n" +
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; "
      "mad.wide.u32 %in, %t, " +
      std::to_string(row) + ", %in; mad.wide.u32 %out, %t, " +
      std::to_string(c * bytes(acc)) + ", %out;\n";
  int at = 0;
  auto load = [&](const char *name, int count, const std::string &type) {
    for (int i = 0; i < count; ++i, at += bytes(type))
      text += "ld.global." + type + " " + name + std::to_string(i) + ", [%in+" +
              std::to_string(at) + "];\n";
  };
  load("%a", a, ab), load("%b", b, ab), load("%c", c, acc);
  text += inst + " " + registers("%d", c) + ", " + registers("%a", a) + ", " +
          registers("%b", b) + ", " + registers("%c", c) + ";\n";
  for (int i = 0; i < c; ++i)
    text += "st.global." + acc + " [%out+" + std::to_string(i * bytes(acc)) +
            "], %d" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

template <typename T>
std::vector<T> runWarp(const std::string &ptx, const std::vector<T> &in,
                       size_t results) {
  ExecHarness h(ptx);
  EXPECT_TRUE(h.program) << h.error << ptx;
  if (!h.program)
    return std::vector<T>(results);
  EXPECT_TRUE(h.program->refusals().empty()) << ptx;
  DeviceAddress from = h.upload(in), to = h.upload(std::vector<T>(results));
  EXPECT_TRUE(h.run("k", {1, 1, 1}, {32, 1, 1}, {from, to}).ok());
  return h.download<T>(to, results);
}

int valueA(int i, int k) { return (i * 5 + k * 3) % 7 - 3; }
int valueB(int k, int j) { return (k * 2 + j * 7) % 5 - 2; }

TEST(Matrix, MmaDoubleShapes) {
  for (int k : {4, 8, 16}) {
    int a = k / 2, b = k / 4;
    std::string shape = "m16n8k" + std::to_string(k);
    std::vector<double> in;
    for (int lane = 0; lane < 32; ++lane) {
      int g = lane / 4, t = lane % 4;
      for (int i = 0; i < a; ++i)
        in.push_back(valueA(g + i % 2 * 8, i / 2 * 4 + t));
      for (int i = 0; i < b; ++i)
        in.push_back(valueB(i * 4 + t, g));
      for (int i = 0; i < 4; ++i)
        in.push_back((g + i / 2 * 8) - (t * 2 + i % 2));
    }
    auto out = runWarp(
        kernelOf("mma.sync.aligned." + shape + ".row.col.f64.f64.f64.f64",
                 "f64", "f64", a, b, 4),
        in, 128);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
        double want = row - col;
        for (int x = 0; x < k; ++x)
          want += valueA(row, x) * valueB(x, col);
        EXPECT_EQ(out[size_t(lane * 4 + i)], want) << shape << " " << lane;
      }
  }
}

/// D = C + popc(A op B) on bits of no pattern.
TEST(Matrix, MmaBits) {
  auto bitA = [](int i, int k) {
    return uint32_t(i * 37 + k * k * 11) / 3 & 1;
  };
  auto bitB = [](int k, int j) { return uint32_t(j * 53 + k * 29) / 5 & 1; };
  struct {
    int m, k, a, b, c;
  } shapes[] = {{8, 128, 1, 1, 2}, {16, 128, 2, 1, 4}, {16, 256, 4, 2, 4}};
  for (auto s : shapes)
    for (bool isAnd : {false, true}) {
      std::vector<uint32_t> in;
      for (int lane = 0; lane < 32; ++lane) {
        int g = lane / 4, t = lane % 4;
        for (int r = 0; r < s.a; ++r) {
          uint32_t word = 0;
          for (int bit = 0; bit < 32; ++bit)
            word |= bitA(g + r % 2 * 8, r / 2 * 128 + t * 32 + bit) << bit;
          in.push_back(word);
        }
        for (int r = 0; r < s.b; ++r) {
          uint32_t word = 0;
          for (int bit = 0; bit < 32; ++bit)
            word |= bitB(r * 128 + t * 32 + bit, g) << bit;
          in.push_back(word);
        }
        for (int i = 0; i < s.c; ++i)
          in.push_back(uint32_t((g + i / 2 * 8) * 8 + t * 2 + i % 2));
      }
      std::string name = "mma.sync.aligned.m" + std::to_string(s.m) + "n8k" +
                         std::to_string(s.k) + ".row.col.s32.b1.b1.s32." +
                         (isAnd ? "and" : "xor") + ".popc";
      auto out = runWarp(kernelOf(name, "b32", "b32", s.a, s.b, s.c), in,
                         size_t(32 * s.c));
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < s.c; ++i) {
          int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
          uint32_t want = uint32_t(row * 8 + col);
          for (int x = 0; x < s.k; ++x)
            want += isAnd ? bitA(row, x) & bitB(x, col)
                          : bitA(row, x) ^ bitB(x, col);
          EXPECT_EQ(out[size_t(lane * s.c + i)], want) << name << " " << lane;
        }
    }
}

/// mma.m8n8k4 on f16: four products, by the lanes 4q..4q+3 and 16 above.
TEST(Matrix, MmaVolta) {
  for (int layout = 0; layout < 4; ++layout) {
    bool rowA = !(layout & 1), rowB = !(layout & 2);
    auto half = [](int v) {
      return uint32_t(std::bit_cast<uint16_t>(_Float16(v)));
    };
    std::vector<uint32_t> in;
    for (int lane = 0; lane < 32; ++lane) {
      int q = lane / 4 % 4, x = lane % 4, up = lane < 16 ? 0 : 4;
      auto put = [&](auto value) {
        for (int i = 0; i < 4; i += 2)
          in.push_back(half(value(i)) | half(value(i + 1)) << 16);
      };
      put([&](int i) {
        return q + (rowA ? valueA(x + up, i) : valueA(i + up, x));
      });
      put([&](int i) {
        return rowB ? valueB(x, i + up) - q : valueB(i, x + up) - q;
      });
      for (int i = 0; i < 8; ++i)
        in.push_back(std::bit_cast<uint32_t>(float(i + lane)));
    }
    std::string name = std::string("mma.sync.aligned.m8n8k4.") +
                       (rowA ? "row." : "col.") + (rowB ? "row" : "col") +
                       ".f32.f16.f16.f32";
    auto out = runWarp(kernelOf(name, "b32", "b32", 2, 2, 8), in, 256);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        int q = lane / 4 % 4;
        int row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4),
            col = (i & 4) + (lane & 2) + (i & 1);
        float want = float(i + lane);
        for (int k = 0; k < 4; ++k)
          want += float((q + valueA(row, k)) * (valueB(k, col) - q));
        EXPECT_EQ(std::bit_cast<float>(out[size_t(lane * 8 + i)]), want)
            << name << " lane " << lane << " element " << i;
      }
  }
}

/// wmma.m8n8k4 on f64 through memory, in every layout.
TEST(Matrix, WmmaDouble) {
  for (int layout = 0; layout < 4; ++layout) {
    bool rowA = !(layout & 1), rowB = !(layout & 2);
    std::string la = rowA ? "row" : "col", lb = rowB ? "row" : "col";
    ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .b64 %p<3>; .reg .f64 %a, %b, %c<2>;
  ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c];
  wmma.load.a.sync.aligned.)" +
                  la + R"(.m8n8k4.f64 {%a}, [%p0];
  wmma.load.b.sync.aligned.)" +
                  lb + R"(.m8n8k4.f64 {%b}, [%p1];
  wmma.load.c.sync.aligned.row.m8n8k4.f64 {%c0, %c1}, [%p2];
  wmma.mma.sync.aligned.)" +
                  la + "." + lb +
                  R"(.m8n8k4.f64.f64.f64.f64 {%c0, %c1}, {%a}, {%b}, {%c0, %c1};
  wmma.store.d.sync.aligned.row.m8n8k4.f64 [%p2], {%c0, %c1};
  ret;
})");
    ASSERT_TRUE(h.program) << h.error;
    EXPECT_TRUE(h.program->refusals().empty());
    std::vector<double> a(32), b(32), c(64);
    for (int i = 0; i < 8; ++i)
      for (int k = 0; k < 4; ++k) {
        a[size_t(rowA ? i * 4 + k : k * 8 + i)] = valueA(i, k);
        b[size_t(rowB ? k * 8 + i : i * 4 + k)] = valueB(k, i);
      }
    for (int i = 0; i < 64; ++i)
      c[size_t(i)] = i;
    DeviceAddress at = h.upload(c);
    ASSERT_TRUE(
        h.run("k", {1, 1, 1}, {32, 1, 1}, {h.upload(a), h.upload(b), at}).ok());
    auto out = h.download<double>(at, 64);
    for (int i = 0; i < 64; ++i) {
      double want = i;
      for (int k = 0; k < 4; ++k)
        want += valueA(i / 8, k) * valueB(k, i % 8);
      EXPECT_EQ(out[size_t(i)], want) << la << lb << " " << i;
    }
  }
}

/// 1 + 2^-60, four times, in each direction.
TEST(Matrix, WmmaDoubleRoundsAsTold) {
  auto result = [](const std::string &mode, double sign) {
    ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 c) {
  .reg .b64 %p; .reg .f64 %a, %b, %c<2>, %d<2>;
  ld.param.u64 %p, [c]; ld.global.f64 %a, [%p]; ld.global.f64 %b, [%p+8];
  ld.global.f64 %c0, [%p+16]; mov.f64 %c1, %c0;
  wmma.mma.sync.aligned.row.col.m8n8k4)" +
                  mode + R"(.f64.f64.f64.f64 {%d0, %d1}, {%a}, {%b}, {%c0, %c1};
  st.global.f64 [%p], %d0;
  ret;
})");
    EXPECT_TRUE(h.program) << h.error;
    DeviceAddress at =
        h.upload(std::vector<double>{sign * 0x1p-30, 0x1p-30, sign});
    EXPECT_TRUE(h.run("k", {1, 1, 1}, {32, 1, 1}, {at}).ok());
    return h.download<double>(at, 1)[0];
  };
  // Each of the four additions rounds by itself.
  EXPECT_EQ(result(".rn", 1), 1.0);
  EXPECT_EQ(result(".rz", 1), 1.0);
  EXPECT_EQ(result(".rm", 1), 1.0);
  EXPECT_EQ(result(".rp", 1), 1 + 4 * 0x1p-52);
  EXPECT_EQ(result(".rp", -1), -1.0);
  EXPECT_EQ(result(".rm", -1), -1 - 4 * 0x1p-52);
}

/// The sub-byte fragments of wmma: rows of A and columns of B, packed.
TEST(Matrix, WmmaSubByte) {
  for (bool bits : {false, true}) {
    int k = bits ? 128 : 32, perWord = bits ? 32 : 8, width = bits ? 1 : 4;
    std::string shape = bits ? "m8n8k128" : "m8n8k32",
                type = bits ? "b1" : "s4";
    ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .b64 %p<3>; .reg .b32 %a, %b, %c<2>;
  ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c];
  wmma.load.a.sync.aligned.row.)" +
                  shape + "." + type + " {%a}, [%p0]; " +
                  "wmma.load.b.sync.aligned.col." + shape + "." + type +
                  " {%b}, [%p1]; wmma.load.c.sync.aligned.row." + shape +
                  ".s32 {%c0, %c1}, [%p2]; wmma.mma." +
                  (bits ? "xor.popc." : "") + "sync.aligned.row.col." + shape +
                  ".s32." + type + "." + type +
                  ".s32 {%c0, %c1}, {%a}, {%b}, {%c0, %c1}; "
                  "wmma.store.d.sync.aligned.row." +
                  shape + ".s32 [%p2], {%c0, %c1}; ret; }");
    ASSERT_TRUE(h.program) << h.error;
    EXPECT_TRUE(h.program->refusals().empty());
    std::vector<uint32_t> a(32), b(32), c(64);
    auto elementA = [&](int i, int x) {
      return bits ? (i * 7 + x * x) / 3 & 1 : valueA(i, x);
    };
    auto elementB = [&](int x, int j) {
      return bits ? (j * 5 + x) / 2 & 1 : valueB(x, j);
    };
    uint32_t mask = (1u << width) - 1;
    for (int i = 0; i < 8; ++i)
      for (int x = 0; x < k; ++x) {
        size_t word = size_t((i * k + x) / perWord);
        int shift = x % perWord * width;
        a[word] |= (uint32_t(elementA(i, x)) & mask) << shift;
        b[word] |= (uint32_t(elementB(x, i)) & mask) << shift;
      }
    for (uint32_t i = 0; i < 64; ++i)
      c[i] = i;
    DeviceAddress at = h.upload(c);
    ASSERT_TRUE(
        h.run("k", {1, 1, 1}, {32, 1, 1}, {h.upload(a), h.upload(b), at}).ok());
    auto out = h.download<int32_t>(at, 64);
    for (int i = 0; i < 64; ++i) {
      int want = i;
      for (int x = 0; x < k; ++x) {
        int p = elementA(i / 8, x), q = elementB(x, i % 8);
        want += bits ? p ^ q : p * q;
      }
      EXPECT_EQ(out[size_t(i)], want) << shape << " " << i;
    }
  }
}

} // namespace
