//===- DynamicShared.cpp - transform.hwtune.dynamic_shared ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `gpu.dynamic_shared_memory` becomes an internal global of no bytes, which
// ptxas takes for static memory. A public global without a value becomes
// `.extern .shared`.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hwtune {

/// Alignment of the allocation, and of every buffer in it.
static constexpr int64_t kAlignment = 16;

DiagnosedSilenceableFailure DynamicSharedOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  auto launch = dyn_cast<gpu::LaunchOp>(target);
  if (!launch)
    return emitDefiniteFailure()
           << "expected a gpu.launch, found '" << target->getName() << "'";
  Operation *module = SymbolTable::getNearestSymbolTable(launch);
  llvm::MapVector<StringRef, int64_t> offsets;
  SmallVector<memref::GetGlobalOp> uses;
  int64_t bytes = 0;
  launch.walk([&](memref::GetGlobalOp use) {
    auto type = use.getType();
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return;
    uses.push_back(use);
    if (!offsets.try_emplace(use.getName(), bytes).second)
      return;
    bytes += llvm::alignTo(
        type.getNumElements() * type.getElementTypeBitWidth() / 8, kAlignment);
  });
  if (uses.empty())
    return DiagnosedSilenceableFailure::success();

  Location loc = launch.getLoc();
  auto space = gpu::AddressSpaceAttr::get(
      rewriter.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type = MemRefType::get({0}, rewriter.getI8Type(), AffineMap(), space);
  SymbolTable symbols(module);
  rewriter.setInsertionPointToStart(&module->getRegion(0).front());
  auto global = memref::GlobalOp::create(
      rewriter, loc, "dynamic_shared", StringAttr(), type, Attribute(),
      /*constant=*/false, rewriter.getI64IntegerAttr(kAlignment));
  symbols.insert(global);
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  Value all =
      memref::GetGlobalOp::create(rewriter, loc, type, global.getSymName());
  llvm::SmallVector<StringRef> names;
  for (memref::GetGlobalOp use : uses) {
    rewriter.setInsertionPoint(use);
    Value offset =
        arith::ConstantIndexOp::create(rewriter, loc, offsets[use.getName()]);
    rewriter.replaceOpWithNewOp<memref::ViewOp>(use, use.getType(), all, offset,
                                                ValueRange());
  }
  for (auto &[name, offset] : offsets)
    if (Operation *old = symbols.lookup(name);
        old && SymbolTable::symbolKnownUseEmpty(old, module))
      rewriter.eraseOp(old);
  rewriter.setInsertionPoint(launch);
  Value size =
      arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(), bytes);
  rewriter.modifyOpInPlace(
      launch, [&] { launch.getDynamicSharedMemorySizeMutable().assign(size); });
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
