//===- NotSupported.cpp - functions that exist and do nothing -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are never looked at, so none are declared: with the C calling
// convention the caller removes them.
//
//===----------------------------------------------------------------------===//

#include "Types.h"

using hwtune::cuda::Result;

#define HWTUNE_NOT_SUPPORTED(symbol)                                           \
  HWTUNE_CUDA_API Result symbol() { return Result::NotSupported; }
#include "NotSupported.def"

// Profilers are switched on and off around what they should see; there is none.
HWTUNE_CUDA_API Result cuProfilerStart() { return Result::Success; }
HWTUNE_CUDA_API Result cuProfilerStop() { return Result::Success; }
HWTUNE_CUDA_API Result cuProfilerInitialize(const char *, const char *, int) {
  return Result::NotSupported;
}
