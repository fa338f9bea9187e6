//===- WorkloadExtraction.h - linalg operation to Workload ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are recognised by the LinalgOp interface and by structure, never
// by name, so that a new linalg operation needs no change here.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_WORKLOADEXTRACTION_H
#define HWTUNE_IR_WORKLOADEXTRACTION_H

#include "hwtune/Support/Expected.h"
#include "hwtune/Workload/Workload.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// What `op` computes, on tensors or memrefs alike. The error says why it
/// cannot be tuned: not a LinalgOp, an unsupported element type, a memref whose
/// layout is not strided, a body with side effects, ... Where the launch
/// can test it, `Workload::wholeRows` is promised; whether a configuration
/// relies on it, `needsWholeRows` says.
Expected<Workload> extractWorkload(mlir::Operation *op);

/// The engine's name of a scalar type, if it has one.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// Where the elements of a strided memref lie: as in `Operand`, no strides for
/// the identity layout.
struct BufferLayout {
  std::vector<int64_t> strides;
  int64_t offset = 0;
};
BufferLayout layoutOf(mlir::MemRefType type);

/// The text that `Workload::key` is the SHA-256 of: loops, operand types,
/// indexing maps and body with values renumbered; no name, no location, no
/// symbol, no tensor-or-memref. The same in every process. `op` must be a
/// LinalgOp.
std::string canonicalText(mlir::Operation *op);

/// The buffer that `view` is a view of, through casts and reshapes.
mlir::Value rootBuffer(mlir::Value view);

/// One linalg operation of a module, with the workload or the reason.
struct TunableOp {
  mlir::Operation *op = nullptr;
  Expected<Workload> workload;
};

/// All LinalgOps and other operations of the linalg dialect under `root`, in
/// order of appearance; those inside another one, a `gpu.module` or a transform
/// script are left out.
std::vector<TunableOp> collectLinalgOps(mlir::Operation *root);

} // namespace hwtune

#endif // HWTUNE_IR_WORKLOADEXTRACTION_H
