//===- WorkerPool.h - long-lived compile workers -------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Child processes that answer one JSON object a line with one JSON object a
// line. A compiler that dies or hangs takes its own request with it and nothing
// else: the worker is replaced and the request fails with what happened.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_WORKERPOOL_H
#define HWTUNE_TUNER_WORKERPOOL_H

#include "hwtune/Support/CancelToken.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Support/Json.h"

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace hwtune {

struct WorkerOptions {
  std::string program; ///< path of `hwtune-compile`
  std::vector<std::string> arguments{"--worker"};
  unsigned workers = 0;       ///< 0 = one per core
  double timeoutSeconds = 60; ///< of a request that names no limit
  size_t maxReplyBytes = size_t(64) << 20;
  /// A worker is replaced after this many requests, so that a leak in the
  /// compiler stays small; 0 = never.
  unsigned recycleAfter = 500;
};

/// Limit of a request that also computes expected values: the reference of a
/// large operation takes far longer than compiling it.
inline constexpr double kReferenceLimitSeconds = 3600;

/// What became of a request.
struct WorkerReply {
  enum class Status {
    Answered,  ///< `body` is the worker's answer
    Died,      ///< the worker ended before it answered
    TimedOut,  ///< killed
    Malformed, ///< answered something that is no reply
    Cancelled,
    Unavailable, ///< the program cannot be run at all
  } status = Status::Answered;
  Json body;
  /// Unless answered: what happened, with the worker's last words.
  std::string reason;
  int signal = 0; ///< that killed a worker which died; 0 = it exited
};

class WorkerPool {
public:
  /// Starts one worker to see that the program is there and speaks the
  /// protocol (it must answer {"id": 0, "hello": 1} within the time limit);
  /// the rest starts on demand.
  static Expected<std::unique_ptr<WorkerPool>> start(WorkerOptions options,
                                                     CancelToken cancel);
  virtual ~WorkerPool() = default; ///< kills what still runs

  /// Queues `request` (an object); the pool adds the field "id". Never blocks.
  /// Its worker is killed after `limitSeconds`, 0 = the pool's time limit.
  /// Where something outside kills the worker (a person, the kernel for want
  /// of memory) the request is tried once more.
  virtual std::future<WorkerReply> submit(Json request,
                                          double limitSeconds = 0) = 0;
  virtual unsigned workers() const = 0;
  /// Workers that were replaced because they died, hung or lied.
  virtual size_t replaced() const = 0;
};

} // namespace hwtune

#endif // HWTUNE_TUNER_WORKERPOOL_H
