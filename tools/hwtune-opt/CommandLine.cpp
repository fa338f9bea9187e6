//===- CommandLine.cpp - what the stock main lets through -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "hwtune/Records/Database.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
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

/// Name and value of "-name=value" and "--name=value"; no name where the
/// argument is no flag.
static std::pair<StringRef, StringRef> splitFlag(StringRef argument) {
  auto [flag, value] = argument.split('=');
  if (!flag.consume_front("-"))
    return {};
  flag.consume_front("-");
  return {flag, value};
}

bool hwtune::checkPassOptions(ArrayRef<const char *> arguments) {
  for (StringRef argument : arguments.drop_front()) {
    auto [flag, options] = splitFlag(argument);
    const mlir::PassRegistryEntry *entry = mlir::PassInfo::lookup(flag);
    if (!entry)
      entry = mlir::PassPipelineInfo::lookup(flag);
    if (!entry || flag.empty())
      continue;
    // A value that is none is complained about where it is read.
    auto complain = [&](const Twine &message) {
      std::string text = message.str();
      if (!StringRef(text).trim().empty())
        errs() << arguments[0] << ": --" << flag << ": "
               << StringRef(text).trim() << '\n';
      return mlir::failure();
    };
    mlir::OpPassManager scratch;
    if (mlir::failed(entry->addToPipeline(scratch, options, complain)))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Defaults that only a program may look for
//===----------------------------------------------------------------------===//

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Whether pass options hold `key`, which ends in '='.
static bool names(StringRef options, StringRef key) {
  SmallVector<StringRef> words;
  options.split(words, ' ', -1, /*KeepEmpty=*/false);
  return any_of(words, [&](StringRef word) { return word.starts_with(key); });
}

/// The assembler of the CUDA toolkit: in PATH, else where the toolkit installs
/// itself; "" if there is none.
static std::string findPtxas() {
  const StringRef toolkit = "/usr/local/cuda/bin";
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return *found;
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas", toolkit))
    return *found;
  return "";
}

hwtune::CompletedArguments
hwtune::withDefaults(ArrayRef<const char *> arguments) {
  CompletedArguments result;
  result.arguments.assign(arguments.begin(), arguments.end());
  std::string database =
      defaultDatabasePath(environment("XDG_CACHE_HOME"), environment("HOME"));
  bool added = false, missing = false;
  for (std::string &argument : result.arguments) {
    auto [flag, options] = splitFlag(argument);
    if (flag != "hw-aware-tune" && flag != "hw-tune")
      continue;
    std::string name = flag.str(), all = options.str();
    auto add = [&](StringRef key, const std::string &value) {
      if (names(options, key) || value.empty())
        return false;
      all += (all.empty() ? "" : " ") + key.str() + "{" + value + "}";
      return true;
    };
    added |= add("db=", database);
    missing |= database.empty() && !names(options, "db=");
    add("ptxas=", findPtxas());
    if (!all.empty())
      argument = "--" + name + "=" + all;
  }
  if (added)
    result.note = "records: " + database + "\n";
  if (missing)
    result.note = "records: none, nothing found is kept (neither HOME nor "
                  "XDG_CACHE_HOME is set; say db=FILE)\n";
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
  std::signal(SIGCHLD, SIG_DFL); // ignored is inherited, and loses exit codes
  std::signal(SIGXFSZ, SIG_IGN); // writing fails, which is said
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
  std::signal(SIGHUP, onSignal); // the terminal was closed
}
