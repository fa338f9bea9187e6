//===- Neighbours.cpp - candidates by parameter values --------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Neighbours.h"

#include <algorithm>

namespace hwtune {

ParameterIndex::ParameterIndex(const SearchProblem &problem) {
  const Table &table = problem.parameters;
  values.resize(table.columns);
  categorical = problem.categorical;
  categorical.resize(table.columns);
  for (size_t j = 0; j < table.columns; ++j) {
    for (size_t i = 0; i < table.rows; ++i)
      values[j].push_back(table.at(i, j));
    std::sort(values[j].begin(), values[j].end());
    values[j].erase(std::unique(values[j].begin(), values[j].end()),
                    values[j].end());
    values[j].shrink_to_fit();
  }
  codes.resize(table.rows * table.columns);
  byHash.reserve(table.rows);
  for (size_t i = 0; i < table.rows; ++i) {
    for (size_t j = 0; j < table.columns; ++j)
      codes[i * table.columns + j] = static_cast<uint16_t>(
          std::lower_bound(values[j].begin(), values[j].end(), table.at(i, j)) -
          values[j].begin());
    byHash.emplace(hash(&codes[i * table.columns]), i);
  }
}

uint64_t ParameterIndex::hash(const uint16_t *code) const {
  uint64_t h = 0xcbf29ce484222325u; // FNV-1a
  for (size_t j = 0; j < values.size(); ++j)
    h = (h ^ code[j]) * 0x100000001b3u;
  return h;
}

ParameterIndex::Code ParameterIndex::code(size_t candidate) const {
  const uint16_t *first = codes.data() + candidate * values.size();
  return Code(first, first + values.size());
}

std::optional<size_t> ParameterIndex::find(const Code &code) const {
  std::optional<size_t> found;
  auto [first, last] = byHash.equal_range(hash(code.data()));
  for (; first != last; ++first)
    if (std::equal(code.begin(), code.end(),
                   codes.begin() +
                       static_cast<ptrdiff_t>(first->second * values.size())))
      // Equal codes: the lowest index, whatever order the table keeps.
      found = std::min(found.value_or(first->second), first->second);
  return found;
}

void ParameterIndex::step(Code &code, Random &random) const {
  std::vector<size_t> movable;
  for (size_t j = 0; j < values.size(); ++j)
    if (values[j].size() > 1)
      movable.push_back(j);
  if (movable.empty())
    return;
  size_t j = movable[random.below(movable.size())];
  size_t count = values[j].size(), now = code[j], then;
  if (categorical[j]) {
    then = random.below(count - 1);
    then += then >= now;
  } else if (now == 0 || (now + 1 < count && random.next() & 1)) {
    then = now + 1;
  } else {
    then = now - 1;
  }
  code[j] = static_cast<uint16_t>(then);
}

} // namespace hwtune
