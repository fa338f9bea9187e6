//===- Load.h - modules and functions inside the driver ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_LOAD_H
#define HWTUNE_LIB_SIMULATOR_CUDA_LOAD_H

#include "State.h"
#include "hwtune/Simulator/Ptx/Ast.h"

namespace hwtune::simcuda {

/// The JIT options that have an effect: where to write what happened.
struct JitLog {
  char *info = nullptr, *error = nullptr;
  size_t infoBytes = 0, errorBytes = 0;
  void **infoSize = nullptr, **errorSize = nullptr; ///< set to bytes written

  /// False on an option that no driver of this version knows.
  static bool read(JitLog &log, unsigned count, int *options, void **values);
  void writeInfo(std::string_view text) const;
  void writeError(std::string_view text) const;
};

/// Parses PTX with the driver's error codes for what is too new.
Result parsePtx(const std::string &text, int capability, ptx::Module &module,
                std::string &message);

/// Loads PTX into the current context.
Result loadModule(Call &call, const std::string &text, Id &id,
                  std::string &message);
/// Loads any image, with its log.
Result loadImage(Call &call, const void *image, size_t bytes, const JitLog &log,
                 Id &id);

/// The handle of a kernel; `NotFound` where the module has none of the name.
Result findFunction(Driver &driver, Id module, std::string_view name, Id &id);

/// The function behind a handle of a function or kernel, or null.
FunctionState *functionOf(Driver &driver, cuda::Function handle);

/// Registers of a thread: what the user says, else our estimate.
uint32_t registersOf(const Driver &driver, const exec::FunctionInfo &info);

Result functionAttribute(Driver &driver, const FunctionState &function,
                         int attribute, int &value);
Result setFunctionAttribute(Driver &driver, FunctionState &function,
                            int attribute, int value);

/// Device memory, counted to `pool` (0: to none). Errors are those of
/// `cuMemAlloc`.
Result allocateDevice(Call &call, DevicePtr *address, size_t bytes, Id pool);

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_LOAD_H
