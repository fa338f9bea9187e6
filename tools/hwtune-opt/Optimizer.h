//===- Optimizer.h - the stock main, with output of our own -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNEOPT_OPTIMIZER_H
#define HWTUNE_TOOLS_HWTUNEOPT_OPTIMIZER_H

#include "hwtune/Support/CancelToken.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hwtune {

/// What `mlir::MlirOptMain` does with these arguments, the program's name
/// first, except that the output file holds what it held before until all of
/// the output is there, and that a failure to write names the file. The exit
/// status: 0, 1 after an error, 130 where `cancel` was set meanwhile (what was
/// found until then is written).
/// `note` goes to the standard error once the command line is found good.
int runOptimizer(llvm::ArrayRef<char *> arguments, llvm::StringRef note,
                 mlir::DialectRegistry &registry, const CancelToken &cancel);

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNEOPT_OPTIMIZER_H
