//===- LaunchToLoops.h - gpu.launch as mapped loops -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_LAUNCHTOLOOPS_H
#define HWTUNE_LIB_TRANSFORMS_LAUNCHTOLOOPS_H

#include "hwtune/Support/Expected.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace hwtune {

/// Replaces `launch` by an `scf.forall` over blocks with one over threads
/// inside, each with its gpu mapping; dimensions of size 1 are left out.
Status launchToLoops(mlir::gpu::LaunchOp launch);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_LAUNCHTOLOOPS_H
