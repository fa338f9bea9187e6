//===- Emit.h - the emitters behind the launch ops --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each builds the launch for an initialised `Nest` before the op, which the
// caller erases. They return "" or the reason why the parameters do not fit.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_IR_LAUNCH_EMIT_H
#define HWTUNE_LIB_IR_LAUNCH_EMIT_H

#include "Nest.h"

namespace hwtune::launch {

struct PointsParams {
  int64_t threads = 256;
  llvm::SmallVector<int64_t> tile; ///< of each group; 1 for reductions
  int64_t perThread = 1;
  int64_t unroll = 1;
  llvm::SmallVector<int64_t> order; ///< of the parallel groups; empty: as is
  int64_t vectorLoop = -1;
  llvm::SmallVector<int64_t> widths; ///< of each operand; empty: 1
};
std::string emitPoints(Builder &b, Nest &nest, const PointsParams &params);

struct ReductionParams {
  int64_t threads = 256;
  int64_t lanes = 32;
  bool alongReduction = true;
  int64_t width = 1;
  int64_t unroll = 1;
  llvm::SmallVector<int64_t> widths;
};
std::string emitReduction(Builder &b, Nest &nest,
                          const ReductionParams &params);

struct TransposeParams {
  int64_t threads = 256;
  unsigned first = 0, second = 1; ///< groups: fastest in inputs, in output
  int64_t tileFirst = 32, tileSecond = 32;
  llvm::SmallVector<int64_t> staged; ///< operands
  int64_t width = 1;
  int64_t pad = 1;
};
std::string emitTranspose(Builder &b, Nest &nest,
                          const TransposeParams &params);

/// The block-wide value of an op that combines two values, for `body`.
struct Combiner {
  mlir::Operation *op = nullptr; ///< in the linalg body
  unsigned outputSide = 1;       ///< operand that is the output's argument
  mlir::TypedAttr neutral;
  /// null `op`: the body does not end in one associative operation
  static Combiner of(mlir::linalg::LinalgOp op);
  mlir::Value combine(Builder &b, mlir::Value x, mlir::Value y) const;
};

/// Leaves the unrolling of `loop` to the schedule: LLVM would unroll it again.
void keepRolled(mlir::Operation *loop);

/// `then` under `condition` where that is not known to hold.
void guarded(Builder &b, mlir::Value condition,
             llvm::function_ref<void()> then);

} // namespace hwtune::launch

#endif // HWTUNE_LIB_IR_LAUNCH_EMIT_H
