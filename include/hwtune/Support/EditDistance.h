//===- EditDistance.h - the nearest names to a mistyped one -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_EDITDISTANCE_H
#define HWTUNE_SUPPORT_EDITDISTANCE_H

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hwtune {

/// Insertions, deletions and substitutions from `a` to `b`.
inline size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1,
                         diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The `count` nearest of `names` to `name`, nearest first, ties by order.
/// Names that contain `name` (or the other way round) come before the rest.
inline std::vector<std::string> nearest(std::string_view name,
                                        const std::vector<std::string> &names,
                                        size_t count) {
  // A very long input would cost time for nothing.
  name = name.substr(0, 128);
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view other = names[i];
    bool part = !name.empty() && (other.find(name) != other.npos ||
                                  name.find(other) != name.npos);
    order.emplace_back(part ? 0 : editDistance(name, other), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    result.push_back(names[order[i].second]);
  return result;
}

} // namespace hwtune

#endif // HWTUNE_SUPPORT_EDITDISTANCE_H
