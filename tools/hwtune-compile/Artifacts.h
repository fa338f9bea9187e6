//===- Artifacts.h - from a request to files --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles what a request asks for and writes kernel.ptx, launch.json and, on
// request, expected.bin into its folder.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNE_COMPILE_ARTIFACTS_H
#define HWTUNE_TOOLS_HWTUNE_COMPILE_ARTIFACTS_H

#include "hwtune/Tuner/CompileProtocol.h"

#include "mlir/IR/MLIRContext.h"

namespace hwtune {

CompileReply compileRequest(mlir::MLIRContext &context,
                            const CompileRequest &request);

/// Answers requests on standard input until it ends. Exit status.
int runWorker();

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNE_COMPILE_ARTIFACTS_H
