//===- TransformUtils.h - shared by the extension ops -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_IR_TRANSFORMUTILS_H
#define HWTUNE_LIB_IR_TRANSFORMUTILS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

#include <cstdint>
#include <optional>

namespace hwtune {

/// Extents of the loops of `op` as its operands would be `operands`.
llvm::SmallVector<mlir::OpFoldResult> loopExtents(mlir::OpBuilder &b,
                                                  mlir::Location loc,
                                                  mlir::linalg::LinalgOp op,
                                                  mlir::ValueRange operands);

/// `op` on the tile that starts at `offsets` (one per loop whose entry of
/// `tileSizes` is not 0, in order) and has full size also at the edges.
mlir::linalg::LinalgOp tileAt(mlir::RewriterBase &b, mlir::linalg::LinalgOp op,
                              mlir::ValueRange operands,
                              llvm::ArrayRef<mlir::OpFoldResult> offsets,
                              llvm::ArrayRef<int64_t> tileSizes);

/// `op` without its loops of extent 1 in `dropped`, at the insertion point;
/// null where it is not indexed by projected permutations, or its body reads
/// an index.
mlir::linalg::GenericOp dropUnitLoops(mlir::RewriterBase &b,
                                      mlir::linalg::LinalgOp op,
                                      const llvm::SmallBitVector &dropped);

/// Digits of `linear` (an index below 2^31) in the mixed radix `counts`, the
/// last digit fastest. The first digit is not reduced.
llvm::SmallVector<mlir::Value> splitIndex(mlir::OpBuilder &b,
                                          mlir::Location loc,
                                          mlir::Value linear,
                                          mlir::ValueRange counts);

/// A vector without its leading dimensions of size 1, but with one dimension,
/// and its type.
mlir::VectorType withoutLeadingOnes(mlir::VectorType type);
mlir::Value dropLeadingOnes(mlir::OpBuilder &b, mlir::Value vector);

/// Threads of a block of the launch around `op`, if known.
std::optional<int64_t> blockThreads(mlir::Operation *op);

/// Replaces a chain of subviews and casts `memref` by its source, and `indices`
/// by those of the same element there.
void resolveViews(mlir::OpBuilder &b, mlir::Location loc, mlir::Value &memref,
                  llvm::SmallVectorImpl<mlir::Value> &indices);

/// The memref behind the opaque cast that rounds extents up, or null.
mlir::Value trueMemref(mlir::Value rounded);

/// An index or integer constant.
std::optional<int64_t> constantOf(mlir::Value value);

/// Largest known power of two (at most 2^30) that divides `value`.
int64_t knownPowerOfTwoFactor(mlir::Value value);

/// Largest power of two (at most 2^30) that divides `value`; of 0 the largest.
int64_t powerOfTwoIn(int64_t value);

/// Elements of which the dynamic strides and the dynamic last extent of `type`,
/// in the function around `op`, are a multiple: more than 1 only where the
/// function is promised whole rows.
int64_t dynamicRowMultiple(mlir::Operation *op, mlir::MemRefType type);

} // namespace hwtune

#endif // HWTUNE_LIB_IR_TRANSFORMUTILS_H
