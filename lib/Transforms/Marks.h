//===- Marks.h - attributes that operations carry ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_MARKS_H
#define HWTUNE_LIB_TRANSFORMS_MARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hwtune {

/// Whether an operation of `function`, or it itself, has `attribute`.
inline bool holdsMark(mlir::func::FuncOp function, llvm::StringRef attribute) {
  return function
      .walk([&](mlir::Operation *op) {
        return op->hasAttr(attribute) ? mlir::WalkResult::interrupt()
                                      : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_MARKS_H
