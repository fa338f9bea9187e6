//===- CommandLine.cpp - what the stock main lets through -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

/// Our own flags, for the nearest name in the complaint.
static constexpr StringLiteral kOwnFlags[] = {
    "hw-attach-target", "hw-enumerate",  "hw-score",          "hw-tune",
    "hw-apply",         "hw-aware-tune", "hw-export-schedule"};

static bool isKnown(StringRef flag) {
  if (is_contained({StringRef("h"), StringRef("help"), StringRef("help-hidden"),
                    StringRef("help-list"), StringRef("help-list-hidden")},
                   flag))
    return true;
  return cl::getRegisteredOptions().contains(flag) ||
         mlir::PassInfo::lookup(flag) || mlir::PassPipelineInfo::lookup(flag);
}

std::optional<std::string>
hwtune::findUnknownHelpLikeFlag(ArrayRef<const char *> arguments) {
  for (StringRef argument : arguments.drop_front()) {
    if (argument == "--")
      break;
    StringRef flag = argument;
    if (!flag.consume_front("-"))
      continue;
    flag.consume_front("-");
    flag = flag.take_until([](char c) { return c == '='; });
    if (!flag.starts_with("h") || isKnown(flag))
      continue;
    StringRef nearest = *llvm::min_element(kOwnFlags, [&](auto a, auto b) {
      return flag.edit_distance(a) < flag.edit_distance(b);
    });
    return ("unknown command line argument '" + argument +
            "', did you mean '--" + nearest + "'?")
        .str();
  }
  return std::nullopt;
}
