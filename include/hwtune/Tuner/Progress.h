//===- Progress.h - what a person sees of a run --------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_PROGRESS_H
#define HWTUNE_TUNER_PROGRESS_H

#include "hwtune/Tuner/Tuner.h"

#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace hwtune {

/// A bar that redraws itself where `terminal`, else a plain line now and then
/// (every tenth of the budget, each new best, and at the latest every ten
/// seconds): done and total, best so far, failures by kind, ETA. The first
/// failure of each kind is printed in full.
std::unique_ptr<TuneObserver> makeProgressPrinter(std::FILE *out,
                                                  bool terminal);
/// One JSON object a line: started, trial, warning, finished. The first line
/// that cannot be written is complained about on `complaints`.
Expected<std::unique_ptr<TuneObserver>>
makeEventLog(const std::string &path, std::FILE *complaints = stderr);
/// Tells several.
std::unique_ptr<TuneObserver>
makeObserverList(std::vector<TuneObserver *> observers);

/// "[####----] 12/48 best 1.2 ms (1.83x) ...", no line break.
std::string progressLine(const TuneProgress &progress, bool bar);

/// The final table, one row an op, with the notes below it: what was seen,
/// rejected by reason, tried; ties, drift, warnings.
std::string resultTable(std::span<const TuneResult> results);

} // namespace hwtune

#endif // HWTUNE_TUNER_PROGRESS_H
