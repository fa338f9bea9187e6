//===- Dialect.cpp - the hwtune dialect -----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, and which attribute may stand under which name.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace hwtune;

#include "hwtune/IR/Dialect.cpp.inc"

void HWTuneDialect::initialize() { registerAttributes(); }

/// The complaint about `attr` not being an `AttrT`, or success.
template <typename AttrT>
static LogicalResult expectKind(Operation *op, NamedAttribute attr,
                                StringRef example) {
  if (isa<AttrT>(attr.getValue()))
    return llvm::success();
  return op->emitError() << "attribute '" << attr.getName().getValue()
                         << "' is " << attr.getValue() << ", expected "
                         << example;
}

LogicalResult HWTuneDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kTargetAttrName) {
    if (failed(expectKind<TargetAttr>(op, attr, "#hwtune.target<...>")))
      return failure();
    if (!isa<ModuleOp>(op))
      return op->emitError()
             << "attribute '" << name << "' belongs on a "
             << "'builtin.module', not on '" << op->getName() << "'";
    return llvm::success();
  }
  if (name == kConfigAttrName)
    return expectKind<ConfigAttr>(op, attr, "#hwtune.config<...>");
  if (name == kResultAttrName)
    return expectKind<ResultAttr>(op, attr, "#hwtune.result<...>");
  if (name == kKnobsAttrName)
    return expectKind<DictionaryAttr>(op, attr, "{attribute = \"knob\"}");
  if (name == kCandidatesAttrName) {
    auto array = dyn_cast<ArrayAttr>(attr.getValue());
    if (!array || !llvm::all_of(array, llvm::IsaPred<CandidateAttr>))
      return op->emitError()
             << "attribute '" << name << "' is " << attr.getValue()
             << ", expected an array of #hwtune.candidate<...>";
  }
  return llvm::success();
}

TargetAttr hwtune::findTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target =
            op->getAttrOfType<TargetAttr>(HWTuneDialect::kTargetAttrName))
      return target;
  return {};
}
