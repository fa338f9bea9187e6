//===- Report.h - tables and JSON of hwtune-replay --------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_REPORT_H
#define HWTUNE_REPLAY_REPORT_H

#include "Options.h"

namespace hwtune::replay {

struct Report {
  std::vector<std::string> about; ///< one line a file
  std::vector<Summary> summaries;
  std::vector<TransferSummary> transfers;
  std::vector<size_t> transferCounts;
  std::vector<ModelOnly> models, scores; ///< scores: par * fit

  void describe(const Dataset &data,
                const std::vector<ReplayProblem> &problems);
  Status print(const Options &options) const;
};

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_REPORT_H
