//===- OpIsolation.h - one operation as a module of its own -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_OPISOLATION_H
#define HWTUNE_IR_OPISOLATION_H

#include "hwtune/Workload/Workload.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <algorithm>
#include <string>
#include <vector>

namespace hwtune {

/// Name of the function in an isolated module, and the mark of its operation.
inline constexpr const char *kIsolatedFunction = "kernel";
inline constexpr const char *kIsolatedOpMark = "hwtune.op";
/// On the isolated function: `Workload::wholeRows` holds for its memrefs.
inline constexpr const char *kWholeRowsMark = "hwtune.whole_rows";

/// Elements of an access of `kRowBytes` on buffers of `type`, at least one.
inline int64_t rowElements(mlir::MemRefType type) {
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  return std::max<int64_t>(1, kRowBytes / bytes);
}

/// A module with one function whose arguments are the operands of `op` (a
/// LinalgOp that `extractWorkload` accepts), in order, tensors as memrefs of
/// identity layout with every size that one operand tells of another
/// (`staticShape`), and whose body is `op` on these, marked `hwtune.op`. What
/// is tuned and what is rewritten are made from the same module, so they get
/// the same kernel. Annotations and locations are left out.
mlir::OwningOpRef<mlir::ModuleOp> isolateOp(mlir::Operation *op);

/// Promises `Workload::wholeRows` to the schedules of an isolated module.
void markWholeRows(mlir::ModuleOp isolated);

/// The text of the isolated module: what a compile worker is sent.
std::string isolatedText(mlir::Operation *op);

} // namespace hwtune

#endif // HWTUNE_IR_OPISOLATION_H
