//===- ChildRun.cpp -------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/ChildRun.h"
#include "hwtune/Support/ChildProcess.h"

#include <fmt/format.h>

using namespace hwtune;

namespace {

constexpr size_t kLastWords = 500;
/// The child's own watchdog knows whether it was compiling or running, so it
/// is given the limit; we only step in where it too is stuck.
constexpr double kGraceSeconds = 2;

/// The last line that can be the answer: drivers may print before it.
std::string_view answerOf(std::string_view out) {
  while (!out.empty() && out.back() == '\n')
    out.remove_suffix(1);
  size_t at = out.rfind('\n');
  return at == out.npos ? out : out.substr(at + 1);
}

std::string lastWords(const std::string &err) {
  std::string_view text = err;
  while (!text.empty() && text.back() == '\n')
    text.remove_suffix(1);
  if (text.size() > kLastWords)
    text.remove_prefix(text.size() - kLastWords);
  return text.empty() ? "" : fmt::format("; its last words: {}", text);
}

} // namespace

RunOutcome hwtune::runInChild(const ChildRunRequest &request) {
  ChildCommand command;
  command.argv = {request.program, "--device=" + request.device};
  command.argv.insert(command.argv.end(), request.options.begin(),
                      request.options.end());
  if (request.limitSeconds > 0) {
    command.argv.push_back(fmt::format("--limit={}", request.limitSeconds));
    command.limitSeconds = request.limitSeconds + kGraceSeconds;
  }
  command.argv.push_back(request.launchFile);
  command.cancel = request.cancel;
  ChildOutcome child = runChild(command);

  std::string what = fmt::format("`{}` {}{}", request.program, child.describe(),
                                 lastWords(child.err));
  RunOutcome outcome;
  switch (child.kind) {
  case ChildOutcome::Kind::NotStarted:
    outcome = RunOutcome::failure(RunStatus::Launch, child.describe());
    outcome.fatal = true;
    break;
  case ChildOutcome::Kind::TimedOut:
    outcome = RunOutcome::failure(RunStatus::RunTimeout, what);
    break;
  case ChildOutcome::Kind::Cancelled:
    outcome = RunOutcome::failure(RunStatus::Launch, what);
    break;
  case ChildOutcome::Kind::Signalled:
    outcome = RunOutcome::failure(RunStatus::Sticky, what);
    break;
  case ChildOutcome::Kind::Exited: {
    Expected<RunOutcome> answer = RunOutcome::fromJson(answerOf(child.out));
    // An exit code that contradicts the answer: the process died on its way
    // out, or the answer is not its own.
    if (answer && answer->ok() == (child.code == 0))
      outcome = *answer;
    else
      outcome = RunOutcome::failure(
          RunStatus::Launch,
          what + (answer ? "" : "; its answer: " + answer.error().message));
    break;
  }
  }
  outcome.wallSeconds = child.seconds;
  return outcome;
}
