//===- Numbers.h - dictionaries of numbers without types --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_IR_NUMBERS_H
#define HWTUNE_LIB_IR_NUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace hwtune {

/// `{name = value, ...}`; a number carries no type, an integer being i64 and a
/// float f64. Values that are no numbers are printed as they are.
void printNumbers(mlir::AsmPrinter &printer, mlir::DictionaryAttr numbers);
mlir::ParseResult parseNumbers(mlir::AsmParser &parser,
                               mlir::DictionaryAttr &numbers);

} // namespace hwtune

#endif // HWTUNE_LIB_IR_NUMBERS_H
