//===- OpsMatrix.cpp - mma, wmma, ldmatrix, stmatrix, movmatrix -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are gathered into plain matrices, multiplied row by row and put
// back. Floating-point sums run over k in order, one fused step each; hardware
// adds in another order that PTX leaves open. The layout of mma fragments is
// PTX's. That of wmma fragments is left open by PTX; ours deals the elements
// of the row-major matrix to the lanes in order, an equal run to each.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "VecFloat.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

using VF16 = VecOf<_Float16, 32>::type;
using VU16 = VecOf<uint16_t, 32>::type;

int bitsOf(MatrixType t) {
  switch (t) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::S8:
  case MatrixType::U8:
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return 8;
  case MatrixType::S4:
  case MatrixType::U4:
    return 4;
  case MatrixType::B1:
    return 1;
  case MatrixType::F64:
    return 64;
  default:
    return 32;
  }
}
bool isInteger(MatrixType t) {
  return t == MatrixType::S8 || t == MatrixType::U8 || t == MatrixType::S4 ||
         t == MatrixType::U4;
}

HWTUNE_INLINE VF32 halves(VU32 low16) {
  return convert<VF32>(bits<VF16>(convert<VU16>(low16)));
}

/// fp8 by way of f16: e5m2 is its upper half, e4m3 needs another bias.
VF32 fp8(VU32 byte, bool e5m2) {
  if (e5m2)
    return halves(byte << 8);
  VU32 magnitude = byte & 0x7fu;
  // As f16 bits shifted by 7 the exponent bias is 15 where 7 is meant.
  VF32 v = halves(magnitude << 7) * 256.0f;
  v = pick(magnitude == 0x7fu, bits<VF32>(VU32(0x7fffffffu)), v);
  return pick((byte & 0x80u) != 0u, -v, v);
}

/// Part `e` of a register of floating-point elements.
HWTUNE_INLINE VF32 element(MatrixType t, VU32 reg, int e) {
  switch (t) {
  case MatrixType::F16:
    return halves(e ? reg >> 16 : reg & 0xffffu);
  case MatrixType::BF16:
    return bits<VF32>(e ? reg & 0xffff0000u : reg << 16);
  case MatrixType::TF32:
    return bits<VF32>(reg & 0xffffe000u); // the lower bits are not looked at
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return fp8((reg >> (8u * unsigned(e))) & 0xffu, t == MatrixType::E5M2);
  default:
    return bits<VF32>(reg);
  }
}
VS32 integer(MatrixType t, VU32 reg, int e) {
  switch (t) {
  case MatrixType::S8:
    return bits<VS32>(reg << (24u - 8u * unsigned(e))) >> 24;
  case MatrixType::U8:
    return bits<VS32>((reg >> (8u * unsigned(e))) & 0xffu);
  case MatrixType::S4:
    return bits<VS32>(reg << (28u - 4u * unsigned(e))) >> 28;
  case MatrixType::U4:
    return bits<VS32>((reg >> (4u * unsigned(e))) & 0xfu);
  default:
    return bits<VS32>(reg);
  }
}

/// The operands as matrices; the largest are 32 x 16 and 16 x 32, or 16 x 64.
template <class T> struct Tiles {
  alignas(64) T a[32][64];
  alignas(64) T b[64][32];
  alignas(64) T c[32][32];
};

// --- mma fragments ----------------------------------------------------------

/// Lanes of one element position: V is VF32 or VS32.
template <class T, class V> void spread(T *out, V v) {
  for (int lane = 0; lane < 32; ++lane)
    out[lane] = T(v[lane]);
}

template <class T, class Get>
void gather(const MatrixDesc &D, const std::byte *R, Tiles<T> &t, Get get) {
  int E = bitsOf(D.a) >= 32 ? 1 : 32 / bitsOf(D.a);
  T lanes[32];
  for (int r = 0; r < D.numA; ++r)
    for (int e = 0; e < E; ++e) {
      get(lanes, D.a, R + D.slotsA[r], e);
      int row = D.m == 16 ? 8 * (r & 1) : 0,
          col = e + 4 * E * (D.m == 16 ? r >> 1 : r);
      for (int lane = 0; lane < 32; ++lane)
        t.a[row + (lane >> 2)][col + (lane & 3) * E] = lanes[lane];
    }
  for (int r = 0; r < D.numB; ++r)
    for (int e = 0; e < E; ++e) {
      get(lanes, D.b, R + D.slotsB[r], e);
      for (int lane = 0; lane < 32; ++lane)
        t.b[4 * E * r + e + (lane & 3) * E][lane >> 2] = lanes[lane];
    }
}

/// Accumulators: two neighbours of a row in each lane, rows 8 apart.
template <class T, bool Store, class F>
void accumulators(const MatrixDesc &D, Tiles<T> &t, F access) {
  for (int i = 0; i < D.m * D.n / 32; ++i)
    for (int lane = 0; lane < 32; ++lane) {
      T &cell = t.c[(lane >> 2) + 8 * (i >> 1)][(lane & 3) * 2 + (i & 1)];
      access(cell, i, lane);
    }
}

template <class T> void multiplyFloat(Tiles<T> &t, int m, int n, int k) {
  using Row = typename VecOf<T, 8>::type;
  for (int n0 = 0; n0 < n; n0 += 8)
    for (int i = 0; i < m; ++i) {
      Row sum;
      memcpy(&sum, &t.c[i][n0], sizeof(sum));
      for (int l = 0; l < k; ++l) {
        Row b;
        memcpy(&b, &t.b[l][n0], sizeof(b));
        sum = __builtin_elementwise_fma(Row(t.a[i][l]), b, sum);
      }
      memcpy(&t.c[i][n0], &sum, sizeof(sum));
    }
}
/// Saturating sums clamp at the end: intermediate sums are exact.
void multiplyInt(Tiles<int32_t> &t, int m, int n, int k, bool saturate) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int64_t sum = t.c[i][j];
      for (int l = 0; l < k; ++l)
        sum += int64_t(t.a[i][l]) * t.b[l][j];
      if (saturate)
        sum = sum > 2147483647        ? 2147483647
              : sum < -2147483647 - 1 ? -2147483647 - 1
                                      : sum;
      t.c[i][j] = int32_t(uint64_t(sum));
    }
}

uint32_t canonicalBits(float v) {
  return v != v ? 0x7fffffffu : bits<uint32_t>(v);
}
uint16_t halfBits(float v) {
  return v != v ? 0x7fff : bits<uint16_t>(_Float16(v));
}

/// Element i of a lane's accumulators, f32 or packed f16.
float readAcc(MatrixType t, const std::byte *R, const uint32_t *slots, int i,
              int lane) {
  if (t == MatrixType::F16) {
    _Float16 h;
    memcpy(&h, R + slots[i / 2] + lane * 4 + (i & 1) * 2, 2);
    return float(h);
  }
  float v;
  memcpy(&v, R + slots[i] + lane * 4, 4);
  return v;
}
void writeAcc(MatrixType t, std::byte *R, const uint32_t *slots, int i,
              int lane, float v) {
  if (t == MatrixType::F16) {
    uint16_t h = halfBits(v);
    memcpy(R + slots[i / 2] + lane * 4 + (i & 1) * 2, &h, 2);
  } else {
    uint32_t raw = canonicalBits(v);
    memcpy(R + slots[i] + lane * 4, &raw, 4);
  }
}

/// The common case, m16n8k8 and m16n8k16 on f16 or bf16 with f32 sums, kept in
/// vectors: the same steps in the same order as mmaFloat.
using Row = VecOf<float, 8>::type;
template <int... i>
HWTUNE_INLINE VecOf<float, 64>::type interleave(VF32 a, VF32 b, Seq<i...>) {
  return __builtin_shufflevector(a, b, (i / 2 + i % 2 * 32)...);
}
template <int... i> HWTUNE_INLINE VF32 transpose8x4(VF32 v, Seq<i...>) {
  return __builtin_shufflevector(v, v, (i % 8 * 4 + i / 8)...);
}
template <int First, int... i>
HWTUNE_INLINE VF32 everySecond(VecOf<float, 64>::type v, Seq<i...>) {
  return __builtin_shufflevector(v, v, (2 * i + First)...);
}
void mmaHalf(const MatrixDesc &D, std::byte *R) {
  using Seq32 = MakeSeq<32>::type;
  using Seq64 = MakeSeq<64>::type;
  alignas(64) float a[4][2][32]; ///< by register, half and lane
  alignas(64) float b[16][8];
  alignas(64) float c[2][8][8];
  for (int r = 0; r < D.numA; ++r)
    for (int e = 0; e < 2; ++e) {
      VF32 v = element(D.a, loadRaw<VU32>(R + D.slotsA[r]), e);
      memcpy(a[r][e], &v, 128);
    }
  for (int r = 0; r < D.numB; ++r)
    for (int e = 0; e < 2; ++e) { // lane 4 n + t holds row 2 t + e of column n
      VF32 v = transpose8x4(element(D.b, loadRaw<VU32>(R + D.slotsB[r]), e),
                            Seq32{});
      for (int t = 0; t < 4; ++t)
        memcpy(b[8 * r + 2 * t + e], reinterpret_cast<float *>(&v) + 8 * t, 32);
    }
  for (int h = 0; h < 2; ++h) {
    auto rows = interleave(F32::load(R + D.slotsC[2 * h]),
                           F32::load(R + D.slotsC[2 * h + 1]), Seq64{});
    memcpy(c[h], &rows, 256);
    Row sum[8];
    memcpy(sum, c[h], 256);
    for (int k = 0; k < D.k; ++k) {
      Row column;
      memcpy(&column, b[k], 32);
      const float *lanes = a[k / 8 * 2 + h][k & 1] + k % 8 / 2;
      for (int g = 0; g < 8; ++g)
        sum[g] = __builtin_elementwise_fma(Row(lanes[4 * g]), column, sum[g]);
    }
    memcpy(c[h], sum, 256);
  }
  for (int h = 0; h < 2; ++h) {
    VecOf<float, 64>::type rows;
    memcpy(&rows, c[h], 256);
    storeRaw(R + D.slotsD[2 * h],
             bits<VU32>(canonical(everySecond<0>(rows, Seq32{}))));
    storeRaw(R + D.slotsD[2 * h + 1],
             bits<VU32>(canonical(everySecond<1>(rows, Seq32{}))));
  }
}

void mmaFloat(const MatrixDesc &D, std::byte *R) {
  Tiles<float> t;
  gather(D, R, t, [](float *out, MatrixType type, const std::byte *reg, int e) {
    VF32 v = element(type, loadRaw<VU32>(reg), e);
    memcpy(out, &v, sizeof(v));
  });
  accumulators<float, false>(D, t, [&](float &cell, int i, int lane) {
    cell = readAcc(D.c, R, D.slotsC, i, lane);
  });
  multiplyFloat(t, D.m, D.n, D.k);
  accumulators<float, true>(D, t, [&](float &cell, int i, int lane) {
    writeAcc(D.d, R, D.slotsD, i, lane, cell);
  });
}
void mmaDouble(const MatrixDesc &D, std::byte *R) {
  Tiles<double> t;
  gather(D, R, t, [](double *out, MatrixType, const std::byte *reg, int) {
    memcpy(out, reg, 256);
  });
  accumulators<double, false>(D, t, [&](double &cell, int i, int lane) {
    memcpy(&cell, R + D.slotsC[i] + lane * 8, 8);
  });
  multiplyFloat(t, D.m, D.n, D.k);
  accumulators<double, true>(D, t, [&](double &cell, int i, int lane) {
    memcpy(R + D.slotsD[i] + lane * 8, &cell, 8);
  });
}
void mmaInt(const MatrixDesc &D, std::byte *R) {
  Tiles<int32_t> t;
  gather(D, R, t,
         [](int32_t *out, MatrixType type, const std::byte *reg, int e) {
           VS32 v = integer(type, loadRaw<VU32>(reg), e);
           memcpy(out, &v, sizeof(v));
         });
  accumulators<int32_t, false>(D, t, [&](int32_t &cell, int i, int lane) {
    memcpy(&cell, R + D.slotsC[i] + lane * 4, 4);
  });
  multiplyInt(t, D.m, D.n, D.k, D.saturate);
  accumulators<int32_t, true>(D, t, [&](int32_t &cell, int i, int lane) {
    memcpy(R + D.slotsD[i] + lane * 4, &cell, 4);
  });
}
/// Bits: words of 32 stand for the elements; popcount of xor or and.
void mmaBits(const MatrixDesc &D, std::byte *R) {
  Tiles<int32_t> t;
  MatrixDesc words = D;
  words.a = words.b = MatrixType::S32;
  gather(words, R, t, [](int32_t *out, MatrixType, const std::byte *reg, int) {
    memcpy(out, reg, 128);
  });
  accumulators<int32_t, false>(D, t, [&](int32_t &cell, int i, int lane) {
    memcpy(&cell, R + D.slotsC[i] + lane * 4, 4);
  });
  for (int i = 0; i < D.m; ++i)
    for (int j = 0; j < D.n; ++j)
      for (int l = 0; l < D.k / 32; ++l) {
        uint32_t x = uint32_t(t.a[i][l]), y = uint32_t(t.b[l][j]);
        t.c[i][j] += __builtin_popcount(D.isAnd ? x & y : x ^ y);
      }
  accumulators<int32_t, true>(D, t, [&](int32_t &cell, int i, int lane) {
    memcpy(R + D.slotsD[i] + lane * 4, &cell, 4);
  });
}

/// mma.m8n8k4 on f16: lanes q and q+16 of each quad q make one product.
void mmaVolta(const MatrixDesc &D, std::byte *R) {
  auto half = [&](const uint32_t *slots, int i, int lane) {
    return readAcc(MatrixType::F16, R, slots, i, lane);
  };
  for (int quad = 0; quad < 4; ++quad) {
    Tiles<float> t;
    auto each = [&](auto f) {
      for (int h = 0; h < 2; ++h)
        for (int q = 0; q < 4; ++q)
          f(quad * 4 + q + 16 * h, q, 4 * h);
    };
    each([&](int lane, int q, int up) {
      for (int i = 0; i < 4; ++i) {
        (D.rowA ? t.a[q + up][i] : t.a[i + up][q]) = half(D.slotsA, i, lane);
        (D.rowB ? t.b[q][i + up] : t.b[i][q + up]) = half(D.slotsB, i, lane);
      }
    });
    auto cell = [&](MatrixType type, int lane, int q, int up,
                    int i) -> float & {
      if (type == MatrixType::F16)
        return t.c[q + up][i];
      return t.c[(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)];
    };
    each([&](int lane, int q, int up) {
      for (int i = 0; i < 8; ++i)
        cell(D.c, lane, q, up, i) = readAcc(D.c, R, D.slotsC, i, lane);
    });
    multiplyFloat(t, 8, 8, 4);
    each([&](int lane, int q, int up) {
      for (int i = 0; i < 8; ++i)
        writeAcc(D.d, R, D.slotsD, i, lane, cell(D.d, lane, q, up, i));
    });
  }
}

// --- wmma fragments ---------------------------------------------------------

/// Element `at` of the row-major matrix that a fragment holds.
struct Fragment {
  MatrixType type;
  const uint32_t *slots;
  int perLane; ///< elements of one lane
  std::byte *place(std::byte *R, int at) const {
    int lane = at / perLane, j = at % perLane, size = bitsOf(type);
    if (size == 64)
      return R + slots[j] + lane * 8;
    int each = 32 / size;
    return R + slots[j / each] + lane * 4 + j % each * size / 8;
  }
};

float readFloat(const Fragment &f, std::byte *R, int at) {
  const std::byte *p = f.place(R, at);
  if (f.type == MatrixType::F16) {
    _Float16 h;
    memcpy(&h, p, 2);
    return float(h);
  }
  uint32_t raw = 0;
  if (f.type == MatrixType::BF16) {
    uint16_t h;
    memcpy(&h, p, 2);
    raw = uint32_t(h) << 16;
  } else {
    memcpy(&raw, p, 4);
    raw &= f.type == MatrixType::TF32 ? 0xffffe000u : ~0u;
  }
  return bits<float>(raw);
}
int32_t readInt(const Fragment &f, std::byte *R, int at) {
  const std::byte *p = f.place(R, at);
  int32_t v = 0;
  memcpy(&v, p, f.type == MatrixType::S32 ? 4 : 1);
  switch (f.type) {
  case MatrixType::S8:
    return int8_t(v);
  case MatrixType::U8:
    return v & 0xff;
  case MatrixType::S4:
  case MatrixType::U4: {
    int n = (v >> (at % f.perLane % 2 * 4)) & 15;
    return f.type == MatrixType::S4 && n > 7 ? n - 16 : n;
  }
  default:
    return v;
  }
}

/// The one shape of wmma on f64.
void multiplyDirected(Tiles<double> &t, Rounding rounding) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int l = 0; l < 4; ++l)
        t.c[i][j] = directedFma(rounding, t.a[i][l], t.b[l][j], t.c[i][j]);
}

/// The matrices of a wmma, in the registers `R` of a warp.
struct Fragments {
  Fragment a, b, c, d;
  explicit Fragments(const MatrixDesc &D)
      : a{D.a, D.slotsA, D.m * D.k / 32}, b{D.b, D.slotsB, D.n * D.k / 32},
        c{D.c, D.slotsC, D.m * D.n / 32}, d{D.d, D.slotsD, D.m * D.n / 32} {}
};

void wmmaBits(const MatrixDesc &D, const Fragments &f, std::byte *R) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int32_t sum;
      memcpy(&sum, f.c.place(R, i * 8 + j), 4);
      for (int l = 0; l < 4; ++l) { // one word of each matrix a lane
        uint32_t x, y;
        memcpy(&x, R + D.slotsA[0] + (i * 4 + l) * 4, 4);
        memcpy(&y, R + D.slotsB[0] + (j * 4 + l) * 4, 4);
        sum += __builtin_popcount(D.isAnd ? x & y : x ^ y);
      }
      memcpy(f.d.place(R, i * 8 + j), &sum, 4);
    }
}

void wmmaDouble(const MatrixDesc &D, const Fragments &f, std::byte *R) {
  Tiles<double> t;
  for (int i = 0; i < 32; ++i) {
    memcpy(&t.a[i / 4][i % 4], f.a.place(R, i), 8);
    memcpy(&t.b[i / 8][i % 8], f.b.place(R, i), 8);
  }
  for (int i = 0; i < 64; ++i)
    memcpy(&t.c[i / 8][i % 8], f.c.place(R, i), 8);
  if (D.rounding == Rounding{})
    multiplyFloat(t, 8, 8, 4);
  else
    multiplyDirected(t, D.rounding);
  for (int i = 0; i < 64; ++i)
    memcpy(f.d.place(R, i), &t.c[i / 8][i % 8], 8);
}

void wmmaInt(const MatrixDesc &D, const Fragments &f, std::byte *R) {
  Tiles<int32_t> t;
  for (int i = 0; i < D.m * D.k; ++i)
    t.a[i / D.k][i % D.k] = readInt(f.a, R, i);
  // Of four bits, B is held as its transpose; see moveFragment.
  bool transposed = bitsOf(D.b) == 4;
  for (int i = 0; i < D.k * D.n; ++i)
    (transposed ? t.b[i % D.k][i / D.k] : t.b[i / D.n][i % D.n]) =
        readInt(f.b, R, i);
  for (int i = 0; i < D.m * D.n; ++i)
    t.c[i / D.n][i % D.n] = readInt(f.c, R, i);
  multiplyInt(t, D.m, D.n, D.k, D.saturate);
  for (int i = 0; i < D.m * D.n; ++i)
    memcpy(f.d.place(R, i), &t.c[i / D.n][i % D.n], 4);
}

void wmmaFloat(const MatrixDesc &D, const Fragments &f, std::byte *R) {
  Tiles<float> t;
  for (int i = 0; i < D.m * D.k; ++i)
    t.a[i / D.k][i % D.k] = readFloat(f.a, R, i);
  for (int i = 0; i < D.k * D.n; ++i)
    t.b[i / D.n][i % D.n] = readFloat(f.b, R, i);
  for (int i = 0; i < D.m * D.n; ++i)
    t.c[i / D.n][i % D.n] = readFloat(f.c, R, i);
  multiplyFloat(t, D.m, D.n, D.k);
  for (int i = 0; i < D.m * D.n; ++i) {
    float v = t.c[i / D.n][i % D.n];
    if (D.d == MatrixType::F16) {
      uint16_t h = halfBits(v);
      memcpy(f.d.place(R, i), &h, 2);
    } else {
      uint32_t raw = canonicalBits(v);
      memcpy(f.d.place(R, i), &raw, 4);
    }
  }
}

void wmma(const MatrixDesc &D, std::byte *R) {
  Fragments f(D);
  if (D.a == MatrixType::B1)
    wmmaBits(D, f, R);
  else if (D.a == MatrixType::F64)
    wmmaDouble(D, f, R);
  else if (isInteger(D.a))
    wmmaInt(D, f, R);
  else
    wmmaFloat(D, f, R);
}

void matrixMultiply(HWTUNE_HANDLER_ARGS) {
  if (!wholeWarp(W, I, mask))
    return;
  const MatrixDesc &D = W->matrix[I->c];
  if (D.isWmma)
    wmma(D, R);
  else if (D.isVolta)
    mmaVolta(D, R);
  else if (D.a == MatrixType::F64)
    mmaDouble(D, R);
  else if (D.a == MatrixType::B1)
    mmaBits(D, R);
  else if (isInteger(D.a))
    mmaInt(D, R);
  else if (bitsOf(D.a) == 16 && D.c == MatrixType::F32 &&
           D.d == MatrixType::F32)
    mmaHalf(D, R);
  else
    mmaFloat(D, R);
  HWTUNE_GO(I + 1);
}

// --- fragments and memory ---------------------------------------------------

uint64_t addressOf(const MemDesc &D, const std::byte *R, uint32_t slot,
                   uint32_t lane) {
  if (D.wideBase) {
    uint64_t a;
    memcpy(&a, R + slot + lane * 8, 8);
    return a + uint64_t(D.imm);
  }
  uint32_t a;
  memcpy(&a, R + slot + lane * 4, 4);
  return uint32_t(a + uint32_t(D.imm));
}

/// wmma.load and wmma.store. a: address, b: leading dimension or 0.
template <bool Store> void moveFragment(HWTUNE_HANDLER_ARGS) {
  if (!wholeWarp(W, I, mask))
    return;
  const MatrixDesc &D = W->matrix[I->d];
  MemDesc &M = W->mem[I->c];
  int rows = D.part == 'b' ? D.k : D.m, cols = D.part == 'a' ? D.k : D.n;
  int size = bitsOf(D.a), perLane = rows * cols / 32;
  // The unit of memory is a byte at least: small elements move in pairs, bits
  // in words; our runs of one lane are contiguous where the order agrees.
  int unit = size >= 8 ? 1 : size == 4 ? 8 : 32;
  bool rowMajor = D.rowMajor;
  if (unit > 1 && D.part == 'b')
    rowMajor = true; // sub-byte B is column-major: held as its transpose
  uint32_t stride = uint32_t(rowMajor ? cols : rows);
  if (unit > 1 && D.part == 'b')
    stride = uint32_t(D.k);
  if (I->b)
    memcpy(&stride, R + I->b, 4);
  uint64_t base = addressOf(M, R, I->a, 0);
  Fragment f{D.a, D.slotsA, perLane};
  uint32_t bytes = uint32_t(size * unit / 8);
  for (int at = 0; at < rows * cols; at += unit) {
    int row, col;
    if (unit > 1 && D.part == 'b')
      row = at / D.k, col = at % D.k;
    else
      row = at / cols, col = at % cols;
    uint64_t index = rowMajor ? uint64_t(row) * stride + uint64_t(col)
                              : uint64_t(col) * stride + uint64_t(row);
    std::byte *host =
        resolveLane(W, M, base + index * uint64_t(size) / 8, 0, bytes, I);
    if (!host)
      return;
    std::byte *reg = f.place(R, at);
    if (Store)
      memcpy(host, reg, bytes);
    else
      memcpy(reg, host, bytes);
  }
  HWTUNE_GO(I + 1);
}

/// ldmatrix, stmatrix: lane 8i + r gives the address of row r of matrix i.
template <bool Store> void moveMatrices(HWTUNE_HANDLER_ARGS) {
  if (!wholeWarp(W, I, mask))
    return;
  const MatrixDesc &D = W->matrix[I->d];
  MemDesc &M = W->mem[I->c];
  for (uint32_t i = 0; i < D.numA; ++i) {
    uint16_t tile[8][8];
    std::byte *rows[8];
    for (uint32_t r = 0; r < 8; ++r) {
      rows[r] =
          resolveLane(W, M, addressOf(M, R, I->a, i * 8 + r), i * 8 + r, 16, I);
      if (!rows[r])
        return;
      if (!Store)
        memcpy(tile[r], rows[r], 16);
    }
    std::byte *reg = R + D.slotsA[i];
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t h = 0; h < 2; ++h) {
        uint16_t &cell = D.transposed ? tile[lane % 4 * 2 + h][lane / 4]
                                      : tile[lane / 4][lane % 4 * 2 + h];
        if (Store)
          memcpy(&cell, reg + lane * 4 + h * 2, 2);
        else
          memcpy(reg + lane * 4 + h * 2, &cell, 2);
      }
    if (Store)
      for (uint32_t r = 0; r < 8; ++r)
        memcpy(rows[r], tile[r], 16);
  }
  HWTUNE_GO(I + 1);
}

/// movmatrix.trans: an 8 x 8 matrix of 16 bits, transposed.
void transposeMatrix(HWTUNE_HANDLER_ARGS) {
  if (!wholeWarp(W, I, mask))
    return;
  uint16_t in[64], out[64];
  memcpy(in, R + I->a, 128);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      out[c * 8 + r] = in[r * 8 + c];
  memcpy(R + I->d, out, 128);
  HWTUNE_GO(I + 1);
}

} // namespace

void addMatrixOps(Registry &r) {
  addEntry(r, "matrix.multiply", "", {&matrixMultiply, &matrixMultiply, ""});
  addEntry(r, "wmma.load", "",
           {&moveFragment<false>, &moveFragment<false>, ""});
  addEntry(r, "wmma.store", "", {&moveFragment<true>, &moveFragment<true>, ""});
  addEntry(r, "ldmatrix", "", {&moveMatrices<false>, &moveMatrices<false>, ""});
  addEntry(r, "stmatrix", "", {&moveMatrices<true>, &moveMatrices<true>, ""});
  addEntry(r, "movmatrix", "", {&transposeMatrix, &transposeMatrix, ""});
}

} // namespace hwtune::exec::HWTUNE_ISA
