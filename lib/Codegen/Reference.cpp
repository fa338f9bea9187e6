//===- Reference.cpp - what an op must compute, on the CPU ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways, the fastest that applies: sums of products of two inputs in tight
// loops; element by element where an output's map tells which iterations write
// an element; all iterations in order otherwise.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/Reference.h"

#include "ReferenceProgram.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/Generator.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <span>

using namespace mlir;

namespace hwtune {
namespace {

using reference::Number;
using reference::Program;

/// One operand: its contents, and how the loops move through it.
struct Data {
  bool shaped = false, isOutput = false, readsInit = false;
  ElementType type = ElementType::F32;
  AffineMap map;
  SmallVector<int64_t> shape, strides;
  std::vector<float> narrow; ///< contents; exact for all but f64
  std::vector<double> wide;
  Number scalar;
  bool linear = true;
  SmallVector<int64_t> perLoop; ///< elements per iteration of each loop
  int64_t constant = 0;

  double at(int64_t i) const { return wide.empty() ? narrow[i] : wide[i]; }
  int64_t offset = 0;                 ///< elements before the first one
  SmallVector<unsigned> slowestFirst; ///< dimensions of more than one element
  int64_t elements() const { return spannedElements(shape, strides, offset); }
  Number number(int64_t i) const {
    return isFloat(type)
               ? Number::of(at(i))
               : Number::ofInteger(type == ElementType::I1 ? -int64_t(at(i))
                                                           : int64_t(at(i)));
  }
  int64_t address(ArrayRef<int64_t> loops) const;
  /// Strides and offset of a buffer of `shape`, whose type is `type`.
  void readLayout(ShapedType type);
};

void Data::readLayout(ShapedType type) {
  BufferLayout layout;
  if (auto memref = dyn_cast<MemRefType>(type))
    layout = layoutOf(memref);
  offset = layout.offset == kDynamic ? 0 : layout.offset;
  std::vector<int64_t> chosen =
      launchStrides(layout.strides, std::span<const int64_t>(shape));
  strides.assign(chosen.begin(), chosen.end());
  for (unsigned d = 0; d < shape.size(); ++d)
    if (shape[d] > 1)
      slowestFirst.push_back(d);
  llvm::stable_sort(slowestFirst, [&](unsigned a, unsigned b) {
    return strides[a] > strides[b];
  });
}

int64_t Data::address(ArrayRef<int64_t> loops) const {
  int64_t sum = constant;
  if (linear) {
    for (size_t l = 0; l < loops.size(); ++l)
      sum += perLoop[l] * loops[l];
    return sum;
  }
  sum = 0;
  SmallVector<int64_t> index = map.compose(loops);
  for (size_t d = 0; d < index.size(); ++d)
    sum += index[d] * strides[d];
  return sum + offset;
}

void fill(Data &data, uint64_t seed) {
  size_t n = data.elements();
  size_t bytes = sizeInBytes(data.type);
  constexpr size_t kChunk = 1 << 16; // elements generated at a time
  std::vector<std::byte> raw(kChunk * bytes);
  bool wide = data.type == ElementType::F64;
  (wide ? data.wide.resize(n) : data.narrow.resize(n));
  for (size_t first = 0; first < n; first += kChunk) {
    size_t count = std::min(kChunk, n - first);
    generate(seed, data.type, std::span(raw).first(count * bytes), first);
    for (size_t i = 0; i < count; ++i) {
      double v = decodeElement(data.type, raw.data() + i * bytes);
      if (wide)
        data.wide[first + i] = v;
      else
        data.narrow[first + i] = static_cast<float>(v);
    }
  }
}

class Reference {
public:
  Reference(linalg::LinalgOp op, const ReferenceInputs &inputs)
      : op(op), inputs(inputs) {}
  std::string prepare();
  Expected<ReferenceOutput> output(unsigned k, ArrayRef<uint64_t> wanted);

private:
  std::string readOperand(OpOperand &operand);
  std::string readExtents();
  bool isMultiplyAdd(Value &a, Value &b);
  bool solve(const Data &out, uint64_t element,
             SmallVector<int64_t> &loops) const;
  bool invertible(const Data &out) const;
  Number evaluate(unsigned k, SmallVector<int64_t> loops);
  void runBody(ArrayRef<int64_t> loops, ArrayRef<Number> carried);
  template <class F> void forReductions(SmallVector<int64_t> &loops, F body);
  template <class Real>
  Number sumProducts(unsigned k, SmallVector<int64_t> loops);
  void everything(unsigned k, std::vector<Number> &values,
                  std::vector<bool> &written);
  ReferenceOutput byElement(unsigned k, ArrayRef<uint64_t> wanted);
  ReferenceOutput byIteration(unsigned k, ArrayRef<uint64_t> wanted);
  static void append(ExpectedValues &e, ElementType type, const Number &n);

  linalg::LinalgOp op;
  const ReferenceInputs &inputs;
  std::vector<Data> data;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> parallel, reduced;
  Program program;
  int sumLeft = -1, sumRight = -1; ///< operands of a sum of products; -1: 1
  bool isSum = false;
  double productUnit = 0, sumUnit = 0; ///< unit round-offs
  std::vector<Number> arguments;
};

Value stripExtensions(Value v) {
  while (Operation *def = v.getDefiningOp()) {
    if (!isa<arith::ExtFOp>(def))
      break;
    v = def->getOperand(0);
  }
  return v;
}

std::string Reference::readOperand(OpOperand &operand) {
  unsigned k = operand.getOperandNumber();
  Data d;
  Type type = operand.get().getType();
  std::optional<ElementType> element =
      elementTypeOf(getElementTypeOrSelf(type));
  if (!element)
    return fmt::format("operand {} has an element type without a reference", k);
  d.type = *element;
  d.map = op.getMatchingIndexingMap(&operand);
  d.isOutput = op.isDpsInit(&operand);
  d.readsInit = d.isOutput && op.payloadUsesValueFromOperand(&operand);
  auto shaped = dyn_cast<ShapedType>(type);
  d.shaped = static_cast<bool>(shaped);
  if (!shaped) {
    Attribute constant;
    auto given = inputs.scalars.find(k);
    if (given != inputs.scalars.end())
      d.scalar = isFloat(d.type)
                     ? Number::of(roundToType(d.type, given->second))
                     : Number::ofInteger(int64_t(given->second));
    else if (matchPattern(operand.get(), m_Constant(&constant)))
      d.scalar =
          isa<FloatAttr>(constant)
              ? Number::of(cast<FloatAttr>(constant).getValueAsDouble())
              : Number::ofInteger(
                    cast<IntegerAttr>(constant).getValue().getSExtValue());
    else
      return fmt::format("scalar operand {} has no value", k);
    data.push_back(std::move(d));
    return "";
  }
  if (k >= inputs.buffers.size() ||
      int64_t(inputs.buffers[k].shape.size()) != shaped.getRank())
    return fmt::format("operand {} needs a shape of rank {}", k,
                       shaped.getRank());
  d.shape.assign(inputs.buffers[k].shape.begin(),
                 inputs.buffers[k].shape.end());
  for (int64_t i = 0; i < shaped.getRank(); ++i)
    if (d.shape[i] < 0 ||
        (!shaped.isDynamicDim(i) && shaped.getDimSize(i) != d.shape[i]))
      return fmt::format(
          "size {} given for dimension {} of operand {}, whose type says {}",
          d.shape[i], i, k, shaped.getDimSize(i));
  d.readLayout(shaped);
  d.perLoop.assign(op.getNumLoops(), 0);
  d.constant = d.offset;
  for (auto [dim, expr] : llvm::enumerate(d.map.getResults())) {
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(expr, op.getNumLoops(), 0, &flat)) ||
        flat.size() != op.getNumLoops() + 1) {
      d.linear = false;
      break;
    }
    for (unsigned l = 0; l < op.getNumLoops(); ++l)
      d.perLoop[l] += flat[l] * d.strides[dim];
    d.constant += flat.back() * d.strides[dim];
  }
  if (!d.isOutput || d.readsInit)
    fill(d, inputs.buffers[k].seed);
  data.push_back(std::move(d));
  return "";
}

std::string Reference::readExtents() {
  SmallVector<int64_t> sizes;
  for (Data &d : data)
    llvm::append_range(sizes, d.shape);
  AffineMap map = op.getShapesToLoopsMap();
  if (!map)
    return "the loops cannot be derived from the operands' shapes";
  extents = map.compose(sizes);
  // Every access must lie inside; the last iteration is the farthest one of a
  // map without negative coefficients, the only ones linalg verifies as well.
  for (auto [k, d] : llvm::enumerate(data)) {
    if (!d.shaped || !d.linear || llvm::is_contained(extents, 0))
      continue;
    SmallVector<int64_t> last;
    for (int64_t e : extents)
      last.push_back(e - 1);
    SmallVector<int64_t> index = d.map.compose(last);
    for (size_t i = 0; i < index.size(); ++i)
      if (index[i] >= d.shape[i])
        return fmt::format(
            "dimension {} of operand {} has size {}, the loops reach {}", i, k,
            d.shape[i], index[i]);
  }
  return "";
}

/// out + a * b, or out + a, with only widening casts between.
bool Reference::isMultiplyAdd(Value &a, Value &b) {
  Block *body = op.getBlock();
  if (op.getNumDpsInits() != 1)
    return false;
  BlockArgument out = body->getArguments().back();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || !out.hasOneUse() || (sum.getLhs() != out && sum.getRhs() != out))
    return false;
  Value term =
      stripExtensions(sum.getLhs() == out ? sum.getRhs() : sum.getLhs());
  if (auto mul = term.getDefiningOp<arith::MulFOp>()) {
    a = stripExtensions(mul.getLhs());
    b = stripExtensions(mul.getRhs());
  } else {
    a = term;
    b = {};
  }
  auto isInput = [&](Value v) {
    auto argument = dyn_cast<BlockArgument>(v);
    return argument && argument.getOwner() == body && argument != out;
  };
  return isInput(a) && (!b || isInput(b));
}

std::string Reference::prepare() {
  for (OpOperand &operand : op->getOpOperands())
    if (std::string why = readOperand(operand); !why.empty())
      return why;
  if (std::string why = readExtents(); !why.empty())
    return why;
  for (auto [l, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::reduction ? reduced : parallel).push_back(l);
  Expected<Program> compiled = Program::compile(op);
  if (!compiled)
    return compiled.error().message;
  program = std::move(*compiled);
  arguments.resize(data.size());
  Value a, b;
  if (!isMultiplyAdd(a, b))
    return "";
  auto operandOf = [&](Value v) {
    return v ? int(cast<BlockArgument>(v).getArgNumber()) : -1;
  };
  sumLeft = operandOf(a);
  sumRight = operandOf(b);
  isSum = true;
  for (int k : {sumLeft, sumRight})
    if (k >= 0)
      isSum &= data[k].shaped && data[k].linear;
  auto sum = op.getBlock()->getTerminator()->getOperand(0);
  sumUnit = reference::unitRoundoff(sum.getType());
  op.getBlock()->walk([&](arith::MulFOp mul) {
    productUnit = reference::unitRoundoff(mul.getType());
  });
  return "";
}

template <class F>
void Reference::forReductions(SmallVector<int64_t> &loops, F body) {
  for (unsigned l : reduced) {
    if (extents[l] == 0)
      return;
    loops[l] = 0;
  }
  for (;;) {
    body();
    size_t i = reduced.size();
    while (i > 0 && ++loops[reduced[i - 1]] == extents[reduced[i - 1]])
      loops[reduced[--i]] = 0;
    if (i == 0)
      return;
  }
}

template <class Real>
Number Reference::sumProducts(unsigned k, SmallVector<int64_t> loops) {
  const Data &out = data[k], &left = data[sumLeft];
  const Data *right = sumRight >= 0 ? &data[sumRight] : nullptr;
  for (unsigned l : reduced)
    loops[l] = 0;
  Real sum = out.at(out.address(loops));
  double magnitude = std::abs(static_cast<double>(sum));
  int64_t terms = 1;
  unsigned inner = reduced.empty() ? 0 : reduced.back();
  int64_t count = reduced.empty() ? 1 : extents[inner];
  int64_t stepLeft = reduced.empty() ? 0 : left.perLoop[inner];
  int64_t stepRight = reduced.empty() || !right ? 0 : right->perLoop[inner];
  SmallVector<unsigned> outer(reduced);
  if (!outer.empty())
    outer.pop_back();
  std::swap(outer, reduced); // the innermost loop is run here
  forReductions(loops, [&] {
    int64_t i = left.address(loops), j = right ? right->address(loops) : 0;
    for (int64_t n = 0; n < count; ++n, i += stepLeft, j += stepRight) {
      Real p = static_cast<Real>(left.at(i)) * (right ? right->at(j) : 1.0);
      sum += p;
      magnitude += std::abs(static_cast<double>(p));
    }
    terms += count;
  });
  std::swap(outer, reduced);
  double error = magnitude * (static_cast<double>(terms) * sumUnit +
                              (right ? productUnit : 0));
  return {sum, error, magnitude, 0};
}

void Reference::runBody(ArrayRef<int64_t> loops, ArrayRef<Number> carried) {
  unsigned inputsCount = data.size() - carried.size();
  for (unsigned k = 0; k < inputsCount; ++k)
    arguments[k] = data[k].shaped ? data[k].number(data[k].address(loops))
                                  : data[k].scalar;
  std::copy(carried.begin(), carried.end(), arguments.begin() + inputsCount);
  program.run(arguments, std::span<const int64_t>(loops.data(), loops.size()));
}

/// Output `k` at parallel indices `loops`.
Number Reference::evaluate(unsigned k, SmallVector<int64_t> loops) {
  unsigned first = op.getNumDpsInputs();
  if (isSum && data[k].linear)
    return data[k].type == ElementType::F64 ? sumProducts<long double>(k, loops)
                                            : sumProducts<double>(k, loops);
  SmallVector<Number> carried;
  for (unsigned o = first; o < data.size(); ++o)
    carried.push_back(data[o].readsInit ? data[o].number(data[o].address(loops))
                                        : Number());
  forReductions(loops, [&] {
    runBody(loops, carried);
    for (unsigned o = 0; o < carried.size(); ++o)
      carried[o] = program.result(o);
  });
  return carried[k - first];
}

/// Whether an element of `out` tells all parallel loops.
bool Reference::invertible(const Data &out) const {
  return out.map.isProjectedPermutation() &&
         out.map.getNumResults() == parallel.size();
}

bool Reference::solve(const Data &out, uint64_t element,
                      SmallVector<int64_t> &loops) const {
  loops.assign(extents.size(), 0);
  int64_t rest = static_cast<int64_t>(element) - out.offset;
  if (rest < 0)
    return false;
  for (unsigned d : out.slowestFirst) {
    unsigned l = cast<AffineDimExpr>(out.map.getResult(d)).getPosition();
    loops[l] = rest / out.strides[d];
    rest -= loops[l] * out.strides[d];
    if (loops[l] >= extents[l])
      return false; // no iteration writes it
  }
  return rest == 0;
}

void Reference::append(ExpectedValues &e, ElementType type, const Number &n) {
  double value = static_cast<double>(
      isFloat(type)             ? n.value
      : type == ElementType::I1 ? static_cast<long double>(n.integer & 1)
                                : static_cast<long double>(n.integer));
  e.values.push_back(value);
  // A NaN or an infinity is right or wrong, not near.
  double bound = std::isfinite(value) ? n.error : 0;
  e.bounds.push_back(std::isfinite(n.error) ? bound : kAnyValue);
}

ReferenceOutput Reference::byElement(unsigned k, ArrayRef<uint64_t> wanted) {
  ReferenceOutput result{k, {}};
  const Data &out = data[k];
  uint64_t total = wanted.empty() ? out.elements() : wanted.size();
  SmallVector<int64_t> loops;
  for (uint64_t n = 0; n < total; ++n) {
    uint64_t element = wanted.empty() ? n : wanted[n];
    if (!solve(out, element, loops))
      continue;
    append(result.expected, out.type, evaluate(k, loops));
    result.expected.indices.push_back(element);
  }
  if (result.expected.indices.size() == uint64_t(out.elements()))
    result.expected.indices.clear();
  return result;
}

void Reference::everything(unsigned k, std::vector<Number> &values,
                           std::vector<bool> &written) {
  unsigned first = op.getNumDpsInputs();
  std::vector<std::vector<Number>> state(data.size());
  for (unsigned o = first; o < data.size(); ++o) {
    state[o].resize(data[o].elements());
    for (size_t i = 0; data[o].readsInit && i < state[o].size(); ++i)
      state[o][i] = data[o].number(i);
  }
  written.assign(state[k].size(), false);
  SmallVector<int64_t> loops(extents.size(), 0);
  SmallVector<unsigned> all(extents.size());
  std::iota(all.begin(), all.end(), 0);
  std::swap(all, reduced); // every loop, in the op's order
  forReductions(loops, [&] {
    SmallVector<Number> carried;
    for (unsigned o = first; o < data.size(); ++o)
      carried.push_back(state[o][data[o].address(loops)]);
    runBody(loops, carried);
    for (unsigned o = first; o < data.size(); ++o)
      state[o][data[o].address(loops)] = program.result(o - first);
    written[data[k].address(loops)] = true;
  });
  std::swap(all, reduced);
  values = std::move(state[k]);
}

ReferenceOutput Reference::byIteration(unsigned k, ArrayRef<uint64_t> wanted) {
  std::vector<Number> values;
  std::vector<bool> written;
  everything(k, values, written);
  ReferenceOutput result{k, {}};
  uint64_t total = wanted.empty() ? values.size() : wanted.size();
  for (uint64_t n = 0; n < total; ++n) {
    uint64_t element = wanted.empty() ? n : wanted[n];
    if (!written[element])
      continue;
    append(result.expected, data[k].type, values[element]);
    result.expected.indices.push_back(element);
  }
  if (result.expected.indices.size() == values.size())
    result.expected.indices.clear();
  return result;
}

Expected<ReferenceOutput> Reference::output(unsigned k,
                                            ArrayRef<uint64_t> wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] >= uint64_t(data[k].elements()) ||
        (i > 0 && wanted[i] <= wanted[i - 1]))
      return Error{
          fmt::format("index {} of operand {} is out of order or not below {}",
                      wanted[i], k, data[k].elements()),
          ""};
  return invertible(data[k]) ? byElement(k, wanted) : byIteration(k, wanted);
}

} // namespace

Status checkReferenceKnows(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Error{"'" + op->getName().getStringRef().str() +
                     "' is no linalg op, which the reference needs",
                 ""};
  Expected<Program> program = Program::compile(linalgOp);
  return program ? success() : Status(program.error());
}

Expected<std::vector<ReferenceOutput>>
computeReference(Operation *op, const ReferenceInputs &inputs,
                 const std::vector<std::vector<uint64_t>> &indices) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Error{"'" + op->getName().getStringRef().str() +
                     "' is no linalg op, which the reference needs",
                 ""};
  Reference reference(linalgOp, inputs);
  if (std::string why = reference.prepare(); !why.empty())
    return Error{why, ""};
  std::vector<ReferenceOutput> outputs;
  unsigned first = linalgOp.getNumDpsInputs();
  for (unsigned o = 0; o < linalgOp.getNumDpsInits(); ++o) {
    ArrayRef<uint64_t> wanted = o < indices.size()
                                    ? ArrayRef<uint64_t>(indices[o])
                                    : ArrayRef<uint64_t>();
    Expected<ReferenceOutput> output = reference.output(first + o, wanted);
    if (!output)
      return output.error();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

} // namespace hwtune
