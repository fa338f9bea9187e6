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

static std::string kernelTunerError(const std::string &text) {
  Expected<RunWithTrials> run = importKernelTuner(text, "k.json");
  return run ? "accepted" : run.error().str();
}

TEST(KernelTuner, ImportsWhatIsExported) {
  RunWithTrials original = sampleRuns()[0];
  Expected<RunWithTrials> run =
      importKernelTuner(exportKernelTuner(original), "k.json");
  ASSERT_TRUE(bool(run)) << run.error().str();
  EXPECT_EQ(run->first.key.gpu, "a100-sxm4-80gb");
  EXPECT_EQ(run->first.origin, "imported:kernel-tuner");
  ASSERT_EQ(run->second.size(), 2u);
  EXPECT_NEAR(*run->second[0].medianNs, 101, 1e-9);
  EXPECT_EQ(run->second[0].timesNs.size(), 3u);
  EXPECT_EQ(configText(run->second[0].config), "{block_m = 64, alpha = 4}");
  EXPECT_EQ(run->second[1].status, TrialStatus::Compile);
  EXPECT_NEAR(*run->first.tunedNs, 101, 1e-9);
  // Their operation is never one of ours.
  EXPECT_FALSE(run->first.finished);
}

// A time keeps what took it, also through another tuner's format.
TEST(Exchange, LabelsSurvive) {
  RunWithTrials original = sampleRuns()[0];
  for (TrialRecord &trial : original.second)
    trial.label = Label::Simulated;
  Expected<RunWithTrials> cache =
      importKernelTuner(exportKernelTuner(original), "k.json");
  Expected<RunWithTrials> t4 = importT4(exportT4(original), "t.json", "gpu-1");
  for (const Expected<RunWithTrials> &run : {cache, t4}) {
    ASSERT_TRUE(bool(run)) << run.error().str();
    EXPECT_EQ(run->first.label, Label::Simulated);
    EXPECT_EQ(run->second[0].label, Label::Simulated);
  }
}

// The tool leaves its file open, so that the next run can append.
TEST(KernelTuner, ImportsAnOpenCache) {
  std::string open = R"({"device_name": "GPU", "kernel_name": "k",
    "problem_size": [4, 8], "tune_params_keys": ["x", "mode"],
    "tune_params": {"x": [1, 2], "mode": ["a"]}, "objective": "time",
    "cache": {
    "1,a": {"x": 1, "mode": "a", "time": 7.5, "times": [7.0, 8.0],
            "compile_time": 169.4},
    "2,a": {"x": 2, "mode": "a", "time": "InvalidConfig"},
)";
  Expected<RunWithTrials> run = importKernelTuner(open, "k.json");
  ASSERT_TRUE(bool(run)) << run.error().str();
  ASSERT_EQ(run->second.size(), 2u);
  EXPECT_EQ(run->second[0].medianNs, 7.5e6);
  EXPECT_EQ(run->second[0].compileMs, 169.4);
  EXPECT_EQ(configText(run->second[0].config), "{x = 1, mode = a}");
  EXPECT_EQ(run->second[1].status, TrialStatus::Constraint);
  EXPECT_EQ(run->first.key.op, "kernel-tuner:k:[4,8]");
}

TEST(KernelTuner, ImportErrors) {
  EXPECT_EQ(kernelTunerError("{\"cache\": {}}"),
            "k.json: no Kernel Tuner cache: `cache` and `tune_params_keys` are "
            "expected");
  std::string head = "{\"tune_params_keys\": [\"x\"], \"cache\": {\"1\": ";
  EXPECT_EQ(kernelTunerError(head + "{\"time\": 1}}}"),
            "k.json: entry '1': it has no value for 'x'");
  EXPECT_EQ(kernelTunerError(head + "{\"x\": 1, \"time\": -1}}}"),
            "k.json: entry '1': its time is no number above 0");
  EXPECT_EQ(kernelTunerError(head + "{\"x\": 1, \"time\": \"soon\"}}}"),
            "k.json: entry '1': its time is 'soon'");
  EXPECT_EQ(kernelTunerError(head + "{\"x\": 1}}}"),
            "k.json: entry '1': it has no time");
}

TEST(T4, ImportsWhatIsExported) {
  Expected<RunWithTrials> run =
      importT4(exportT4(sampleRuns()[0]), "t.json", "gpu-1");
  ASSERT_TRUE(bool(run)) << run.error().str();
  EXPECT_EQ(run->first.key.gpu, "gpu-1");
  ASSERT_EQ(run->second.size(), 2u);
  EXPECT_NEAR(*run->second[0].medianNs, 101, 1e-9);
  EXPECT_EQ(run->second[0].timesNs.size(), 3u);
  EXPECT_EQ(run->second[1].status, TrialStatus::Compile);
  EXPECT_EQ(importT4("{}", "t.json", "").error().str(),
            "t.json: no T4 results: an array `results` is expected");
  EXPECT_EQ(importT4("{\"results\": [{\"configuration\": {}, "
                     "\"invalidity\": \"correct\"}]}",
                     "t.json", "")
                .error()
                .str(),
            "t.json: entry '0': it is correct, but has no time above 0");
}

TEST(T4, TheUnitIsTheTimesElseTheFiles) {
  std::string head = R"({"results": [{"configuration": {"x": 1},
    "invalidity": "correct", "measurements": [{"name": "time", "value": 2,
    "unit": ")";
  auto median = [&](const std::string &unit, const std::string &fileUnit) {
    Expected<RunWithTrials> run =
        importT4(head + unit + R"("}]}], "metadata": {"timeunit": ")" +
                     fileUnit + "\"}}",
                 "t.json", "");
    EXPECT_TRUE(bool(run)) << run.error().str();
    return run ? *run->second[0].medianNs : 0;
  };
  EXPECT_DOUBLE_EQ(median("us", "s"), 2e3);
  EXPECT_DOUBLE_EQ(median("", "s"), 2e9);
  EXPECT_DOUBLE_EQ(median("", ""), 2e6);
  EXPECT_EQ(importT4(head + R"(J"}]}]})", "t.json", "").error().str(),
            "t.json: entry '0': its time is in 'J', expected seconds, "
            "milliseconds, microseconds or nanoseconds");
}

static std::string kttError(const std::string &text) {
  Expected<RunWithTrials> run = importKtt(text, "k.json");
  return run ? "accepted" : run.error().str();
}

TEST(Ktt, Imports) {
  std::string head = R"({"Metadata": {"Device": "GPU",
    "TimeUnit": "Microseconds"}, "Results": [)";
  Expected<RunWithTrials> run = importKtt(head + R"(
    {"KernelName": "k", "Status": "Ok", "TotalDuration": 2.5, "Configuration":
     [{"Name": "x", "ValueType": "UnsignedInt", "Value": 1},
      {"Name": "mode", "ValueType": "String", "Value": "a"}]},
    {"Status": "DeviceLimitsExceeded",
     "Configuration": [{"Name": "x", "Value": 2}, {"Name": "mode", "Value": "a"}]}
    ]})",
                                          "k.json");
  ASSERT_TRUE(bool(run)) << run.error().str();
  EXPECT_EQ(run->first.key.gpu, "GPU");
  EXPECT_EQ(run->first.opName, "k");
  EXPECT_EQ(run->first.origin, "imported:ktt");
  ASSERT_EQ(run->second.size(), 2u);
  EXPECT_DOUBLE_EQ(*run->second[0].medianNs, 2500);
  EXPECT_EQ(configText(run->second[0].config), "{x = 1, mode = a}");
  EXPECT_EQ(run->second[1].status, TrialStatus::Constraint);
  EXPECT_EQ(run->second[1].reason, "DeviceLimitsExceeded");
  EXPECT_EQ(kttError("{}"), "k.json: no KTT results: `Metadata` and an array "
                            "`Results` are expected");
  EXPECT_EQ(kttError(R"({"Metadata": {"TimeUnit": "Weeks"}, "Results": []})"),
            "k.json: `TimeUnit` is 'Weeks', expected Nanoseconds, "
            "Microseconds, Milliseconds or Seconds");
  EXPECT_EQ(kttError(head + "{}]}"),
            "k.json: entry '0': it has no configuration");
  EXPECT_EQ(kttError(head + R"({"Configuration": [], "Status": "Fine"}]})"),
            "k.json: entry '0': its status is 'Fine'");
  EXPECT_EQ(kttError(head + R"({"Configuration": [], "Status": "Ok",
                                "TotalDuration": 0}]})"),
            "k.json: entry '0': its TotalDuration is no number above 0");
}
