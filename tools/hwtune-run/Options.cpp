//===- Options.cpp --------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <vector>

using namespace hwtune;

const char *const hwtune::kRunHelp =
    R"(usage: hwtune-run --device=DEVICE [options] launch.json
       hwtune-run --list-targets | --describe-target ID | --describe-device --device=DEVICE

Loads the PTX that launch.json names, launches its kernels, compares the outputs
with the expected values and times them. Prints one line of JSON on standard
output and one line for people on standard error.

  --device=DEVICE       cuda:N, sim:<target id or file>, or the path of a
                        library that answers the CUDA driver API
  --check-only          compare, do not time
  --time-only           time, do not compare
  --allow-other-gpu     run PTX made for another architecture
  --warm                time launches back to back (default: single ones from
                        idle, with nothing in the L2 cache)
  --samples=N           samples of the time (default 20; simulated: 1)
  --warmups=N           launches before the first sample (default 3; simulated: 0)
  --budget=SECONDS      end timing after this, with 3 samples or more (default 10)
  --limit=SECONDS       give up after this (compile_timeout, run_timeout)
  --no-sim-checks       no bounds, race and initialisation checks in simulation
  --sim-library=PATH    the simulated driver (default: beside this program)
  --driver-config=TEXT  configuration of a driver library that takes one
  --list-targets        ids of the known targets, with where their numbers come from
  --describe-target ID  description of a known target or file, as JSON
  --describe-device     description of the device, as JSON

exit code: 0 the status is ok; 1 it is another one (the JSON says which);
           2 bad command line or input; 3 the device cannot be used
)";

namespace {

constexpr int64_t kMaxSamples = 100000;
constexpr double kMaxSeconds = 1e7;

/// One option: its name, whether a value belongs to it, and what it does. The
/// action returns false where the value is malformed; `expected` says what a
/// good one is.
struct Option {
  std::string_view name;
  bool hasValue;
  std::string_view expected;
  std::function<bool(RunOptions &, const std::string &)> apply;
};

bool setCount(int &slot, const std::string &text, int64_t least) {
  auto n = parseInt(text);
  if (!n || *n < least || *n > kMaxSamples)
    return false;
  slot = static_cast<int>(*n);
  return true;
}

bool setSeconds(double &slot, const std::string &text) {
  auto s = parseDouble(text);
  if (!s || !(*s > 0 && *s <= kMaxSeconds))
    return false;
  slot = *s;
  return true;
}

const std::vector<Option> &options() {
  using O = RunOptions;
  using S = const std::string &;
  auto act = [](O::Action a) {
    return [a](O &o, S) {
      o.action = a;
      return true;
    };
  };
  static const std::vector<Option> all = {
      {"--help", false, "", act(O::Action::Help)},
      {"--list-targets", false, "", act(O::Action::ListTargets)},
      {"--describe-device", false, "", act(O::Action::DescribeDevice)},
      {"--describe-target", true, "a target id or file",
       [](O &o, S v) {
         o.action = O::Action::DescribeTarget;
         o.describe = v;
         return !v.empty();
       }},
      {"--device", true, "a device",
       [](O &o, S v) {
         o.device = v;
         return !v.empty();
       }},
      {"--check-only", false, "",
       [](O &o, S) {
         o.policy.time = false;
         return true;
       }},
      {"--time-only", false, "",
       [](O &o, S) {
         o.policy.check = false;
         o.open.simChecks = false; // a check is another run's
         return true;
       }},
      {"--allow-other-gpu", false, "",
       [](O &o, S) { return o.policy.allowOtherGpu = true; }},
      {"--warm", false, "",
       [](O &o, S) {
         o.policy.coldCache = false;
         return true;
       }},
      {"--samples", true, "a number from 1 to 100000",
       [](O &o, S v) { return setCount(o.policy.samples, v, 1); }},
      {"--warmups", true, "a number from 0 to 100000",
       [](O &o, S v) { return setCount(o.policy.warmups, v, 0); }},
      {"--budget", true, "a number of seconds above 0",
       [](O &o, S v) { return setSeconds(o.policy.budgetSeconds, v); }},
      {"--limit", true, "a number of seconds above 0",
       [](O &o, S v) { return setSeconds(o.limitSeconds, v); }},
      {"--no-sim-checks", false, "",
       [](O &o, S) {
         o.open.simChecks = false;
         return true;
       }},
      {"--sim-library", true, "the path of a library",
       [](O &o, S v) {
         o.open.simLibrary = v;
         return !v.empty();
       }},
      {"--driver-config", true, "text",
       [](O &o, S v) {
         o.open.driverConfig = v;
         return !v.empty();
       }},
  };
  return all;
}

const Option *findOption(std::string_view name) {
  for (const Option &option : options())
    if (option.name == name)
      return &option;
  return nullptr;
}

Error unknownOption(std::string_view name) {
  std::vector<std::string> names;
  for (const Option &option : options())
    names.emplace_back(option.name);
  return Error{
      fmt::format("unknown option `{}`{}", name, didYouMean(name, names)), ""};
}

Status checkTogether(RunOptions &o) {
  using A = RunOptions::Action;
  if (o.action == A::DescribeDevice && o.device.empty())
    return Error{"`--describe-device` needs `--device=DEVICE`", ""};
  if (o.action != A::Run)
    return success();
  if (o.device.empty())
    return Error{"option `--device=DEVICE` must be given", ""};
  if (o.launchFile.empty())
    return Error{"a launch description must be given", ""};
  if (!o.policy.check && !o.policy.time)
    return Error{"`--check-only` and `--time-only` exclude each other", ""};
  return success();
}

} // namespace

Expected<RunOptions>
hwtune::parseRunOptions(std::span<const char *const> args) {
  RunOptions result;
  // Left to the device where not given: a simulated one needs no repeats.
  result.policy.samples = result.policy.warmups = -1;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string_view arg = args[i];
    if (!arg.starts_with("-")) {
      if (!result.launchFile.empty())
        return Error{fmt::format("`{}` and `{}`: expected one launch "
                                 "description",
                                 result.launchFile, arg),
                     ""};
      result.launchFile = arg;
      continue;
    }
    size_t equals = arg.find('=');
    std::string_view name = arg.substr(0, equals);
    const Option *option = findOption(name);
    if (!option)
      return unknownOption(name);
    std::string value;
    if (equals != arg.npos)
      value = arg.substr(equals + 1);
    else if (option->hasValue && i + 1 < args.size())
      value = args[++i];
    if (!option->hasValue && equals != arg.npos)
      return Error{fmt::format("option `{}` takes no value", name), ""};
    if (!option->apply(result, value))
      return Error{fmt::format("option `{}`: `{}`, expected {}", name, value,
                               option->expected),
                   ""};
  }
  if (Status s = checkTogether(result); !s)
    return s.error();
  return result;
}
