//===- Space.h - the legal configurations of a schedule ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space is data: knobs with their values, constraints with their reasons.
// Enumeration is lazy, deterministic (last knob fastest) and can be counted
// without being built.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SPACE_SPACE_H
#define HWTUNE_SPACE_SPACE_H

#include "hwtune/Support/Expected.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hwtune {

struct Knob {
  std::string name;            ///< "block_m"; snake_case, unique in the space
  std::vector<int64_t> values; ///< in order, distinct, at least one
  std::string description;     ///< unit included
  bool categorical = false;    ///< values have no order (on/off, layouts)
};

/// One value per knob, in the knobs' order.
using Config = std::vector<int64_t>;

/// Why a configuration is not legal: "shared memory: needs 65536 bytes, block
/// limit 49152". `kind` groups the counts ("shared-memory").
struct Rejection {
  std::string kind;
  std::string what; ///< "shared memory of a block (bytes)"
  double needed = 0, limit = 0;
  std::string message() const; ///< with both numbers
};

struct Constraint {
  std::string kind;
  /// Knobs it reads (indices): tested as soon as all of them are chosen, so
  /// that a whole subtree is rejected, and counted, at once.
  std::vector<unsigned> knobs;
  std::string what;
  /// Needed and limit; legal where needed <= limit. Gets the whole
  /// configuration, indexed by knob; only the values of `knobs` may be read,
  /// the others may not be chosen yet. Pure.
  std::function<std::pair<double, double>(std::span<const int64_t>)> check;

  /// Number of leading knobs that must be chosen to decide it.
  unsigned level() const;
};

struct SpaceCounts {
  uint64_t product = 0; ///< all combinations
  uint64_t legal = 0;
  /// Rejected, by kind of the first constraint (in declaration order, earliest
  /// decidable knob first) that fails.
  std::map<std::string, uint64_t> rejected;
};

class Space {
public:
  std::vector<Knob> knobs;
  std::vector<Constraint> constraints;

  /// Knob names and values well-formed, constraints name existing knobs.
  Status check() const;
  std::optional<unsigned> find(std::string_view knob) const;
  /// Value of `knob` in `config`; the knob must exist.
  int64_t get(const Config &config, std::string_view knob) const;

  /// The first reason why `config` is illegal, if any. A value outside its
  /// knob's list is one; with `anyValue` (a configuration written by hand) only
  /// where the knob is categorical or the value is below the smallest listed or
  /// beyond 2^20 and the largest listed.
  std::optional<Rejection> reject(const Config &config,
                                  bool anyValue = false) const;

  /// Calls `visit` on every legal configuration in order, until it returns
  /// false. Whole illegal subtrees are skipped.
  void forEach(const std::function<bool(const Config &)> &visit) const;
  SpaceCounts count() const;

  /// "{block_m = 128, vector = 4}", and back. Unknown knobs, missing knobs and
  /// malformed text are errors that name what was found and expected.
  std::string toText(const Config &config) const;
  Expected<Config> fromText(std::string_view text) const;
};

} // namespace hwtune

#endif // HWTUNE_SPACE_SPACE_H
