//===- Commands.h - what hwtune-records can do ---------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNE_RECORDS_COMMANDS_H
#define HWTUNE_TOOLS_HWTUNE_RECORDS_COMMANDS_H

#include "hwtune/Records/Database.h"
#include "hwtune/Support/Arguments.h"

#include <string>

namespace hwtune {

struct CommandResult {
  std::string text;  ///< for standard output
  std::string error; ///< for standard error; "" = none
  int code = 0;
};

/// Runs the command that the first positional argument names.
CommandResult runCommand(const Arguments &arguments, const std::string &path);

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNE_RECORDS_COMMANDS_H
