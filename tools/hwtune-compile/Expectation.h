//===- Expectation.h - what the outputs must be -----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_COMPILE_EXPECTATION_H
#define HWTUNE_TOOLS_COMPILE_EXPECTATION_H

#include "hwtune/Codegen/Compile.h"
#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Workload/Workload.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hwtune {

/// The function of a request and its marked op.
struct Subject {
  mlir::func::FuncOp function;
  mlir::linalg::LinalgOp op;
};

/// Shape of memref argument `i` in this launch.
std::vector<int64_t> shapeOf(mlir::MemRefType type, size_t i,
                             const CompileOptions &options);

/// One value for each scalar argument, from the generator like buffers.
std::vector<double> scalarsOf(Subject subject, uint64_t seed);

/// Iterations of each loop in this launch; at least 1.
std::vector<int64_t> launchExtents(Subject subject, const Workload &workload,
                                   const CompileOptions &options);

struct Compiled {
  CompiledKernel kernel;
  LaunchDescription launch;
  std::string expected; ///< of expected.bin; "" where not asked for
};

/// Fills the expected section of `compiled`: every element of every output
/// where that is quick. Of a larger operation, what a simulated device runs of
/// it, all that some blocks write; for where every block runs, elements spread
/// over all of each output and, of a plain product, sums that hold every one.
/// `tiles`: `Schedule::gridTiles`.
Status computeExpected(Subject subject, const Workload &workload,
                       const CompileOptions &options, uint64_t seed,
                       std::span<const int64_t> tiles, Compiled &compiled);

} // namespace hwtune

#endif // HWTUNE_TOOLS_COMPILE_EXPECTATION_H
