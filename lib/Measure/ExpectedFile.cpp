//===- ExpectedFile.cpp ---------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/Generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

using namespace hwtune;

namespace {

constexpr size_t kWord = 8; // of every number in the file

template <typename T> void append(std::string &file, const std::vector<T> &v) {
  static_assert(sizeof(T) == kWord);
  file.append(reinterpret_cast<const char *>(v.data()), v.size() * kWord);
}

template <typename T>
std::vector<T> take(std::string_view file, uint64_t at, uint64_t count) {
  static_assert(sizeof(T) == kWord);
  std::vector<T> v(count);
  if (count)
    std::memcpy(v.data(), file.data() + at, count * kWord);
  return v;
}

bool isPoison(ElementType type, const std::byte *element) {
  std::byte poison = poisonByte(type);
  return std::all_of(element, element + sizeInBytes(type),
                     [poison](std::byte b) { return b == poison; });
}

/// NaN and infinities; finite numbers are compared by tolerance.
bool isRight(ElementType type, double got, double value, double tolerance) {
  if (!isFloat(type))
    return std::fabs(got - value) <= tolerance;
  if (std::isnan(value) || std::isnan(got))
    return std::isnan(value) && std::isnan(got);
  if (std::isinf(got))
    return got == value || got == roundToType(type, value);
  if (std::isinf(value))
    return false;
  return std::fabs(got - value) <= tolerance;
}

Error badSection(const ExpectedDesc &desc, const std::string &what) {
  return Error{
      fmt::format("expected values of buffer {}: {}", desc.buffer, what), ""};
}

} // namespace

void hwtune::appendExpected(std::string &file, const ExpectedValues &section,
                            ExpectedDesc &desc) {
  assert(section.bounds.size() == section.values.size());
  assert(section.indices.empty() ||
         section.indices.size() == section.values.size());
  file.resize((file.size() + kWord - 1) / kWord * kWord);
  desc.offset = file.size();
  desc.count = section.values.size();
  desc.partial = !section.indices.empty();
  append(file, section.indices);
  append(file, section.values);
  append(file, section.bounds);
}

Expected<ExpectedValues> hwtune::readExpected(std::string_view file,
                                              const ExpectedDesc &desc,
                                              int64_t elements) {
  uint64_t columns = desc.partial ? 3 : 2;
  if (desc.offset % kWord != 0)
    return badSection(desc, fmt::format("offset {} is no multiple of {}",
                                        desc.offset, kWord));
  if (desc.offset > file.size() ||
      desc.count > (file.size() - desc.offset) / (columns * kWord))
    return badSection(
        desc, fmt::format("{} values from byte {} on do not fit in a file of "
                          "{} bytes",
                          desc.count, desc.offset, file.size()));
  uint64_t limit = static_cast<uint64_t>(elements);
  if (desc.partial ? desc.count > limit : desc.count != limit)
    return badSection(
        desc, fmt::format("{} values for {} elements", desc.count, elements));
  ExpectedValues result;
  uint64_t at = desc.offset;
  if (desc.partial) {
    result.indices = take<uint64_t>(file, at, desc.count);
    at += desc.count * kWord;
    for (size_t i = 0; i < result.indices.size(); ++i) {
      if (result.indices[i] >= limit)
        return badSection(desc, fmt::format("index {} of {} elements",
                                            result.indices[i], elements));
      if (i > 0 && result.indices[i] <= result.indices[i - 1])
        return badSection(desc, fmt::format("index {} after {}, expected "
                                            "ascending indices",
                                            result.indices[i],
                                            result.indices[i - 1]));
    }
  }
  result.values = take<double>(file, at, desc.count);
  result.bounds = take<double>(file, at + desc.count * kWord, desc.count);
  for (double bound : result.bounds)
    if (!(bound >= 0 && std::isfinite(bound)))
      return badSection(desc, fmt::format("bound {}, expected a finite number "
                                          "of 0 or more",
                                          bound));
  return result;
}

Comparison hwtune::compareElements(ElementType type,
                                   std::span<const std::byte> got,
                                   const ExpectedValues &expected,
                                   const ExpectedDesc &desc) {
  Comparison result;
  size_t size = static_cast<size_t>(sizeInBytes(type));
  for (size_t i = 0; i < expected.values.size(); ++i) {
    uint64_t index = expected.indices.empty() ? i : expected.indices[i];
    assert((index + 1) * size <= got.size());
    const std::byte *element = got.data() + index * size;
    double value = expected.values[i], g = decodeElement(type, element);
    // Of integers a bound counts the values that rounding before a step may
    // give; there is nothing to scale.
    double bound = expected.bounds[i];
    double tolerance =
        isFloat(type) ? desc.relative * bound + desc.absolute : bound;
    bool any = bound == kAnyValue;
    bool unwritten =
        isPoison(type, element) && (!isFloat(type) || std::isnan(value) || any);
    bool right = (any || isRight(type, g, value, tolerance)) &&
                 !(isFloat(type) && unwritten);
    ++result.checked;
    if (double error = std::fabs(g - value); std::isfinite(error)) {
      result.maxAbs = std::max(result.maxAbs, error);
      if (value != 0)
        result.maxRel = std::max(result.maxRel, error / std::fabs(value));
    }
    if (right || result.bad++ > 0)
      continue;
    result.badIndex = index;
    result.badGot = g;
    result.badExpected = value;
    result.badTolerance = tolerance;
    result.badUnwritten = isPoison(type, element);
  }
  return result;
}

int64_t hwtune::expectedCount(const ExpectedDesc &desc,
                              const BufferDesc &buffer) {
  return desc.projection ? projectedCount(*desc.projection, buffer.shape)
                         : buffer.elements();
}

Comparison hwtune::compareSums(const BufferDesc &buffer,
                               std::span<const std::byte> got,
                               const ExpectedValues &expected,
                               const ExpectedDesc &desc) {
  std::vector<double> sums =
      project(*desc.projection, buffer.type, buffer.shape, got);
  Comparison result = compareElements(
      ElementType::F64, std::as_bytes(std::span(sums)), expected, desc);
  result.sumOf = desc.projection->group;
  // Errors of sums are no errors of elements.
  result.maxAbs = result.maxRel = 0;
  return result;
}

std::string Comparison::describe(std::string_view buffer) const {
  if (ok())
    return {};
  if (sumOf)
    return fmt::format("sum {} of {} elements of `{}` with random signs: got "
                       "{}, expected {}, tolerance {:.3g} ({} of {} sums are "
                       "wrong)",
                       badIndex, sumOf, buffer, badGot, badExpected,
                       badTolerance, bad, checked);
  std::string got =
      badUnwritten ? "never written" : fmt::format("got {}", badGot);
  return fmt::format(
      "element {} of `{}`: {}, expected {}, tolerance {:.3g} ({} "
      "of {} elements are wrong)",
      badIndex, buffer, got, badExpected, badTolerance, bad, checked);
}
