//===- Generator.cpp ------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Generator.h"
#include "hwtune/Measure/Elements.h"
#include "hwtune/Support/Random.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

using namespace hwtune;

namespace {

constexpr uint64_t kLargestInteger = 8;

/// The magnitude is k * spacing for k in [spacing^-1 / 4, spacing^-1 * 5 / 4]:
/// on [1, 1.25] the type's own spacing is 2^(1 - significand bits).
double floatFrom(uint64_t hash, int bits) {
  double spacing = std::ldexp(1.0, 1 - bits);
  // bits - 1 random bits; the sign is a separate one.
  uint64_t k = (hash >> 1) >> (63 - (bits - 1));
  double magnitude = 0.25 + static_cast<double>(k) * spacing;
  return hash & 1 ? -magnitude : magnitude;
}

double valueFrom(uint64_t hash, ElementType type) {
  if (type == ElementType::I1)
    return static_cast<double>(hash >> 63);
  if (isFloat(type))
    return floatFrom(hash, significandBits(type));
  double magnitude = static_cast<double>(1 + (hash >> 32) % kLargestInteger);
  return hash & 1 ? -magnitude : magnitude;
}

/// f32 and f64 are most of what is ever generated: no call per element, and
/// `floatFrom` in the type itself, where its sum is exact too.
template <typename T, typename Integer>
void fillFloats(uint64_t mixedSeed, int bits, std::span<std::byte> bytes,
                uint64_t first) {
  const T spacing = std::ldexp(T(1), 1 - bits);
  const int shift = 65 - bits;
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    uint64_t hash = Random::at(mixedSeed, first + i);
    T magnitude =
        T(0.25) + static_cast<T>(static_cast<Integer>(hash >> shift)) * spacing;
    T value = hash & 1 ? -magnitude : magnitude;
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

} // namespace

double hwtune::generatedValue(uint64_t seed, uint64_t index, ElementType type) {
  return valueFrom(Random::at(Random::mix(seed), index), type);
}

void hwtune::generate(uint64_t seed, ElementType type,
                      std::span<std::byte> bytes, uint64_t first) {
  uint64_t mixedSeed = Random::mix(seed);
  if (type == ElementType::F32)
    return fillFloats<float, int32_t>(mixedSeed, 24, bytes, first);
  if (type == ElementType::F64)
    return fillFloats<double, int64_t>(mixedSeed, 53, bytes, first);
  size_t size = static_cast<size_t>(sizeInBytes(type));
  assert(bytes.size() % size == 0 && "a whole number of elements");
  for (size_t i = 0; i < bytes.size() / size; ++i)
    encodeElement(type, valueFrom(Random::at(mixedSeed, first + i), type),
                  bytes.data() + i * size);
}

std::byte hwtune::poisonByte(ElementType type) {
  return isFloat(type) ? std::byte{0xff} : std::byte{0xcb};
}
