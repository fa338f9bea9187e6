//===- ExchangeTest.cpp - export and import -------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "hwtune/Records/Exchange.h"

using namespace hwtune;

static std::vector<RunWithTrials> sampleRuns() {
  RunRecord a = sampleRun(), b = sampleRun();
  a.uid = "a", b.uid = "b";
  b.finished.reset();
  TrialRecord failed = sampleTrial(1);
  failed.status = TrialStatus::Compile;
  failed.reason = "ran out\nof \"registers\"";
  failed.timesNs.clear();
  failed.medianNs.reset();
  return {{a, {sampleTrial(0), failed}}, {b, {}}};
}

static std::string importError(const std::string &text) {
  Expected<std::vector<RunWithTrials>> runs = importJsonLines(text, "in.jsonl");
  return runs ? "accepted" : runs.error().str();
}

TEST(JsonLines, RoundTrip) {
  std::string text = exportJsonLines(sampleRuns(), "hwtune 0.1.0");
  Expected<std::vector<RunWithTrials>> runs = importJsonLines(text, "in");
  ASSERT_TRUE(bool(runs)) << runs.error().str();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].first.origin, "imported:hwtune");
  EXPECT_EQ((*runs)[0].second[0].origin, "imported:hwtune");
  std::vector<RunWithTrials> back = *runs;
  for (auto &[run, trials] : back) {
    run.origin = "own";
    for (TrialRecord &trial : trials)
      trial.origin = "own";
  }
  EXPECT_EQ(exportJsonLines(back, "hwtune 0.1.0"), text);
  // Blank lines and a missing last line break do not matter.
  EXPECT_EQ(importError("\n" + text.substr(0, text.size() - 1)), "accepted");
}

TEST(JsonLines, Errors) {
  std::string good = exportJsonLines(sampleRuns(), "x");
  std::string header = good.substr(0, good.find('\n') + 1);
  EXPECT_EQ(importError(""),
            "in.jsonl: the file is empty, expected a header and records");
  EXPECT_EQ(importError("{\"record\":\"run\"}\n"),
            "in.jsonl:1: no header of a 'hwtune-records' export in the first "
            "line");
  EXPECT_EQ(importError("{\"record\":\"header\",\"format\":\"hwtune-records\","
                        "\"schema\":2}"),
            "in.jsonl:1: header: schema 2, this program reads 1: export again "
            "with a program of the same version");
  EXPECT_EQ(importError(header + "{\"record\":\"tria\"}"),
            "in.jsonl:2: field `record` is 'tria', expected run or trial");
  EXPECT_EQ(importError(header + "{x")
                .rfind("in.jsonl:2: record is no valid JSON", 0),
            0u);
  EXPECT_EQ(importError(header + "{\"record\":\"run\"}"),
            "in.jsonl:2: run: field `uid` is missing");
  std::string trial = good.substr(good.find("{\"record\":\"trial\""));
  trial = trial.substr(0, trial.find('\n') + 1);
  EXPECT_EQ(importError(header + trial),
            "in.jsonl:2: trial of run 'a', which does not stand before it");
  EXPECT_EQ(importError(good + trial),
            "in.jsonl:6: a second trial 0 of run 'a'");
  EXPECT_EQ(importError(header + "[1]"),
            "in.jsonl:2: field `record` is '', expected run or trial");
}

namespace {
class ImportTest : public FolderTest {};
} // namespace

TEST_F(ImportTest, IntoADatabase) {
  std::unique_ptr<Database> db = create();
  std::string text = exportJsonLines(sampleRuns(), "x");
  std::vector<RunWithTrials> runs = *importJsonLines(text, "in");
  Expected<Database::ImportCounts> counts = db->insert(runs);
  ASSERT_TRUE(bool(counts)) << counts.error().str();
  EXPECT_EQ(counts->runs, 2);
  EXPECT_EQ(counts->trials, 2);
  // Again: nothing new, no conflict.
  counts = db->insert(runs);
  EXPECT_EQ(counts->runs, 0);
  EXPECT_EQ(counts->known, 2);
  EXPECT_TRUE(counts->conflicts.empty());
  // The same uid with other contents: what is here stays.
  runs[0].second[0].medianNs = 5;
  counts = db->insert(runs);
  EXPECT_EQ(counts->conflicts, std::vector<std::string>{"a"});
  EXPECT_EQ(db->trials(1)->at(0).medianNs, 101);
  // What was imported is found like what was tuned here.
  EXPECT_EQ(db->lookup(sampleKey(), {Label::Simulated, 48, 0})->match,
            Lookup::Match::SameGpu);
}

TEST_F(ImportTest, AllOrNothing) {
  std::unique_ptr<Database> db = create();
  std::vector<RunWithTrials> runs = sampleRuns();
  runs[1].second = {sampleTrial(0), sampleTrial(0)}; // equal indices
  EXPECT_FALSE(db->insert(runs));
  EXPECT_TRUE(db->runs()->empty());
}

TEST(KernelTuner, Export) {
  Json json = Json::parse(exportKernelTuner(sampleRuns()[0]));
  EXPECT_EQ(json["device_name"], "a100-sxm4-80gb");
  EXPECT_EQ(json["tune_params_keys"], Json::parse("[\"block_m\", \"alpha\"]"));
  EXPECT_EQ(json["tune_params"]["block_m"], Json::parse("[64, 65]"));
  const Json &one = json["cache"]["64,4"];
  EXPECT_DOUBLE_EQ(one["time"], 101e-6); // milliseconds
  EXPECT_DOUBLE_EQ(one["times"][2], 102.25e-6);
  EXPECT_EQ(one["timestamp"], "1970-01-01 00:16:41+00:00");
  EXPECT_EQ(json["cache"]["65,4"]["time"], "CompilationFailedConfig");
  EXPECT_TRUE(exportKernelTuner({sampleRun(), {}}).size() > 10);
}

TEST(T4, Export) {
  Json json = Json::parse(exportT4(sampleRuns()[0]));
  EXPECT_EQ(json["schema_version"], "1.0.0");
  ASSERT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][0]["configuration"]["block_m"], 64);
  EXPECT_EQ(json["results"][0]["invalidity"], "correct");
  EXPECT_DOUBLE_EQ(json["results"][0]["measurements"][0]["value"], 101e-6);
  EXPECT_EQ(json["results"][1]["invalidity"], "compile");
  EXPECT_EQ(json["results"][1]["measurements"][0]["value"],
            "CompilationFailedConfig");
  EXPECT_FALSE(json["results"][1]["times"].contains("runtimes"));
}
