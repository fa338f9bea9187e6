//===- Database.h - the tuning database ----------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One SQLite file in WAL mode. A trial is on disk before `append` returns, so
// that a run that is killed loses nothing. Several processes may use one file.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_RECORDS_DATABASE_H
#define HWTUNE_RECORDS_DATABASE_H

#include "hwtune/Records/HitRule.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

struct Lookup {
  enum class Match {
    None,
    SameArch, ///< same architecture, another GPU: says so, never silently
    SameGpu,
  };
  Match match = Match::None;
  RunRecord run; ///< unless None
  /// Where there is no match: key fields in which the nearest run of this op
  /// differs, or why that run does not count ("it had 16 trials, 48 asked").
  std::string nearest;
};

class Database {
public:
  enum class Mode {
    ReadOnly, ///< must exist
    Existing, ///< written, but must exist
    Create,   ///< created where missing, with its folder
  };
  static Expected<std::unique_ptr<Database>> open(const std::string &path,
                                                  Mode mode = Mode::Create);
  virtual ~Database() = default;

  virtual const std::string &path() const = 0;
  /// Number of the new run.
  virtual Expected<int64_t> beginRun(const RunRecord &run) = 0;
  /// Durable when it returns success.
  virtual Status append(int64_t run, const TrialRecord &trial) = 0;
  /// Writes what came out; a run without `finished` was interrupted.
  virtual Status finishRun(int64_t run, const RunRecord &result) = 0;

  /// The best run for `key` by `rule`, the same GPU before the same
  /// architecture; of several the one that `isBetter`.
  virtual Expected<Lookup> lookup(const RecordKey &key,
                                  const HitRule &rule) = 0;
  /// Trials of all runs, finished or not, with this key, seed and label, in
  /// order; of a configuration measured twice in one role, the first.
  virtual Expected<std::vector<TrialRecord>>
  pastTrials(const RecordKey &key, uint64_t seed, Label label) = 0;

  struct StoredRun {
    int64_t id = 0;
    RunRecord run;
    int64_t storedTrials = 0;
  };
  /// All runs, oldest first.
  virtual Expected<std::vector<StoredRun>> runs() = 0;
  virtual Expected<std::vector<TrialRecord>> trials(int64_t run) = 0;
  virtual Status remove(const std::vector<int64_t> &runs) = 0;

  struct ImportCounts {
    int64_t runs = 0, trials = 0; ///< new ones
    int64_t known = 0;            ///< runs that were there already
    /// Runs with a known uid and other contents: what is here was kept.
    std::vector<std::string> conflicts;
  };
  /// All or nothing.
  virtual Expected<ImportCounts>
  insert(const std::vector<std::pair<RunRecord, std::vector<TrialRecord>>>
             &runs) = 0;
};

/// "$XDG_CACHE_HOME/hwtune/records.db", else "$HOME/.cache/...": the values are
/// passed in, since only programs read the environment. "" where both are.
std::string defaultDatabasePath(std::string_view xdgCacheHome,
                                std::string_view home);

} // namespace hwtune

#endif // HWTUNE_RECORDS_DATABASE_H
