//===- Options.h - command line of hwtune-replay ----------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_OPTIONS_H
#define HWTUNE_REPLAY_OPTIONS_H

#include "Transfer.h"

namespace hwtune::replay {

struct Options {
  std::vector<std::string> files;
  std::string mapping, format, json;
  std::vector<std::string> strategies = {"auto"};
  bool modelOnly = false, help = false;
  size_t list = 0; ///< favourites of the model to print
  std::string transferFrom;
  TransferOptions transfer;
  ReplayOptions replay;
  ProblemOptions problem;
};

Expected<Options> parseOptions(int argc, char **argv);
std::string helpText();

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_OPTIONS_H
