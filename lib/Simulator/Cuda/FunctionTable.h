//===- FunctionTable.h - what is exported, by name ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_FUNCTIONTABLE_H
#define HWTUNE_LIB_SIMULATOR_CUDA_FUNCTIONTABLE_H

namespace hwtune::simcuda {

using AnyFunction = void (*)();

/// The newest variant of the function documented as `name` that CUDA `version`
/// had, of `kind` 'd' (default stream is legacy) or 'p' (per thread), or null.
/// `known` becomes true where any version has it.
AnyFunction findFunction(const char *name, char kind, int version, bool &known);

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_FUNCTIONTABLE_H
