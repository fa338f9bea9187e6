//===- ExpectedFile.h - reference values and the comparison -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `expected.bin`, little-endian, holds one section per `ExpectedDesc`, from its
// `offset` on:
//
//   if partial: count x u64   linear indices, ascending
//               count x f64   expected values
//               count x f64   bounds: of the error, before `relative`
//
// An element is right if |got - value| <= relative * bound + absolute, an
// integer if |got - value| <= bound, which is 0 unless a rounding before it can
// fall either way. NaN is right where NaN is expected, an infinity where the
// same one is (or where the expected value rounds to it in the type). A NaN
// that is the poison itself is wrong: it was never written.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_EXPECTEDFILE_H
#define HWTUNE_MEASURE_EXPECTEDFILE_H

#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace hwtune {

/// The bound of an element whose value nothing bounds: a correct kernel may
/// have any there (a step, a pole or an overflow within its rounding error).
inline constexpr double kAnyValue = std::numeric_limits<double>::max();

/// One section, decoded.
struct ExpectedValues {
  std::vector<uint64_t> indices; ///< empty: all elements in order
  std::vector<double> values;
  std::vector<double> bounds; ///< as many as values
};

/// Appends a section to `file` and fills `offset`, `count` and `partial` of
/// `desc` accordingly.
void appendExpected(std::string &file, const ExpectedValues &section,
                    ExpectedDesc &desc);

/// Errors: the section lies outside the file; indices out of `elements` or not
/// ascending; a bound that is negative or NaN.
Expected<ExpectedValues>
readExpected(std::string_view file, const ExpectedDesc &desc, int64_t elements);

/// What `readExpected` is to find of a buffer: its elements, or the sums of a
/// projection.
int64_t expectedCount(const ExpectedDesc &desc, const BufferDesc &buffer);

struct Comparison {
  int64_t checked = 0, bad = 0;
  double maxAbs = 0; ///< largest |got - value| of finite elements
  double maxRel = 0; ///< largest |got - value| / |value|, value not 0
  /// The first wrong element.
  uint64_t badIndex = 0;
  double badGot = 0, badExpected = 0, badTolerance = 0;
  bool badUnwritten = false; ///< it still holds the poison
  int64_t sumOf = 0;         ///< elements of each value; 0: values are elements

  bool ok() const { return bad == 0; }
  /// "element 17 of `C`: got 3, expected 2.5, tolerance 1e-06 (12 of 4096
  /// elements are wrong)"; "" where nothing is.
  std::string describe(std::string_view buffer) const;
};

/// The sums that `desc.projection` makes of `got`, all of `buffer`.
Comparison compareSums(const BufferDesc &buffer, std::span<const std::byte> got,
                       const ExpectedValues &expected,
                       const ExpectedDesc &desc);

Comparison compareElements(ElementType type, std::span<const std::byte> got,
                           const ExpectedValues &expected,
                           const ExpectedDesc &desc);

} // namespace hwtune

#endif // HWTUNE_MEASURE_EXPECTEDFILE_H
