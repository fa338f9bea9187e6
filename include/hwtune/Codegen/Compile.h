//===- Compile.h - scheduled linalg op to PTX -------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one linalg op to PTX, in process and without a CUDA toolkit, as steps
// that can be used alone:
//
//   applySchedule    op on memrefs      -> gpu.launch        (transform script)
//   outlineKernels   gpu.launch         -> gpu.launch_func + gpu.module
//   lowerKernels     gpu.module         -> LLVM/NVVM dialect in gpu.module
//   toPtx            lowered gpu.module -> PTX text
//
// Kernel parameters, in the order of the `args(...)` of the gpu.launch_func:
// one bare pointer per memref (to the start of the function argument's buffer),
// one i64 per offset, size and stride that is not known statically, scalars of
// the function as they are.
//
// Diagnostics of all steps are captured and become the error's text; nothing
// is printed.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_COMPILE_H
#define HWTUNE_CODEGEN_COMPILE_H

#include "hwtune/Codegen/PtxStats.h"
#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hwtune {

struct CompileOptions {
  /// Sizes of this launch: one list per function argument that is a memref,
  /// in order. May be empty where all are static.
  std::vector<std::vector<int64_t>> shapes;
  /// Values of the function's scalar arguments, in order.
  std::vector<double> scalars;
  /// No two memref arguments overlap. Only true is faster; whoever launches
  /// must check it.
  bool noAlias = true;
  /// Byte alignment every memref argument is guaranteed to have.
  int64_t alignment = 16;
  /// The script may rely on `Workload::wholeRows`; whoever launches must check
  /// it. `compileKernel` sets it where the configuration needs it.
  bool wholeRows = false;
  /// The script may use handles that it should not: an error, not a crash.
  bool checkHandles = false;
  /// Path of `ptxas`; "" = do not ask, registers are the schedule's estimate.
  std::string ptxas;
};

struct CompiledKernel {
  std::string ptx;
  /// Grid and arguments for `CompileOptions::shapes`. `ArgDesc::buffer` is the
  /// index among the function's memref arguments.
  KernelDesc kernel;
  PtxStats stats;
  int64_t registers = 0;
  int64_t spillBytes = 0;
  int64_t sharedBytes = 0; ///< static + dynamic, of one block
  /// "ptxas" or "estimate".
  std::string registerBasis;
};

/// Everything the steps below need, extension ops included.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// A context with these dialects and no threads: one per compiling thread.
std::unique_ptr<mlir::MLIRContext> createCompilerContext();

/// Parses `text`; the error has the location.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseModule(mlir::MLIRContext &context, std::string_view text,
            std::string_view name = "<input>");

/// Runs the `@__transform_main` of `script` on `module`. Every op that carries
/// `hwtune.op` must be gone afterwards, and a gpu.launch in its place. Uses of
/// handles that an earlier step has invalidated are undefined, unless
/// `checkHandles` is set, which takes longer.
Status applySchedule(mlir::ModuleOp module, std::string_view script,
                     bool checkHandles = false);

/// gpu.launch -> gpu.launch_func and one gpu.module each. Sets alignment and
/// aliasing of the kernels' arguments from `options`.
Status outlineKernels(mlir::ModuleOp module, const CompileOptions &options);

/// Lowers all gpu.modules in `module` to the LLVM and NVVM dialects.
Status lowerKernels(mlir::ModuleOp module);

/// PTX of one lowered gpu.module. An `.extern .func` in it is an error.
Expected<std::string> toPtx(mlir::gpu::GPUModuleOp module,
                            const TargetSpec &target);

/// Grid, block, dynamic shared memory and arguments of the only
/// gpu.launch_func in `function`, evaluated for `options.shapes` and `scalars`.
Expected<KernelDesc> describeLaunch(mlir::gpu::LaunchFuncOp launch,
                                    const CompileOptions &options);

/// All of it. `module` holds one function with one op that carries
/// `hwtune.op`; it is cloned, not changed. A broken promise of the schedule is
/// an error that says which.
Expected<CompiledKernel>
compileKernel(mlir::ModuleOp module, const Schedule &schedule,
              const Workload &workload, const TargetSpec &target,
              const Config &config, const CompileOptions &options);

/// The same with a script in place of a schedule (a user's own, or an edited
/// export); promises nothing.
Expected<CompiledKernel> compileScript(mlir::ModuleOp module,
                                       std::string_view script,
                                       const TargetSpec &target,
                                       const CompileOptions &options);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_COMPILE_H
