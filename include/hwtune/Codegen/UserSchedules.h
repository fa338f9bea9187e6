//===- UserSchedules.h - schedules read from a file -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform-dialect library whose named sequences are schedules: what
// `transform.tune.knob` and `transform.tune.alternatives` leave open is the
// space (docs/user-schedules.md has the contract). They are `Schedule`s like
// the built-in ones and come before them.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_USERSCHEDULES_H
#define HWTUNE_CODEGEN_USERSCHEDULES_H

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Expected.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

class ScriptSchedule;

class UserSchedules {
public:
  /// None: the built-in schedules alone.
  UserSchedules();
  UserSchedules(UserSchedules &&) noexcept;
  UserSchedules &operator=(UserSchedules &&) noexcept;
  ~UserSchedules();

  /// The sequences of `file` that have `hwtune.matches`, in order; none for "".
  /// `context` has the transform dialect loaded and outlives the result.
  /// Errors, each with its place: a file that cannot be read or parsed or has
  /// no schedule, a signature, knob, choice or matcher that is not as the
  /// contract says, the name of a built-in schedule.
  static Expected<UserSchedules> read(mlir::MLIRContext &context,
                                      const std::string &file);

  /// The first of the file's that takes `op`, else the built-in one for `w`,
  /// its workload; null where there is none.
  const Schedule *scheduleFor(mlir::Operation *op, const Workload &w) const;
  const Schedule *find(std::string_view name) const;
  /// Why `schedule` cannot run `op`; "" if it can.
  std::string mismatch(const Schedule &schedule, mlir::Operation *op,
                       const Workload &w) const;
  /// "mine, matmul, elementwise, ...": for people.
  std::string knownNames() const;

private:
  std::vector<std::unique_ptr<ScriptSchedule>> own;
};

} // namespace hwtune

#endif // HWTUNE_CODEGEN_USERSCHEDULES_H
