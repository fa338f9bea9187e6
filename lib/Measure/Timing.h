//===- Timing.h - the timing protocol ---------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_MEASURE_TIMING_H
#define HWTUNE_LIB_MEASURE_TIMING_H

#include "DeviceSession.h"

namespace hwtune {

/// Times the session's launches and fills the outcome's `timing`. False once
/// something failed, the reason in the outcome.
bool timeLaunches(DeviceSession &session, const RunPolicy &policy,
                  RunOutcome &outcome);

} // namespace hwtune

#endif // HWTUNE_LIB_MEASURE_TIMING_H
