//===- CommandLine.h - what the stock main lets through ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNEOPT_COMMANDLINE_H
#define HWTUNE_TOOLS_HWTUNEOPT_COMMANDLINE_H

#include "hwtune/Support/CancelToken.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// LLVM's command line takes any unknown flag that begins with `-h` or `--h`
/// as a request for help and exits 0. Ours begin so, so each such argument must
/// be one of LLVM's own help flags, an option that is registered already, or a
/// registered pass or pipeline. Returns the complaint about the first that is
/// not. Call after all passes are registered.
std::optional<std::string>
findUnknownHelpLikeFlag(llvm::ArrayRef<const char *> arguments);

/// Whether the options of every pass and pipeline named by a flag of its own
/// can be read; else the first that cannot has been complained about. The stock
/// main adds an empty line of its own to such a complaint. Call after LLVM has
/// read the command line, which tells it the name of the program.
bool checkPassOptions(llvm::ArrayRef<const char *> arguments);

/// Arguments with what was added to them, and what is to be said of that.
struct CompletedArguments {
  std::vector<std::string> arguments;
  std::string note; ///< a line, or ""
};

/// Gives `--hw-aware-tune` and `--hw-tune` without a `db=` the database of the
/// user's cache folder (see `defaultDatabasePath`), whose path is to be said,
/// and without a `ptxas=` the `ptxas` of this machine, if it has one.
CompletedArguments withDefaults(llvm::ArrayRef<const char *> arguments);

/// SIGINT and SIGTERM set the token; a second one ends the program.
void cancelOnSignal(const CancelToken &cancel);

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNEOPT_COMMANDLINE_H
