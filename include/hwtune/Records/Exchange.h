//===- Exchange.h - records as text files --------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON lines: a header, then each run followed by its trials. Also exports for
// other tools' readers. Files are untrusted: sizes are limited, every error
// has a line.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_RECORDS_EXCHANGE_H
#define HWTUNE_RECORDS_EXCHANGE_H

#include "hwtune/Records/Database.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hwtune {

using RunWithTrials = std::pair<RunRecord, std::vector<TrialRecord>>;

std::string exportJsonLines(const std::vector<RunWithTrials> &runs,
                            std::string_view toolVersion);
/// `name` is the file, for errors. The origin of what comes in becomes
/// "imported:hwtune" where it was "own".
Expected<std::vector<RunWithTrials>> importJsonLines(std::string_view text,
                                                     std::string_view name);

/// A Kernel Tuner cache, also one left open for appending, as one run. Its
/// operation has no canonical text, so the key is "kernel-tuner:NAME:SIZE" and
/// is never a hit for an op of ours.
Expected<RunWithTrials> importKernelTuner(std::string_view text,
                                          std::string_view name);
/// KTT results (JSON) as one run with the key "ktt:NAME:…".
Expected<RunWithTrials> importKtt(std::string_view text, std::string_view name);
/// T4 results as one run; `gpu` is the device, which such files often lack. A
/// time without a unit is in milliseconds.
Expected<RunWithTrials> importT4(std::string_view text, std::string_view name,
                                 std::string_view gpu);

/// One run as a Kernel Tuner cache file.
std::string exportKernelTuner(const RunWithTrials &run);
/// One run as T4 results.
std::string exportT4(const RunWithTrials &run);

} // namespace hwtune

#endif // HWTUNE_RECORDS_EXCHANGE_H
