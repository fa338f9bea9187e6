//===- Runner.cpp ---------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Runner.h"
#include "hwtune/Support/File.h"

#include "DeviceSession.h"
#include "Timing.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

using namespace hwtune;

namespace {

constexpr uint64_t kMaxLaunchBytes = uint64_t(16) << 20;
constexpr uint64_t kMaxPtxBytes = uint64_t(256) << 20;
constexpr uint64_t kMaxExpectedBytes = uint64_t(64) << 30;

/// "sm_90a" runs on sm_90 hardware.
std::string baseArch(std::string arch) {
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f'))
    arch.pop_back();
  return arch;
}

bool archMatches(DeviceSession &session, const RunInput &input,
                 const RunPolicy &policy) {
  if (policy.allowOtherGpu)
    return true;
  std::string made = ptxTarget(input.ptx);
  const std::string &arch = session.target.arch;
  const std::string &said = input.launch.arch;
  if (baseArch(made) == baseArch(arch) && !said.empty() &&
      baseArch(said) != baseArch(made))
    return session.fail(
        RunStatus::Constraint,
        fmt::format("the launch is said to be for `{}`, its PTX is for `{}`",
                    said, made));
  if (baseArch(made) == baseArch(arch))
    return true;
  return session.fail(
      RunStatus::Constraint,
      fmt::format("the module is for `{}`, the device is `{}` (`{}`); compile "
                  "for it, or allow other GPUs",
                  made.empty() ? "no known architecture" : made, arch,
                  session.target.id));
}

/// Everything once, from fresh buffers to the comparison.
bool runOnce(DeviceSession &session, bool compare) {
  return session.fill() && session.setTimed(false) && session.launchAll() &&
         session.synchronize() && (!compare || session.verify());
}

bool checkAndTime(DeviceSession &session, const RunInput &input,
                  const RunPolicy &policy, RunOutcome &outcome) {
  auto phase = [&](RunPhase p) {
    if (policy.onPhase)
      policy.onPhase(p);
  };
  if (!archMatches(session, input, policy) || !session.checkLimits())
    return false;
  phase(RunPhase::Compile);
  if (!session.loadModule())
    return false;
  phase(RunPhase::Run);
  if (!session.allocate())
    return false;
  // One run to the end before any time is believed. A simulated device that
  // need not be checked estimates times without executing everything.
  bool simulated = session.driver.kind() == DriverKind::Simulated;
  if ((policy.check || !simulated) && !runOnce(session, policy.check))
    return false;
  if (!policy.time)
    return true;
  // Buffers are as the run left them, or, without one, hold nothing yet.
  if (simulated && !policy.check && !session.fill())
    return false;
  if (!session.setTimed(true) || !timeLaunches(session, policy, outcome))
    return false;
  // A race may have been lucky the first time. A simulated device is
  // deterministic, and looks for races itself.
  return simulated || !policy.check || runOnce(session, true);
}

} // namespace

Expected<RunInput> hwtune::loadRunInput(const std::string &path) {
  RunInput input;
  Expected<std::string> text = readFile(path, kMaxLaunchBytes);
  if (!text)
    return text.error();
  Expected<LaunchDescription> launch = LaunchDescription::fromJson(*text);
  if (!launch)
    return Error{launch.error().message, path};
  input.launch = *launch;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  auto beside = [&](const std::string &name) {
    return (folder / name).string();
  };
  Expected<std::string> ptx =
      readFile(beside(input.launch.ptxFile), kMaxPtxBytes);
  if (!ptx)
    return ptx.error();
  input.ptx = *std::move(ptx);
  if (input.launch.expectedFile.empty())
    return input;
  std::string expectedPath = beside(input.launch.expectedFile);
  Expected<std::string> expected = readFile(expectedPath, kMaxExpectedBytes);
  if (!expected)
    return expected.error();
  input.expected = *std::move(expected);
  for (const ExpectedDesc &e : input.launch.expected)
    if (auto values =
            readExpected(input.expected, e,
                         expectedCount(e, input.launch.buffers[e.buffer]));
        !values)
      return Error{values.error().message, expectedPath};
  return input;
}

std::string hwtune::ptxTarget(std::string_view ptx) {
  constexpr std::string_view kDirective = ".target";
  for (size_t at = 0; at < ptx.size();) {
    size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    size_t first = line.find_first_not_of(" \t");
    if (first == line.npos || line.substr(first).rfind(kDirective, 0) != 0)
      continue;
    line.remove_prefix(first + kDirective.size());
    first = std::min(line.find_first_not_of(" \t"), line.size());
    size_t last = std::min(line.find_first_of(" \t,\r;/", first), line.size());
    return std::string(line.substr(first, last - first));
  }
  return {};
}

RunOutcome hwtune::runLaunch(const DriverTable &driver, int ordinal,
                             const TargetSpec &target, const RunInput &input,
                             const RunPolicy &policy) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  RunOutcome outcome;
  outcome.label =
      driver.kind() == DriverKind::Simulated ? "simulated" : "measured";
  outcome.target = target.id;
  {
    DeviceSession session(driver, target, input, policy, outcome);
    if (session.open(ordinal))
      checkAndTime(session, input, policy, outcome);
  }
  outcome.wallSeconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}
