//===- Database.cpp - the tuning database ---------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tables. Columns are what is searched by; the whole record stands beside
// them as JSON, so that the export and the database cannot disagree.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/Database.h"

#include "Sqlite.h"

#include "hwtune/Records/Exchange.h"
#include "hwtune/Support/Sha256.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include <unistd.h>

namespace hwtune {

namespace {

/// "HwTn": marks the file as ours.
constexpr int64_t kApplicationId = 0x4877546e;
constexpr int kBusyMilliseconds = 10000;
/// Checking a larger file would delay every start.
constexpr uint64_t kMaxCheckedBytes = 16 << 20;
constexpr size_t kMaxRecordBytes = 64 << 20;

const char *kSchema = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  op TEXT NOT NULL,
  gpu TEXT NOT NULL,
  arch TEXT NOT NULL,
  toolchain TEXT NOT NULL,
  policy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  started REAL NOT NULL,
  finished REAL,
  label TEXT,
  tuned_ns REAL,
  data TEXT NOT NULL);
CREATE INDEX runs_by_op ON runs (op);
CREATE TABLE trials (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  idx INTEGER NOT NULL,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  label TEXT NOT NULL,
  median_ns REAL,
  data TEXT NOT NULL,
  PRIMARY KEY (run, idx)) WITHOUT ROWID;
)sql";

class SqliteDatabase final : public Database {
public:
  SqliteDatabase(std::unique_ptr<Connection> connection, std::string path)
      : connection(std::move(connection)), file(std::move(path)) {}

  const std::string &path() const override { return file; }
  Expected<int64_t> beginRun(const RunRecord &run) override;
  Status append(int64_t run, const TrialRecord &trial) override;
  Status finishRun(int64_t run, const RunRecord &result) override;
  Expected<Lookup> lookup(const RecordKey &key, const HitRule &rule) override;
  Expected<std::vector<TrialRecord>>
  pastTrials(const RecordKey &key, uint64_t seed, Label label) override;
  Expected<std::vector<StoredRun>> runs() override;
  Expected<std::vector<TrialRecord>> trials(int64_t run) override;
  Status remove(const std::vector<int64_t> &runs) override;
  Expected<ImportCounts>
  insert(const std::vector<RunWithTrials> &runs) override;

private:
  Expected<int64_t> insertRun(const RunRecord &run);
  Expected<std::string> uidOf(int64_t run);
  Expected<std::vector<RunRecord>> runsOf(const std::string &op);
  /// Trials that `statement` selects as its first column.
  Expected<std::vector<TrialRecord>> readTrials(Statement &statement);
  /// The run with this uid and its number, if there is one.
  Expected<std::optional<StoredRun>> find(const std::string &uid);

  std::unique_ptr<Connection> connection;
  std::string file;
};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Status createSchema(Connection &connection) {
  Transaction transaction(connection);
  if (Status status = transaction.begin(); !status)
    return status;
  // Another process may have been faster.
  Expected<int64_t> version = connection.integer("PRAGMA user_version", "read");
  if (!version)
    return version.error();
  if (*version != 0)
    return transaction.commit();
  if (Status status = connection.run(kSchema, "create"); !status)
    return status;
  std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                  kApplicationId, kRecordSchema);
  if (Status status = connection.run(marks.c_str(), "create"); !status)
    return status;
  return transaction.commit();
}

Status checkIntegrity(Connection &connection, const std::string &path) {
  std::error_code ignored;
  uint64_t size = std::filesystem::file_size(path, ignored);
  if (ignored || size > kMaxCheckedBytes)
    return success();
  Statement statement(connection.get(), "PRAGMA quick_check(1)");
  int code = statement.step();
  if (code != SQLITE_ROW)
    return connection.error("read", code);
  if (statement.text(0) != "ok")
    return Error{fmt::format("the database '{}' is damaged ({}): move it away "
                             "or restore a copy, nothing was changed",
                             path, statement.text(0)),
                 ""};
  return success();
}

/// Ours, of our version, or empty (then false).
Expected<bool> checkVersion(Connection &connection, const std::string &path) {
  Expected<int64_t> version = connection.integer("PRAGMA user_version", "read");
  if (!version)
    return version.error();
  Expected<int64_t> id = connection.integer("PRAGMA application_id", "read");
  if (!id)
    return id.error();
  Expected<int64_t> tables =
      connection.integer("SELECT count(*) FROM sqlite_master", "read");
  if (!tables)
    return tables.error();
  if (*tables == 0 && *version == 0 && *id == 0)
    return false;
  if (*id != kApplicationId)
    return Error{fmt::format("'{}' is an SQLite database of another program: "
                             "choose another path, nothing was changed",
                             path),
                 ""};
  if (*version != kRecordSchema)
    return Error{
        fmt::format("the database '{}' has schema {}, this program reads and "
                    "writes {}: export it with the program that wrote it, or "
                    "choose another path",
                    path, *version, kRecordSchema),
        ""};
  return true;
}

Expected<std::unique_ptr<Connection>>
connect(const std::string &path, const std::string &name, int flags) {
  sqlite3 *db = nullptr;
  int code = sqlite3_open_v2(name.c_str(), &db, flags, nullptr);
  auto connection = std::make_unique<Connection>(db, path);
  if (code != SQLITE_OK)
    return connection->error("open", code);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  return connection;
}

Expected<std::unique_ptr<Connection>> openReadOnly(const std::string &path) {
  Expected<std::unique_ptr<Connection>> connection =
      connect(path, path, SQLITE_OPEN_READONLY);
  if (!connection)
    return connection;
  // A file in a folder that cannot be written has no room for SQLite's own
  // shared memory; nobody can be writing it then, so it may be read without.
  Expected<int64_t> probe =
      (*connection)->integer("SELECT count(*) FROM sqlite_master", "read");
  std::error_code ignored;
  if (probe || std::filesystem::exists(path + "-wal", ignored))
    return connection;
  std::string uri = "file:";
  for (char c : path)
    uri += isalnum(uint8_t(c)) || c == '/' || c == '.' || c == '-' || c == '_'
               ? std::string(1, c)
               : fmt::format("%{:02X}", uint8_t(c));
  return connect(path, uri + "?immutable=1",
                 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

} // namespace

Expected<std::unique_ptr<Database>> Database::open(const std::string &path,
                                                   Mode mode) {
  if (path.empty())
    return Error{"the database has no path", ""};
  std::error_code failed;
  if (mode != Mode::Create && !std::filesystem::exists(path, failed))
    return Error{fmt::format("there is no database '{}'", path), ""};
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (mode == Mode::Create && !parent.empty())
    std::filesystem::create_directories(parent, failed);
  if (mode == Mode::Create && failed)
    return Error{fmt::format("cannot create the folder '{}' of the database: "
                             "{}; choose another path",
                             parent.string(), failed.message()),
                 ""};
  Expected<std::unique_ptr<Connection>> connection =
      mode == Mode::ReadOnly
          ? openReadOnly(path)
          : connect(path, path,
                    SQLITE_OPEN_READWRITE |
                        (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0));
  if (!connection)
    return connection.error();
  Expected<bool> filled = checkVersion(**connection, path);
  if (!filled)
    return filled.error();
  if (mode != Mode::Create && !*filled)
    return Error{fmt::format("the database '{}' is empty", path), ""};
  if (Status status = checkIntegrity(**connection, path); !status)
    return status.error();
  if (mode != Mode::ReadOnly) {
    Status status = (*connection)
                        ->run("PRAGMA journal_mode = WAL; "
                              "PRAGMA synchronous = FULL; "
                              "PRAGMA foreign_keys = ON",
                              "open");
    if (status && !*filled)
      status = createSchema(**connection);
    if (!status)
      return status.error();
  }
  return std::unique_ptr<Database>(
      std::make_unique<SqliteDatabase>(std::move(*connection), path));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

std::optional<std::string_view> labelName(const RunRecord &run) {
  if (!run.label)
    return std::nullopt;
  return toString(*run.label);
}

/// A record that could not be read back would make the whole file unreadable.
template <typename Record, typename Read>
Expected<std::string> storedText(const Record &record, const char *what,
                                 Read read) {
  // Numbers that JSON has no form for become null in the text.
  std::string text = dumpJson(toJson(record));
  Expected<OrderedJson> json = parseOrderedJson(text, what, kMaxRecordBytes);
  auto back = json ? read(*json) : Expected<Record>(json.error());
  if (!back)
    return Error{
        fmt::format("{} cannot be stored: {}", what, back.error().message), ""};
  return text;
}

Expected<int64_t> SqliteDatabase::insertRun(const RunRecord &run) {
  Expected<std::string> data = storedText(run, "run", runFromJson);
  if (!data)
    return data.error();
  Statement statement(
      connection->get(),
      "INSERT INTO runs (uid, op, gpu, arch, toolchain, policy, seed, started, "
      "finished, label, tuned_ns, data) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  statement.bind(run.uid)
      .bind(run.key.op)
      .bind(run.key.gpu)
      .bind(run.key.arch)
      .bind(run.key.toolchain)
      .bind(run.key.policy)
      .bind(int64_t(run.seed))
      .bind(run.started)
      .bind(run.finished)
      .bind(labelName(run))
      .bind(run.tunedNs)
      .bind(*data);
  if (Status status = connection->finish(statement, "write to"); !status)
    return status.error();
  return int64_t(sqlite3_last_insert_rowid(connection->get()));
}

Expected<int64_t> SqliteDatabase::beginRun(const RunRecord &run) {
  RunRecord named = run;
  if (named.uid.empty()) {
    static std::atomic<unsigned> counter{0};
    named.uid = sha256Hex(fmt::format("{} {} {} {} {}", dumpJson(toJson(run)),
                                      ::getpid(), counter++, run.started, file))
                    .substr(0, 32);
  }
  return insertRun(named);
}

Status SqliteDatabase::append(int64_t run, const TrialRecord &trial) {
  Expected<std::string> data = storedText(trial, "trial", trialFromJson);
  if (!data)
    return data.error();
  Statement statement(connection->get(),
                      "INSERT INTO trials (run, idx, role, status, label, "
                      "median_ns, data) VALUES (?,?,?,?,?,?,?)");
  statement.bind(run)
      .bind(trial.index)
      .bind(toString(trial.role))
      .bind(toString(trial.status))
      .bind(toString(trial.label))
      .bind(trial.medianNs)
      .bind(*data);
  return connection->finish(statement, "write to");
}

Expected<std::string> SqliteDatabase::uidOf(int64_t run) {
  Statement statement(connection->get(), "SELECT uid FROM runs WHERE id = ?");
  int code = statement.bind(run).step();
  if (code == SQLITE_ROW)
    return statement.text(0);
  if (code == SQLITE_DONE)
    return Error{fmt::format("the database '{}' has no run {}", file, run), ""};
  return connection->error("read", code);
}

Status SqliteDatabase::finishRun(int64_t run, const RunRecord &result) {
  // Reading first and writing then fails at once where another process has
  // written in between, however long one would wait for it.
  Transaction transaction(*connection);
  if (Status status = transaction.begin(); !status)
    return status;
  Expected<std::string> uid = uidOf(run);
  if (!uid)
    return uid.error();
  RunRecord stored = result;
  stored.uid = *uid; // never changes
  Expected<std::string> data = storedText(stored, "run", runFromJson);
  if (!data)
    return data.error();
  Statement statement(connection->get(),
                      "UPDATE runs SET finished = ?, label = ?, tuned_ns = ?, "
                      "data = ? WHERE id = ?");
  statement.bind(stored.finished)
      .bind(labelName(stored))
      .bind(stored.tunedNs)
      .bind(*data)
      .bind(run);
  if (Status status = connection->finish(statement, "write to"); !status)
    return status;
  return transaction.commit();
}

Status SqliteDatabase::remove(const std::vector<int64_t> &runs) {
  Transaction transaction(*connection);
  if (Status status = transaction.begin(); !status)
    return status;
  for (int64_t run : runs) {
    Statement statement(connection->get(), "DELETE FROM runs WHERE id = ?");
    statement.bind(run);
    if (Status status = connection->finish(statement, "write to"); !status)
      return status;
  }
  return transaction.commit();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Expected<RunRecord> parseRun(const std::string &text, const std::string &file) {
  Expected<OrderedJson> json =
      parseOrderedJson(text, "stored run", kMaxRecordBytes);
  if (!json)
    return Error{json.error().message, file};
  Expected<RunRecord> run = runFromJson(*json);
  if (!run)
    return Error{run.error().message, file};
  return run;
}

Expected<std::vector<TrialRecord>>
SqliteDatabase::readTrials(Statement &statement) {
  std::vector<TrialRecord> trials;
  int code;
  while ((code = statement.step()) == SQLITE_ROW) {
    Expected<OrderedJson> json =
        parseOrderedJson(statement.text(0), "stored trial", kMaxRecordBytes);
    if (!json)
      return Error{json.error().message, file};
    Expected<TrialRecord> trial = trialFromJson(*json);
    if (!trial)
      return Error{trial.error().message, file};
    trials.push_back(std::move(*trial));
  }
  if (code != SQLITE_DONE)
    return connection->error("read", code);
  return trials;
}

Expected<std::vector<Database::StoredRun>> SqliteDatabase::runs() {
  Statement statement(connection->get(),
                      "SELECT id, data, (SELECT count(*) FROM trials WHERE "
                      "run = runs.id) FROM runs ORDER BY id");
  std::vector<StoredRun> result;
  int code;
  while ((code = statement.step()) == SQLITE_ROW) {
    Expected<RunRecord> run = parseRun(statement.text(1), file);
    if (!run)
      return run.error();
    result.push_back(
        {statement.integer(0), std::move(*run), statement.integer(2)});
  }
  if (code != SQLITE_DONE)
    return connection->error("read", code);
  return result;
}

Expected<std::vector<RunRecord>> SqliteDatabase::runsOf(const std::string &op) {
  Statement statement(connection->get(),
                      "SELECT data FROM runs WHERE op = ? ORDER BY id");
  statement.bind(op);
  std::vector<RunRecord> result;
  int code;
  while ((code = statement.step()) == SQLITE_ROW) {
    Expected<RunRecord> run = parseRun(statement.text(0), file);
    if (!run)
      return run.error();
    result.push_back(std::move(*run));
  }
  if (code != SQLITE_DONE)
    return connection->error("read", code);
  return result;
}

Expected<std::vector<TrialRecord>> SqliteDatabase::trials(int64_t run) {
  Statement statement(connection->get(),
                      "SELECT data FROM trials WHERE run = ? ORDER BY idx");
  statement.bind(run);
  return readTrials(statement);
}

Expected<std::vector<TrialRecord>>
SqliteDatabase::pastTrials(const RecordKey &key, uint64_t seed, Label label) {
  Statement statement(
      connection->get(),
      "SELECT trials.data FROM trials JOIN runs ON trials.run = runs.id WHERE "
      "op = ? AND gpu = ? AND arch = ? AND toolchain = ? AND policy = ? AND "
      "seed = ? AND trials.label = ? ORDER BY runs.id, idx");
  statement.bind(key.op)
      .bind(key.gpu)
      .bind(key.arch)
      .bind(key.toolchain)
      .bind(key.policy)
      .bind(int64_t(seed))
      .bind(toString(label));
  Expected<std::vector<TrialRecord>> all = readTrials(statement);
  if (!all)
    return all;
  std::set<std::pair<TrialRole, std::string>> known;
  std::erase_if(*all, [&](const TrialRecord &trial) {
    return !known.emplace(trial.role, trial.identity()).second;
  });
  return all;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// "it differs in gpu ('x' there, 'y' here)".
std::string describeDifferences(const RecordKey &there, const RecordKey &here) {
  std::string text;
  auto add = [&](const char *name, const std::string &a, const std::string &b) {
    if (a != b)
      text += fmt::format("{}{} ('{}' there, '{}' here)",
                          text.empty() ? "it differs in " : ", ", name, a, b);
  };
  add("gpu", there.gpu, here.gpu);
  add("arch", there.arch, here.arch);
  add("toolchain", there.toolchain, here.toolchain);
  add("policy", there.policy, here.policy);
  return text;
}

Expected<Lookup> SqliteDatabase::lookup(const RecordKey &key,
                                        const HitRule &rule) {
  Expected<std::vector<RunRecord>> candidates = runsOf(key.op);
  if (!candidates)
    return candidates.error();
  Lookup result;
  size_t fewest = SIZE_MAX;
  for (const RunRecord &run : *candidates) {
    RecordKey sameGpu = run.key;
    sameGpu.gpu = key.gpu;
    Lookup::Match match = run.key == key   ? Lookup::Match::SameGpu
                          : sameGpu == key ? Lookup::Match::SameArch
                                           : Lookup::Match::None;
    std::string lacks = shortcoming(run, rule);
    if (match != Lookup::Match::None && lacks.empty()) {
      if (match > result.match ||
          (match == result.match && isBetter(run, result.run))) {
        result.match = match;
        result.run = run;
      }
      continue;
    }
    size_t distance = differences(run.key, key).size();
    if (distance < fewest) {
      fewest = distance;
      result.nearest = distance ? describeDifferences(run.key, key) : lacks;
    }
  }
  if (result.match != Lookup::Match::None)
    result.nearest.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

Expected<std::optional<Database::StoredRun>>
SqliteDatabase::find(const std::string &uid) {
  Statement statement(connection->get(),
                      "SELECT id, data FROM runs WHERE uid = ?");
  statement.bind(uid);
  int code = statement.step();
  if (code == SQLITE_DONE)
    return std::optional<StoredRun>();
  if (code != SQLITE_ROW)
    return connection->error("read", code);
  Expected<RunRecord> run = parseRun(statement.text(1), file);
  if (!run)
    return run.error();
  return std::optional<StoredRun>({statement.integer(0), *run, 0});
}

/// Contents without the origin, which changes with every copy.
std::string contents(RunRecord run, std::vector<TrialRecord> trials) {
  run.origin = "";
  std::string text = dumpJson(Json(toJson(run)));
  for (TrialRecord &trial : trials) {
    trial.origin = "";
    text += "\n" + dumpJson(Json(toJson(trial)));
  }
  return text;
}

Expected<Database::ImportCounts>
SqliteDatabase::insert(const std::vector<RunWithTrials> &incoming) {
  Transaction transaction(*connection);
  if (Status status = transaction.begin(); !status)
    return status.error();
  ImportCounts counts;
  for (const auto &[run, trials] : incoming) {
    Expected<std::optional<StoredRun>> known = find(run.uid);
    if (!known)
      return known.error();
    if (*known) {
      Expected<std::vector<TrialRecord>> stored = this->trials((*known)->id);
      if (!stored)
        return stored.error();
      ++counts.known;
      if (contents((*known)->run, *stored) != contents(run, trials))
        counts.conflicts.push_back(run.uid);
      continue;
    }
    Expected<int64_t> id = insertRun(run);
    if (!id)
      return id.error();
    ++counts.runs;
    for (const TrialRecord &trial : trials)
      if (Status status = append(*id, trial); !status)
        return status.error();
    counts.trials += int64_t(trials.size());
  }
  if (Status status = transaction.commit(); !status)
    return status.error();
  return counts;
}

} // namespace

std::string defaultDatabasePath(std::string_view xdgCacheHome,
                                std::string_view home) {
  // The standard wants a relative value to be ignored.
  if (!xdgCacheHome.empty() && xdgCacheHome[0] == '/')
    return std::string(xdgCacheHome) + "/hwtune/records.db";
  if (!home.empty())
    return std::string(home) + "/.cache/hwtune/records.db";
  return "";
}

} // namespace hwtune
