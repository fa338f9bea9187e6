//===- Report.cpp - tables and JSON of hwtune-replay ------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Print.h"

#include "hwtune/Support/File.h"

#include "JsonValues.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <map>

namespace hwtune::replay {

namespace {

// Share of the kernels with several names whose times may differ by more than
// noise: the odd wrong measurement.
constexpr double kOddNames = 0.02;

std::string ratio(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-";
}
std::string count(double value) {
  return std::isfinite(value) ? fmt::format("{:.0f}", value) : "never";
}
std::string counts(const Quartiles &q) {
  return fmt::format("{} [{}-{}]", count(q.median), count(q.q25), count(q.q75));
}

/// The last part of a path, without packing suffixes.
std::string shortName(const std::string &name) {
  std::string s =
      name.substr(name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1);
  for (const char *suffix : {".gz", ".xz", ".json", ".log", ".csv"})
    if (s.ends_with(suffix))
      s.resize(s.size() - std::string_view(suffix).size());
  return s;
}

void printSummaries(const std::vector<Summary> &summaries) {
  size_t width = 8;
  for (const Summary &s : summaries)
    width = std::max(width, shortName(s.problem).size());
  say("\nbest/optimum, median [quartiles] after k measurements, failures "
      "included (replayed)\n");
  say("{:<{}}  {:<10}", "file", width, "strategy");
  for (size_t k : kCheckpoints)
    say("  {:<19}", fmt::format("k={}", k));
  say("\n");
  for (const Summary &s : summaries) {
    say("{:<{}}  {:<10}", shortName(s.problem), width, s.strategy);
    for (const Quartiles &q : s.after)
      say("  {:<19}", fmt::format("{} [{}-{}]", ratio(q.median), ratio(q.q25),
                                  ratio(q.q75)));
    say("\n");
  }
  say("\nmeasurements to within 5 % and 1 %, median [quartiles]; share of "
      "seeds that got there\n");
  say("{:<{}}  {:<10}  {:>5}  {:<20}  {:>5}  {:>7}  {:<20}  {:>5}  {:>8}"
      "  {:>11}\n",
      "file", width, "strategy", "seeds", "to 5 %", "share", "in 25", "to 1 %",
      "share", "failures", "ms a trial");
  for (const Summary &s : summaries)
    say("{:<{}}  {:<10}  {:>5}  {:<20}  {:>4.0f}%  {:>6.0f}%  {:<20}  "
        "{:>4.0f}%  {:>8.1f}  {:>5.1f} ({:.0f})\n",
        shortName(s.problem), width, s.strategy, s.seeds, counts(s.to5),
        s.arrived5 * 100, s.arrived5in25 * 100, counts(s.to1), s.arrived1 * 100,
        s.failures, s.meanAskMs, s.worstAskMs);
}

void printModels(const std::vector<ModelOnly> &models, const char *title) {
  if (models.empty())
    return;
  size_t width = 8;
  for (const ModelOnly &m : models)
    width = std::max(width, shortName(m.problem).size());
  say("\n{}\n{:<{}}  {:>10}  {:>6}  {:>8}  {:>6}  {:>6}  {:>6}  {:>6}  "
      "{:>6}\n",
      title, "file", width, "candidates", "rank", "rank 10%", "top 1", "top 5",
      "top 10", "top 50", "first");
  for (const ModelOnly &m : models)
    say("{:<{}}  {:>10}  {:>6.3f}  {:>8.3f}  {:>6}  {:>6}  {:>6}  {:>6}  "
        "{:>6}\n",
        shortName(m.problem), width, m.candidates, m.rank, m.rankFast,
        ratio(m.top[0]), ratio(m.top[1]), ratio(m.top[2]), ratio(m.top[3]),
        m.first ? std::to_string(m.first) : "never");
  if (models.size() < 3)
    return;
  auto all = [&](auto get) {
    std::vector<double> values;
    double sum = 0;
    for (const ModelOnly &m : models) {
      values.push_back(get(m));
      sum += values.back();
    }
    std::sort(values.begin(), values.end());
    double p90 = values[size_t(0.9 * double(values.size() - 1))];
    return fmt::format("{:.3f} / {:.3f} / {:.3f}", quartiles(values).median,
                       sum / double(values.size()), p90);
  };
  say("median / mean / p90 of {} problems: rank {}; top 1 {}; top 5 {}; "
      "top 10 {}\n",
      models.size(), all([](const ModelOnly &m) { return m.rank; }),
      all([](const ModelOnly &m) { return m.top[0]; }),
      all([](const ModelOnly &m) { return m.top[1]; }),
      all([](const ModelOnly &m) { return m.top[2]; }));
}

void printTransfers(const std::vector<TransferSummary> &transfers,
                    const std::vector<size_t> &counts) {
  say("\ntransfer: best/optimum on the new GPU after n measurements there "
      "(n = 0: the pick, untried), median [quartiles] (replayed)\n");
  for (const TransferSummary &t : transfers) {
    say("{} -> {}: alpha {:.2f}{}, {} configurations known, {} hidden; "
        "moving the winner {}, measuring the top ten {}\n ",
        shortName(t.from), shortName(t.to), t.alpha,
        t.alpha == 0 ? " (nothing in common)" : "", t.shared, t.hidden,
        ratio(t.winner), ratio(t.topTen));
    for (size_t k = 0; k < counts.size(); ++k)
      say(" n={} {} [{}-{}]", counts[k], ratio(t.after[k].median),
          ratio(t.after[k].q25), ratio(t.after[k].q75));
    say("\n");
  }
}

Json toJson(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json toJson(const Quartiles &q) {
  return Json{{"q25", toJson(q.q25)},
              {"median", toJson(q.median)},
              {"q75", toJson(q.q75)}};
}

Json toJson(const std::vector<double> &values) {
  Json list = Json::array();
  for (double value : values)
    list.push_back(toJson(value));
  return list;
}

Json toJson(const Summary &s) {
  Json after = Json::object();
  for (size_t k = 0; k < kCheckpoints.size(); ++k)
    after[std::to_string(kCheckpoints[k])] = toJson(s.after[k]);
  // Ask times are left out: the same command writes the same bytes.
  return Json{{"file", s.problem},
              {"strategy", s.strategy},
              {"label", "replayed"},
              {"seeds", s.seeds},
              {"candidates", s.candidates},
              {"classes", s.classes},
              {"best_over_optimum_after", after},
              {"measurements_to_5_percent", toJson(s.to5)},
              {"measurements_to_1_percent", toJson(s.to1)},
              {"share_within_5_percent", s.arrived5},
              {"share_within_5_percent_in_25", s.arrived5in25},
              {"share_within_1_percent", s.arrived1},
              {"failures_per_run", s.failures},
              {"per_seed",
               {{"first_seed", s.firstSeed},
                {"measurements_to_5_percent", toJson(s.to5Of)},
                {"best_over_optimum_after_50", toJson(s.after50Of)}}}};
}

Json toJson(const TransferSummary &t, const std::vector<size_t> &counts) {
  Json after = Json::object();
  for (size_t k = 0; k < counts.size(); ++k)
    after[std::to_string(counts[k])] = toJson(t.after[k]);
  return Json{{"from", t.from},
              {"to", t.to},
              {"label", "replayed"},
              {"alpha", t.alpha},
              {"known", t.shared},
              {"hidden", t.hidden},
              {"winner_over_optimum", toJson(t.winner)},
              {"best_of_top_ten_over_optimum", toJson(t.topTen)},
              {"best_over_optimum_after", after}};
}

Json toJson(const ModelOnly &m) {
  Json top = Json::object();
  for (size_t k = 0; k < kTops.size(); ++k)
    top[std::to_string(kTops[k])] = toJson(m.top[k]);
  return Json{
      {"file", m.problem},
      {"label", "predicted"},
      {"candidates", m.candidates},
      {"spearman", m.rank},
      {"spearman_fastest_tenth", m.rankFast},
      {"best_of_top_over_optimum", top},
      {"first_within_5_percent", m.first ? Json(m.first) : Json(nullptr)}};
}

} // namespace

void Report::describe(const Dataset &data,
                      const std::vector<ReplayProblem> &problems) {
  std::map<std::string, size_t> reasons, mixed;
  size_t ok = 0, removed = 0, lost = 0, candidates = 0, classes = 0;
  size_t manyNamed = 0, unlike = 0;
  double most = 1;
  for (const Row &row : data.rows)
    ok += row.ok;
  for (const ReplayProblem &p : problems) {
    for (const auto &[reason, count] : p.removed) {
      reasons[reason] += count;
      removed += count;
    }
    for (const auto &[column, count] : p.mixed)
      mixed[column] += count;
    lost += p.removedValid;
    candidates += p.rows.size();
    classes += p.classCount;
    manyNamed += p.manyNamed;
    unlike += p.unlikeNames;
    most = std::max(most, p.mostUnlike);
  }
  std::string line = fmt::format(
      "{}: {}, {} rows, {} ran; {} problem{} with {} candidates, {} different "
      "kernels; {} ruled out",
      shortName(data.file), data.format, data.rows.size(), ok, problems.size(),
      problems.size() == 1 ? "" : "s", candidates, classes, removed);
  for (const char *sep = ": "; const auto &[reason, count] : reasons) {
    line += fmt::format("{}{} {}", sep, count, reason);
    sep = ", ";
  }
  if (lost)
    line += fmt::format(" (warning: {} of them ran)", lost);
  if (!problems.front().target.id.empty())
    line += fmt::format("; model's target {}", problems.front().target.id);
  about.push_back(std::move(line));
  for (const auto &[column, count] : mixed)
    about.push_back(fmt::format(
        "note: {} candidates are the median of rows that differ in `{}`, which "
        "is no parameter and not in `group_by`",
        count, column));
  if (double(unlike) > kOddNames * double(manyNamed))
    about.push_back(fmt::format(
        "warning: of {} kernels with several names {} took times that differ "
        "by more than {:.0f} %, up to {:.2f}: a wrong `inert_if` hides the "
        "faster name",
        manyNamed, unlike, (kNoise - 1) * 100, most));
}

Status Report::print(const Options &options) const {
  if (options.json != "-") {
    for (const std::string &line : about)
      say("{}\n", line);
    if (!summaries.empty())
      printSummaries(summaries);
    if (!transfers.empty())
      printTransfers(transfers, transferCounts);
    printModels(models,
                "model alone, no measurement; best of its top k over "
                "the optimum, place of the first within 5 % (predicted)");
    printModels(scores, "par * fit alone (the coarse score)");
  }
  if (options.json.empty())
    return success();
  Json json = {{"schema", 1},
               {"files", about},
               {"searches", Json::array()},
               {"model", Json::array()},
               {"par_fit", Json::array()},
               {"transfers", Json::array()}};
  for (const TransferSummary &t : transfers)
    json["transfers"].push_back(toJson(t, transferCounts));
  for (const Summary &s : summaries)
    json["searches"].push_back(toJson(s));
  for (const ModelOnly &m : models)
    json["model"].push_back(toJson(m));
  for (const ModelOnly &m : scores)
    json["par_fit"].push_back(toJson(m));
  if (options.json == "-") {
    say("{}\n", json.dump(2));
    return success();
  }
  return writeFileAtomically(options.json, json.dump(2) + "\n");
}

} // namespace hwtune::replay
