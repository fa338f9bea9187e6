//===- ApplySchedule.cpp - transform scripts and outlining ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Workload/Workload.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/SymbolTable.h"
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

/// Largest power of two, up to `most`, that divides the bytes from the first
/// element of a buffer of `type` to its end, whatever its unknown sizes are.
static int64_t endAlignment(MemRefType type, bool wholeRows, int64_t most) {
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return bytes;
  bool known = type.hasStaticShape() && offset != ShapedType::kDynamic &&
               !llvm::is_contained(strides, ShapedType::kDynamic);
  if (known)
    bytes *= spannedElements(type.getShape(), strides, offset);
  else if (type.getLayout().isIdentity())
    for (int64_t size : type.getShape())
      bytes *= ShapedType::isDynamic(size) ? 1 : size;
  // A promise of rows of unknown length.
  if (!known && wholeRows && type.getLayout().isIdentity() &&
      type.isDynamicDim(type.getRank() - 1))
    bytes *= most;
  return bytes == 0 ? most : std::min(most, bytes & -bytes);
}

/// Alignment and aliasing: outlining drops what function arguments say. LLVM
/// reads three neighbours as four where the address is aligned for it, so no
/// more is said than what keeps such a load inside the buffer; accesses that a
/// schedule makes wide carry their own alignment.
static void annotateArguments(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel,
                              const CompileOptions &options, bool wholeRows) {
  Builder b(kernel.getContext());
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (!isa<MemRefType>(kernel.getArgument(i).getType()))
      continue;
    Value buffer = launch.getKernelOperand(i);
    if (auto parts = buffer.getDefiningOp<memref::ExtractStridedMetadataOp>())
      buffer = parts.getSource();
    kernel.setArgAttr(
        i, LLVM::LLVMDialect::getAlignAttrName(),
        b.getI64IntegerAttr(endAlignment(cast<MemRefType>(buffer.getType()),
                                         wholeRows, options.alignment)));
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
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernel());
    bool wholeRows =
        launch->getParentOfType<func::FuncOp>()->hasAttr(kWholeRowsMark);
    annotateArguments(launch, kernel, options, wholeRows);
  });
  return success();
}

} // namespace hwtune
