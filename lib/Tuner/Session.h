//===- Session.h - the state of one run ----------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TUNER_SESSION_H
#define HWTUNE_LIB_TUNER_SESSION_H

#include "hwtune/Tuner/Tuner.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hwtune {

/// What a trial record says of the objective, so that a resumed trial counts
/// as it did when it ran.
Measured measuredOf(const TrialRecord &trial);
/// Cold time for the latency objective, else back to back.
double reportedSeconds(Objective objective, const TrialRecord &trial);
/// Half the spread of the samples over their median; 0 for a single one.
double relativeNoise(const TrialRecord &trial);
/// Fills in what was measured; a time that is no time makes it Noisy.
void fillMeasurement(TrialRecord &trial, const Measurement &measurement);
void fillArtifact(TrialRecord &trial, const Artifact &artifact);

/// Running ratio of measured to predicted time, and what a trial says of it.
class LessonBook {
public:
  std::string learn(const TrialRecord &trial, double seconds);

private:
  double logRatios = 0;
  size_t count = 0;
  std::optional<double> best;
};

class Session {
public:
  Session(const TuneTask &task, const TuneCallbacks &callbacks,
          const TuneOptions &options);
  Expected<TuneResult> run();

private:
  /// One candidate whose outcome is known, and its objective where it is ok.
  struct Entry {
    std::optional<size_t> candidate; ///< none: the default
    TrialRecord trial;
    double value = 0;
    bool usable = false; ///< ok and not found wrong since
  };

  // Steps, in order (Session.cpp).
  Status check() const;
  Status openRun();
  Status measureGeneric();
  Status search();
  // Search (Session.cpp).
  /// Trials for `candidates`, told to the strategy in this order.
  Status measureBatch(const std::vector<size_t> &candidates);
  Status takeTrial(size_t candidate, TrialRecord trial);
  struct Outcome {
    TrialRecord trial;
    std::string fatal; ///< nothing further can be measured: why
  };
  Outcome measureOne(const Config &config, const Artifact &artifact,
                     TrialRole role) const;
  TrialRecord newTrial(const Config &config, TrialRole role) const;
  std::optional<TrialRecord> knownTrial(size_t candidate) const;
  Status store(TrialRecord &trial);
  void countFailure(const TrialRecord &trial);
  /// Waits, giving up when cancelled.
  Artifact await(std::future<Artifact> &pending) const;
  /// Compiles again where it was not in this run.
  const Artifact &artifactOf(const Config &config);
  std::optional<std::string> equalFailures() const;
  // Decision (Decide.cpp).
  Status decide();
  std::vector<size_t> ranked() const;
  double noiseOf(const Entry &best) const;
  /// Whether the entry is right on the very PTX; marks it where it is not.
  Expected<bool> verify(size_t entry);
  /// Winner and default once more; whether the winner stays better.
  Expected<bool> compareAgain(size_t entry);
  Expected<std::optional<TunePoint>> remeasure(const Entry &entry);
  Status choose(size_t entry);
  void dropGeneric();
  Status keepGeneric(const std::string &why);
  // Result (Decide.cpp).
  TunePoint point(const Entry &entry) const;
  void fillRun();
  std::vector<size_t> paretoFrontOf() const;
  Status verifyFront();
  std::string describeFailures() const;

  TuneProgress progress() const;
  void warn(const std::string &text);
  void announce(const std::string &what, const Config &config) const;
  bool cancelled() const { return options.cancel.cancelled(); }
  double elapsed() const { return clock() - startTime; }
  const Config &configOf(const Entry &entry) const;
  double predictedOf(const Entry &entry) const;
  Expected<double> valueOf(const TrialRecord &trial) const;

  const TuneTask &task;
  const TuneCallbacks &callbacks;
  const TuneOptions &options;
  std::function<double()> clock, now;
  double startTime = 0;

  StopRule stop;
  LessonBook lessons;
  TuneResult result;
  std::optional<int64_t> runId;
  std::map<std::string, TrialRecord> past; ///< candidates, by identity
  std::map<Config, Artifact> artifacts;
  std::vector<Entry> entries; ///< the default first
  std::set<size_t> tried;
  double limitSeconds = 0;
  size_t equalRun = 0; ///< failures in a row with one text
  std::string lastFailure, firstOfRun;
  bool anyCandidateRan = false; ///< that is not the default
  std::optional<std::string> fatal;
  bool exhausted = false;
};

} // namespace hwtune

#endif // HWTUNE_LIB_TUNER_SESSION_H
