//===- ChildProcessTest.cpp -----------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/ChildProcess.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <dirent.h>
#include <unistd.h>

using namespace hwtune;
using Kind = ChildOutcome::Kind;

namespace {

ChildOutcome shell(const std::string &script, double limit = 20,
                   size_t maxOutput = 1 << 20) {
  ChildCommand command;
  command.argv = {"/bin/sh", "-c", script};
  command.limitSeconds = limit;
  command.maxOutputBytes = maxOutput;
  return runChild(command);
}

/// True once process `pid` is gone (or a zombie), waited for up to 5 s.
bool goes(const std::string &pid) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream stat("/proc/" + pid + "/stat");
    std::string id, name, state;
    if (!(stat >> id >> name >> state) || state == "Z")
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

int openDescriptors() {
  int count = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (readdir(dir))
    ++count;
  closedir(dir);
  return count;
}

} // namespace

TEST(ChildProcess, ReadsItsInput) {
  ChildCommand command;
  command.argv = {"/bin/cat"};
  EXPECT_EQ(runChild(command).out, "");
  // More than a pipe holds, and as a file that can be opened again.
  command.input = std::string(1 << 20, 'x') + "end";
  EXPECT_EQ(runChild(command).out, command.input);
  command.argv = {"/bin/cat", "/dev/stdin"};
  EXPECT_EQ(runChild(command).out, command.input);
}

TEST(ChildProcess, OutputAndExitCode) {
  ChildOutcome o = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(o.kind, Kind::Exited);
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(o.out, "out\n");
  EXPECT_EQ(o.err, "err\n");
  EXPECT_FALSE(o.ok());
  EXPECT_EQ(o.describe(), "exited with code 3");
  EXPECT_TRUE(shell("true").ok());
}

TEST(ChildProcess, StandardInputIsEmpty) {
  ChildOutcome o = shell("cat; echo end");
  EXPECT_EQ(o.out, "end\n");
}

TEST(ChildProcess, Crash) {
  ChildOutcome o = shell("echo before; kill -SEGV $$");
  EXPECT_EQ(o.kind, Kind::Signalled);
  EXPECT_EQ(o.code, SIGSEGV);
  EXPECT_EQ(o.out, "before\n");
  EXPECT_EQ(o.describe(), "killed by signal 11 (Segmentation fault)");
}

TEST(ChildProcess, HangIsKilledAtTheLimit) {
  ChildOutcome o = shell("echo before; sleep 600", 1);
  EXPECT_EQ(o.kind, Kind::TimedOut);
  EXPECT_EQ(o.out, "before\n");
  EXPECT_GE(o.seconds, 1);
  EXPECT_LT(o.seconds, 10);
}

TEST(ChildProcess, HangWithClosedStreamsAndIgnoredSignals) {
  ChildOutcome o = shell("trap '' TERM INT HUP; exec >&- 2>&-; sleep 600", 0.3);
  EXPECT_EQ(o.kind, Kind::TimedOut);
  EXPECT_LT(o.seconds, 10);
}

TEST(ChildProcess, GrandchildrenDieOnTimeOut) {
  ChildOutcome o = shell("sleep 600 & echo $!; wait", 1);
  EXPECT_EQ(o.kind, Kind::TimedOut);
  ASSERT_FALSE(o.out.empty());
  EXPECT_TRUE(goes(o.out.substr(0, o.out.size() - 1))) << o.out;
}

TEST(ChildProcess, GrandchildrenThatHoldThePipesDoNotHoldUsUp) {
  ChildOutcome o = shell("sleep 600 & echo $!", 30);
  EXPECT_EQ(o.kind, Kind::Exited);
  EXPECT_LT(o.seconds, 10);
  EXPECT_TRUE(goes(o.out.substr(0, o.out.size() - 1))) << o.out;
}

TEST(ChildProcess, FloodIsReadAndCut) {
  ChildOutcome o =
      shell("head -c 20000000 /dev/zero; head -c 3000 /dev/zero >&2; echo x",
            60, 1000);
  EXPECT_EQ(o.kind, Kind::Exited);
  EXPECT_EQ(o.out.size(), 1000u);
  EXPECT_EQ(o.err.size(), 1000u);
  EXPECT_TRUE(o.outCut && o.errCut);
}

TEST(ChildProcess, EndlessFloodIsKilledAtTheLimit) {
  ChildOutcome o = shell("yes", 1, 1000);
  EXPECT_EQ(o.kind, Kind::TimedOut);
  EXPECT_EQ(o.out.size(), 1000u);
}

TEST(ChildProcess, MissingProgram) {
  ChildCommand command;
  command.argv = {"/nonexistent/program"};
  ChildOutcome o = runChild(command);
  EXPECT_EQ(o.kind, Kind::NotStarted);
  EXPECT_EQ(o.describe(),
            "cannot start `/nonexistent/program`: No such file or directory");
  command.argv.clear();
  EXPECT_EQ(runChild(command).kind, Kind::NotStarted);
}

TEST(ChildProcess, Cancel) {
  ChildCommand command;
  command.argv = {"/bin/sh", "-c", "sleep 600"};
  std::thread later([token = command.cancel] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    token.cancel();
  });
  ChildOutcome o = runChild(command);
  later.join();
  EXPECT_EQ(o.kind, Kind::Cancelled);
  EXPECT_LT(o.seconds, 10);
}

TEST(ChildProcess, ManyAtOnceAndNoDescriptorLeaks) {
  shell("true");
  int before = openDescriptors();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        std::string want = std::to_string(100 * t + i);
        good += shell("echo " + want).out == want + "\n";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 40);
  EXPECT_EQ(openDescriptors(), before);
}

// The child of a parent that is killed does not live on.
TEST(ChildProcess, DiesWithItsParent) {
  std::string file =
      testing::TempDir() + "hwtune-orphan-" + std::to_string(::getpid());
  std::remove(file.c_str());
  pid_t parent = fork();
  if (parent == 0) {
    shell("echo $$ > " + file + ".tmp; mv " + file + ".tmp " + file +
              "; exec sleep 600",
          600);
    _exit(0);
  }
  std::string pid;
  for (int i = 0; i < 500 && pid.empty(); ++i) {
    std::ifstream(file) >> pid;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(pid.empty());
  kill(parent, SIGKILL);
  EXPECT_TRUE(goes(pid));
  std::remove(file.c_str());
}
