//===- WorkerProcess.h - one long-lived child ----------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TUNER_WORKERPROCESS_H
#define HWTUNE_LIB_TUNER_WORKERPROCESS_H

#include "hwtune/Tuner/WorkerPool.h"

#include <functional>
#include <string>

#include <sys/types.h>

namespace hwtune {

/// A child in a process group of its own, which the kernel kills when the
/// thread that started it ends. Used by one thread only.
class WorkerProcess {
public:
  explicit WorkerProcess(const WorkerOptions &options) : options(options) {}
  ~WorkerProcess() { kill(); }
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;

  /// Starts the program and waits for its greeting.
  Status start(const std::function<bool()> &stop);
  /// Ends the whole group and waits for the child.
  void kill();
  bool running() const { return pid > 0; }
  /// False where it has ended since, or has said something unasked.
  bool isUsable();

  /// Sends one line and waits for one, at most `limitSeconds`. On any status
  /// but Answered the child is gone. `stop` is polled.
  WorkerReply exchange(const Json &request, double limitSeconds,
                       const std::function<bool()> &stop);

private:
  Status spawn();
  /// Moves bytes both ways until a whole line is there; otherwise a status.
  WorkerReply::Status transfer(std::string_view request, double deadline,
                               const std::function<bool()> &stop);
  WorkerReply failure(WorkerReply::Status status, double limitSeconds);
  /// What became of a child that closed its output: it is reaped. `signal` is
  /// set where one killed it.
  std::string reapDead(int &signal);
  WorkerReply parse(const Json &request);
  /// Appends what `fd` has; false at its end.
  bool drain(int fd, std::string &buffer);
  void closeAll();
  /// ": the last words" from standard error, or "".
  std::string lastWords() const;

  const WorkerOptions &options;
  pid_t pid = -1;
  int in = -1, out = -1, err = -1;
  std::string output, errors;
};

} // namespace hwtune

#endif // HWTUNE_LIB_TUNER_WORKERPROCESS_H
