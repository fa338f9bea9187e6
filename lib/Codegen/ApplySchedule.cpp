//===- ApplySchedule.cpp - transform scripts and outlining ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace hwtune {

static constexpr llvm::StringLiteral kOpMarker = "hwtune.op";

Status applySchedule(ModuleOp module, std::string_view script,
                     bool checkHandles) {
  MLIRContext &context = *module.getContext();
  Expected<OwningOpRef<ModuleOp>> parsed =
      parseModule(context, script, "schedule");
  if (!parsed)
    return parsed.error();
  ModuleOp library = (*parsed).get();
  DiagnosticCapture capture(context);
  transform::TransformOpInterface entry =
      transform::detail::findTransformEntryPoint(library, library);
  if (!entry)
    return capture.error("the schedule has no @__transform_main");
  transform::TransformOptions options;
  // They cost more than compiling.
  options.enableExpensiveChecks(checkHandles);
  if (failed(transform::applyTransformNamedSequence(module, entry, library,
                                                    options)))
    return capture.error("the schedule cannot be applied");
  Operation *left = nullptr;
  bool launch = false;
  module.walk([&](Operation *op) {
    if (op->hasAttr(kOpMarker))
      left = op;
    launch |= isa<gpu::LaunchOp>(op);
  });
  if (left || !launch)
    return capture.error(left ? "the schedule left an op unscheduled: " +
                                    left->getName().getStringRef().str()
                              : std::string("the schedule made no gpu.launch"));
  if (failed(verify(module)))
    return capture.error("the schedule left IR that does not verify");
  return success();
}

/// Alignment and aliasing: outlining drops what function arguments say.
static void annotateArguments(gpu::GPUFuncOp kernel,
                              const CompileOptions &options) {
  Builder b(kernel.getContext());
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (!isa<MemRefType>(kernel.getArgument(i).getType()))
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(options.alignment));
    if (options.noAlias)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  }
}

static bool isBare(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
         !llvm::is_contained(strides, ShapedType::kDynamic);
}

/// A memref that needs more than a pointer is taken apart outside `launch` and
/// put together again inside, so that kernels have bare pointers and scalars.
/// Canonicalisation would undo this; nothing may run before the outlining.
static void takeApartMemrefs(gpu::LaunchOp launch) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  Location loc = launch.getLoc();
  OpBuilder b(launch);
  for (Value value : captured) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || isBare(type))
      continue;
    b.setInsertionPoint(launch);
    auto parts = memref::ExtractStridedMetadataOp::create(b, loc, value);
    b.setInsertionPointToStart(&launch.getBody().front());
    Value view = memref::ReinterpretCastOp::create(
        b, loc, type, parts.getBaseBuffer(), parts.getConstifiedMixedOffset(),
        parts.getConstifiedMixedSizes(), parts.getConstifiedMixedStrides());
    replaceAllUsesInRegionWith(value, view, launch.getBody());
  }
}

Status outlineKernels(ModuleOp module, const CompileOptions &options) {
  DiagnosticCapture capture(*module.getContext());
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  module.walk(takeApartMemrefs);
  // Else index constants become kernel parameters.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  if (failed(pm.run(module)))
    return capture.error("the kernel cannot be outlined");
  module.walk(
      [&](gpu::GPUFuncOp kernel) { annotateArguments(kernel, options); });
  return success();
}

} // namespace hwtune
