//===- OpIsolation.cpp - one operation as a module of its own -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation on tensors is cloned onto memrefs directly: every LinalgOp
// computes the same on buffers, with its results in its outputs.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/OpIsolation.h"

#include "hwtune/IR/StaticSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <cassert>

using namespace mlir;

/// A buffer for `operand`, with all sizes that `op` tells.
static Type bufferType(linalg::LinalgOp op, OpOperand &operand) {
  Type type = operand.get().getType();
  if (!isa<ShapedType>(type))
    return type;
  SmallVector<int64_t> shape = hwtune::staticShape(op, operand);
  if (auto memref = dyn_cast<MemRefType>(type))
    return MemRefType::Builder(memref).setShape(shape);
  return MemRefType::get(shape, getElementTypeOrSelf(type));
}

/// Clones the constants from outside that the body of `op` uses, so that the
/// function stands alone.
static void cloneOuterConstants(OpBuilder &builder, Operation *op,
                                IRMapping &mapping) {
  llvm::SetVector<Operation *> constants;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value operand : inner->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && !op->isProperAncestor(def) && matchPattern(def, m_Constant()))
        constants.insert(def);
    }
  });
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
}

static void dropAnnotations(Operation *root) {
  root->walk([](Operation *op) {
    op->setLoc(UnknownLoc::get(op->getContext()));
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      op->removeDiscardableAttr(attribute.getName());
  });
}

OwningOpRef<ModuleOp> hwtune::isolateOp(Operation *op) {
  assert(isa<linalg::LinalgOp>(op) && "not a LinalgOp");
  Location loc = UnknownLoc::get(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands())
    types.push_back(bufferType(cast<linalg::LinalgOp>(op), operand));
  auto function = func::FuncOp::create(builder, loc, kIsolatedFunction,
                                       builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  IRMapping mapping;
  cloneOuterConstants(builder, op, mapping);
  // Not `builder.clone`: the clone has other operand and result types.
  OperationState state(loc, op->getName(), entry->getArguments(), TypeRange(),
                       {});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  Operation *clone = builder.create(state);
  dropAnnotations(clone);
  clone->setAttr(kIsolatedOpMark, builder.getUnitAttr());
  func::ReturnOp::create(builder, loc);
  return module;
}

void hwtune::markWholeRows(ModuleOp isolated) {
  for (auto function : isolated.getOps<func::FuncOp>())
    function->setAttr(kWholeRowsMark, UnitAttr::get(isolated.getContext()));
}

std::string hwtune::isolatedText(Operation *op) {
  OwningOpRef<ModuleOp> module = isolateOp(op);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(false));
  return text;
}
