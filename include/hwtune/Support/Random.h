//===- Random.h - seeded numbers, the same everywhere -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distributions of <random> differ between standard libraries; these do
// not. Never seeded from time.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_RANDOM_H
#define HWTUNE_SUPPORT_RANDOM_H

#include <cmath>
#include <cstdint>

namespace hwtune {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): any seed is a good seed.
class Random {
public:
  /// `stream` separates sequences of one seed (a trial's number, ...).
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : state(mix(seed) ^ mix(stream * kStep + 1)) {}

  uint64_t next() { return mix(state += kStep); }
  /// The `index`-th number (from 0) of the sequence that starts in `state`,
  /// without those before it.
  static uint64_t at(uint64_t state, uint64_t index) {
    return mix(state + (index + 1) * kStep);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [0, bound); bound >= 1.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// Standard normal (Box and Muller; the second value is not kept, so that
  /// the state is one number).
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

  /// A bijection whose results look unrelated.
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  uint64_t state;
};

} // namespace hwtune

#endif // HWTUNE_SUPPORT_RANDOM_H
