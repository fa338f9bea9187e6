//===- CommandLine.cpp - what the stock main lets through -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "hwtune/Records/Database.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

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

//===----------------------------------------------------------------------===//
// Default database
//===----------------------------------------------------------------------===//

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Whether pass options hold a `db=`.
static bool namesDatabase(StringRef options) {
  SmallVector<StringRef> words;
  options.split(words, ' ', -1, /*KeepEmpty=*/false);
  return any_of(words, [](StringRef word) { return word.starts_with("db="); });
}

std::vector<std::string>
hwtune::withDefaultDatabase(ArrayRef<const char *> arguments) {
  std::vector<std::string> result(arguments.begin(), arguments.end());
  std::string path =
      defaultDatabasePath(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (path.empty())
    return result;
  bool added = false;
  for (std::string &argument : result) {
    auto [flag, options] = StringRef(argument).split('=');
    if ((flag != "--hw-aware-tune" && flag != "--hw-tune") ||
        namesDatabase(options))
      continue;
    argument = (flag + "=" + options + (options.empty() ? "" : " ") + "db={" +
                path + "}")
                   .str();
    added = true;
  }
  if (added)
    errs() << "records: " << path << '\n';
  return result;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static std::atomic<bool> *cancelFlag = nullptr;

static void onSignal(int signal) {
  if (cancelFlag->exchange(true))
    std::_Exit(128 + signal);
}

void hwtune::cancelOnSignal(const CancelToken &cancel) {
  // Kept for the life of the program: the handler may run at any time.
  static CancelToken kept = cancel;
  cancelFlag = &kept.flag();
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
}
