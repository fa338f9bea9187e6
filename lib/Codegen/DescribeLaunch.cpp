//===- DescribeLaunch.cpp - grid and arguments of a launch ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host code around a launch computes the grid and the scalar arguments
// from the sizes of the function's arguments. Here it is evaluated for given
// sizes: what depends on an argument is looked up, all else is folded.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace hwtune {
namespace {

class Evaluator {
public:
  Evaluator(FunctionOpInterface function, const CompileOptions &options);
  /// Problem with the options, "" if none.
  std::string check();
  std::optional<double> scalar(Value value);
  std::optional<int64_t> integer(Value value);
  /// Index among the function's memref arguments.
  std::optional<unsigned> buffer(Value value);

private:
  Attribute evaluate(Value value);
  Attribute metadata(memref::ExtractStridedMetadataOp op, unsigned result);
  std::optional<SmallVector<int64_t>> shapeOf(Value memref);

  FunctionOpInterface function;
  const CompileOptions &options;
  llvm::DenseMap<Value, unsigned> bufferOf, scalarOf;
  llvm::DenseMap<Value, Attribute> known;
};

Evaluator::Evaluator(FunctionOpInterface function,
                     const CompileOptions &options)
    : function(function), options(options) {
  for (BlockArgument argument : function.getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      bufferOf.try_emplace(argument, bufferOf.size());
    else
      scalarOf.try_emplace(argument, scalarOf.size());
  }
}

std::string Evaluator::check() {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    unsigned i = bufferOf[argument];
    if (i >= options.shapes.size()) {
      if (!type.hasStaticShape())
        return "argument " + std::to_string(i) +
               " has dynamic sizes and no shape was given";
      continue;
    }
    const std::vector<int64_t> &shape = options.shapes[i];
    bool fits = static_cast<int64_t>(shape.size()) == type.getRank();
    for (int64_t d = 0; fits && d < type.getRank(); ++d)
      fits = shape[d] >= 0 &&
             (type.isDynamicDim(d) || type.getDimSize(d) == shape[d]);
    if (!fits) {
      std::string given;
      for (int64_t size : shape)
        given += (given.empty() ? "" : "x") + std::to_string(size);
      std::string wanted;
      llvm::raw_string_ostream(wanted) << type;
      return "shape " + given + " given for argument " + std::to_string(i) +
             " of type " + wanted;
    }
  }
  return "";
}

std::optional<unsigned> Evaluator::buffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(op);
    if (parts && value == parts.getBaseBuffer())
      value = parts.getSource();
    else if (isa<memref::CastOp, memref::AssumeAlignmentOp>(op))
      value = op->getOperand(0);
    else
      return std::nullopt;
  }
  auto it = bufferOf.find(value);
  if (it == bufferOf.end())
    return std::nullopt;
  return it->second;
}

std::optional<SmallVector<int64_t>> Evaluator::shapeOf(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.hasStaticShape())
    return SmallVector<int64_t>(type.getShape());
  std::optional<unsigned> i = buffer(memref);
  if (!i || *i >= options.shapes.size())
    return std::nullopt;
  return SmallVector<int64_t>(options.shapes[*i].begin(),
                              options.shapes[*i].end());
}

Attribute Evaluator::metadata(memref::ExtractStridedMetadataOp op,
                              unsigned result) {
  Builder b(op.getContext());
  auto type = cast<MemRefType>(op.getSource().getType());
  std::optional<SmallVector<int64_t>> shape = shapeOf(op.getSource());
  if (!shape || !type.isStrided())
    return {};
  BufferLayout layout = layoutOf(type);
  unsigned rank = type.getRank();
  if (result == 1)
    return b.getIndexAttr(layout.offset == kDynamic ? 0 : layout.offset);
  if (result < 2 + rank)
    return b.getIndexAttr((*shape)[result - 2]);
  std::vector<int64_t> strides =
      launchStrides(layout.strides, std::span<const int64_t>(*shape));
  return b.getIndexAttr(strides[result - 2 - rank]);
}

Attribute Evaluator::evaluate(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Attribute result;
  Operation *op = value.getDefiningOp();
  Builder b(value.getContext());
  if (!op) {
    auto it = scalarOf.find(value);
    if (it != scalarOf.end() && it->second < options.scalars.size()) {
      double given = options.scalars[it->second];
      if (isa<FloatType>(value.getType()))
        result = b.getFloatAttr(value.getType(), given);
      else
        result = b.getIntegerAttr(value.getType(), int64_t(given));
    }
  } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<SmallVector<int64_t>> shape = shapeOf(dim.getSource());
    std::optional<int64_t> d = integer(dim.getIndex());
    if (shape && d && *d >= 0 && *d < int64_t(shape->size()))
      result = b.getIndexAttr((*shape)[*d]);
  } else if (auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    result = metadata(parts, cast<OpResult>(value).getResultNumber());
  } else {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand));
    SmallVector<OpFoldResult> folded;
    if (succeeded(op->fold(operands, folded)) && !folded.empty()) {
      OpFoldResult mine = folded[cast<OpResult>(value).getResultNumber()];
      result = isa<Attribute>(mine) ? cast<Attribute>(mine)
                                    : evaluate(cast<Value>(mine));
    }
  }
  known[value] = result;
  return result;
}

std::optional<double> Evaluator::scalar(Value value) {
  Attribute result = evaluate(value);
  if (auto number = dyn_cast_or_null<IntegerAttr>(result))
    return double(number.getValue().getSExtValue());
  if (auto number = dyn_cast_or_null<FloatAttr>(result))
    return number.getValueAsDouble();
  return std::nullopt;
}

std::optional<int64_t> Evaluator::integer(Value value) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(evaluate(value)))
    return number.getValue().getSExtValue();
  return std::nullopt;
}

std::optional<ElementType> elementType(Type type) {
  if (type.isIndex())
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return parseElementType("i" + std::to_string(integer.getWidth()));
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return parseElementType(text);
}

Error unknownValue(const char *what, unsigned position) {
  return Error{std::string(what) + " " + std::to_string(position) +
                   " of the launch depends on something other than the sizes "
                   "and scalars of the function's arguments",
               ""};
}

} // namespace

Expected<KernelDesc> describeLaunch(gpu::LaunchFuncOp launch,
                                    const CompileOptions &options) {
  Evaluator evaluator(launch->getParentOfType<FunctionOpInterface>(), options);
  if (std::string problem = evaluator.check(); !problem.empty())
    return Error{problem, ""};
  KernelDesc result;
  result.entry = launch.getKernelName().str();
  Value grid[] = {launch.getGridSizeX(), launch.getGridSizeY(),
                  launch.getGridSizeZ()};
  Value block[] = {launch.getBlockSizeX(), launch.getBlockSizeY(),
                   launch.getBlockSizeZ()};
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<int64_t> g = evaluator.integer(grid[i]),
                           t = evaluator.integer(block[i]);
    if (!g || !t)
      return unknownValue("dimension", i);
    result.grid[i] = *g;
    result.block[i] = *t;
  }
  if (Value bytes = launch.getDynamicSharedMemorySize()) {
    std::optional<int64_t> n = evaluator.integer(bytes);
    if (!n)
      return unknownValue("dynamic shared memory", 0);
    result.dynamicSharedBytes = *n;
  }
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
    ArgDesc arg;
    if (std::optional<unsigned> buffer = evaluator.buffer(operand)) {
      arg.buffer = *buffer;
    } else {
      std::optional<double> value = evaluator.scalar(operand);
      std::optional<ElementType> type = elementType(operand.getType());
      if (!value || !type)
        return unknownValue("argument", i);
      arg.kind = ArgDesc::Kind::Scalar;
      arg.type = *type;
      arg.scalar = *value;
    }
    result.args.push_back(arg);
  }
  return result;
}

} // namespace hwtune
