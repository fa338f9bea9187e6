//===- Enumerate.cpp - walking and counting a space -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth first over the knobs. A constraint is tested at the level where the
// last of its knobs is chosen, so an illegal prefix costs one test, whatever
// lies below it.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Space/Space.h"

#include <algorithm>
#include <unordered_map>

namespace hwtune {

namespace {

using Constraints = std::vector<const Constraint *>;

/// Constraints by the number of knobs that must be chosen to decide them, in
/// declaration order within a level.
std::vector<Constraints> byLevel(const Space &space) {
  std::vector<Constraints> levels(space.knobs.size() + 1);
  for (const Constraint &constraint : space.constraints)
    levels[constraint.level()].push_back(&constraint);
  return levels;
}

const Constraint *firstFailure(const Constraints &constraints,
                               const Config &config) {
  for (const Constraint *constraint : constraints) {
    auto [needed, limit] = constraint->check(config);
    // Written so that a NaN is illegal.
    if (!(needed <= limit))
      return constraint;
  }
  return nullptr;
}

class Walker {
public:
  Walker(const Space &space, const std::function<bool(const Config &)> &visit)
      : space(space), visit(visit), levels(byLevel(space)),
        config(space.knobs.size()) {}

  void run() {
    if (!firstFailure(levels[0], config))
      descend(0);
  }

private:
  /// False once `visit` has asked to stop.
  bool descend(size_t depth) {
    if (depth == config.size())
      return visit(config);
    for (int64_t value : space.knobs[depth].values) {
      config[depth] = value;
      if (!firstFailure(levels[depth + 1], config) && !descend(depth + 1))
        return false;
    }
    return true;
  }

  const Space &space;
  const std::function<bool(const Config &)> &visit;
  std::vector<Constraints> levels;
  Config config;
};

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
uint64_t saturatingMul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/// Counts below a prefix depend only on those chosen knobs that a constraint
/// still to be decided reads. Equal values of these give equal counts, so each
/// such class is counted once.
class Counter {
public:
  explicit Counter(const Space &space)
      : space(space), levels(byLevel(space)), config(space.knobs.size()) {
    for (const Constraint &constraint : space.constraints)
      if (std::find(kinds.begin(), kinds.end(), constraint.kind) == kinds.end())
        kinds.push_back(constraint.kind);
    size_t n = space.knobs.size();
    below.assign(n + 1, 1);
    for (size_t depth = n; depth-- > 0;)
      below[depth] =
          saturatingMul(below[depth + 1], space.knobs[depth].values.size());
    live.resize(n + 1);
    memo.resize(n + 1);
    for (size_t depth = 0; depth <= n; ++depth)
      for (unsigned knob = 0; knob < depth; ++knob)
        if (isRead(knob, depth))
          live[depth].push_back(knob);
  }

  SpaceCounts run() {
    Tally tally = test(0);
    SpaceCounts counts;
    counts.product = below[0];
    counts.legal = tally[0];
    for (size_t i = 0; i < kinds.size(); ++i)
      if (tally[i + 1])
        counts.rejected[kinds[i]] = tally[i + 1];
    return counts;
  }

private:
  /// Legal, then rejected by `kinds`.
  using Tally = std::vector<uint64_t>;
  struct Hash {
    size_t operator()(const Config &values) const {
      uint64_t hash = 0x9e3779b97f4a7c15;
      for (int64_t value : values)
        hash = (hash ^ uint64_t(value)) * 0xbf58476d1ce4e5b9 + (hash >> 29);
      return hash;
    }
  };
  // A bound on the memory of one count: about 100 MB at eight knobs.
  static constexpr size_t kMaxMemo = 1 << 19;

  bool isRead(unsigned knob, size_t depth) const {
    for (size_t level = depth + 1; level < levels.size(); ++level)
      for (const Constraint *constraint : levels[level])
        if (std::find(constraint->knobs.begin(), constraint->knobs.end(),
                      knob) != constraint->knobs.end())
          return true;
    return false;
  }

  /// The subtree below the first `depth` knobs, tested at that level.
  Tally test(size_t depth) {
    if (const Constraint *failed = firstFailure(levels[depth], config)) {
      Tally tally(kinds.size() + 1);
      size_t kind =
          std::find(kinds.begin(), kinds.end(), failed->kind) - kinds.begin();
      tally[kind + 1] = below[depth];
      return tally;
    }
    return subtree(depth);
  }

  Tally subtree(size_t depth) {
    if (depth == config.size()) {
      Tally tally(kinds.size() + 1);
      tally[0] = 1;
      return tally;
    }
    bool memoise = live[depth].size() < depth;
    Config key;
    if (memoise) {
      for (unsigned knob : live[depth])
        key.push_back(config[knob]);
      if (auto found = memo[depth].find(key); found != memo[depth].end())
        return found->second;
    }
    Tally tally(kinds.size() + 1);
    for (int64_t value : space.knobs[depth].values) {
      config[depth] = value;
      Tally part = test(depth + 1);
      for (size_t i = 0; i < tally.size(); ++i)
        tally[i] = saturatingAdd(tally[i], part[i]);
    }
    if (memoise && memo[depth].size() < kMaxMemo)
      memo[depth].emplace(std::move(key), tally);
    return tally;
  }

  const Space &space;
  std::vector<Constraints> levels;
  Config config;
  std::vector<std::string> kinds;
  std::vector<uint64_t> below; ///< combinations of the knobs from `depth` on
  std::vector<std::vector<unsigned>> live;
  std::vector<std::unordered_map<Config, Tally, Hash>> memo;
};

} // namespace

void Space::forEach(const std::function<bool(const Config &)> &visit) const {
  Walker(*this, visit).run();
}

SpaceCounts Space::count() const { return Counter(*this).run(); }

} // namespace hwtune
