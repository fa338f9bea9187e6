//===- Check.cpp - uninitialised reads and shared-memory races ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Ops.h"

namespace hwtune::exec {

void beginCounting(Launch &launch);
void endCounting(Launch &launch);

void beginModes(Launch &L) {
  if (L.mode & ModeCount)
    beginCounting(L);
}
void startModes(Block &) {}
void endModes(Launch &L) {
  L.result.warpInstructions = L.sliced;
  if (L.mode & ModeCount)
    endCounting(L);
}

static void checkMemory(HWTUNE_HANDLER_ARGS) { HWTUNE_GO(I + 1); }

void addCheckOps(Registry &r) { addEntry(r, "check.memory", "", {&checkMemory, &checkMemory, ""}); }

} // namespace hwtune::exec
