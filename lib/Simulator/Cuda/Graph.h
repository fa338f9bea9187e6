//===- Graph.h - what a graph consists of -----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_GRAPH_H
#define HWTUNE_LIB_SIMULATOR_CUDA_GRAPH_H

#include "State.h"

namespace hwtune::simcuda {

/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ..._UNMATCHED, CAPTURED_EVENT
inline constexpr Result kCaptureUnsupported = Result(900),
                        kCaptureUnmatched = Result(903),
                        kCapturedEvent = Result(907);

/// Adds `operation` to the graph that `stream` is being captured into. False
/// where it is not being captured: then the operation is to be done now.
bool capture(Call &call, cuda::Stream stream, GraphOperation operation);

/// A launch to be made later, its parameters copied now. Errors are those of
/// `cuLaunchKernel`.
Result kernelOperation(Call &call, cuda::Function function, exec::Dim3 grid,
                       exec::Dim3 block, unsigned dynamicShared, void **params,
                       void **extra, GraphOperation &operation);

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_GRAPH_H
