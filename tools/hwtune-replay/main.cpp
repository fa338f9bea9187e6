//===- main.cpp - hwtune-replay ----------------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Print.h"
#include "ReadWorkloads.h"
#include "Report.h"

#include <cstdio>
#include <fmt/format.h>

using namespace hwtune;
using namespace hwtune::replay;

namespace {

int fail(const Error &error) {
  fmt::print(stderr, "hwtune-replay: error: {}\n", error.str());
  return 1;
}

/// Transfers between problems of one name; files with groups pair by group.
Status runTransfer(std::vector<ReplayProblem> &from,
                   std::vector<ReplayProblem> &to, const Options &options,
                   Report &report) {
  bool any = false;
  for (ReplayProblem &target : to)
    for (ReplayProblem &source : from) {
      if (source.name != target.name)
        continue;
      any = true;
      Expected<TransferSummary> summary =
          transfer(source, target, options.replay, options.transfer);
      if (!summary)
        return summary.error();
      report.transfers.push_back(std::move(*summary));
    }
  report.transferCounts = options.transfer.counts;
  if (!any)
    return Error{fmt::format("no group of it is in {} too: nothing to transfer",
                             options.transferFrom),
                 to.front().search.name};
  return success();
}

/// Everything asked for, of one problem.
Status runProblem(ReplayProblem &problem, const Mapping &mapping,
                  const Options &options, Report &report) {
  if (options.modelOnly) {
    if (options.list)
      say("{}:\n{}", problem.search.name,
          listFavourites(problem, mapping, options.replay, options.list));
    report.models.push_back(modelOnly(problem, options.replay));
    report.scores.push_back(parFitOnly(problem));
    return success();
  }
  for (const std::string &strategy : options.strategies) {
    Expected<Summary> summary = replaySeeds(problem, strategy, options.replay);
    if (!summary)
      return summary.error();
    report.summaries.push_back(std::move(*summary));
  }
  return success();
}

} // namespace

int main(int argc, char **argv) {
  Expected<Options> options = parseOptions(argc, argv);
  if (!options)
    return fail(options.error());
  if (options->help) {
    say("{}", helpText());
    return 0;
  }
  Expected<Mapping> mapping = readMapping(options->mapping, readWorkloads);
  if (!mapping)
    return fail(mapping.error());
  if (!options->transferFrom.empty() && !mapping->hasModel())
    return fail(
        {"--transfer-from needs a mapping with `features` or `workload`",
         mapping->file});
  if (options->modelOnly && !mapping->hasModel())
    return fail({"--model-only needs a mapping with `features` or `workload`",
                 mapping->file});
  Report report;
  std::vector<ReplayProblem> sources;
  auto texts = std::make_shared<Texts>();
  if (!options->transferFrom.empty()) {
    Expected<Dataset> data =
        readDataset(options->transferFrom, options->format, texts);
    if (!data)
      return fail(data.error());
    // --target names the new GPU, not this one.
    ProblemOptions sourceOptions = options->problem;
    sourceOptions.target.clear();
    Expected<std::vector<ReplayProblem>> problems =
        makeProblems(*data, *mapping, sourceOptions);
    if (!problems)
      return fail(problems.error());
    report.describe(*data, *problems);
    sources = std::move(*problems);
  }
  for (const std::string &file : options->files) {
    Expected<Dataset> data = readDataset(file, options->format, texts);
    if (!data)
      return fail(data.error());
    Expected<std::vector<ReplayProblem>> problems =
        makeProblems(*data, *mapping, options->problem);
    if (!problems)
      return fail(problems.error());
    report.describe(*data, *problems);
    if (!sources.empty()) {
      Status status = runTransfer(sources, *problems, *options, report);
      if (!status)
        return fail(status.error());
      continue;
    }
    for (ReplayProblem &problem : *problems)
      if (Status status = runProblem(problem, *mapping, *options, report);
          !status)
        return fail(status.error());
  }
  if (Status status = report.print(*options); !status)
    return fail(status.error());
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail({"cannot write 'standard output'", ""});
  return 0;
}
