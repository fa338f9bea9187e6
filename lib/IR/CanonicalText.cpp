//===- CanonicalText.cpp - what makes two operations the same -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is hashed into the key of every record, so it changes only together
// with the version in its first line. MLIR's own printer is used for types,
// maps and attributes alone: value names and op syntax differ between versions.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace {

constexpr llvm::StringLiteral kVersionLine = "hwtune-op 1";

class CanonicalPrinter {
public:
  explicit CanonicalPrinter(linalg::LinalgOp op) : op(op), os(text) {}

  std::string print() {
    os << kVersionLine << '\n';
    printLoops();
    printOperands();
    printBody();
    return std::move(text);
  }

private:
  void printLoops() {
    os << "loops";
    for (auto [kind, extent] :
         llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges())) {
      os << ' ' << (kind == utils::IteratorType::parallel ? 'p' : 'r');
      printExtent(extent);
    }
    os << '\n';
  }

  void printOperands() {
    for (OpOperand &operand : op->getOpOperands()) {
      os << (op.isDpsInit(&operand) ? "out " : "in ");
      Type type = operand.get().getType();
      if (auto shaped = dyn_cast<ShapedType>(type)) {
        for (int64_t extent : shaped.getShape()) {
          printExtent(extent);
          os << 'x';
        }
        os << shaped.getElementType();
        // The identity layout is the layout of a tensor.
        if (auto memref = dyn_cast<MemRefType>(type);
            memref && !memref.getLayout().isIdentity())
          os << " layout " << memref.getLayout();
      } else {
        os << type;
      }
      os << " at " << op.getMatchingIndexingMap(&operand) << '\n';
    }
  }

  void printBody() {
    Block *body = op.getBlock();
    for (BlockArgument argument : body->getArguments())
      number(argument);
    printBlock(*body);
  }

  void printBlock(Block &block) {
    for (Operation &inner : block) {
      for (Value result : inner.getResults())
        os << '%' << number(result) << ' ';
      if (inner.getNumResults())
        os << "= ";
      os << inner.getName();
      for (Value operand : inner.getOperands())
        os << ' ' << reference(operand);
      printAttributes(inner);
      if (inner.getNumResults()) {
        os << " :";
        for (Type type : inner.getResultTypes())
          os << ' ' << type;
      }
      os << '\n';
      for (Region &region : inner.getRegions())
        for (Block &nested : region) {
          os << "{\n";
          for (BlockArgument argument : nested.getArguments())
            os << '%' << number(argument) << " : " << argument.getType()
               << '\n';
          printBlock(nested);
          os << "}\n";
        }
    }
  }

  /// Only what the operation itself defines: a discardable attribute is an
  /// annotation and changes nothing.
  void printAttributes(Operation &inner) {
    SmallVector<NamedAttribute> attributes;
    for (StringAttr name : inner.getName().getAttributeNames())
      if (std::optional<Attribute> value = inner.getInherentAttr(name);
          value && *value)
        attributes.emplace_back(name, *value);
    llvm::sort(attributes);
    for (NamedAttribute attribute : attributes)
      os << " {" << attribute.getName().getValue() << " = "
         << attribute.getValue() << '}';
  }

  /// A constant from outside is its value; anything else is a captured number,
  /// in order of first use.
  std::string reference(Value value) {
    if (auto found = numbers.find(value); found != numbers.end())
      return "%" + std::to_string(found->second);
    std::string out;
    llvm::raw_string_ostream stream(out);
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant))) {
      stream << constant;
      return out;
    }
    auto inserted = captured.try_emplace(value, captured.size());
    stream << "captured" << inserted.first->second << ':' << value.getType();
    return out;
  }

  void printExtent(int64_t extent) {
    if (ShapedType::isDynamic(extent))
      os << '?';
    else
      os << extent;
  }

  unsigned number(Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  }

  linalg::LinalgOp op;
  std::string text;
  llvm::raw_string_ostream os;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Value, unsigned> captured;
};

} // namespace

std::string hwtune::canonicalText(Operation *op) {
  return CanonicalPrinter(cast<linalg::LinalgOp>(op)).print();
}
