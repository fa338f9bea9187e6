//===- Nest.cpp - loops and addresses of a linalg op ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are computed here and not by memref.load on the op's own memrefs:
// a tile's points then differ by constants that are visible to LLVM, and a
// memref of dynamic size enters the kernel as a bare pointer and its sizes.
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "../TransformUtils.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace hwtune::launch {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Int::Int(Value v) : value(v) {
  if (auto c = v.getDefiningOp<arith::ConstantIndexOp>()) {
    constant = c.value();
    value = {};
  }
}
Value Int::get(Builder &b) const {
  return constant ? arith::ConstantIndexOp::create(b, *constant).getResult()
                  : value;
}
/// Elements of the widest access, of the smallest type.
static constexpr int64_t kMostElements = 16;

static int64_t powerOfTwoIn(const Int &x) {
  return x.constant ? hwtune::powerOfTwoIn(*x.constant) : x.multiple;
}
Int add(Builder &b, Int x, Int y) {
  if (x.constant && y.constant)
    return *x.constant + *y.constant;
  if (x.is(0))
    return y;
  if (y.is(0))
    return x;
  Int sum = arith::AddIOp::create(b, x.get(b), y.get(b),
                                  arith::IntegerOverflowFlags::nsw)
                .getResult();
  sum.multiple = std::min(powerOfTwoIn(x), powerOfTwoIn(y));
  return sum;
}
Int mul(Builder &b, Int x, Int y) {
  if (x.constant && y.constant)
    return *x.constant * *y.constant;
  if (x.is(0) || y.is(0))
    return 0;
  if (x.is(1))
    return y;
  if (y.is(1))
    return x;
  Int result = arith::MulIOp::create(b, x.get(b), y.get(b),
                                     arith::IntegerOverflowFlags::nsw)
                   .getResult();
  // Nobody asks for more than the elements of an access.
  result.multiple =
      std::min(kMostElements, std::min(kMostElements, powerOfTwoIn(x)) *
                                  std::min(kMostElements, powerOfTwoIn(y)));
  return result;
}
Int divide(Builder &b, Int x, Int y) {
  if (y.is(1))
    return x;
  if (x.constant && y.constant && *y.constant != 0)
    return *x.constant / *y.constant;
  return arith::DivUIOp::create(b, x.get(b), y.get(b)).getResult();
}
Int remainder(Builder &b, Int x, Int y) {
  if (y.is(1))
    return 0;
  if (x.constant && y.constant && *y.constant != 0)
    return *x.constant % *y.constant;
  return arith::RemUIOp::create(b, x.get(b), y.get(b)).getResult();
}
Int ceilDivide(Builder &b, Int x, int64_t y) {
  return divide(b, add(b, x, y - 1), y);
}
Int atLeastOne(Builder &b, Int x) {
  if (x.constant)
    return std::max<int64_t>(1, *x.constant);
  return arith::MaxSIOp::create(b, x.value, Int(1).get(b)).getResult();
}
static Value compare(Builder &b, arith::CmpIPredicate p, Int x, Int y) {
  return arith::CmpIOp::create(b, p, x.get(b), y.get(b));
}
Value less(Builder &b, Int x, Int y) {
  return compare(b, arith::CmpIPredicate::slt, x, y);
}
Value lessEqual(Builder &b, Int x, Int y) {
  return compare(b, arith::CmpIPredicate::sle, x, y);
}
Int product(Builder &b, ArrayRef<Int> factors) {
  Int p = 1;
  for (Int f : factors)
    p = mul(b, p, f);
  return p;
}

SmallVector<Int> Nest::split(Builder &b, Int linear, ArrayRef<Int> counts) {
  SmallVector<Int> out(counts.size(), Int(0));
  for (size_t i = counts.size(); i-- > 0;) {
    if (counts[i].is(1))
      continue;
    // The slowest index needs no remainder: the number is in range.
    bool last =
        llvm::all_of(counts.take_front(i), [](Int c) { return c.is(1); });
    out[i] = last ? linear : remainder(b, linear, counts[i]);
    if (!last)
      linear = divide(b, linear, counts[i]);
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Reading the op
//===----------------------------------------------------------------------===//

SmallVector<unsigned> Nest::parallelGroups() const {
  SmallVector<unsigned> out;
  for (unsigned g = 0; g < size(); ++g)
    if (!reduction[g])
      out.push_back(g);
  return out;
}
SmallVector<unsigned> Nest::reductionGroups() const {
  SmallVector<unsigned> out;
  for (unsigned g = 0; g < size(); ++g)
    if (reduction[g])
      out.push_back(g);
  return out;
}

std::string Nest::readOperand(Builder &b, OpOperand &operand) {
  Buffer buffer;
  buffer.use = &operand;
  buffer.element = getElementTypeOrSelf(operand.get().getType());
  buffer.map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  buffer.shaped = static_cast<bool>(type);
  buffer.hostBase = operand.get();
  if (type && !type.isStrided())
    return "operand " + std::to_string(operand.getOperandNumber()) +
           " has a layout that is not strided";
  if (type)
    readLayout(b, buffer, type);
  buffers.push_back(std::move(buffer));
  return "";
}

/// What is not known from the type enters the launch as a number.
void Nest::readLayout(Builder &b, Buffer &buffer, MemRefType type) {
  bool packed = type.getLayout().isIdentity();
  if (type.hasStaticShape() && packed) {
    for (int64_t d : type.getShape())
      buffer.dims.push_back(d);
    return;
  }
  auto parts = memref::ExtractStridedMetadataOp::create(b, buffer.use->get());
  buffer.hostBase = parts.getBaseBuffer();
  auto known = [](OpFoldResult number) {
    auto constant = dyn_cast<Attribute>(number);
    return constant ? Int(cast<IntegerAttr>(constant).getInt())
                    : Int(cast<Value>(number));
  };
  buffer.dims = llvm::map_to_vector(parts.getConstifiedMixedSizes(), known);
  if (!buffer.dims.empty() && !buffer.dims.back().constant)
    buffer.dims.back().multiple = dynamicRowMultiple(op, type);
  if (packed)
    return;
  buffer.strides =
      llvm::map_to_vector(parts.getConstifiedMixedStrides(), known);
  buffer.offset = known(parts.getConstifiedMixedOffset());
}

std::string Nest::readExtents(Builder &b) {
  SmallVector<Int> sizes;
  for (Buffer &buffer : buffers)
    llvm::append_range(sizes, buffer.dims);
  AffineMap map = op.getShapesToLoopsMap();
  if (!map)
    return "the loops cannot be derived from the operands' shapes";
  SmallVector<int64_t> statics = op.getStaticLoopRanges();
  for (unsigned l = 0; l < op.getNumLoops(); ++l) {
    if (!ShapedType::isDynamic(statics[l])) {
      loopExtents.push_back(statics[l]);
      continue;
    }
    AffineExpr expr = map.getResult(l);
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loopExtents.push_back(sizes[dim.getPosition()]);
      continue;
    }
    SmallVector<OpFoldResult> operands;
    for (Int s : sizes)
      operands.push_back(s.constant ? OpFoldResult(b.getIndexAttr(*s.constant))
                                    : OpFoldResult(s.value));
    OpFoldResult r = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), map.getSubMap({l}), operands);
    if (auto attr = dyn_cast<Attribute>(r))
      loopExtents.push_back(cast<IntegerAttr>(attr).getInt());
    else
      loopExtents.push_back(cast<Value>(r));
  }
  // A loop along rows has what is known of their extent, from whichever operand
  // its own was taken.
  for (const Buffer &buffer : buffers)
    if (!buffer.dims.empty())
      if (auto loop = dyn_cast<AffineDimExpr>(buffer.map.getResults().back()))
        if (Int &extent = loopExtents[loop.getPosition()]; !extent.constant)
          extent.multiple =
              std::max(extent.multiple, powerOfTwoIn(buffer.dims.back()));
  return "";
}

/// A group runs as one loop if every operand either knows none of its loops or
/// has them as adjacent dimensions, in order.
std::string Nest::checkGroup(ArrayRef<unsigned> loops) const {
  for (const Buffer &buffer : buffers) {
    if (!buffer.shaped)
      continue;
    auto uses = [&](AffineExpr e) {
      return llvm::any_of(loops,
                          [&](unsigned l) { return e.isFunctionOfDim(l); });
    };
    unsigned used = llvm::count_if(buffer.map.getResults(), uses);
    if (used == 0)
      continue;
    auto *first = llvm::find_if(buffer.map.getResults(), uses);
    bool fits = used == loops.size() &&
                size_t(buffer.map.getResults().end() - first) >= loops.size();
    for (size_t i = 0; fits && i < loops.size(); ++i) {
      auto dim = dyn_cast<AffineDimExpr>(*(first + i));
      fits = dim && dim.getPosition() == loops[i];
    }
    // Rows with gaps between them are not one.
    unsigned d = first - buffer.map.getResults().begin();
    for (size_t i = 1; fits && !buffer.strides.empty() && i < loops.size();
         ++i, ++d)
      fits = buffer.strides[d].constant && buffer.strides[d + 1].constant &&
             buffer.dims[d + 1].constant &&
             *buffer.strides[d].constant ==
                 *buffer.strides[d + 1].constant * *buffer.dims[d + 1].constant;
    if (!fits)
      return "loops " + std::to_string(loops.front()) + " to " +
             std::to_string(loops.back()) + " cannot run as one: operand " +
             std::to_string(buffer.use->getOperandNumber()) +
             " is not contiguous along them";
  }
  return "";
}

std::string Nest::group(ArrayRef<int64_t> collapse) {
  unsigned next = 0;
  auto kinds = op.getIteratorTypesArray();
  for (int64_t count : collapse) {
    SmallVector<unsigned> loops;
    for (int64_t i = 0; i < count && next < op.getNumLoops(); ++i)
      loops.push_back(next++);
    if (static_cast<int64_t>(loops.size()) != count || count < 1)
      break;
    for (unsigned l : loops)
      if (kinds[l] != kinds[loops.front()])
        return "loops " + std::to_string(loops.front()) + " to " +
               std::to_string(loops.back()) + " differ in kind";
    if (loops.size() > 1)
      if (std::string why = checkGroup(loops); !why.empty())
        return why;
    reduction.push_back(kinds[loops.front()] == utils::IteratorType::reduction);
    groups.push_back(std::move(loops));
  }
  if (next != op.getNumLoops() || groups.size() != collapse.size())
    return "'collapse' must sum to the op's " +
           std::to_string(op.getNumLoops()) + " loops";
  return "";
}

std::string Nest::initialise(Builder &b, linalg::LinalgOp linalgOp,
                             ArrayRef<int64_t> collapse) {
  op = linalgOp;
  if (!op.hasPureBufferSemantics())
    return "the op is not on memrefs";
  for (OpOperand &operand : op->getOpOperands())
    if (std::string why = readOperand(b, operand); !why.empty())
      return why;
  if (std::string why = readExtents(b); !why.empty())
    return why;
  if (std::string why = group(collapse); !why.empty())
    return why;
  for (auto &loops : groups) {
    Int extent = 1;
    for (unsigned l : loops)
      extent = mul(b, extent, loopExtents[l]);
    extents.push_back(extent);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void Nest::enterBuffer(Builder &b, Buffer &buffer) {
  if (!buffer.shaped)
    return;
  unsigned rank = buffer.dims.size();
  if (buffer.strides.empty()) {
    buffer.strides.assign(rank, Int(1));
    for (unsigned d = rank; d-- > 1;)
      buffer.strides[d - 1] = mul(b, buffer.strides[d], buffer.dims[d]);
  }
  Int elements = add(b, buffer.offset, 1);
  for (unsigned d = 0; d < rank; ++d)
    elements =
        add(b, elements, mul(b, add(b, buffer.dims[d], -1), buffer.strides[d]));
  auto flatType = MemRefType::get(
      {elements.constant ? *elements.constant : ShapedType::kDynamic},
      buffer.element);
  OpFoldResult size = elements.constant
                          ? OpFoldResult(b.getIndexAttr(*elements.constant))
                          : OpFoldResult(elements.value);
  buffer.flat = memref::ReinterpretCastOp::create(
      b, flatType, buffer.hostBase, b.getIndexAttr(0),
      ArrayRef<OpFoldResult>{size}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  buffer.constant = buffer.offset;
  buffer.perGroup.assign(size_t(this->size()), Int(0));
  unsigned loops = op.getNumLoops();
  for (auto [d, expr] : llvm::enumerate(buffer.map.getResults())) {
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(expr, loops, 0, &flat)) ||
        flat.size() != loops + 1) {
      buffer.linear = false;
      return;
    }
    buffer.constant =
        add(b, buffer.constant, mul(b, flat.back(), buffer.strides[d]));
    for (auto [g, members] : llvm::enumerate(groups))
      buffer.perGroup[g] = add(b, buffer.perGroup[g],
                               mul(b, flat[members.back()], buffer.strides[d]));
  }
}

void Nest::createLaunch(Builder &b, Int blocks, int64_t threads,
                        ArrayRef<Type> shared) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value grid = atLeastOne(b, blocks).get(b);
  Value block = arith::ConstantIndexOp::create(b, threads);
  launch = gpu::LaunchOp::create(b, grid, one, one, block, one, one, Value(),
                                 Type(), ValueRange(), TypeRange(shared));
  b.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  for (Buffer &buffer : buffers)
    enterBuffer(b, buffer);
}

SmallVector<Value> Nest::loopIndices(Builder &b, const Indices &at) {
  SmallVector<Value> out(op.getNumLoops());
  for (auto [g, loops] : llvm::enumerate(groups)) {
    SmallVector<Int> counts;
    for (unsigned l : loops)
      counts.push_back(loopExtents[l]);
    SmallVector<Int> parts =
        loops.size() == 1 ? SmallVector<Int>{at[g]} : split(b, at[g], counts);
    for (auto [l, part] : llvm::zip_equal(loops, parts))
      out[l] = part.get(b);
  }
  return out;
}

Int Nest::address(Builder &b, const Buffer &buffer, const Indices &at) {
  Int sum = buffer.linear ? buffer.constant : buffer.offset;
  if (buffer.linear) {
    // Constants last, so that points of one tile share all of the rest.
    int64_t constant = 0;
    for (unsigned g = 0; g < size(); ++g) {
      Int term = mul(b, at[g], buffer.perGroup[g]);
      if (term.constant)
        constant += *term.constant;
      else
        sum = add(b, sum, term);
    }
    return add(b, sum, constant);
  }
  SmallVector<OpFoldResult> indices;
  for (Value v : loopIndices(b, at))
    indices.push_back(v);
  for (auto [d, stride] : llvm::enumerate(buffer.strides)) {
    OpFoldResult r = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), buffer.map.getSubMap({unsigned(d)}), indices);
    Int index = isa<Attribute>(r)
                    ? Int(cast<IntegerAttr>(cast<Attribute>(r)).getInt())
                    : Int(cast<Value>(r));
    sum = add(b, sum, mul(b, index, stride));
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Accesses and the body
//===----------------------------------------------------------------------===//

std::string Nest::vectorProblem(const Buffer &buffer, unsigned group,
                                int64_t width) const {
  std::string name =
      "operand " + std::to_string(buffer.use->getOperandNumber());
  if (width == 1)
    return "";
  if (!buffer.shaped || !buffer.linear)
    return name + " is no buffer with a linear map";
  if (buffer.element.getIntOrFloatBitWidth() < 8)
    return name + " has elements of less than a byte";
  if (!buffer.perGroup[group].is(1))
    return name + " is not contiguous along loop group " +
           std::to_string(group);
  if (!buffer.constant.isMultipleOf(width))
    return name + " starts at an element that is no multiple of " +
           std::to_string(width);
  for (unsigned g = 0; g < size(); ++g)
    if (g != group && !buffer.perGroup[g].isMultipleOf(width))
      return name + " moves by no known multiple of " + std::to_string(width) +
             " along loop group " + std::to_string(g);
  return "";
}

Value Nest::load(Builder &b, const Buffer &buffer, Int address, int64_t width) {
  Value at = address.get(b);
  if (width == 1)
    return memref::LoadOp::create(b, buffer.flat, ValueRange{at});
  auto type = VectorType::get({width}, buffer.element);
  auto bytes = width * buffer.element.getIntOrFloatBitWidth() / 8;
  return vector::LoadOp::create(b, type, buffer.flat, ValueRange{at}, false,
                                llvm::MaybeAlign(bytes));
}

void Nest::store(Builder &b, const Buffer &buffer, Int address,
                 ArrayRef<Value> values) {
  Value at = address.get(b);
  if (values.size() == 1) {
    memref::StoreOp::create(b, values[0], buffer.flat, ValueRange{at});
    return;
  }
  auto type = VectorType::get({int64_t(values.size())}, buffer.element);
  Value vector = vector::FromElementsOp::create(b, type, values);
  auto bytes = values.size() * buffer.element.getIntOrFloatBitWidth() / 8;
  vector::StoreOp::create(b, vector, buffer.flat, ValueRange{at}, false,
                          llvm::MaybeAlign(bytes));
}

/// a * b + c in one rounding, where `inner` adds a product that nobody else
/// reads; null where it does not.
static Value fuseMultiplyAdd(Builder &b, Operation &inner, IRMapping &mapping) {
  auto sum = dyn_cast<arith::AddFOp>(inner);
  if (!sum || !(sum.getType().isF16() || sum.getType().isF32() ||
                sum.getType().isF64()))
    return {};
  for (unsigned i : {0u, 1u}) {
    auto mulOp = sum->getOperand(i).getDefiningOp<arith::MulFOp>();
    if (mulOp && mulOp->hasOneUse() && mulOp->getBlock() == inner.getBlock())
      return math::FmaOp::create(
          b, mapping.lookupOrDefault(mulOp.getLhs()),
          mapping.lookupOrDefault(mulOp.getRhs()),
          mapping.lookupOrDefault(sum->getOperand(1 - i)));
  }
  return {};
}

SmallVector<Value> Nest::body(Builder &b, const Indices &at,
                              ValueRange arguments, bool fuse) {
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments(), arguments);
  SmallVector<Value> loops;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (loops.empty())
        loops = loopIndices(b, at);
      mapping.map(index.getResult(), loops[index.getDim()]);
      continue;
    }
    if (Value fused = fuse ? fuseMultiplyAdd(b, inner, mapping) : Value()) {
      mapping.map(inner.getResult(0), fused);
      continue;
    }
    b.clone(inner, mapping);
  }
  SmallVector<Value> yields;
  for (Value v : op.getBlock()->getTerminator()->getOperands())
    yields.push_back(mapping.lookupOrDefault(v));
  return yields;
}

} // namespace hwtune::launch
