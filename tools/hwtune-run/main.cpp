//===- main.cpp - hwtune-run ----------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child process of every measurement, and a program of its own: executes
// what was generated, on a GPU or without one.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "hwtune/Support/Arguments.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <unistd.h>

using namespace hwtune;

namespace {

enum ExitCode { Good = 0, BadOutcome = 1, BadInput = 2, NoDevice = 3 };

/// Prints the outcome exactly once, whoever comes first: the run or its limit.
class Reporter {
public:
  /// Drivers may print on standard output, which is for the answer alone: what
  /// they print goes to standard error.
  Reporter() : answer(fdopen(dup(STDOUT_FILENO), "w")) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }

  /// False where something was printed before.
  bool print(const RunOutcome &outcome) {
    std::lock_guard lock(mutex);
    if (printed)
      return false;
    printed = true;
    fmt::print(stderr, "hwtune-run: {}\n", outcome.summary());
    std::FILE *out = answer ? answer : stdout;
    fmt::print(out, "{}\n", outcome.toJson());
    written = std::fflush(out) == 0;
    if (!written)
      std::perror("hwtune-run: the answer cannot be written");
    return true;
  }
  /// False where an answer was printed and did not arrive.
  bool arrived() const { return written; }

private:
  std::FILE *answer;
  std::mutex mutex;
  bool printed = false;
  bool written = true;
};

/// Ends the process when the run takes too long: a driver call that hangs
/// cannot be ended otherwise.
class Watchdog {
public:
  Watchdog(double seconds, Reporter &reporter, std::atomic<RunPhase> &phase) {
    if (seconds > 0)
      thread = std::thread([=, this, &reporter, &phase] {
        std::unique_lock lock(mutex);
        if (wake.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return done; }))
          return;
        bool compiling = phase == RunPhase::Compile;
        // A run that answered just before is ending by itself.
        if (reporter.print(RunOutcome::failure(
                compiling ? RunStatus::CompileTimeout : RunStatus::RunTimeout,
                fmt::format("{} did not end in {} s",
                            compiling ? "compiling the module" : "the run",
                            seconds))))
          _exit(BadOutcome);
      });
  }
  ~Watchdog() {
    {
      std::lock_guard lock(mutex);
      done = true;
    }
    wake.notify_all();
    if (thread.joinable())
      thread.join();
  }

private:
  std::thread thread;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
};

int refuse(Reporter &reporter, const std::string &why, ExitCode code) {
  RunOutcome outcome = RunOutcome::failure(RunStatus::Launch, why);
  outcome.fatal = code == NoDevice;
  reporter.print(outcome);
  return code;
}

int listTargets() {
  std::string text;
  for (const std::string &id : knownTargetIds())
    if (Expected<TargetSpec> spec = knownTarget(id))
      text += fmt::format("{:<22} {:<8} {:<38} {}\n", id, spec->arch,
                          spec->name, basisSummary(*spec));
  return printResult("hwtune-run", text);
}

int describe(const Expected<TargetSpec> &spec, ExitCode otherwise) {
  if (!spec) {
    fmt::print(stderr, "hwtune-run: error: {}\n", spec.error().str());
    return otherwise;
  }
  return printResult("hwtune-run", toJson(*spec));
}

Expected<OpenDevice> open(const RunOptions &options) {
  Expected<DeviceName> name = parseDeviceName(options.device);
  if (!name)
    return name.error();
  return openDevice(*name, options.open);
}

/// What was left to the device.
void complete(RunPolicy &policy, DriverKind kind) {
  const RunPolicy defaults;
  bool simulated = kind == DriverKind::Simulated;
  if (policy.samples < 0)
    policy.samples = simulated ? 1 : defaults.samples;
  if (policy.warmups < 0)
    policy.warmups = simulated ? 0 : defaults.warmups;
  // The simulated device knows where its buffers end, and says which
  // instruction went over; a guard would hide that.
  if (simulated)
    policy.guardBytes = 0;
}

int run(RunOptions options) {
  Reporter reporter;
  std::atomic<RunPhase> phase = RunPhase::Start;
  Watchdog watchdog(options.limitSeconds, reporter, phase);
  options.policy.onPhase = [&](RunPhase p) { phase = p; };
  Expected<RunInput> input = loadRunInput(options.launchFile);
  if (!input)
    return refuse(reporter, input.error().str(), BadInput);
  Expected<OpenDevice> device = open(options);
  if (!device)
    return refuse(reporter, device.error().str(), NoDevice);
  complete(options.policy, device->driver->kind());
  RunOutcome outcome = runLaunch(*device->driver, device->ordinal, device->spec,
                                 *input, options.policy);
  outcome.device = device->name;
  outcome.uuid = device->uuid;
  outcome.driverVersion = device->driverVersion;
  reporter.print(outcome);
  return outcome.ok() && reporter.arrived() ? Good : BadOutcome;
}

} // namespace

int main(int argc, char **argv) {
  Expected<RunOptions> options =
      parseRunOptions({argv + 1, static_cast<size_t>(argc - 1)});
  if (!options) {
    fmt::print(stderr, "hwtune-run: error: {}\n", options.error().str());
    return BadInput;
  }
  switch (options->action) {
  case RunOptions::Action::Help:
    return printResult("hwtune-run", kRunHelp);
  case RunOptions::Action::ListTargets:
    return listTargets();
  case RunOptions::Action::DescribeTarget:
    return describe(targetFromIdOrFile(options->describe), BadInput);
  case RunOptions::Action::DescribeDevice: {
    Expected<OpenDevice> device = open(*options);
    return describe(device ? Expected<TargetSpec>(device->spec)
                           : Expected<TargetSpec>(device.error()),
                    NoDevice);
  }
  case RunOptions::Action::Run:
    return run(*options);
  }
  return BadInput;
}
