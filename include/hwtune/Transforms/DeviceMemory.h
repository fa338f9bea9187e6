//===- DeviceMemory.h - where a function's buffers live ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_DEVICEMEMORY_H
#define HWTUNE_TRANSFORMS_DEVICEMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace hwtune {

enum class MemoryMode {
  Copy,   ///< arguments and results are host memory
  Device, ///< arguments and results are device memory
};

/// Why the linalg operations of `function` cannot run on the device while the
/// rest of it stays on the host, "" if they can. The rest must not touch a
/// buffer but to make, copy, view or free it.
std::string whyNotOffloadable(mlir::func::FuncOp function);

/// Moves the buffers of an offloadable function, whose linalg operations are
/// still there, to the device. With `Copy` each argument that is read is copied
/// in once, each that is written is copied out once before the return; buffers
/// made in between never leave the device.
void placeOnDevice(mlir::func::FuncOp function, MemoryMode mode);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_DEVICEMEMORY_H
