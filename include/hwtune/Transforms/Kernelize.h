//===- Kernelize.h - linalg operations into GPU kernels ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_KERNELIZE_H
#define HWTUNE_TRANSFORMS_KERNELIZE_H

#include "hwtune/Codegen/Compile.h"
#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Transforms/DeviceMemory.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace hwtune {

enum class EmitForm { Config, Loops, Gpu, Binary, Runner };
/// "config", "loops", "gpu", "binary", "runner".
std::optional<EmitForm> parseEmitForm(std::string_view text);

/// One operation (on memrefs) and how it is to run.
struct KernelSite {
  mlir::Operation *op = nullptr;
  Workload workload;
  const Schedule *schedule = nullptr;
  Config config;
  std::string name; ///< of the kernel: unique in the module
};

/// Replaces the operation of `site` by its scheduled loops: `scf.forall` over
/// blocks and threads with gpu mappings. Workgroup buffers that the schedule
/// declares go to `module`.
Status emitLoops(const KernelSite &site, const TargetSpec &target,
                 mlir::ModuleOp module);

/// Replaces the operation of `site` by the launch of a kernel and adds the
/// kernel's `gpu.module` to `module`. Where the kernel may assume something of
/// its buffers only at run time (`memory` = device: alignment, no overlap), the
/// launch is chosen by a test on the host between it and a guarded kernel.
Status emitLaunch(const KernelSite &site, const TargetSpec &target,
                  MemoryMode memory, mlir::ModuleOp module);

/// Attribute of the module, and its value: the passes that turn the kernels of
/// `emit=gpu` into the PTX that was tuned.
inline constexpr const char *kLoweringAttrName = "hw.lowering";
inline constexpr const char *kLoweringPipeline =
    "builtin.module(hw-lower-kernels)";

/// Erases those of `kernels` in `module` that are equal to one made earlier (a
/// later one of the module) and lets their launches have that one. Returns what
/// is left, in order.
llvm::SmallVector<mlir::gpu::GPUModuleOp>
shareEqualKernels(llvm::ArrayRef<mlir::gpu::GPUModuleOp> kernels,
                  mlir::ModuleOp module);

/// Gives the kernels the `#nvvm.target` of `target`.
void setTargets(llvm::ArrayRef<mlir::gpu::GPUModuleOp> kernels,
                const TargetSpec &target);

/// PTX of one `gpu.module` that has an `#nvvm.target`; it is left as it is.
Expected<std::string> kernelPtx(mlir::gpu::GPUModuleOp kernel);

/// Replaces each of `kernels` by a `gpu.binary` with its PTX.
Status emitBinaries(llvm::ArrayRef<mlir::gpu::GPUModuleOp> kernels);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_KERNELIZE_H
