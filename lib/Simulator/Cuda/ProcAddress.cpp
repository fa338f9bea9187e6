//===- ProcAddress.cpp - looking functions up by name ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionTable.h"
#include "Types.h"

using namespace hwtune;
using cuda::Result;

namespace {
/// Flag values of cuGetProcAddress.
constexpr unsigned long long kPerThreadStream = 2, kAllFlags = 3;
enum Status { Found = 0, SymbolNotFound = 1, VersionNotSufficient = 2 };
} // namespace

HWTUNE_CUDA_API Result cuGetProcAddress_v2(const char *name, void **function,
                                           int version,
                                           unsigned long long flags,
                                           int *status) {
  if (!name || !function || (flags & ~kAllFlags))
    return Result::InvalidValue;
  bool known = false;
  simcuda::AnyFunction found = nullptr;
  if (flags & kPerThreadStream)
    found = simcuda::findFunction(name, 'p', version, known);
  if (!found)
    found = simcuda::findFunction(name, 'd', version, known);
  *function = reinterpret_cast<void *>(found);
  if (status)
    *status = found ? Found : known ? VersionNotSufficient : SymbolNotFound;
  return found ? Result::Success : Result::NotFound;
}
HWTUNE_CUDA_ALIAS(cuGetProcAddress_v2_ptsz, cuGetProcAddress_v2)

HWTUNE_CUDA_API Result cuGetProcAddress(const char *name, void **function,
                                        int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
