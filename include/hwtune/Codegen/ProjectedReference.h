//===- ProjectedReference.h - what sums of a product must be ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_PROJECTEDREFERENCE_H
#define HWTUNE_CODEGEN_PROJECTEDREFERENCE_H

#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Projection.h"
#include "hwtune/Workload/Workload.h"

#include <cstdint>
#include <optional>
#include <span>

namespace hwtune {

struct ProjectedReference {
  Projection projection;
  /// One value a sum; the bound is its whole tolerance:
  ///
  ///   8 sqrt(G) delta,  delta = (4 (K + 4) u + 4 v) s,
  ///   s^2 = K mean(a^2) mean(b^2) + mean(c^2)
  ///
  /// with G elements in the sum, K products in an element, u and v the unit
  /// round-off of the accumulator and of the output, c the initial value. The
  /// products have independent random signs (Measure/Generator.h), so a partial
  /// sum has a root mean square of at most s, in any order of summation; each
  /// of the K + 4 operations errs by at most 2 u of one (truncation included),
  /// the output by v of the last. delta is twice that. The signs of the
  /// projection are independent of all errors, so by Hoeffding's inequality the
  /// projected error exceeds 8 sqrt(sum of squares) with a probability below
  /// 3e-14. An element that is wrong by more than twice the tolerance is always
  /// found.
  ExpectedValues sums;
};

/// Multiply-adds that the sums of one product may cost; the length of the
/// groups follows from it.
inline constexpr double kMostProjectedProducts = double(int64_t(1) << 30);

/// Sums of the output of `w` for inputs as the generator makes them: `seeds`
/// and `extents` are those of its operands and loops in this launch. None
/// unless `w` is one plain product summed over its reduction loops: two packed
/// inputs and one packed output, floating-point, accumulated in f32 or f64,
/// every loop in two of them, or in all three.
std::optional<ProjectedReference>
projectContraction(const Workload &w, std::span<const int64_t> extents,
                   std::span<const uint64_t> seeds, uint64_t seed,
                   double mostProducts = kMostProjectedProducts);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_PROJECTEDREFERENCE_H
