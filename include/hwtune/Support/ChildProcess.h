//===- ChildProcess.h - run a command, whatever it does ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate kernel may hang, crash its process or flood it with output. So it
// runs in a child: in a process group of its own, killed as a whole when its
// time is up, dead when its parent dies, with bounded output. What happened is
// a value.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_CHILDPROCESS_H
#define HWTUNE_SUPPORT_CHILDPROCESS_H

#include "hwtune/Support/CancelToken.h"

#include <cstddef>
#include <string>
#include <vector>

namespace hwtune {

struct ChildCommand {
  /// Program (a path, or a name looked up in PATH) and its arguments.
  std::vector<std::string> argv;
  std::string input; ///< what it reads on standard input
  /// Seconds until the group is killed; 0 = no limit.
  double limitSeconds = 0;
  /// Bytes kept of each of standard output and standard error; the rest is
  /// read and dropped, so that the child does not block.
  size_t maxOutputBytes = size_t(8) << 20;
  /// Killed soon after this is cancelled.
  CancelToken cancel;
};

struct ChildOutcome {
  enum class Kind {
    Exited,     ///< by itself, with `code`
    Signalled,  ///< killed by signal `code`, not by us
    TimedOut,   ///< killed by us at its limit
    Cancelled,  ///< killed by us on request
    NotStarted, ///< `why` says the reason
  };
  Kind kind = Kind::NotStarted;
  int code = 0;
  std::string out, err; ///< what was kept
  bool outCut = false, errCut = false;
  double seconds = 0;
  std::string why;

  bool ok() const { return kind == Kind::Exited && code == 0; }
  /// "exited with code 3", "killed by signal 11 (Segmentation fault)", "killed
  /// after 5.0 s", "cannot start `x`: No such file or directory".
  std::string describe() const;
};

/// Runs the command to its end. No process of its group is left behind. Safe
/// to call from several threads. The child dies with the calling thread.
ChildOutcome runChild(const ChildCommand &command);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_CHILDPROCESS_H
