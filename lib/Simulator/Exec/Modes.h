//===- Modes.h - counting, checking, tracing --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_MODES_H
#define HWTUNE_LIB_SIMULATOR_EXEC_MODES_H

#include "Core.h"

namespace hwtune::exec {

/// Lane addresses of an access, in its space; generic ones are resolved by the
/// first active lane.
ptx::Space laneAddresses(const MemDesc &desc, const std::byte *R, uint32_t mask,
                         uint64_t *addresses);

void beginModes(Launch &launch);
void startModes(Block &block);
/// Fills `LaunchResult::events` and frees what the modes hold.
void endModes(Launch &launch);

// What a checked launch must know of: all do nothing in others.
void checkArrive(Block &block, uint32_t barrier, uint32_t warp);
void checkRelease(Block &block, uint32_t barrier, uint32_t warp);
void checkBarrierEnd(Block &block, uint32_t barrier);
void checkAsyncLanded(Warp *warp, const std::byte *to, uint32_t bytes);
/// `bytes` of the lanes' local memory from `at` on have been written other than
/// by a store, or are new.
void checkLocal(Warp *warp, uint32_t lanes, uint64_t at, uint64_t bytes,
                bool isWritten);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_MODES_H
