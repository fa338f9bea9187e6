//===- Options.cpp - command line of hwtune-replay --------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "hwtune/Search/Strategy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune::replay {

namespace {

/// What a command does; an option counts in some of them only.
enum Mode : unsigned { kSearch = 1, kModelOnly = 2, kTransfer = 4, kAny = 7 };

struct Option {
  std::string_view name, value, help; ///< value "" = a flag
  unsigned modes = kAny;
};
constexpr Option kOptions[] = {
    {"mapping", "FILE", "what the parameters mean (docs/search.md); required"},
    {"strategy", "A,B", "strategies, or `all` (default auto)", kSearch},
    {"seeds", "N", "runs of each strategy (default 10)", kSearch | kTransfer},
    {"first-seed", "N", "seed of the first run (default 0)"},
    {"budget", "N", "measurements a run, failures included (default 220)",
     kSearch},
    {"target", "ID", "GPU the model assumes (default: the mapping's)"},
    {"format", "F", "kernel-tuner, ktt, t4, auto-scheduler, records, csv"},
    {"ensemble", "M", "vectors of model constants (96; --model-only: 48)"},
    {"constants", "N=V,..", "constants of the model, in place of the reasoned",
     kSearch | kModelOnly},
    {"black-box", "", "no hardware model", kSearch},
    {"all-names", "", "do not merge configurations that are one kernel"},
    {"wrong-constants", "F", "every constant off by x/÷ F, drawn per seed",
     kSearch | kModelOnly},
    {"wrong-branch", "F", "predict the optimum's branch F times too slow",
     kSearch | kModelOnly},
    {"model-only", "", "rank by the model, measure nothing", kModelOnly},
    {"list", "N", "with --model-only: the model's N favourites, with terms",
     kModelOnly},
    {"curve", "", "plain random and plain annealing beside auto", kSearch},
    {"transfer-from", "FILE", "start from the times of another GPU", kTransfer},
    {"n", "A,B", "with it: measurements on the new GPU (default 0,5,10,20)",
     kTransfer},
    {"alpha", "A", "with it: weight of the predicted difference, 0..1",
     kTransfer},
    {"hide-best", "S", "with it: hide this share of the source's fastest",
     kTransfer},
    {"random-choice", "", "bayes, auto: random in place of improvement",
     kSearch},
    {"list-alone", "", "model: its list, no draws beside it", kSearch},
    {"trace", "", "print every trial: time over the optimum, parameters",
     kSearch},
    {"json", "FILE", "write the figures there as well (- = stdout, no table)"},
    {"help", "", "this text"},
};

/// Pairs that contradict each other.
constexpr std::pair<std::string_view, std::string_view> kApart[] = {
    {"curve", "strategy"},
    {"black-box", "target"},
    {"black-box", "ensemble"},
    {"black-box", "constants"},
    {"black-box", "wrong-constants"},
    {"black-box", "wrong-branch"}};

using Names = std::vector<std::string_view>;

bool has(const Names &given, std::string_view name) {
  return std::find(given.begin(), given.end(), name) != given.end();
}

/// An option that would have no effect beside the others.
Status checkTogether(const Names &given, const Options &options) {
  bool transfers = has(given, "transfer-from");
  unsigned mode = transfers                  ? kTransfer
                  : has(given, "model-only") ? kModelOnly
                                             : kSearch;
  for (const Option &option : kOptions) {
    if (!has(given, option.name) || option.modes & mode)
      continue;
    if (mode != kSearch)
      return Error{fmt::format("--{} has no effect with --{}", option.name,
                               transfers ? "transfer-from" : "model-only"),
                   ""};
    return Error{fmt::format("--{} needs --{}", option.name,
                             option.modes == kTransfer ? "transfer-from=FILE"
                                                       : "model-only"),
                 ""};
  }
  for (auto [a, b] : kApart)
    if (has(given, a) && has(given, b))
      return Error{fmt::format("--{} and --{} exclude each other", a, b), ""};
  for (std::string_view printer : {"list", "trace"})
    if (options.json == "-" && has(given, printer))
      return Error{
          fmt::format("--{} prints text, --json=- JSON: one of them", printer),
          ""};
  return success();
}

template <typename T>
Status parseNumber(std::string_view name, std::string_view text, T least,
                   T most, T &out) {
  T value{};
  auto [end, ec] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() ||
      !(value >= least && value <= most))
    return Error{fmt::format("--{}={} is not a number from {} to {}", name,
                             text, least, most),
                 ""};
  out = value;
  return success();
}

Status setStrategies(std::string_view text, Options &o) {
  auto known = strategyNames();
  if (text == "all") {
    o.strategies.assign(known.begin(), known.end());
    return success();
  }
  o.strategies.clear();
  for (size_t start = 0; start <= text.size();) {
    size_t comma = std::min(text.find(',', start), text.size());
    std::string name(text.substr(start, comma - start));
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{fmt::format("unknown strategy `{}`, expected one of {} or "
                               "all",
                               name, fmt::join(known, ", ")),
                   ""};
    if (std::find(o.strategies.begin(), o.strategies.end(), name) !=
        o.strategies.end())
      return Error{fmt::format("--strategy names `{}` twice", name), ""};
    o.strategies.push_back(std::move(name));
    start = comma + 1;
  }
  return success();
}

Status setCounts(std::string_view text, Options &o) {
  o.transfer.counts.clear();
  for (size_t start = 0; start <= text.size();) {
    size_t comma = std::min(text.find(',', start), text.size());
    size_t count = 0;
    if (Status status = parseNumber<size_t>(
            "n", text.substr(start, comma - start), 0, 100000, count);
        !status)
      return status;
    o.transfer.counts.push_back(count);
    start = comma + 1;
  }
  return success();
}

Status setConstants(std::string_view text, Constants &constants) {
  for (size_t start = 0; start <= text.size();) {
    size_t comma = std::min(text.find(',', start), text.size());
    std::string_view one = text.substr(start, comma - start);
    size_t equal = std::min(one.find('='), one.size());
    auto table = constantTable();
    auto info =
        std::find_if(table.begin(), table.end(), [&](const ConstantInfo &x) {
          return x.name == one.substr(0, equal);
        });
    if (info == table.end() || equal == one.size())
      return Error{fmt::format("--constants: `{}` is no constant's NAME=VALUE "
                               "(names: Model/Constants.cpp)",
                               one),
                   ""};
    if (Status status = parseNumber<double>("constants", one.substr(equal + 1),
                                            1e-9, 1e9, constants[info->id]);
        !status)
      return status;
    start = comma + 1;
  }
  return success();
}

Status apply(Options &o, std::string_view name, std::string_view value) {
  ReplayOptions &r = o.replay;
  if (name == "mapping")
    o.mapping = value;
  else if (name == "strategy")
    return setStrategies(value, o);
  else if (name == "seeds")
    return parseNumber<size_t>(name, value, 1, 100000, r.seeds);
  else if (name == "first-seed")
    return parseNumber<uint64_t>(name, value, 0, UINT64_MAX, r.firstSeed);
  else if (name == "budget")
    return parseNumber<size_t>(name, value, 1, 10000000, r.budget);
  else if (name == "target" && value.empty())
    return Error{"--target needs an id or a file", ""};
  else if (name == "target")
    o.problem.target = value;
  else if (name == "format")
    o.format = value;
  else if (name == "ensemble")
    return parseNumber<unsigned>(name, value, 1, 1024, r.ensemble);
  else if (name == "constants")
    return setConstants(value, r.center);
  else if (name == "black-box")
    r.blackBox = true;
  else if (name == "all-names")
    o.problem.mergeClasses = false;
  else if (name == "wrong-constants")
    return parseNumber<double>(name, value, 1, 100, r.wrongConstants);
  else if (name == "wrong-branch")
    return parseNumber<double>(name, value, 1, 100, r.wrongBranch);
  else if (name == "model-only")
    o.modelOnly = true;
  else if (name == "list")
    return parseNumber<size_t>(name, value, 1, 100000, o.list);
  else if (name == "curve")
    o.strategies = {"random", "annealing", "auto"};
  else if (name == "transfer-from")
    o.transferFrom = value;
  else if (name == "n")
    return setCounts(value, o);
  else if (name == "alpha")
    return parseNumber<double>(name, value, 0, 1, o.transfer.alpha);
  else if (name == "hide-best")
    return parseNumber<double>(name, value, 0, 0.9, o.transfer.hideBest);
  else if (name == "random-choice")
    r.randomChoice = true;
  else if (name == "list-alone")
    r.listAlone = true;
  else if (name == "trace")
    r.trace = true;
  else if (name == "json" && value.empty())
    return Error{"--json needs a file, or - for the standard output", ""};
  else if (name == "json")
    o.json = value;
  else if (name == "help")
    o.help = true;
  return success();
}

} // namespace

Expected<Options> parseOptions(int argc, char **argv) {
  Options o;
  Names given;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!argument.starts_with("--")) {
      o.files.emplace_back(argument);
      continue;
    }
    argument.remove_prefix(2);
    size_t equal = argument.find('=');
    std::string_view name = argument.substr(0, equal);
    auto option = std::find_if(std::begin(kOptions), std::end(kOptions),
                               [&](const Option &x) { return x.name == name; });
    if (option == std::end(kOptions))
      return Error{
          fmt::format("unknown option `--{}`; --help lists them", name), ""};
    bool hasValue = equal != argument.npos;
    if (hasValue == option->value.empty())
      return Error{hasValue ? fmt::format("--{} takes no value", name)
                            : fmt::format("--{} needs a value: --{}={}", name,
                                          name, option->value),
                   ""};
    given.push_back(name);
    Status status = apply(o, name, hasValue ? argument.substr(equal + 1) : "");
    if (!status)
      return status.error();
  }
  if (o.help)
    return o;
  if (o.files.empty())
    return Error{"no data file given; --help shows the usage", ""};
  if (Status status = checkTogether(given, o); !status)
    return status.error();
  if (o.mapping.empty())
    return Error{"no --mapping=FILE given", ""};
  if (o.replay.blackBox && o.strategies.size() == strategyNames().size())
    std::erase(o.strategies, "model"); // of `all`, it alone needs a model
  if (o.modelOnly && !has(given, "ensemble"))
    o.replay.ensemble = kDefaultEnsembleSize; // as the compiler ranks
  return o;
}

std::string helpText() {
  std::string text =
      "hwtune-replay --mapping=FILE [options] DATA...\n"
      "Runs searches over times that were recorded earlier. Failing\n"
      "configurations count as measurements. Every figure is `replayed`.\n\n";
  for (const Option &o : kOptions) {
    std::string left =
        fmt::format("--{}{}{}", o.name, o.value.empty() ? "" : "=", o.value);
    text += fmt::format("  {:<20} {}\n", left, o.help);
  }
  return text;
}

} // namespace hwtune::replay
