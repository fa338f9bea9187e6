//===- Dialect.h - the hwtune dialect ---------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_DIALECT_H
#define HWTUNE_IR_DIALECT_H

#include "hwtune/Target/TargetSpec.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "hwtune/IR/Dialect.h.inc"
#include "hwtune/IR/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hwtune/IR/Attributes.h.inc"

namespace hwtune {

/// The target attribute of the closest enclosing operation that has one; null
/// where there is none.
TargetAttr findTarget(mlir::Operation *op);

} // namespace hwtune

#endif // HWTUNE_IR_DIALECT_H
