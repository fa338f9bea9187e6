//===- HitRule.h - which stored run spares a new one ----------- -*- C++
//-*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_RECORDS_HITRULE_H
#define HWTUNE_RECORDS_HITRULE_H

#include "hwtune/Records/Record.h"

#include <cstdint>
#include <string>

namespace hwtune {

/// What a stored run must be to spare a new one.
struct HitRule {
  /// What the device can give now; a run of a lower label is no hit.
  Label label = Label::Predicted;
  /// Budget asked for, 0 = no limit; a run that did not converge must have had
  /// as much.
  int64_t trials = 0;
  double seconds = 0;
  /// Schedule that the winner must be of; "" = any.
  std::string schedule = {};
};

/// Why `run` spares no new one, "" if it does. Its key is not looked at.
std::string shortcoming(const RunRecord &run, const HitRule &rule);

/// Of two runs of one key, whether `a` is to be taken before `b`: a verified
/// one, then the higher label, then the lower time. Both must have a time.
bool isBetter(const RunRecord &a, const RunRecord &b);

/// Whether nobody who finds `kept` needs `old`: it has the same key, is the
/// better one, and is a hit wherever `old` is.
bool supersedes(const RunRecord &kept, const RunRecord &old);

} // namespace hwtune

#endif // HWTUNE_RECORDS_HITRULE_H
