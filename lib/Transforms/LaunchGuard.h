//===- LaunchGuard.h - what a kernel assumes of its buffers -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_LAUNCHGUARD_H
#define HWTUNE_LIB_TRANSFORMS_LAUNCHGUARD_H

#include "hwtune/Transforms/DeviceMemory.h"

#include "mlir/IR/Builders.h"

#include <cstdint>
#include <vector>

namespace hwtune {

struct LaunchAssumptions {
  bool noAlias = true;
  int64_t alignment = 16; ///< bytes
  bool wholeRows = false; ///< see Workload
};

struct LaunchGuard {
  /// What the kernel may assume, once the test (if any) holds.
  LaunchAssumptions assumed;
  /// Whether a test on the host is needed for that.
  bool atRunTime = false;
  /// What holds in any case.
  LaunchAssumptions otherwise;
  /// Operands whose alignment must be tested, whose last extent must be, and
  /// pairs that may overlap.
  std::vector<unsigned> aligned;
  std::vector<unsigned> rows;
  std::vector<std::pair<unsigned, unsigned>> disjoint;
};

/// What is known of the buffers of a linalg operation. Buffers that the
/// function made itself are aligned and apart; arguments are so only under
/// `MemoryMode::Copy`, where each is a fresh copy.
/// `wholeRows`: the kernel relies on them.
LaunchGuard guardFor(mlir::Operation *op, MemoryMode memory, bool wholeRows);

/// An i1: whether the assumptions of `guard` hold.
mlir::Value buildGuard(mlir::OpBuilder &builder, mlir::Operation *op,
                       const LaunchGuard &guard);

/// An i1: whether the two memrefs share no byte.
mlir::Value buildDisjoint(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value one, mlir::Value other);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_LAUNCHGUARD_H
