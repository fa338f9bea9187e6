//===- Neighbours.h - candidates by parameter values ----*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_NEIGHBOURS_H
#define HWTUNE_LIB_SEARCH_NEIGHBOURS_H

#include "History.h"

#include <unordered_map>

namespace hwtune {

/// Finds a candidate by the ranks of its parameter values.
class ParameterIndex {
public:
  explicit ParameterIndex(const SearchProblem &problem);

  using Code = std::vector<uint16_t>; ///< rank of each parameter's value
  size_t parameters() const { return values.size(); }
  size_t valueCount(size_t parameter) const { return values[parameter].size(); }
  Code code(size_t candidate) const;
  /// Candidate with exactly these values, if it exists.
  std::optional<size_t> find(const Code &code) const;

  /// One random step: an ordered parameter to a neighbouring value, a
  /// categorical one to any other.
  void step(Code &code, Random &random) const;

private:
  uint64_t hash(const uint16_t *code) const;

  std::vector<std::vector<float>> values; ///< ascending, distinct
  std::vector<bool> categorical;
  std::vector<uint16_t> codes; ///< candidate x parameter
  std::unordered_multimap<uint64_t, size_t> byHash;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_NEIGHBOURS_H
