//===- Samples.h - records for the tests ---------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_RECORDS_SAMPLES_H
#define HWTUNE_TEST_UNIT_RECORDS_SAMPLES_H

#include "hwtune/Records/Database.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace hwtune {

inline RecordKey sampleKey() {
  return {"0123abcd", "a100-sxm4-80gb", "sm_80", "llvm 22.1.8", "cold"};
}

/// A finished run that counts as a hit for most rules.
inline RunRecord sampleRun() {
  RunRecord run;
  run.key = sampleKey();
  run.opName = "linalg.matmul";
  run.opKind = "contraction";
  run.shapes = "1024x1024x1024";
  run.seed = 7;
  run.strategy = "model";
  run.objective = "latency";
  run.budgetTrials = 48;
  run.started = 1000;
  run.finished = 1010;
  run.seen = 100, run.legal = 60;
  run.rejected = {{"shared-memory", 40}};
  run.trials = 48;
  run.verified = true;
  run.label = Label::Simulated;
  run.genericNs = 2e6, run.tunedNs = 1e6;
  run.schedule = "matmul";
  run.config = {{"block_m", 128}, {"alpha", 4}};
  return run;
}

inline TrialRecord sampleTrial(int64_t index) {
  TrialRecord trial;
  trial.index = index;
  trial.schedule = "matmul";
  // Not in alphabetical order: the order must survive.
  trial.config = {{"block_m", 64 + index}, {"alpha", 4}};
  trial.label = Label::Simulated;
  trial.timesNs = {100.5, 101, 102.25};
  trial.medianNs = 101;
  trial.registers = 128;
  trial.maxRel = 1e-6;
  trial.checkedElements = 1024;
  trial.unixTime = 1001.5;
  return trial;
}

/// A folder of its own, removed afterwards.
class FolderTest : public testing::Test {
protected:
  FolderTest() {
    std::string pattern = testing::TempDir() + "/hwtune-records-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<Database> create(const std::string &name = "records.db") {
    Expected<std::unique_ptr<Database>> db =
        Database::open(folder + "/" + name);
    EXPECT_TRUE(bool(db)) << (db ? "" : db.error().str());
    return db ? std::move(*db) : nullptr;
  }
  std::string openError(const std::string &path,
                        Database::Mode mode = Database::Mode::Create) {
    Expected<std::unique_ptr<Database>> db = Database::open(path, mode);
    return db ? "opened" : db.error().str();
  }

  std::string folder;
};

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_RECORDS_SAMPLES_H
