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

#include <array>
#include <optional>
#include <string>

namespace hwtune {

struct BodyFacts {
  BodyCounts counts;
  /// As `Workload::combiner`.
  std::string combiner;
  /// Type of the combining operation's result.
  std::optional<ElementType> accumulator;
  /// Whether `matchMultiplyAccumulate` matches.
  bool isMultiplyAccumulate = false;
  /// The values of the loops themselves are read.
  bool usesIndex = false;
};

BodyFacts analyseBody(mlir::linalg::LinalgOp op);

/// A body that does out += cast(a) * cast(b) with two different inputs;
/// what a contraction's schedule can take apart.
struct MultiplyAccumulate {
  /// Positions of a and b among the inputs.
  std::array<unsigned, 2> input;
  /// What converts a and b, null: nothing.
  std::array<mlir::Operation *, 2> convert;
};
std::optional<MultiplyAccumulate>
matchMultiplyAccumulate(mlir::linalg::LinalgOp op);

} // namespace hwtune

#endif // HWTUNE_LIB_IR_BODYANALYSIS_H
