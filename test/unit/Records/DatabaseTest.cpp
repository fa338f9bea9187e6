//===- DatabaseTest.cpp - opening, and everything that goes wrong ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "hwtune/Support/File.h"

#include <cmath>
#include <sqlite3.h>

#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;
namespace fs = std::filesystem;

namespace {
class DatabaseTest : public FolderTest {
protected:
  std::string file() const { return folder + "/records.db"; }
  /// Any SQL on the file, as another program might.
  void sql(const std::string &path, const char *text) {
    sqlite3 *db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  size_t storedTrials() {
    std::unique_ptr<Database> db = create();
    size_t count = 0;
    Expected<std::vector<Database::StoredRun>> runs = db->runs();
    EXPECT_TRUE(bool(runs)) << (runs ? "" : runs.error().str());
    for (const Database::StoredRun &run : *runs)
      count += db->trials(run.id)->size();
    return count;
  }
};
} // namespace

TEST_F(DatabaseTest, KeepsRunsAndTrials) {
  {
    std::unique_ptr<Database> db = create("deep/er/records.db");
    Expected<int64_t> run = db->beginRun(sampleRun());
    ASSERT_TRUE(bool(run));
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(bool(db->append(*run, sampleTrial(i))));
    RunRecord result = sampleRun();
    result.tunedNs = 123;
    ASSERT_TRUE(bool(db->finishRun(*run, result)));
    EXPECT_EQ(db->finishRun(99, result).error().message,
              "the database '" + folder + "/deep/er/records.db' has no run 99");
    // The same trial number twice would lose one of them.
    EXPECT_FALSE(db->append(*run, sampleTrial(1)));
  }
  Expected<std::unique_ptr<Database>> db =
      Database::open(folder + "/deep/er/records.db", Database::Mode::ReadOnly);
  ASSERT_TRUE(bool(db)) << db.error().str();
  Expected<std::vector<Database::StoredRun>> runs = (*db)->runs();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ((*runs)[0].storedTrials, 3);
  EXPECT_EQ((*runs)[0].run.tunedNs, 123);
  EXPECT_EQ((*runs)[0].run.uid.size(), 32u);
  Expected<std::vector<TrialRecord>> trials = (*db)->trials((*runs)[0].id);
  ASSERT_EQ(trials->size(), 3u);
  EXPECT_EQ(dumpJson(toJson((*trials)[2])), dumpJson(toJson(sampleTrial(2))));
  EXPECT_FALSE((*db)->append((*runs)[0].id, sampleTrial(7)));
}

// One row that cannot be read would make the whole file unreadable.
TEST_F(DatabaseTest, RefusesWhatItCouldNotReadBack) {
  std::unique_ptr<Database> db = create();
  Expected<int64_t> run = db->beginRun(sampleRun());
  ASSERT_TRUE(bool(run));
  TrialRecord endless = sampleTrial(0);
  endless.predictedNs = HUGE_VAL;
  Status appended = db->append(*run, endless);
  ASSERT_FALSE(appended);
  EXPECT_NE(appended.error().message.find("trial cannot be stored"),
            std::string::npos)
      << appended.error().message;
  RunRecord longName = sampleRun();
  longName.key.op.assign(5000, 'x');
  EXPECT_FALSE(db->beginRun(longName));
  EXPECT_FALSE(db->finishRun(*run, longName));
  EXPECT_EQ(db->runs()->size(), 1u);
}

TEST_F(DatabaseTest, Remove) {
  std::unique_ptr<Database> db = create();
  Expected<int64_t> a = db->beginRun(sampleRun()),
                    b = db->beginRun(sampleRun());
  ASSERT_TRUE(a && b);
  ASSERT_TRUE(bool(db->append(*a, sampleTrial(0))));
  ASSERT_TRUE(bool(db->append(*b, sampleTrial(0))));
  ASSERT_TRUE(bool(db->remove({*a})));
  EXPECT_EQ(db->runs()->size(), 1u);
  EXPECT_TRUE(db->trials(*a)->empty());
  EXPECT_EQ(db->trials(*b)->size(), 1u);
}

TEST_F(DatabaseTest, RefusesWhatIsNotOurs) {
  std::string text = folder + "/notes.txt";
  std::string words(5000, 'w');
  ASSERT_TRUE(bool(writeFileAtomically(text, words)));
  EXPECT_EQ(openError(text),
            "cannot read the database '" + text +
                "': file is not a database; it is no hwtune database: choose "
                "another path, nothing was changed");
  EXPECT_EQ(*readFile(text), words);

  std::string other = folder + "/other.db";
  sql(other, "CREATE TABLE t (x)");
  std::string before = *readFile(other);
  EXPECT_EQ(openError(other), "'" + other +
                                  "' is an SQLite database of another program: "
                                  "choose another path, nothing was changed");
  EXPECT_EQ(*readFile(other), before);
}

TEST_F(DatabaseTest, RefusesAnotherSchema) {
  create();
  sql(file(), "PRAGMA user_version = 9");
  EXPECT_EQ(openError(file()),
            "the database '" + file() +
                "' has schema 9, this program reads and writes 1: export it "
                "with the program that wrote it, or choose another path");
}

TEST_F(DatabaseTest, DamageIsSaidAndNotMadeWorse) {
  {
    std::unique_ptr<Database> db = create();
    Expected<int64_t> run = db->beginRun(sampleRun());
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(bool(db->append(*run, sampleTrial(i))));
  }
  std::string bytes = *readFile(file());
  ASSERT_GT(bytes.size(), 40000u);
  for (size_t i = 8192; i < 40000; ++i)
    bytes[i] = char(i * 7);
  ASSERT_TRUE(bool(writeFileAtomically(file(), bytes)));
  std::string error = openError(file());
  EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  EXPECT_EQ(*readFile(file()), bytes);
  // Cut short.
  ASSERT_TRUE(bool(writeFileAtomically(file(), bytes.substr(0, 5000))));
  EXPECT_NE(openError(file()), "opened");
}

TEST_F(DatabaseTest, UnwritablePlaces) {
  EXPECT_EQ(openError(""), "the database has no path");
  EXPECT_NE(openError("/proc/nothing/records.db")
                .find("cannot create the folder '/proc/nothing' of the "
                      "database"),
            std::string::npos)
      << openError("/proc/nothing/records.db");
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/plain", "x")));
  EXPECT_NE(openError(folder + "/plain/records.db").find("cannot create"),
            std::string::npos);
  EXPECT_NE(openError(folder).find("cannot open the database"),
            std::string::npos)
      << openError(folder);
  EXPECT_EQ(openError(folder + "/none.db", Database::Mode::ReadOnly),
            "there is no database '" + folder + "/none.db'");
  EXPECT_FALSE(fs::exists(folder + "/none.db"));
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/empty.db", "")));
  EXPECT_EQ(openError(folder + "/empty.db", Database::Mode::ReadOnly),
            "the database '" + folder + "/empty.db' is empty");
}

TEST_F(DatabaseTest, AFullDiskLosesNothingWritten) {
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  int stored = 0;
  std::string message;
  {
    std::unique_ptr<Database> db = create();
    Expected<int64_t> run = db->beginRun(sampleRun());
    limit = before;
    limit.rlim_cur = 200000;
    setrlimit(RLIMIT_FSIZE, &limit);
    for (; stored < 1000; ++stored)
      if (Status status = db->append(*run, sampleTrial(stored)); !status) {
        message = status.error().message;
        break;
      }
    setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_GT(stored, 0);
  EXPECT_LT(stored, 1000);
  EXPECT_NE(message.find("cannot write to the database"), std::string::npos);
  EXPECT_NE(message.find("what was written before is safe"), std::string::npos);
  EXPECT_EQ(storedTrials(), size_t(stored));
}

TEST_F(DatabaseTest, AKilledProcessLosesNothingAppended) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  pid_t child = fork();
  if (child == 0) {
    std::unique_ptr<Database> db = create();
    Expected<int64_t> run = db->beginRun(sampleRun());
    for (int i = 0;; ++i) {
      if (!db->append(*run, sampleTrial(i)))
        _exit(1);
      char byte = 1;
      if (write(pipe[1], &byte, 1) != 1)
        _exit(1);
    }
  }
  close(pipe[1]);
  char bytes[20];
  size_t acknowledged = 0;
  while (acknowledged < 20) {
    ssize_t n = read(pipe[0], bytes, sizeof(bytes) - acknowledged);
    ASSERT_GT(n, 0);
    acknowledged += size_t(n);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  // Some may have been written without our having heard of it.
  char rest[4096];
  ssize_t n = read(pipe[0], rest, sizeof(rest));
  acknowledged += size_t(std::max<ssize_t>(n, 0));
  close(pipe[0]);
  EXPECT_GE(storedTrials(), acknowledged);
  EXPECT_LE(storedTrials(), acknowledged + 1);
}

TEST_F(DatabaseTest, TwoProcessesWriteAtOnce) {
  create();
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    pid_t child = fork();
    if (child == 0) {
      std::unique_ptr<Database> db = create();
      Expected<int64_t> run = db->beginRun(sampleRun());
      bool ok = bool(run);
      for (int t = 0; ok && t < 50; ++t)
        ok = bool(db->append(*run, sampleTrial(t))) &&
             bool(db->finishRun(*run, sampleRun()));
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(storedTrials(), 100u);
}

TEST_F(DatabaseTest, ReadsFromAFolderThatCannotBeWritten) {
  {
    std::unique_ptr<Database> db = create();
    ASSERT_TRUE(bool(db->beginRun(sampleRun())));
  }
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(openError(file(), Database::Mode::ReadOnly), "opened");
  fs::permissions(folder, fs::perms::owner_all);
}

TEST(DatabasePath, Default) {
  EXPECT_EQ(defaultDatabasePath("/x", "/h"), "/x/hwtune/records.db");
  EXPECT_EQ(defaultDatabasePath("", "/h"), "/h/.cache/hwtune/records.db");
  EXPECT_EQ(defaultDatabasePath("relative", "/h"),
            "/h/.cache/hwtune/records.db");
  EXPECT_EQ(defaultDatabasePath("", ""), "");
}
