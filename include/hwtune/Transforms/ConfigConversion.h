//===- ConfigConversion.h - configurations to and from the IR ---*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_CONFIGCONVERSION_H
#define HWTUNE_TRANSFORMS_CONFIGCONVERSION_H

#include "hwtune/Codegen/UserSchedules.h"
#include "hwtune/IR/Dialect.h"
#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Expected.h"

#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>
#include <utility>

namespace hwtune {

/// The annotation that means `config` of `space`.
ConfigAttr toConfigAttr(mlir::MLIRContext *context, std::string_view schedule,
                        const Space &space, const Config &config);

/// What an annotation, perhaps edited by hand, stands for.
struct ResolvedConfig {
  const Schedule *schedule = nullptr;
  Config config;
};
/// For `op`, whose workload is `w`. Errors: an unknown schedule (names the
/// known ones), one that does not fit the operation (its reason), a knob that
/// is missing, unknown, or has a value that it cannot have, a broken constraint
/// (with both numbers).
Expected<ResolvedConfig> resolveConfig(ConfigAttr attr, mlir::Operation *op,
                                       const Workload &w,
                                       const TargetSpec &target,
                                       const UserSchedules &schedules);

/// The description on `module`; complains there if it has none.
mlir::FailureOr<TargetSpec> moduleTarget(mlir::ModuleOp module);

/// `{name = number, ...}`, all f64.
mlir::DictionaryAttr
toNumbersAttr(mlir::MLIRContext *context,
              std::span<const std::pair<std::string, double>> numbers);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_CONFIGCONVERSION_H
