//===- Transfer.h - from one GPU's times to another's ------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_TRANSFER_H
#define HWTUNE_REPLAY_TRANSFER_H

#include "Replay.h"

namespace hwtune::replay {

struct TransferOptions {
  double alpha = -1;   ///< negative: from the targets' similarity
  double hideBest = 0; ///< share of the source's fastest that is not known
  std::vector<size_t> counts = {0, 5, 10, 20}; ///< measurements on the new GPU
};

struct TransferSummary {
  std::string from, to;
  double alpha = 0;              ///< similarity of the two targets
  size_t hidden = 0, shared = 0; ///< configurations
  double winner = 0; ///< the source's winner on the new GPU, over optimum
  double topTen = 0; ///< best of the source's ten fastest, measured there
  /// Best/optimum after each of the counts; for 0, of the pick untried.
  std::vector<Quartiles> after;
};

/// Search on `to` from the times of `from`. Prior of vector m:
///   log t_to,m = (1 - w) log t^_to,m
///              + w (log t_from + alpha (log t^_to,m - log t^_from,m)),
/// where t^ are predictions, alpha follows from the targets' similarity and
/// w = sqrt(alpha) is the trust in what the source's times say beyond the
/// model: equal targets take the source's times as they are, unrelated ones the
/// model alone. Times that the source lacks are completed (`completeTimes`).
/// The first three picks are two of the prior's list and one of the model's
/// own.
Expected<TransferSummary> transfer(ReplayProblem &from, ReplayProblem &to,
                                   const ReplayOptions &options,
                                   const TransferOptions &transferOptions);

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_TRANSFER_H
