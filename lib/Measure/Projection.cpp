//===- Projection.cpp - an output folded into few sums --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Projection.h"

#include "hwtune/Measure/Elements.h"
#include "hwtune/Support/Random.h"

#include <algorithm>
#include <cassert>

using namespace hwtune;

namespace {

/// Product of the extents whose flag is `summed`.
int64_t productOf(const Projection &projection, std::span<const int64_t> shape,
                  bool summed) {
  int64_t product = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (projection.summed[d] == summed)
      product *= shape[d];
  return product;
}

} // namespace

double hwtune::projectionSign(uint64_t seed, uint64_t position) {
  return Random::at(Random::mix(seed), position) >> 63 ? 1 : -1;
}

int64_t hwtune::projectedCount(const Projection &projection,
                               std::span<const int64_t> shape) {
  int64_t summed = productOf(projection, shape, true);
  return (summed + projection.group - 1) / projection.group *
         productOf(projection, shape, false);
}

uint64_t hwtune::firstPosition(const Projection &projection,
                               std::span<const int64_t> shape, size_t sum) {
  uint64_t kept = uint64_t(productOf(projection, shape, false));
  return sum / kept * uint64_t(projection.group);
}

std::vector<uint64_t> hwtune::summedElements(const Projection &projection,
                                             std::span<const int64_t> shape,
                                             size_t sum) {
  uint64_t kept = uint64_t(productOf(projection, shape, false));
  uint64_t first = firstPosition(projection, shape, sum);
  uint64_t end = std::min(first + uint64_t(projection.group),
                          uint64_t(productOf(projection, shape, true)));
  std::vector<uint64_t> indices;
  for (uint64_t position = first; position < end; ++position) {
    uint64_t numbers[2] = {sum % kept, position}, index = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      uint64_t &number = numbers[projection.summed[d]];
      index += number % uint64_t(shape[d]) * stride;
      number /= uint64_t(shape[d]);
      stride *= uint64_t(shape[d]);
    }
    indices.push_back(index);
  }
  return indices;
}

std::vector<double> hwtune::project(const Projection &projection,
                                    ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const std::byte> bytes) {
  assert(projection.summed.size() == shape.size());
  int64_t kept = productOf(projection, shape, false);
  std::vector<double> sums(size_t(projectedCount(projection, shape)), 0);
  // What a step along each dimension adds to the two numbers of an element.
  std::vector<int64_t> step(shape.size());
  for (int64_t along[2] = {1, 1}, d = int64_t(shape.size()); d-- > 0;) {
    int64_t &next = along[projection.summed[size_t(d)]];
    step[size_t(d)] = next;
    next *= shape[size_t(d)];
  }
  size_t size = size_t(sizeInBytes(type));
  std::vector<int64_t> at(shape.size(), 0);
  int64_t number[2] = {0, 0}; // along the kept and the summed dimensions
  for (size_t i = 0; i < bytes.size() / size; ++i) {
    sums[size_t(number[1] / projection.group * kept + number[0])] +=
        projectionSign(projection.seed, uint64_t(number[1])) *
        decodeElement(type, bytes.data() + i * size);
    for (size_t d = shape.size(); d-- > 0;) {
      int64_t &along = number[projection.summed[d]];
      along += step[d];
      if (++at[d] < shape[d])
        break;
      along -= step[d] * shape[d];
      at[d] = 0;
    }
  }
  return sums;
}
