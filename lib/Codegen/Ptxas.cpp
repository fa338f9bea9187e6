//===- Ptxas.cpp - what the assembler allocates ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/PtxStats.h"

#include "hwtune/Support/ChildProcess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <charconv>
#include <string>
#include <vector>

namespace hwtune {
namespace {

/// One kernel takes ptxas seconds at most.
constexpr unsigned kLimitSeconds = 60;

/// The number that stands before `unit` in `text`, 0 where there is none.
int64_t numberBefore(llvm::StringRef text, llvm::StringRef unit) {
  size_t at = text.find(unit);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef head = text.take_front(at).rtrim();
  size_t start = head.find_last_not_of("0123456789");
  head = head.substr(start == llvm::StringRef::npos ? 0 : start + 1);
  int64_t value = 0;
  std::from_chars(head.begin(), head.end(), value);
  return value;
}

/// What a program printed, both streams together; an error where it failed,
/// with its first line.
Expected<std::string> outputOf(std::vector<std::string> argv,
                               std::string_view input = "") {
  ChildCommand command;
  command.argv = std::move(argv);
  command.input = input;
  command.limitSeconds = kLimitSeconds;
  ChildOutcome outcome = runChild(command);
  std::string text = outcome.out + outcome.err;
  if (outcome.ok())
    return text;
  llvm::StringRef first = llvm::StringRef(text).split('\n').first;
  return Error{first.empty() ? outcome.describe() : first.str(), ""};
}

} // namespace

Expected<std::string> ptxasVersion(const std::string &path) {
  Expected<std::string> text = outputOf({path, "--version"});
  if (!text)
    return Error{"cannot run ptxas `" + path + "`: " + text.error().message,
                 ""};
  // "Cuda compilation tools, release 13.0, V13.0.88"
  llvm::StringRef version = llvm::StringRef(*text).rsplit(", V").second;
  version =
      version.take_while([](char c) { return c == '.' || llvm::isDigit(c); });
  if (version.empty())
    return Error{
        "`" + path + "` is no ptxas: `--version` does not tell a release", ""};
  return version.str();
}

bool ptxasKnows(const std::string &path, const std::string &arch) {
  Expected<std::string> help = outputOf({path, "--help"});
  // Among the values of `--gpu-name`, each in quotes.
  return help && help->find("'" + arch + "'") != std::string::npos;
}

Expected<PtxasReport> runPtxas(const std::string &path, std::string_view ptx,
                               const std::string &arch) {
  // No file of ours: nothing is left behind, whatever ends this process.
  Expected<std::string> output = outputOf(
      {path, "-v", "-arch=" + arch, "/dev/stdin", "-o", "/dev/null"}, ptx);
  if (!output)
    return Error{"ptxas refuses the PTX: " + output.error().message, ""};
  llvm::StringRef text = *output;
  PtxasReport report;
  report.registers = numberBefore(text, " registers");
  report.spillStoreBytes = numberBefore(text, " bytes spill stores");
  report.spillLoadBytes = numberBefore(text, " bytes spill loads");
  report.staticSharedBytes = numberBefore(text, " bytes smem");
  if (report.registers == 0)
    return Error{"ptxas tells no registers", ""};
  return report;
}

} // namespace hwtune
