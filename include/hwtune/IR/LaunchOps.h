//===- LaunchOps.h - linalg op to gpu.launch in one step --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `transform.hwtune.launch_*`; their contracts are in LaunchOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_LAUNCHOPS_H
#define HWTUNE_IR_LAUNCHOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "hwtune/IR/LaunchOps.h.inc"

namespace hwtune {

/// Adds the `transform.hwtune.launch_*` ops to the transform dialect.
void registerLaunchExtension(mlir::DialectRegistry &registry);

} // namespace hwtune

#endif // HWTUNE_IR_LAUNCHOPS_H
