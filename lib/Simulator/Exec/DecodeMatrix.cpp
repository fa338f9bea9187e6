//===- DecodeMatrix.cpp - mma, wmma, ldmatrix and their like --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "SoftFloat.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

static std::optional<MatrixType> matrixType(std::string_view t) {
  constexpr std::pair<std::string_view, MatrixType> types[] = {
      {"f16", MatrixType::F16},   {"bf16", MatrixType::BF16},
      {"tf32", MatrixType::TF32}, {"f32", MatrixType::F32},
      {"f64", MatrixType::F64},   {"s8", MatrixType::S8},
      {"u8", MatrixType::U8},     {"s4", MatrixType::S4},
      {"u4", MatrixType::U4},     {"b1", MatrixType::B1},
      {"s32", MatrixType::S32},   {"e4m3", MatrixType::E4M3},
      {"e5m2", MatrixType::E5M2}};
  for (auto [name, type] : types)
    if (name == t)
      return type;
  return std::nullopt;
}

static unsigned bitsOf(MatrixType t) {
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

/// Registers of one lane that hold `elements` of a type.
static unsigned registersFor(MatrixType t, unsigned elements) {
  return t == MatrixType::F64 ? elements
                              : std::max(1u, elements * bitsOf(t) / 32);
}

namespace {
struct Shape {
  unsigned m = 0, n = 0, k = 0;
};
} // namespace

static bool parseShape(std::string_view text, Shape &s) {
  return sscanf(std::string(text).c_str(), "m%un%uk%u", &s.m, &s.n, &s.k) ==
             3 &&
         s.m <= 32 && s.n <= 32 && s.k <= 256 && s.m && s.n && s.k;
}

/// mma shapes that exist for a type of A.
static bool isMmaShape(MatrixType a, Shape s) {
  auto is = [&](unsigned m, unsigned n, unsigned k) {
    return s.m == m && s.n == n && s.k == k;
  };
  switch (bitsOf(a)) {
  case 16:
    return is(16, 8, 8) || is(16, 8, 16) ||
           (a == MatrixType::F16 && is(8, 8, 4));
  case 32:
    return is(16, 8, 4) || is(16, 8, 8);
  case 8:
    return is(16, 8, 16) || is(16, 8, 32) || is(8, 8, 16);
  case 4:
    return is(16, 8, 32) || is(16, 8, 64) || is(8, 8, 32);
  case 1:
    return is(16, 8, 128) || is(16, 8, 256) || is(8, 8, 128);
  default:
    return is(8, 8, 4) || is(16, 8, 4) || is(16, 8, 8) || is(16, 8, 16);
  }
}
static bool isWmmaShape(MatrixType a, Shape s) {
  auto is = [&](unsigned m, unsigned n, unsigned k) {
    return s.m == m && s.n == n && s.k == k;
  };
  switch (bitsOf(a)) {
  case 16:
  case 8:
    return is(16, 16, 16) || is(32, 8, 16) || is(8, 32, 16);
  case 32:
    return is(16, 16, 8);
  case 4:
    return is(8, 8, 32);
  case 1:
    return is(8, 8, 128);
  default:
    return is(8, 8, 4);
  }
}

bool FunctionDecoder::decodeMatrix() {
  std::string_view op = opcode();
  if (op == "ldmatrix" || op == "stmatrix")
    return decodeMatrixRows(op == "stmatrix");
  if (op == "wmma" && !hasMod("mma"))
    return decodeFragmentMove(hasMod("store"));
  if (op != "movmatrix")
    return decodeMultiply();
  auto ops = operands();
  if (!needs(2))
    return false;
  emit("movmatrix", destination(ops[0], 'w'), {source(ops[1], 'w')});
  return !failed;
}

/// mma.sync.aligned.shape.alayout.blayout{.satfinite}.d.a.b.c{.bitop.popc}
/// wmma.mma{.op.popc}.sync.aligned.alayout.blayout.shape{.d{.a.b}.c}
bool FunctionDecoder::readMultiply(MatrixDesc &D) {
  Shape shape;
  std::vector<MatrixType> types;
  std::vector<bool> rows;
  for (size_t i = 0; i < numMods(); ++i) {
    std::string_view m = mod(i);
    if (parseShape(m, shape) || m == "sync" || m == "aligned" || m == "mma" ||
        m == "popc" || m == "xor" || m == "rn" || m == "kind::f8f6f4")
      continue;
    if (m == "and")
      D.isAnd = true;
    else if (D.isWmma && (m == "rz" || m == "rm" || m == "rp"))
      D.rounding = m == "rz"   ? Rounding::Zero
                   : m == "rm" ? Rounding::Down
                               : Rounding::Up;
    else if (m == "row" || m == "col")
      rows.push_back(m == "row");
    else if (m == "satfinite")
      D.saturate = true;
    else if (auto t = matrixType(m))
      types.push_back(*t);
    else
      return unsupported();
  }
  if (rows.size() != 2 || operands().size() != 4 ||
      (types.size() != 4 && !(types.size() == 2 && D.isWmma)) || !shape.m)
    return unsupported();
  D.m = uint16_t(shape.m), D.n = uint16_t(shape.n), D.k = uint16_t(shape.k);
  D.rowA = rows[0], D.rowB = rows[1];
  D.d = types[0], D.c = types.back();
  D.a = types.size() == 4 ? types[1] : MatrixType::F16;
  D.b = types.size() == 4 ? types[2] : MatrixType::F16;
  if (D.rounding != Rounding::Nearest && D.a != MatrixType::F64)
    return unsupported("only f64 is rounded in another way");
  D.isVolta = !D.isWmma && D.a == MatrixType::F16 && shape.k == 4;
  if (bitsOf(D.a) != bitsOf(D.b) ||
      !(D.isWmma ? isWmmaShape(D.a, shape) : isMmaShape(D.a, shape)))
    return unsupported("this shape does not exist for these types");
  if (!D.isWmma && !D.isVolta && (!rows[0] || rows[1]))
    return unsupported("expected .row.col");
  return true;
}

/// Whether the operands are as many registers as the shape takes.
static bool fillsShape(const MatrixDesc &D) {
  unsigned scale = D.isVolta ? 4 : 1; // four products at once
  unsigned wantA = registersFor(D.a, scale * D.m * D.k / 32),
           wantB = registersFor(D.b, scale * D.n * D.k / 32);
  if (D.isWmma && D.a == MatrixType::F16)
    wantA = wantB = 8; // real hardware keeps some elements twice
  return D.numA == wantA && D.numB == wantB &&
         D.numC == registersFor(D.c, scale * D.m * D.n / 32) &&
         D.numD == registersFor(D.d, scale * D.m * D.n / 32);
}

bool FunctionDecoder::decodeMultiply() {
  MatrixDesc D;
  D.isWmma = opcode() == "wmma";
  if (!readMultiply(D))
    return false;
  VOp o;
  o.entry = entry("matrix.multiply");
  auto bind = [&](const Operand &operand, MatrixType type, bool result,
                  uint8_t &count) {
    auto elems = operand.kind == OperandKind::Vector ? F.elements(operand)
                                                     : std::span(&operand, 1);
    count = uint8_t(elems.size());
    char letter = type == MatrixType::F64   ? 'd'
                  : type == MatrixType::F32 ? 'f'
                                            : 'w';
    for (const Operand &e : elems) {
      o.memSlots.push_back(result ? destination(e, letter == 'f' ? 'w' : letter)
                                  : source(e, letter));
      note(o, o.memSlots.back(), result);
    }
    return elems.size() <= 8;
  };
  auto ops = operands();
  bool ok = bind(ops[1], D.a, false, D.numA) &&
            bind(ops[2], D.b, false, D.numB) &&
            bind(ops[3], D.c, false, D.numC) && bind(ops[0], D.d, true, D.numD);
  if (!ok || !fillsShape(D))
    return failed ? false
                  : fail(fmt::format("'{}' with a wrong number of registers",
                                     M.str(name->full)));
  o.matrix = uint32_t(B.P.matrices.size());
  o.c = Val::raw(o.matrix);
  B.P.matrices.push_back(D);
  append(std::move(o));
  return !failed;
}

/// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p]
bool FunctionDecoder::decodeMatrixRows(bool isStore) {
  auto ops = operands();
  MatrixDesc D;
  unsigned num = 0;
  for (size_t i = 0; i < numMods(); ++i) {
    std::string_view m = mod(i);
    if (m == "x1" || m == "x2" || m == "x4")
      num = unsigned(m[1] - '0');
    else if (m == "trans")
      D.transposed = true;
    else if (m != "sync" && m != "aligned" && m != "m8n8" && m != "shared" &&
             m != "shared::cta" && m != "b16")
      return unsupported();
  }
  if (!num || ops.size() != 2)
    return unsupported();
  const Operand &regs = ops[isStore ? 1 : 0];
  auto elems =
      regs.kind == OperandKind::Vector ? F.elements(regs) : std::span(&regs, 1);
  if (elems.size() != num)
    return fail(fmt::format("'{}' with {} registers, expected {}",
                            M.str(name->full), elems.size(), num));
  MemDesc desc;
  desc.isStore = isStore;
  desc.elemBytes = desc.laneBytes = 16;
  desc.lanes = num == 4 ? kFullMask : (1u << (8 * num)) - 1;
  bool isShared = hasMod("shared") || hasMod("shared::cta");
  VOp o;
  o.a = address(ops[isStore ? 0 : 1], isShared ? Space::Shared : Space::None,
                desc);
  note(o, o.a, false);
  D.numA = uint8_t(num);
  o.entry = entry(isStore ? "stmatrix" : "ldmatrix");
  return emitMatrixMove(std::move(o), D, desc, elems, 'w');
}

/// `o` moves the registers `elems` from or to memory, as the descriptors say.
bool FunctionDecoder::emitMatrixMove(VOp o, const MatrixDesc &D,
                                     const MemDesc &desc,
                                     std::span<const Operand> elems,
                                     char letter) {
  for (const Operand &e : elems) {
    o.memSlots.push_back(desc.isStore ? source(e, letter)
                                      : destination(e, letter));
    note(o, o.memSlots.back(), !desc.isStore);
  }
  if (failed)
    return false;
  o.matrix = uint32_t(B.P.matrices.size());
  o.d = Val::raw(o.matrix);
  B.P.matrices.push_back(D);
  o.mem = addMem(desc);
  o.c = Val::raw(o.mem);
  append(std::move(o));
  return !failed;
}

/// wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride}
bool FunctionDecoder::readFragmentMove(MatrixDesc &D, Space &space) {
  Shape shape;
  for (size_t i = 0; i + 1 < numMods(); ++i) {
    std::string_view m = mod(i);
    if (parseShape(m, shape) || m == "sync" || m == "aligned" || m == "load" ||
        m == "store")
      continue;
    if (m == "a" || m == "b" || m == "c" || m == "d")
      D.part = uint8_t(m[0]);
    else if (m == "row" || m == "col")
      D.rowMajor = m == "row";
    else if (m == "shared" || m == "shared::cta")
      space = Space::Shared;
    else if (m == "global")
      space = Space::Global;
    else
      return unsupported();
  }
  auto type = matrixType(lastMod());
  if (!type || !shape.m || !D.part || operands().size() < 2)
    return unsupported();
  D.a = *type;
  D.m = uint16_t(shape.m), D.n = uint16_t(shape.n), D.k = uint16_t(shape.k);
  return true;
}

/// Registers of one lane that hold the part of a matrix that `D` moves.
static unsigned fragmentRegisters(const MatrixDesc &D) {
  if (D.a == MatrixType::F16 && (D.part == 'a' || D.part == 'b'))
    return 8;
  unsigned elements = D.part == 'a'   ? D.m * D.k
                      : D.part == 'b' ? D.n * D.k
                                      : D.m * D.n;
  return registersFor(D.a, elements / 32);
}

/// Whether the elements that a lane holds in one register are neighbours in
/// memory: of A and B along k; of sums in a row, or where the product is made
/// of the transposes, in a column.
static bool liesAsHeld(const MatrixDesc &D) {
  bool swapped = D.m == 8 && D.n == 32;
  return D.rowMajor == (D.part == 'a' || (D.part != 'b' && !swapped));
}

/// Two-byte elements move along their runs in either order and are transposed
/// in registers, or by `ldmatrix`.
FragmentShape fragmentShape(const MatrixDesc &D) {
  bool isFactor = D.part == 'a' || D.part == 'b';
  unsigned bits = bitsOf(D.a);
  unsigned rows = D.part == 'b' ? D.k : D.m,
           columns = D.part == 'a' ? D.k : D.n;
  FragmentShape shape;
  shape.runs = uint16_t(D.rowMajor ? rows : columns);
  shape.runElements = uint16_t(D.rowMajor ? columns : rows);
  shape.elementBits = uint8_t(bits);
  shape.packed = uint8_t(isFactor ? std::max(1u, 32 / bits) : 2);
  bool isHeld = liesAsHeld(D);
  shape.isAcross = !isHeld && bits != 16;
  shape.isTransposed = !isHeld && bits == 16;
  if (isFactor && bits <= 16 && !shape.isAcross)
    shape.matricesAtOnce = bits == 16 ? 4 : 2;
  return shape;
}

bool FunctionDecoder::decodeFragmentMove(bool isStore) {
  auto ops = operands();
  MatrixDesc D;
  D.isWmma = true;
  Space space = Space::None;
  if (!readFragmentMove(D, space))
    return false;
  unsigned want = fragmentRegisters(D);
  const Operand &regs = ops[isStore ? 1 : 0];
  auto elems =
      regs.kind == OperandKind::Vector ? F.elements(regs) : std::span(&regs, 1);
  if (elems.size() != want || want > 8)
    return fail(fmt::format("'{}' with {} registers, expected {}",
                            M.str(name->full), elems.size(), want));
  MemDesc desc;
  desc.isStore = isStore;
  desc.isFragment = true;
  desc.elemBytes = desc.laneBytes = uint8_t(std::max(1u, bitsOf(D.a) / 8));
  VOp o;
  o.a = address(ops[isStore ? 0 : 1], space, desc);
  note(o, o.a, false);
  if (ops.size() > 2) {
    o.b = source(ops[2], 'w');
    note(o, o.b, false);
  }
  D.numA = uint8_t(want);
  o.entry = entry(isStore ? "wmma.store" : "wmma.load");
  return emitMatrixMove(std::move(o), D, desc, elems,
                        D.a == MatrixType::F64 ? 'q' : 'w');
}

} // namespace hwtune::exec
