//===- Video.cpp - scalar and SIMD video instructions ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware of today emulates these in software; here each lane is computed in
// 64 bits as the PTX ISA's pseudo-code does.
//
//===----------------------------------------------------------------------===//

#include "Video.h"

#include "Decode.h"
#include "Ops.h"

#include <algorithm>
#include <cstring>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;

static int64_t cut(uint64_t v, unsigned bits, bool isSigned) {
  v &= bits == 64 ? ~0ull : (1ull << bits) - 1;
  return isSigned && (v >> (bits - 1)) & 1 ? int64_t(v) - (int64_t(1) << bits)
                                           : int64_t(v);
}
static int64_t clampTo(int64_t v, unsigned bits, bool isSigned) {
  int64_t lo = isSigned ? -(int64_t(1) << (bits - 1)) : 0,
          hi = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  return std::min(std::max(v, lo), hi);
}

static bool compareValues(VideoCompare c, int64_t a, int64_t b) {
  switch (c) {
  case VideoCompare::Eq:
    return a == b;
  case VideoCompare::Ne:
    return a != b;
  case VideoCompare::Lt:
    return a < b;
  case VideoCompare::Le:
    return a <= b;
  case VideoCompare::Gt:
    return a > b;
  case VideoCompare::Ge:
    return a >= b;
  }
  return false;
}

static int64_t combine(const VideoDesc &d, int64_t a, int64_t b, int64_t c) {
  switch (d.op) {
  case VideoOp::Add:
    return a + b;
  case VideoOp::Sub:
    return a - b;
  case VideoOp::AbsDiff:
    return a > b ? a - b : b - a;
  case VideoOp::Min:
    return std::min(a, b);
  case VideoOp::Max:
    return std::max(a, b);
  case VideoOp::Set:
    return compareValues(d.compare, a, b);
  case VideoOp::Average:
    return (a + b + (a + b >= 0)) >> 1;
  case VideoOp::Shl:
  case VideoOp::Shr: {
    uint64_t n = uint64_t(b) & 0xffffffff;
    n = d.wrap ? n & 31 : std::min<uint64_t>(n, 32);
    return d.op == VideoOp::Shl ? int64_t(uint64_t(a) << n) : a >> n;
  }
  case VideoOp::Mad: {
    int64_t product = a * b;
    if (d.negateProduct)
      product = -product;
    int64_t sum = product + (d.negateC ? -c : c) + (d.plusOne ? 1 : 0);
    return sum >> d.scale;
  }
  }
  return 0;
}

static uint32_t scalarVideo(const VideoDesc &d, uint32_t a, uint32_t b,
                            uint32_t c) {
  auto field = [](uint32_t v, uint8_t f, bool isSigned) {
    return cut(v >> (f & 15) * (f >> 4 == 2 ? 16 : 8),
               f >> 4 == 1   ? 8
               : f >> 4 == 2 ? 16
                             : 32,
               isSigned);
  };
  int64_t t = combine(d, field(a, d.fieldA, d.signedA),
                      field(b, d.fieldB, d.signedB), cut(c, 32, d.signedD));
  unsigned width = d.merge == 0xff || d.merge >> 4 == 0 ? 32
                   : d.merge >> 4 == 1                  ? 8
                                                        : 16;
  t = d.saturate ? clampTo(t, width, d.signedD)
                 : cut(uint64_t(t), d.second == VideoSecond::Merge ? width : 32,
                       d.signedD);
  int64_t cc = cut(c, 32, d.signedD);
  switch (d.second) {
  case VideoSecond::Add:
    return uint32_t(t + cc);
  case VideoSecond::Min:
    return uint32_t(std::min(t, cc));
  case VideoSecond::Max:
    return uint32_t(std::max(t, cc));
  case VideoSecond::Merge: {
    unsigned shift = (d.merge & 15) * (width == 16 ? 16 : 8);
    uint32_t keep = width == 32 ? 0 : ~(((1u << width) - 1) << shift);
    return (c & keep) | (uint32_t(t) << shift & ~keep);
  }
  case VideoSecond::None:
    break;
  }
  return uint32_t(t);
}

uint32_t evaluateVideo(const VideoDesc &d, uint32_t a, uint32_t b, uint32_t c) {
  if (d.parts == 1)
    return scalarVideo(d, a, b, c);
  unsigned bits = 32u / d.parts;
  uint64_t pair = a | uint64_t(b) << 32;
  uint32_t keep = bits == 16 ? 0xffff : 0xff,
           out = d.second == VideoSecond::Add     ? c
                 : d.second == VideoSecond::Merge ? c
                                                  : 0;
  int64_t sum = 0;
  for (unsigned i = 0; i < d.parts; ++i) {
    if (!((d.mask >> i) & 1))
      continue;
    int64_t x = cut(pair >> (d.selectA[i] * bits), bits, d.signedA),
            y = cut(pair >> (d.selectB[i] * bits), bits, d.signedB);
    int64_t t = combine(d, x, y, 0);
    if (d.saturate)
      t = clampTo(t, bits, d.signedD);
    if (d.second == VideoSecond::Add)
      sum += d.op == VideoOp::Set ? t : cut(uint64_t(t), bits, d.signedD);
    else
      out = (out & ~(keep << (i * bits))) | (uint32_t(t) & keep) << (i * bits);
  }
  return d.second == VideoSecond::Add ? out + uint32_t(sum) : out;
}

static void videoHandler(HWTUNE_HANDLER_ARGS) {
  const VideoDesc &d = W->launch->program->videos[I[1].d];
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left)), a, b, c;
    memcpy(&a, R + I->a + lane * 4, 4);
    memcpy(&b, R + I->b + lane * 4, 4);
    memcpy(&c, R + I->c + lane * 4, 4);
    uint32_t z = evaluateVideo(d, a, b, c);
    memcpy(R + I->d + lane * 4, &z, 4);
  }
  HWTUNE_GO(I + 2);
}

void addVideoOps(Registry &r) {
  addEntry(r, "video", "", {&videoHandler, &videoHandler, "wwww"});
}

// --- decoding ---------------------------------------------------------------

/// "b2" or "h1" of a scalar operand; whole words have none.
static bool scalarField(std::string_view s, uint8_t &field) {
  field = 0;
  if (s.empty())
    return true;
  if (s.size() != 2 || (s[0] != 'b' && s[0] != 'h'))
    return false;
  unsigned n = unsigned(s[1] - '0');
  field = uint8_t((s[0] == 'b' ? 1 : 2) << 4 | n);
  return n < (s[0] == 'b' ? 4u : 2u);
}
/// "h32" or "b7654": digits from the highest part down; none: the default.
static bool simdSelect(std::string_view s, unsigned parts, unsigned first,
                       uint8_t *select) {
  for (unsigned i = 0; i < parts; ++i)
    select[i] = uint8_t(first + i);
  if (s.empty())
    return true;
  if (s.size() != parts + 1 || s[0] != (parts == 2 ? 'h' : 'b'))
    return false;
  for (unsigned i = 0; i < parts; ++i) {
    unsigned n = unsigned(s[parts - i] - '0');
    if (n >= 2 * parts)
      return false;
    select[i] = uint8_t(n);
  }
  return true;
}
static bool simdMask(std::string_view s, unsigned parts, uint8_t &mask) {
  mask = uint8_t((1u << parts) - 1);
  if (s.empty())
    return true;
  if (s[0] != (parts == 2 ? 'h' : 'b'))
    return false;
  mask = 0;
  for (char c : s.substr(1)) {
    if (unsigned(c - '0') >= parts)
      return false;
    mask |= uint8_t(1u << (c - '0'));
  }
  return true;
}

static bool videoOp(std::string_view name, VideoDesc &d) {
  if (name.ends_with("2") || name.ends_with("4")) {
    d.parts = uint8_t(name.back() - '0');
    name.remove_suffix(1);
  }
  constexpr std::pair<std::string_view, VideoOp> ops[] = {
      {"vadd", VideoOp::Add},         {"vsub", VideoOp::Sub},
      {"vabsdiff", VideoOp::AbsDiff}, {"vmin", VideoOp::Min},
      {"vmax", VideoOp::Max},         {"vshl", VideoOp::Shl},
      {"vshr", VideoOp::Shr},         {"vmad", VideoOp::Mad},
      {"vset", VideoOp::Set},         {"vavrg", VideoOp::Average}};
  for (auto [text, op] : ops)
    if (text == name) {
      d.op = op;
      return true;
    }
  return false;
}

/// vop{2,4}{.dtype}.atype.btype{.sat}{.mode}{.op2}
bool FunctionDecoder::readVideo(VideoDesc &d) {
  std::vector<bool> types;
  constexpr std::pair<std::string_view, VideoCompare> compares[] = {
      {"eq", VideoCompare::Eq}, {"ne", VideoCompare::Ne},
      {"lt", VideoCompare::Lt}, {"le", VideoCompare::Le},
      {"gt", VideoCompare::Gt}, {"ge", VideoCompare::Ge}};
  for (size_t i = 0; i < numMods(); ++i) {
    std::string_view m = mod(i);
    bool known = true;
    if (m == "u32" || m == "s32")
      types.push_back(m[0] == 's');
    else if (m == "sat")
      d.saturate = true;
    else if (m == "wrap" || m == "clamp")
      d.wrap = m == "wrap";
    else if (m == "po")
      d.plusOne = true;
    else if (m == "shr7" || m == "shr15")
      d.scale = m == "shr7" ? 7 : 15;
    else if (m == "add")
      d.second = VideoSecond::Add;
    else if (m == "min")
      d.second = VideoSecond::Min;
    else if (m == "max")
      d.second = VideoSecond::Max;
    else
      known = false;
    for (auto [text, compare] : compares)
      if (text == m)
        d.compare = compare, known = true;
    if (!known)
      return unsupported();
  }
  if (types.size() == 2) // vset has no result type
    types.insert(types.begin(), false);
  if (types.size() != 3)
    return unsupported();
  d.signedD = types[0], d.signedA = types[1], d.signedB = types[2];
  return true;
}

/// d{.sel}, a{.sel}, b{.sel}{, c}: which parts of the registers take part.
bool FunctionDecoder::readVideoSelectors(VideoDesc &d) {
  auto ops = operands();
  auto selector = [&](size_t i) {
    return ops[i].selector == ptx::kNone ? std::string_view()
                                         : M.str(ops[i].selector);
  };
  bool ok;
  if (d.parts == 1) {
    ok = scalarField(selector(1), d.fieldA) &&
         scalarField(selector(2), d.fieldB);
    if (!selector(0).empty()) {
      ok &= scalarField(selector(0), d.merge) && ops.size() > 3;
      d.second = VideoSecond::Merge;
    }
  } else {
    ok = simdSelect(selector(1), d.parts, 0, d.selectA) &&
         simdSelect(selector(2), d.parts, d.parts, d.selectB) &&
         simdMask(selector(0), d.parts, d.mask);
    if (d.second == VideoSecond::None && ops.size() > 3)
      d.second = VideoSecond::Merge;
  }
  return ok || unsupported("the part selectors do not fit");
}

bool FunctionDecoder::decodeVideo() {
  auto ops = operands();
  VideoDesc d;
  if (!videoOp(opcode(), d) || ops.size() < 3)
    return unsupported();
  if (!readVideo(d) || !readVideoSelectors(d))
    return false;
  auto plain = [&](size_t i) {
    Operand o = ops[i];
    bool negated = o.negated;
    o.negated = false;
    if (i == 3)
      d.negateC = negated;
    else
      d.negateProduct ^= negated;
    return source(o, 'w');
  };
  Val a = plain(1), b = plain(2),
      c = ops.size() > 3 ? plain(3) : constant(false, 0);
  VOp &op = emit("video", destination(ops[0], 'w'), {a, b, c});
  op.ext[0] = Val::raw(uint32_t(B.P.videos.size()));
  op.hasExt = true;
  B.P.videos.push_back(d);
  return !failed;
}

} // namespace hwtune::exec
