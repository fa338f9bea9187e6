//===- Reference.h - what an op must compute, on the CPU --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the body of a linalg op in higher precision, over all elements of its
// outputs or over chosen ones, and carries along how far a correct kernel may
// be from the result: every rounding of the op's own types, in any order of a
// reduction, with or without fused multiply-adds, and the stated bounds of
// math functions (MathLowering.h). Integers are exact, with wrap-around.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_REFERENCE_H
#define HWTUNE_CODEGEN_REFERENCE_H

#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Support/Expected.h"

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hwtune {

/// A shaped operand of the op: its sizes in this launch, and its contents,
/// which come from the generator (Measure/Generator.h).
struct ReferenceBuffer {
  std::vector<int64_t> shape;
  uint64_t seed = 0;
};

struct ReferenceInputs {
  /// One per operand of the op, in order; ignored for scalars.
  std::vector<ReferenceBuffer> buffers;
  /// Values of operands that are no buffers, by operand number; constants in
  /// the IR need none.
  std::map<unsigned, double> scalars;
};

/// What one output must hold. An element is right where
/// |got - value| <= kReferenceSlack * bound; integers must be equal.
struct ReferenceOutput {
  unsigned operand = 0; ///< of the op
  ExpectedValues expected;
};

/// Factor on the bounds: they count first-order errors.
inline constexpr double kReferenceSlack = 2;

/// The outputs of `op`, a LinalgOp on memrefs or tensors. `indices` lists, per
/// output, ascending linear indices of the elements wanted; an empty list (or
/// none) means all. The error names the first operation of the body that the
/// reference does not know, or the operand whose shape does not fit.
Expected<std::vector<ReferenceOutput>>
computeReference(mlir::Operation *op, const ReferenceInputs &inputs,
                 const std::vector<std::vector<uint64_t>> &indices = {});

/// An error where `op` is no LinalgOp or has an operation in its body that the
/// reference does not know.
Status checkReferenceKnows(mlir::Operation *op);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_REFERENCE_H
