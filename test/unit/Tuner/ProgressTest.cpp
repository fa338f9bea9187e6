//===- ProgressTest.cpp - lines, bar, events and the table ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synthetic.h"

#include "hwtune/Support/File.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Tuner/Progress.h"

#include <cstdio>

#include <unistd.h>

using namespace hwtune;

static TuneProgress sample() {
  TuneProgress p;
  p.op = "linalg.matmul";
  p.done = 12, p.total = 48;
  p.elapsedSeconds = 65;
  p.etaSeconds = 195;
  p.bestSeconds = 1.2345e-3, p.genericSeconds = 2.469e-3;
  p.label = Label::Simulated;
  p.failures = {{TrialStatus::Compile, 2}, {TrialStatus::Wrong, 1}};
  return p;
}

TEST(Progress, Line) {
  EXPECT_EQ(progressLine(sample(), false),
            "linalg.matmul 12/48, best 1.234 ms simulated (2.00x), failed: 2 "
            "compile, 1 wrong, 1:05, ETA 3:15");
  EXPECT_EQ(progressLine(sample(), true).substr(0, 42),
            "linalg.matmul [#####---------------] 12/48");
  TuneProgress open;
  open.done = 3;
  EXPECT_EQ(progressLine(open, true), "3 trials, 0:00");
}

/// What a printer writes while a run with failures goes on.
static std::string printed(bool terminal) {
  std::FILE *file = std::tmpfile();
  Synthetic s;
  for (const Config &config : s.task.candidates)
    if (config[1] >= 16)
      s.faults[config] = TrialStatus::Compile;
  {
    std::unique_ptr<TuneObserver> printer = makeProgressPrinter(file, terminal);
    s.options.observer = printer.get();
    s.tuneOk();
  }
  std::string text(size_t(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, PlainLines) {
  std::string text = printed(false);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  size_t first = text.find("first failure of kind compile: matmul {block = ");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("first failure of kind compile", first + 1),
            std::string::npos);
  EXPECT_NE(text.find("linalg.matmul 24/24"), std::string::npos);
  EXPECT_NE(text.find("linalg.matmul: 24 trials done\n"), std::string::npos);
}

TEST(Progress, BarOnATerminal) {
  std::string text = printed(true);
  EXPECT_NE(text.find("\rlinalg.matmul [####################] 24/24"),
            std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

TEST(Progress, EventLog) {
  std::string path =
      testing::TempDir() + "/hwtune-events-" + std::to_string(::getpid());
  Synthetic s;
  {
    Expected<std::unique_ptr<TuneObserver>> log = makeEventLog(path);
    ASSERT_TRUE(bool(log));
    std::unique_ptr<TuneObserver> list = makeObserverList({log->get()});
    s.options.observer = list.get();
    s.tuneOk();
  }
  Expected<std::string> text = readFile(path);
  std::remove(path.c_str());
  std::vector<std::string> events;
  for (std::string_view line : split(trim(*text), '\n')) {
    Expected<Json> json = parseJson(line, "event", 1 << 20);
    ASSERT_TRUE(bool(json)) << json.error().str();
    events.push_back((*json)["event"]);
  }
  // The default and 24 trials, two activities, and the ends.
  ASSERT_EQ(events.size(), 29u);
  EXPECT_EQ(events.front(), "started");
  EXPECT_EQ(events[1], "activity");
  EXPECT_EQ(events[2], "trial");
  EXPECT_EQ(events.back(), "finished");
  EXPECT_EQ(makeEventLog("/nowhere/x").error().message,
            "cannot write the event log '/nowhere/x': No such file or "
            "directory");
}

TEST(ResultTable, HasAllThatIsReported) {
  Synthetic s;
  s.task.run.shapes = "64x64x64";
  s.task.counts.rejected["shared-memory"] = 9;
  s.wrong.insert({8, 4});
  s.options.stop.trials = 0;
  TuneResult result = s.tuneOk("exhaustive");
  result.tuned->trial.sharedBytes = 49152;
  result.tuned->trial.occupancy = 0.5;
  std::vector<TuneResult> results{result};
  std::string text = resultTable(results);
  std::vector<std::string_view> lines = split(text, '\n');
  EXPECT_EQ(lines[0], "op                       generic  heuristic     tuned  "
                      "label      speed-up  registers    shared  occupancy");
  EXPECT_EQ(lines[2], "linalg.matmul 64x64x64  1.611 ms   1.100 ms  1.100 ms  "
                      "simulated     1.46x         32  48.0 KiB       50 %");
  EXPECT_NE(text.find("  matmul {block = "), std::string::npos);
  EXPECT_NE(text.find("64 configurations: 64 legal, 9 rejected (9 "
                      "shared-memory)"),
            std::string::npos);
  EXPECT_NE(text.find("64 tried, failed: 1 wrong; every candidate was tried"),
            std::string::npos);
  EXPECT_NE(text.find("warning: {block = 8, vector = 4} is excluded"),
            std::string::npos);
  EXPECT_EQ(text.find("NOT VERIFIED"), std::string::npos);
  results[0].verified = false;
  results[0].speedup.reset();
  results[0].generic.reset();
  EXPECT_NE(resultTable(results).find("NOT VERIFIED"), std::string::npos);
}
