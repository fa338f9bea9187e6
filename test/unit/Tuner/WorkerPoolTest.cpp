//===- WorkerPoolTest.cpp - workers that hang, crash, flood and lie -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/WorkerPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;
using Status_ = WorkerReply::Status;

static WorkerOptions fakeOptions(const std::string &mode = "--worker") {
  WorkerOptions options;
  options.program = FAKE_WORKER;
  options.arguments = {mode};
  options.workers = 1;
  options.timeoutSeconds = 5;
  return options;
}

static std::unique_ptr<WorkerPool> startPool(WorkerOptions options,
                                             CancelToken cancel = {}) {
  Expected<std::unique_ptr<WorkerPool>> pool =
      WorkerPool::start(std::move(options), cancel);
  EXPECT_TRUE(bool(pool)) << (pool ? "" : pool.error().str());
  return pool ? std::move(*pool) : nullptr;
}

static std::string startError(WorkerOptions options) {
  Expected<std::unique_ptr<WorkerPool>> pool =
      WorkerPool::start(std::move(options), {});
  return pool ? "started" : pool.error().message;
}

static WorkerReply ask(WorkerPool &pool, const char *what) {
  return pool.submit({{"do", what}}).get();
}

/// Whether the process has ended (zombies count as ended).
static bool isGone(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    std::string stat = "/proc/" + std::to_string(pid) + "/stat";
    FILE *file = fopen(stat.c_str(), "r");
    if (!file)
      return true;
    char state = 0;
    int fields = fscanf(file, "%*d %*s %c", &state);
    fclose(file);
    if (fields == 1 && state == 'Z')
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(WorkerPool, Answers) {
  std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
  // Larger than what a socket or pipe holds at once.
  std::string text(1 << 20, 'a');
  WorkerReply reply = pool->submit({{"do", "echo"}, {"text", text}}).get();
  ASSERT_EQ(reply.status, Status_::Answered) << reply.reason;
  EXPECT_EQ(reply.body["echo"], text);
  EXPECT_EQ(ask(*pool, "chatter").status, Status_::Answered);
  EXPECT_EQ(pool->replaced(), 0u);
}

TEST(WorkerPool, EachRequestGetsItsOwnReply) {
  WorkerOptions options = fakeOptions();
  options.workers = 3;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  EXPECT_EQ(pool->workers(), 3u);
  std::vector<std::future<WorkerReply>> replies;
  for (int i = 0; i < 60; ++i)
    replies.push_back(pool->submit({{"do", "echo"}, {"text", i}}));
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(replies[i].get().body["echo"], i);
}

TEST(WorkerPool, WorkersRunAtOnce) {
  WorkerOptions options = fakeOptions();
  options.workers = 4;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  std::vector<std::future<WorkerReply>> replies;
  for (int i = 0; i < 4; ++i)
    replies.push_back(pool->submit({{"do", "slow"}}));
  std::set<int> pids;
  for (std::future<WorkerReply> &reply : replies)
    pids.insert(reply.get().body["pid"].get<int>());
  EXPECT_EQ(pids.size(), 4u);
}

TEST(WorkerPool, DeathFailsTheRequestAlone) {
  std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
  WorkerReply reply = ask(*pool, "crash");
  EXPECT_EQ(reply.status, Status_::Died);
  EXPECT_EQ(reply.reason,
            "the compile worker was killed by signal 6 (Aborted): LLVM ERROR: "
            "cannot select: something");
  reply = ask(*pool, "exit");
  EXPECT_EQ(reply.reason, "the compile worker exited with code 3");
  EXPECT_EQ(ask(*pool, "").status, Status_::Answered);
  EXPECT_EQ(pool->replaced(), 2u);
}

TEST(WorkerPool, WhatSomebodyKilledIsTriedOnceMore) {
  std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
  std::string mark =
      testing::TempDir() + "/hwtune-killed-" + std::to_string(::getpid());
  ::unlink(mark.c_str());
  WorkerReply reply =
      pool->submit({{"do", "killed once"}, {"text", mark}}).get();
  ::unlink(mark.c_str());
  EXPECT_EQ(reply.status, Status_::Answered) << reply.reason;
  EXPECT_EQ(pool->replaced(), 1u);
  reply = ask(*pool, "killed");
  EXPECT_EQ(reply.status, Status_::Died);
  EXPECT_EQ(reply.reason,
            "twice, the compile worker was killed by signal 9 (Killed)");
  EXPECT_EQ(pool->replaced(), 3u);
}

TEST(WorkerPool, AWorkerThatClosedItsOutputDidNotExit) {
  std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
  EXPECT_EQ(ask(*pool, "exit").reason, "the compile worker exited with code 3");
  EXPECT_EQ(ask(*pool, "mute").reason,
            "the compile worker closed its output and did not end");
}

TEST(WorkerPool, ARequestMayHaveALimitOfItsOwn) {
  WorkerOptions options = fakeOptions();
  options.timeoutSeconds = 0.2;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  EXPECT_EQ(ask(*pool, "slow").status, Status_::TimedOut);
  EXPECT_EQ(pool->submit({{"do", "slow"}}, 5).get().status, Status_::Answered);
}

TEST(WorkerPool, AHangIsKilled) {
  WorkerOptions options = fakeOptions();
  options.timeoutSeconds = 0.3;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  WorkerReply reply = ask(*pool, "hang");
  EXPECT_EQ(reply.status, Status_::TimedOut);
  EXPECT_EQ(reply.reason, "the compile worker did not answer within 0.3 s");
  EXPECT_EQ(ask(*pool, "").status, Status_::Answered);
}

TEST(WorkerPool, FloodsAndLiesAreNoReplies) {
  WorkerOptions options = fakeOptions();
  options.maxReplyBytes = 1 << 20;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  EXPECT_EQ(ask(*pool, "flood").status, Status_::Malformed);
  EXPECT_EQ(ask(*pool, "lie").status, Status_::Malformed);
  WorkerReply reply = ask(*pool, "garbage");
  EXPECT_EQ(reply.status, Status_::Malformed);
  EXPECT_EQ(reply.reason,
            "the compile worker answered something else than the request: "
            "Segmentation fault (no, just kidding)");
  EXPECT_EQ(pool->replaced(), 3u);
}

TEST(WorkerPool, AnUnaskedReplyIsNotTakenForTheNext) {
  std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
  EXPECT_EQ(ask(*pool, "twice").status, Status_::Answered);
  // Let the second copy arrive.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  WorkerReply reply = pool->submit({{"do", "echo"}, {"text", 5}}).get();
  ASSERT_EQ(reply.status, Status_::Answered);
  EXPECT_EQ(reply.body["echo"], 5);
}

TEST(WorkerPool, RecyclesAfterAWhile) {
  WorkerOptions options = fakeOptions();
  options.recycleAfter = 2;
  std::unique_ptr<WorkerPool> pool = startPool(options);
  std::vector<int> pids;
  for (int i = 0; i < 5; ++i)
    pids.push_back(ask(*pool, "").body["pid"].get<int>());
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_NE(pids[1], pids[2]);
  EXPECT_EQ(pids[2], pids[3]);
  EXPECT_NE(pids[3], pids[4]);
  EXPECT_EQ(pool->replaced(), 0u);
}

TEST(WorkerPool, SaysAtOnceThatTheProgramIsMissing) {
  WorkerOptions options = fakeOptions();
  options.program = "/nowhere/hwtune-compile";
  EXPECT_EQ(startError(options), "cannot run the compile worker "
                                 "'/nowhere/hwtune-compile': No such file or "
                                 "directory");
  options.program = "/dev/null";
  EXPECT_EQ(startError(options),
            "cannot run the compile worker '/dev/null': Permission denied");
}

TEST(WorkerPool, SaysThatTheProgramIsNoWorker) {
  std::string prefix =
      std::string("'") + FAKE_WORKER + "' is no compile worker: ";
  EXPECT_EQ(startError(fakeOptions("--rude")),
            prefix + "it answered {\"id\":0}");
  EXPECT_EQ(startError(fakeOptions("--dies")),
            prefix + "the compile worker exited with code 7");
  WorkerOptions silent = fakeOptions("--silent");
  silent.timeoutSeconds = 0.3;
  EXPECT_EQ(startError(silent),
            prefix + "the compile worker did not answer within 0.3 s");
}

TEST(WorkerPool, CancelKillsAll) {
  WorkerOptions options = fakeOptions();
  options.workers = 2;
  options.timeoutSeconds = 1000;
  CancelToken cancel;
  std::unique_ptr<WorkerPool> pool = startPool(options, cancel);
  pid_t child = ask(*pool, "child").body["child"].get<int>();
  std::vector<std::future<WorkerReply>> replies;
  for (int i = 0; i < 5; ++i)
    replies.push_back(pool->submit({{"do", "hang"}}));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cancel.cancel();
  for (std::future<WorkerReply> &reply : replies)
    EXPECT_EQ(reply.get().status, Status_::Cancelled);
  pool.reset();
  EXPECT_TRUE(isGone(child));
}

TEST(WorkerPool, WorkersDieWithTheirParent) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  pid_t parent = fork();
  if (parent == 0) {
    std::unique_ptr<WorkerPool> pool = startPool(fakeOptions());
    int pid = ask(*pool, "").body["pid"].get<int>();
    if (write(pipe[1], &pid, sizeof(pid)) != sizeof(pid))
      _exit(1);
    ::pause();
  }
  int pid = 0;
  ASSERT_EQ(read(pipe[0], &pid, sizeof(pid)), ssize_t(sizeof(pid)));
  ::kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(isGone(pid));
  close(pipe[0]), close(pipe[1]);
}
