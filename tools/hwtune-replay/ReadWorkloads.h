//===- ReadWorkloads.h - workloads of an MLIR file ---------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_READWORKLOADS_H
#define HWTUNE_REPLAY_READWORKLOADS_H

#include "Mapping.h"

namespace hwtune::replay {

/// A `WorkloadReader`. The one part of this tool that needs MLIR. An operation
/// that cannot be tuned is an error.
Expected<std::vector<Workload>> readWorkloads(const std::string &path);

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_READWORKLOADS_H
