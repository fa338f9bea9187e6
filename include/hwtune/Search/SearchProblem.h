//===- SearchProblem.h - a finite search, as data ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a strategy may know: numbered candidates, their parameters, numbers
// that the hardware model derives from them, and what the model expects. No
// kernel, no GPU. Everything but the parameters may be missing.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_SEARCHPROBLEM_H
#define HWTUNE_SEARCH_SEARCHPROBLEM_H

#include "hwtune/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hwtune {

/// Rows of equal length, row-major.
struct Table {
  size_t rows = 0, columns = 0;
  std::vector<float> data;

  Table() = default;
  Table(size_t rows, size_t columns)
      : rows(rows), columns(columns), data(rows * columns) {}
  float at(size_t row, size_t column) const {
    return data[row * columns + column];
  }
  float &at(size_t row, size_t column) { return data[row * columns + column]; }
  const float *row(size_t index) const { return data.data() + index * columns; }
  bool empty() const { return data.empty(); }
};

struct SearchProblem {
  std::string name;
  /// One row a candidate, one column a parameter: log2(1 + |value|) signed for
  /// ordered parameters, any distinct number per value for categorical ones.
  Table parameters;
  std::vector<bool> categorical; ///< one per parameter; empty = none
  /// Hardware features (logs of term ratios, occupancy, ...); may be empty.
  Table features;
  /// Natural log of the predicted seconds, one column per constant vector of
  /// the ensemble; empty = black box. Infinite where infeasible.
  Table logTime;
  /// Candidates with one id are one kernel under different names; only one of
  /// a class is ever proposed. Empty = all different.
  std::vector<uint32_t> classes;
  /// What `auto` and `bayes` measure first, in this order (winners of another
  /// GPU, ...); empty = a list of their own.
  std::vector<size_t> start;

  size_t size() const { return parameters.rows; }
  /// Shapes agree, at least one candidate, parameters finite.
  Status check() const;
};

/// Parameters as the tables above want them, from plain knob values.
Table encodeParameters(const std::vector<std::vector<double>> &values,
                       const std::vector<bool> &categorical);

/// What measuring candidate `candidate` gave. `value` is what is minimised
/// (seconds, joules, ...), positive and finite where `ok`.
struct Observation {
  size_t candidate = 0;
  bool ok = false;
  double value = 0;
};

} // namespace hwtune

#endif // HWTUNE_SEARCH_SEARCHPROBLEM_H
