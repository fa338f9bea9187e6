//===- TransformOps.h - transform-dialect extension -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `transform.hwtune.*` ops; their contracts are in TransformOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_TRANSFORMOPS_H
#define HWTUNE_IR_TRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "hwtune/IR/TransformOps.h.inc"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hwtune {

/// Adds the `transform.hwtune.*` ops to the transform dialect.
void registerTransformExtension(mlir::DialectRegistry &registry);

} // namespace hwtune

#endif // HWTUNE_IR_TRANSFORMOPS_H
