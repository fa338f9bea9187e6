//===- Elements.cpp -------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Elements.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace hwtune;

static_assert(std::endian::native == std::endian::little,
              "buffers and expected.bin are little-endian");

namespace {

/// A binary floating-point format of at most 16 bits.
struct SmallFloat {
  int exponentBits, fractionBits, bias;
  bool hasInfinity;
};

constexpr SmallFloat kF16{5, 10, 15, true};
constexpr SmallFloat kBF16{8, 7, 127, true};
constexpr SmallFloat kF8E5M2{5, 2, 15, true};
// "FN": finite only; all ones is NaN, the rest of the top binade is numbers.
constexpr SmallFloat kF8E4M3{4, 3, 7, false};

const SmallFloat *smallFloat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return &kF16;
  case ElementType::BF16:
    return &kBF16;
  case ElementType::F8E5M2:
    return &kF8E5M2;
  case ElementType::F8E4M3:
    return &kF8E4M3;
  default:
    return nullptr;
  }
}

double decodeSmall(const SmallFloat &f, unsigned bits) {
  unsigned fractionMask = (1u << f.fractionBits) - 1;
  unsigned exponentMask = (1u << f.exponentBits) - 1;
  unsigned fraction = bits & fractionMask;
  unsigned exponent = (bits >> f.fractionBits) & exponentMask;
  bool negative = (bits >> (f.fractionBits + f.exponentBits)) & 1;
  double value;
  if (exponent == exponentMask && f.hasInfinity)
    value = fraction ? NAN : INFINITY;
  else if (exponent == exponentMask && fraction == fractionMask)
    value = NAN;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - f.bias - f.fractionBits);
  else
    value = std::ldexp(fraction | (1u << f.fractionBits),
                       static_cast<int>(exponent) - f.bias - f.fractionBits);
  return negative ? -value : value;
}

/// Largest finite value.
double maxOf(const SmallFloat &f) {
  unsigned top = ((1u << f.exponentBits) - 1) << f.fractionBits;
  return decodeSmall(
      f, f.hasInfinity ? top - 1 : (top | ((1u << f.fractionBits) - 1)) - 1);
}

unsigned encodeSmall(const SmallFloat &f, double value) {
  unsigned sign =
      std::signbit(value) ? 1u << (f.fractionBits + f.exponentBits) : 0;
  unsigned top = ((1u << f.exponentBits) - 1) << f.fractionBits;
  unsigned nan = f.hasInfinity ? top | (1u << (f.fractionBits - 1))
                               : top | ((1u << f.fractionBits) - 1);
  if (std::isnan(value))
    return sign | nan;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(value))
    return sign | (f.hasInfinity ? top : nan);
  // The spacing of the type around `magnitude`; nearbyint rounds to even.
  int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  double spacing = std::ldexp(1.0, exponent - f.fractionBits);
  magnitude = std::nearbyint(magnitude / spacing) * spacing;
  if (magnitude > maxOf(f))
    return sign | (f.hasInfinity ? top : nan);
  if (magnitude == 0)
    return sign;
  exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  unsigned significand =
      static_cast<unsigned>(std::ldexp(magnitude, f.fractionBits - exponent));
  // A subnormal has no hidden bit, and adding the fields yields exactly that.
  return sign |
         ((static_cast<unsigned>(exponent + f.bias - 1) << f.fractionBits) +
          significand);
}

template <typename T> T load(const std::byte *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <typename T> void save(T value, std::byte *bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

/// Integers wrap: through the widest type, since a direct conversion out of
/// range is undefined.
int64_t toInteger(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63))
    return 0;
  return static_cast<int64_t>(value);
}

} // namespace

bool hwtune::isFloat(ElementType type) {
  return type == ElementType::F64 || type == ElementType::F32 ||
         smallFloat(type);
}

int hwtune::significandBits(ElementType type) {
  if (type == ElementType::F64)
    return 53;
  if (type == ElementType::F32)
    return 24;
  const SmallFloat *f = smallFloat(type);
  return f ? f->fractionBits + 1 : 0;
}

double hwtune::maxFinite(ElementType type) {
  if (type == ElementType::F64)
    return std::numeric_limits<double>::max();
  if (type == ElementType::F32)
    return std::numeric_limits<float>::max();
  const SmallFloat *f = smallFloat(type);
  return f ? maxOf(*f) : 0;
}

double hwtune::decodeElement(ElementType type, const std::byte *bytes) {
  switch (type) {
  case ElementType::F64:
    return load<double>(bytes);
  case ElementType::F32:
    return load<float>(bytes);
  case ElementType::F16:
  case ElementType::BF16:
    return decodeSmall(*smallFloat(type), load<uint16_t>(bytes));
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return decodeSmall(*smallFloat(type), load<uint8_t>(bytes));
  case ElementType::I64:
    return static_cast<double>(load<int64_t>(bytes));
  case ElementType::I32:
    return load<int32_t>(bytes);
  case ElementType::I16:
    return load<int16_t>(bytes);
  case ElementType::I8:
    return load<int8_t>(bytes);
  case ElementType::I1:
    return load<uint8_t>(bytes);
  }
  return 0;
}

void hwtune::encodeElement(ElementType type, double value, std::byte *bytes) {
  switch (type) {
  case ElementType::F64:
    return save(value, bytes);
  case ElementType::F32:
    return save(static_cast<float>(value), bytes);
  case ElementType::F16:
  case ElementType::BF16:
    return save(static_cast<uint16_t>(encodeSmall(*smallFloat(type), value)),
                bytes);
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return save(static_cast<uint8_t>(encodeSmall(*smallFloat(type), value)),
                bytes);
  case ElementType::I64:
    return save(toInteger(value), bytes);
  case ElementType::I32:
    return save(static_cast<int32_t>(toInteger(value)), bytes);
  case ElementType::I16:
    return save(static_cast<int16_t>(toInteger(value)), bytes);
  case ElementType::I8:
    return save(static_cast<int8_t>(toInteger(value)), bytes);
  case ElementType::I1:
    return save(static_cast<uint8_t>(value != 0), bytes);
  }
}

double hwtune::roundToType(ElementType type, double value) {
  std::byte bytes[8];
  encodeElement(type, value, bytes);
  return decodeElement(type, bytes);
}
