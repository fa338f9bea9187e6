//===- TimeUnit.h - units of time by name -------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_TIMEUNIT_H
#define HWTUNE_SUPPORT_TIMEUNIT_H

#include <optional>
#include <string_view>

namespace hwtune {

/// Seconds of a unit of time as other programs write it: "ms", "Microseconds",
/// "miliseconds" (so in T4 files); nothing where it is none.
std::optional<double> secondsPerUnit(std::string_view unit);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_TIMEUNIT_H
