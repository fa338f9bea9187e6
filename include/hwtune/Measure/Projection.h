//===- Projection.h - an output folded into few sums ------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of elements, each times +1 or -1 by chance (R. Freivalds, "Probabilistic
// machines can use less running time", 1977). Of a product of matrices they
// cost a fraction of the product, since r (A B) = (r A) B; every element takes
// part, so that a wrong one anywhere shows.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_PROJECTION_H
#define HWTUNE_MEASURE_PROJECTION_H

#include "hwtune/Workload/Workload.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hwtune {

/// The elements that differ only in the dimensions `summed` are numbered row by
/// row along these; each `group` neighbours make a sum, the last one of those
/// that are left.
struct Projection {
  std::vector<bool> summed; ///< one per dimension of the buffer
  int64_t group = 1;        ///< elements of a sum
  uint64_t seed = 0;        ///< of the signs

  bool operator==(const Projection &) const = default;
};

/// Sign of number `position` along the summed dimensions: 1 or -1.
double projectionSign(uint64_t seed, uint64_t position);

/// Sums of a buffer of `shape`.
int64_t projectedCount(const Projection &projection,
                       std::span<const int64_t> shape);

/// Position along the summed dimensions of the first element of sum `sum`.
uint64_t firstPosition(const Projection &projection,
                       std::span<const int64_t> shape, size_t sum);
/// Linear indices of its elements, by position, which is ascending.
std::vector<uint64_t> summedElements(const Projection &projection,
                                     std::span<const int64_t> shape,
                                     size_t sum);

/// The sums in f64 of the elements in `bytes`: the groups one after the other,
/// each with its sums row by row along the dimensions that are kept.
std::vector<double> project(const Projection &projection, ElementType type,
                            std::span<const int64_t> shape,
                            std::span<const std::byte> bytes);

} // namespace hwtune

#endif // HWTUNE_MEASURE_PROJECTION_H
