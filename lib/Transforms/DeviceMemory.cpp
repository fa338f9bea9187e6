//===- DeviceMemory.cpp - where a function's buffers live -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memrefs have the types of the host memrefs they replace, so views and
// sizes keep working on them unchanged: they only compute addresses. What must
// not happen is a host access through one, which is what the check is for.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/DeviceMemory.h"

#include "LaunchGuard.h"

#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace {

bool isView(Operation *op) { return op && isa<ViewLikeOpInterface>(op); }

bool touchesBuffers(Operation *op) {
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  return llvm::any_of(op->getOperandTypes(), isBuffer) ||
         llvm::any_of(op->getResultTypes(), isBuffer);
}

/// A linalg operation or a copy that reads or writes a buffer or a view of it.
struct Access {
  Operation *op;
  bool reads, writes;
};

void collectAccesses(Value buffer, SmallVectorImpl<Access> &accesses) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user)) {
      bool output = linalgOp.isDpsInit(&use);
      // Another map may leave elements as they were.
      bool whole =
          linalgOp.getMatchingIndexingMap(&use).isProjectedPermutation();
      accesses.push_back(
          {user,
           !output || !whole || linalgOp.payloadUsesValueFromOperand(&use),
           output});
    } else if (auto copy = dyn_cast<memref::CopyOp>(user)) {
      bool target = use.get() == copy.getTarget();
      accesses.push_back({user, !target, target});
    } else if (isView(user)) {
      collectAccesses(user->getResult(0), accesses);
    }
  }
}

/// Whether what `argument` holds on entry is ever read: false only where the
/// first operation that uses it overwrites all of it.
bool needsContents(Value argument) {
  Operation *first = nullptr;
  for (Operation *user : argument.getUsers()) {
    if (isa<memref::DimOp>(user))
      continue;
    if (user->getBlock() != argument.getParentBlock() || isView(user))
      return true;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  SmallVector<Access> accesses;
  collectAccesses(argument, accesses);
  return llvm::any_of(accesses, [&](const Access &access) {
    return access.op == first && access.reads;
  });
}

bool isWritten(Value buffer) {
  SmallVector<Access> accesses;
  collectAccesses(buffer, accesses);
  return llvm::any_of(accesses, [](const Access &a) { return a.writes; });
}

bool isAccessed(Value buffer) {
  SmallVector<Access> accesses;
  collectAccesses(buffer, accesses);
  return !accesses.empty();
}

std::string refuseOperation(Operation *op) {
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (isa<linalg::LinalgOp>(op)) {
    auto workload = hwtune::extractWorkload(op);
    return workload ? "" : name + ": " + workload.error().message;
  }
  if (isa<memref::CopyOp>(op)) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType());
          !type || !type.getLayout().isIdentity())
        return name + " copies memory that is not contiguous";
    return "";
  }
  if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        op, get.getNameAttr());
    return global && global.getConstant()
               ? ""
               : name + " names a global that can be written";
  }
  if (!touchesBuffers(op) || isView(op) ||
      isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp, memref::DimOp,
          func::ReturnOp>(op))
    return "";
  return name + " uses a buffer on the host";
}

Value deviceAlloc(OpBuilder &builder, Location loc, MemRefType type,
                  ValueRange sizes) {
  return gpu::AllocOp::create(builder, loc, type, /*asyncToken=*/Type(),
                              /*asyncDependencies=*/ValueRange(), sizes,
                              /*symbolOperands=*/ValueRange())
      .getMemref();
}

void deviceFree(OpBuilder &builder, Location loc, Value buffer) {
  gpu::DeallocOp::create(builder, loc, /*asyncToken=*/Type(),
                         /*asyncDependencies=*/ValueRange(), buffer);
}

void deviceCopy(OpBuilder &builder, Location loc, Value to, Value from) {
  gpu::MemcpyOp::create(builder, loc, /*asyncToken=*/Type(),
                        /*asyncDependencies=*/ValueRange(), to, from);
}

SmallVector<Value> dynamicSizes(OpBuilder &builder, Location loc,
                                Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  return sizes;
}

/// All memory of a strided buffer, from its base to its last element, as one
/// row, and how the buffer lies in it.
struct Span {
  memref::ExtractStridedMetadataOp parts;
  Value row;
};

Span spanOf(OpBuilder &builder, Location loc, Value buffer) {
  Span span;
  span.parts = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  auto value = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  };
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value length = arith::AddIOp::create(
      builder, loc, value(span.parts.getConstifiedMixedOffset()), one);
  for (auto [size, stride] :
       llvm::zip(span.parts.getConstifiedMixedSizes(),
                 span.parts.getConstifiedMixedStrides())) {
    Value steps = arith::SubIOp::create(builder, loc, value(size), one);
    Value step = arith::MulIOp::create(builder, loc, steps, value(stride));
    length = arith::AddIOp::create(builder, loc, length, step);
  }
  auto type = MemRefType::get({ShapedType::kDynamic},
                              getElementTypeOrSelf(buffer.getType()));
  span.row = memref::ReinterpretCastOp::create(
      builder, loc, type, span.parts.getBaseBuffer(),
      OpFoldResult(builder.getIndexAttr(0)), ArrayRef<OpFoldResult>{length},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  return span;
}

class Placement {
public:
  Placement(func::FuncOp function, hwtune::MemoryMode mode)
      : function(function), mode(mode), builder(function.getContext()) {}

  void run() {
    returnOp = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (mode == hwtune::MemoryMode::Copy) {
      SmallVector<BlockArgument> moved;
      for (BlockArgument argument : function.getArguments())
        if (isa<MemRefType>(argument.getType()) && isAccessed(argument))
          moved.push_back(argument);
      auto pairs = pairsToKeepApart(moved);
      for (BlockArgument argument : moved)
        moveArgument(argument);
      for (auto [one, other] : pairs)
        requireDisjoint(one, other);
    }
    // Collected first: the host buffers that returning makes stay where they
    // are.
    SmallVector<Operation *> operations;
    function.walk([&](Operation *op) { operations.push_back(op); });
    if (mode == hwtune::MemoryMode::Copy)
      returnHostMemory();
    for (Operation *op : operations)
      moveOperation(op);
    for (Value buffer : owned)
      if (!freed.contains(buffer))
        freeAtBlockEnd(buffer);
  }

private:
  using Pair = std::pair<BlockArgument, BlockArgument>;

  /// Arguments of which one is written: each gets a copy of its own, and what
  /// is written to one would not be seen through the other.
  static SmallVector<Pair> pairsToKeepApart(ArrayRef<BlockArgument> moved) {
    SmallVector<Pair> pairs;
    for (size_t i = 0; i < moved.size(); ++i)
      for (size_t j = i + 1; j < moved.size(); ++j)
        if (isWritten(moved[i]) || isWritten(moved[j]))
          pairs.emplace_back(moved[i], moved[j]);
    return pairs;
  }

  /// Ends the program where the two share memory.
  void requireDisjoint(BlockArgument one, BlockArgument other) {
    builder.setInsertionPointToStart(&function.getBody().front());
    Location loc = other.getLoc();
    Value disjoint = hwtune::buildDisjoint(builder, loc, one, other);
    cf::AssertOp::create(
        builder, loc, disjoint,
        llvm::formatv(
            "arguments {0} and {1} of '{2}' share memory that is written, or "
            "rows of one lie between rows of the other: with memory=copy each "
            "has a copy of its own, gaps between rows included",
            one.getArgNumber(), other.getArgNumber(), function.getName())
            .str());
  }

  void moveArgument(BlockArgument argument) {
    Location loc = argument.getLoc();
    bool copyIn = needsContents(argument), copyOut = isWritten(argument);
    builder.setInsertionPointToStart(&function.getBody().front());
    auto type = cast<MemRefType>(argument.getType());
    bool packed = type.getLayout().isIdentity();
    // What lies between rows that are apart is copied with them.
    Span span;
    if (!packed)
      span = spanOf(builder, loc, argument);
    Value host = packed ? Value(argument) : span.row;
    Value device = deviceAlloc(builder, loc, cast<MemRefType>(host.getType()),
                               dynamicSizes(builder, loc, host));
    owned.push_back(device);
    Value view = device;
    if (!packed)
      view = memref::ReinterpretCastOp::create(
          builder, loc, type, device, span.parts.getConstifiedMixedOffset(),
          span.parts.getConstifiedMixedSizes(),
          span.parts.getConstifiedMixedStrides());
    argument.replaceUsesWithIf(view, [&](OpOperand &use) {
      return !isa<memref::DimOp, gpu::AllocOp,
                  memref::ExtractStridedMetadataOp>(use.getOwner());
    });
    if (copyIn || !packed)
      deviceCopy(builder, loc, device, host);
    if (copyOut) {
      builder.setInsertionPoint(returnOp);
      deviceCopy(builder, loc, host, device);
    }
    hostOf[view] = argument;
  }

  /// A result that is an argument or a view of one stays that; of what was made
  /// here the caller gets one host buffer each, and the same views of it.
  void returnHostMemory() {
    builder.setInsertionPoint(returnOp);
    for (OpOperand &operand : returnOp->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()))
        operand.set(hostMemory(operand.get()));
  }

  /// The host's counterpart of `device`, with its contents before the return.
  Value hostMemory(Value device) {
    if (Value host = hostOf.lookup(device))
      return host;
    if (isa<BlockArgument>(device)) // it was not moved
      return device;
    Operation *op = device.getDefiningOp();
    auto result = cast<OpResult>(device).getResultNumber();
    Value host;
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      IRMapping mapping;
      mapping.map(view.getViewSource(), hostMemory(view.getViewSource()));
      host = builder.clone(*op, mapping)->getResult(result);
    } else if (isa<memref::GetGlobalOp>(op)) {
      host = builder.clone(*op)->getResult(result);
    } else {
      Location loc = returnOp.getLoc();
      host = memref::AllocOp::create(builder, loc,
                                     cast<MemRefType>(device.getType()),
                                     dynamicSizes(builder, loc, device));
      deviceCopy(builder, loc, host, device);
    }
    hostOf[device] = host;
    return host;
  }

  void moveOperation(Operation *op) {
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      moveAllocation(alloc, alloc.getDynamicSizes());
    } else if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
      moveAllocation(alloca, alloca.getDynamicSizes());
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      freed.insert(dealloc.getMemref());
      deviceFree(builder, loc, dealloc.getMemref());
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      deviceCopy(builder, loc, copy.getTarget(), copy.getSource());
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      moveGlobal(global);
      return;
    } else {
      return;
    }
    op->erase();
  }

  void moveAllocation(Operation *op, ValueRange sizes) {
    Value buffer = op->getResult(0);
    Value device = deviceAlloc(builder, op->getLoc(),
                               cast<MemRefType>(buffer.getType()), sizes);
    buffer.replaceAllUsesWith(device);
    owned.push_back(device);
  }

  void moveGlobal(memref::GetGlobalOp global) {
    builder.setInsertionPointAfter(global);
    Value device =
        deviceAlloc(builder, global.getLoc(), global.getType(), ValueRange());
    global.getResult().replaceAllUsesWith(device);
    deviceCopy(builder, global.getLoc(), device, global);
    owned.push_back(device);
  }

  void freeAtBlockEnd(Value buffer) {
    // What is returned belongs to the caller.
    if (llvm::any_of(returnOp->getOperands(), [&](Value value) {
          return hwtune::rootBuffer(value) == buffer;
        }))
      return;
    builder.setInsertionPoint(buffer.getParentBlock()->getTerminator());
    deviceFree(builder, buffer.getLoc(), buffer);
  }

  func::FuncOp function;
  hwtune::MemoryMode mode;
  OpBuilder builder;
  func::ReturnOp returnOp;
  SmallVector<Value> owned; ///< device buffers to free
  llvm::DenseSet<Value> freed;
  llvm::DenseMap<Value, Value> hostOf; ///< of a device buffer or view
};

} // namespace

std::string hwtune::whyNotOffloadable(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return "function has " +
           std::to_string(function.getBody().getBlocks().size()) +
           " blocks, expected structured control flow";
  std::string reason;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    reason = refuseOperation(op);
    if (!reason.empty())
      return WalkResult::interrupt();
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  return reason;
}

void hwtune::placeOnDevice(func::FuncOp function, MemoryMode mode) {
  Placement(function, mode).run();
}
