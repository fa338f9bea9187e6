//===- LaunchToLoops.cpp - gpu.launch as mapped loops ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For reading: the loops of a schedule without the launch. The body keeps its
// barriers and workgroup buffers, which only mean something on a GPU.
//
//===----------------------------------------------------------------------===//

#include "LaunchToLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hwtune;

namespace {

/// One level of loops; `ids` gets the index of each of the three dimensions.
template <typename MakeMapping>
scf::ForallOp buildLoops(OpBuilder &builder, Location loc,
                         ArrayRef<Value> sizes, MakeMapping makeMapping,
                         SmallVectorImpl<Value> &ids) {
  constexpr gpu::MappingId kMapping[] = {
      gpu::MappingId::DimX, gpu::MappingId::DimY, gpu::MappingId::DimZ};
  SmallVector<OpFoldResult> bounds;
  SmallVector<Attribute> mapping;
  SmallVector<unsigned> kept;
  for (unsigned i : {2, 1, 0}) { // outermost first
    OpFoldResult size = getAsOpFoldResult(sizes[i]);
    if (isOneInteger(size))
      continue;
    kept.push_back(i);
    bounds.push_back(size);
    mapping.push_back(makeMapping(kMapping[i]));
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  ids.assign(3, zero);
  if (kept.empty()) { // a single block or thread
    bounds.push_back(builder.getIndexAttr(1));
    mapping.push_back(makeMapping(kMapping[0]));
  }
  auto loops =
      scf::ForallOp::create(builder, loc, bounds, /*outputs=*/ValueRange(),
                            builder.getArrayAttr(mapping));
  for (auto [position, dimension] : llvm::enumerate(kept))
    ids[dimension] = loops.getInductionVar(position);
  return loops;
}

/// `gpu.thread_id x` and the like inside `root` become `ids`.
template <typename IdOp> void replaceIds(Operation *root, ArrayRef<Value> ids) {
  root->walk([&](IdOp op) {
    op.replaceAllUsesWith(ids[unsigned(op.getDimension())]);
    op.erase();
  });
}

} // namespace

Status hwtune::launchToLoops(gpu::LaunchOp launch) {
  if (!launch.getBody().hasOneBlock() ||
      launch.getNumWorkgroupAttributions() != 0)
    return Error{"the launch has branches or workgroup attributions, expected "
                 "one block",
                 ""};
  MLIRContext *context = launch.getContext();
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  Value grid[] = {launch.getGridSizeX(), launch.getGridSizeY(),
                  launch.getGridSizeZ()};
  Value block[] = {launch.getBlockSizeX(), launch.getBlockSizeY(),
                   launch.getBlockSizeZ()};
  SmallVector<Value> blockIds, threadIds;
  scf::ForallOp blocks = buildLoops(
      builder, loc, grid,
      [&](gpu::MappingId id) -> Attribute {
        return gpu::GPUBlockMappingAttr::get(context, id);
      },
      blockIds);
  builder.setInsertionPoint(blocks.getBody()->getTerminator());
  scf::ForallOp threads = buildLoops(
      builder, loc, block,
      [&](gpu::MappingId id) -> Attribute {
        return gpu::GPUThreadMappingAttr::get(context, id);
      },
      threadIds);
  builder.setInsertionPoint(threads.getBody()->getTerminator());
  IRMapping mapping;
  Block &body = launch.getBody().front();
  auto replacements = llvm::concat<Value>(blockIds, threadIds, grid, block);
  for (auto [argument, value] : llvm::zip(body.getArguments(), replacements))
    mapping.map(argument, value);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  replaceIds<gpu::ThreadIdOp>(threads, threadIds);
  replaceIds<gpu::BlockIdOp>(threads, blockIds);
  launch.erase();
  return hwtune::success();
}
