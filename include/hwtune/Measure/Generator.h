//===- Generator.h - inputs that can be recomputed anywhere -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element i of a buffer is a function of the buffer's seed, i and the type, so
// that a reference needs no copy of the input.
//
// Floating-point values have a random sign and a magnitude in [0.25, 1.25], on
// the finest grid that the type holds exactly there: no zeros, no subnormals,
// sums of any length stay far from overflow, and a kernel that secretly rounds
// its inputs to a smaller type gives a wrong result. Integers are in -8..8
// without 0 (so that they can divide), i1 is 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_GENERATOR_H
#define HWTUNE_MEASURE_GENERATOR_H

#include "hwtune/Workload/Workload.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hwtune {

/// Part of what a result depends on: a change of the formula changes it.
inline constexpr int kGeneratorVersion = 1;

double generatedValue(uint64_t seed, uint64_t index, ElementType type);

/// Fills `bytes` (a whole number of elements) with elements `first`, `first` +
/// 1, ...
void generate(uint64_t seed, ElementType type, std::span<std::byte> bytes,
              uint64_t first = 0);

/// What outputs hold before a run: NaN of every bit set in floating-point
/// types, 0xCB bytes in integers, so that what a kernel leaves out shows.
std::byte poisonByte(ElementType type);

} // namespace hwtune

#endif // HWTUNE_MEASURE_GENERATOR_H
