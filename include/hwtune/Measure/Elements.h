//===- Elements.h - element values in memory --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of every type as doubles and back. Rounding is to nearest, ties to
// even; out of range goes to infinity where the type has one, to NaN in f8E4M3
// (FN: it has no infinity), and wraps in integers.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_ELEMENTS_H
#define HWTUNE_MEASURE_ELEMENTS_H

#include "hwtune/Workload/Workload.h"

#include <cstddef>
#include <cstdint>

namespace hwtune {

bool isFloat(ElementType type);

/// Bits of the significand, the hidden one included: 24 for f32.
int significandBits(ElementType type);
/// Largest finite value of a floating-point type.
double maxFinite(ElementType type);

/// The element at `bytes`. i64 beyond 2^53 is rounded.
double decodeElement(ElementType type, const std::byte *bytes);
void encodeElement(ElementType type, double value, std::byte *bytes);

/// `value` rounded to the type and back.
double roundToType(ElementType type, double value);

} // namespace hwtune

#endif // HWTUNE_MEASURE_ELEMENTS_H
