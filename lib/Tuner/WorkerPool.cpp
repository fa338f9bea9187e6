//===- WorkerPool.cpp - long-lived compile workers ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread per worker, each with a child of its own; all take from one queue.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/WorkerPool.h"

#include "WorkerProcess.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

namespace hwtune {

namespace {

class Pool final : public WorkerPool {
public:
  Pool(WorkerOptions options, CancelToken cancel)
      : options(std::move(options)), cancel(std::move(cancel)) {}
  ~Pool() override;

  /// Starts the threads; the first one's child must come up.
  Status run();
  std::future<WorkerReply> submit(Json request, double limitSeconds) override;
  unsigned workers() const override { return unsigned(threads.size()); }
  size_t replaced() const override { return replacements; }

private:
  struct Job {
    Json request;
    double limitSeconds = 0;
    std::promise<WorkerReply> reply;
  };
  void work(std::promise<Status> *greeting);
  /// The next job; nothing once the pool ends.
  std::optional<Job> next();
  WorkerReply serve(WorkerProcess &process, unsigned &served, const Job &job);
  bool stopping() const { return ending || cancel.cancelled(); }

  WorkerOptions options;
  CancelToken cancel;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable ready;
  std::deque<Job> queue;
  int64_t lastId = 0;
  std::atomic<bool> ending{false};
  std::atomic<size_t> replacements{0};
};

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ending = true;
  }
  ready.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  for (Job &job : queue)
    job.reply.set_value({WorkerReply::Status::Cancelled, {}, "cancelled"});
}

Status Pool::run() {
  unsigned count =
      options.workers ? options.workers : std::thread::hardware_concurrency();
  count = std::max(count, 1u);
  std::promise<Status> greeting;
  threads.emplace_back([&] { work(&greeting); });
  Status status = greeting.get_future().get();
  if (!status)
    return status;
  while (threads.size() < count)
    threads.emplace_back([this] { work(nullptr); });
  return success();
}

std::future<WorkerReply> Pool::submit(Json request, double limitSeconds) {
  Job job;
  job.limitSeconds = limitSeconds > 0 ? limitSeconds : options.timeoutSeconds;
  std::future<WorkerReply> reply = job.reply.get_future();
  {
    std::lock_guard<std::mutex> lock(mutex);
    request["id"] = ++lastId;
    job.request = std::move(request);
    queue.push_back(std::move(job));
  }
  ready.notify_one();
  return reply;
}

std::optional<Pool::Job> Pool::next() {
  std::unique_lock<std::mutex> lock(mutex);
  ready.wait(lock, [&] { return ending || !queue.empty(); });
  if (ending)
    return std::nullopt;
  Job job = std::move(queue.front());
  queue.pop_front();
  return job;
}

/// Whether somebody else ended the worker, so that another try may go better:
/// the signals of a program's own faults come again.
static bool isFromOutside(const WorkerReply &reply) {
  return reply.status == WorkerReply::Status::Died &&
         (reply.signal == SIGKILL || reply.signal == SIGTERM ||
          reply.signal == SIGINT || reply.signal == SIGHUP);
}

WorkerReply Pool::serve(WorkerProcess &process, unsigned &served,
                        const Job &job) {
  auto stop = [this] { return stopping(); };
  if (stop())
    return {WorkerReply::Status::Cancelled, {}, "cancelled"};
  if (process.running() && options.recycleAfter &&
      served >= options.recycleAfter)
    process.kill();
  if (process.running() && !process.isUsable()) {
    process.kill();
    ++replacements;
  }
  if (!process.running()) {
    served = 0;
    if (Status status = process.start(stop); !status)
      return {stop() ? WorkerReply::Status::Cancelled
                     : WorkerReply::Status::Unavailable,
              {},
              status.error().message};
  }
  ++served;
  WorkerReply reply = process.exchange(job.request, job.limitSeconds, stop);
  if (reply.status != WorkerReply::Status::Answered && !stop())
    ++replacements;
  return reply;
}

void Pool::work(std::promise<Status> *greeting) {
  WorkerProcess process(options);
  unsigned served = 0;
  if (greeting) {
    Status status = process.start([this] { return stopping(); });
    bool ok = bool(status);
    greeting->set_value(std::move(status));
    if (!ok)
      return;
  }
  while (std::optional<Job> job = next()) {
    WorkerReply reply = serve(process, served, *job);
    if (isFromOutside(reply) && !stopping()) {
      reply = serve(process, served, *job);
      if (isFromOutside(reply))
        reply.reason = "twice, " + reply.reason;
    }
    job->reply.set_value(std::move(reply));
  }
}

} // namespace

Expected<std::unique_ptr<WorkerPool>> WorkerPool::start(WorkerOptions options,
                                                        CancelToken cancel) {
  auto pool = std::make_unique<Pool>(std::move(options), std::move(cancel));
  if (Status status = pool->run(); !status)
    return status.error();
  return std::unique_ptr<WorkerPool>(std::move(pool));
}

} // namespace hwtune
