//===- BodyAnalysis.h - what the body of a linalg op does -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_IR_BODYANALYSIS_H
#define HWTUNE_LIB_IR_BODYANALYSIS_H

#include "hwtune/Workload/Workload.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace hwtune {

struct BodyFacts {
  BodyCounts counts;
  /// As `Workload::combiner`.
  std::string combiner;
  /// Type of the combining operation's result.
  std::optional<ElementType> accumulator;
  /// out += a * b with a and b two different inputs, casts aside.
  bool isMultiplyAccumulate = false;
  /// The values of the loops themselves are read.
  bool usesIndex = false;
};

BodyFacts analyseBody(mlir::linalg::LinalgOp op);

} // namespace hwtune

#endif // HWTUNE_LIB_IR_BODYANALYSIS_H
