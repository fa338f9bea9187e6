//===- UnitWindows.h - windows that do not slide ----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_UNITWINDOWS_H
#define HWTUNE_LIB_TRANSFORMS_UNITWINDOWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace hwtune {

/// A convolution by windows of one element is a matrix product, and a window as
/// large as the picture is a plain reduction: in each place of a map that adds
/// loops all but one have a single iteration. `op`, on tensors or plain
/// buffers, without these; it stays as it is where other sums are left.
void dropUnitWindows(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_UNITWINDOWS_H
