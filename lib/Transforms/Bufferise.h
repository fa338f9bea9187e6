//===- Bufferise.h - tensors become the buffers they will be ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_BUFFERISE_H
#define HWTUNE_LIB_TRANSFORMS_BUFFERISE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace hwtune {

/// Keeps the first line of the first error, with its place, while it lives;
/// nothing is printed.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context);
  std::string text;
  mlir::Location location;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// What stands in the way of bufferisation.
struct NotBufferised {
  mlir::Location location;
  std::string why;
};

/// One-shot, function boundaries, identity layout: what every operation is
/// tuned on and rewritten on. Where it fails, `module` is in no defined state.
std::optional<NotBufferised> bufferise(mlir::ModuleOp module);

/// Copies between views of the function become operations, for which there are
/// kernels: the driver copies only contiguous memory.
void makeStridedCopiesKernels(mlir::func::FuncOp function);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_BUFFERISE_H
