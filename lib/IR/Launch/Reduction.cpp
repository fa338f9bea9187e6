//===- Reduction.cpp - several threads for each result --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles and barriers are outside all guards: every thread reaches them, and
// one without work brings the neutral element.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hwtune::launch {

Combiner Combiner::of(linalg::LinalgOp op) {
  Combiner c;
  if (op.getNumDpsInits() != 1)
    return c;
  Block *body = op.getBlock();
  BlockArgument out = body->getArguments().back();
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  if (auto fma = dyn_cast_or_null<::mlir::math::FmaOp>(last);
      fma && fma.getC() == out && out.hasOneUse()) {
    Builder b(op.getLoc(), op);
    c.op = last;
    c.neutral = cast<TypedAttr>(b.getZeroAttr(out.getType()));
    return c;
  }
  if (!last || last->getBlock() != body || last->getNumOperands() != 2 ||
      last->getNumResults() != 1 || !last->hasOneUse() || !out.hasOneUse() ||
      last->getResult(0).getType() != out.getType())
    return c;
  if (last->getOperand(0) != out && last->getOperand(1) != out)
    return c;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(last);
  if (!neutral)
    return c;
  c.op = last;
  c.outputSide = last->getOperand(0) == out ? 0 : 1;
  c.neutral = *neutral;
  return c;
}

Value Combiner::combine(Builder &b, Value x, Value y) const {
  if (isa<::mlir::math::FmaOp>(op)) // lanes hold sums of products
    return arith::AddFOp::create(b, x, y);
  Operation *copy = b.clone(*op);
  copy->setOperands({x, y});
  return copy->getResult(0);
}

namespace {

constexpr int64_t kWarp = 32;

class ReductionEmitter {
public:
  ReductionEmitter(Builder &b, Nest &nest, const ReductionParams &params)
      : b(b), nest(nest), params(params) {}
  std::string run();

private:
  std::string check();
  void enter();
  SmallVector<Value> accumulate();
  SmallVector<Value> steps(Int step, ValueRange carried, int64_t copies);
  Value shuffle(Value v, int64_t distance);
  Value acrossLanes(Value v, int64_t lanes);
  Value acrossWarps(Value v);
  void throughShared(SmallVector<Value> &v);
  void finish(ValueRange values);
  Value neutral() { return arith::ConstantOp::create(b, combiner.neutral); }
  int64_t columns() const { return params.threads / params.lanes; }

  Builder &b;
  Nest &nest;
  const ReductionParams &params;
  Combiner combiner;
  Buffer *output = nullptr;
  SmallVector<unsigned> parallel, reduced;
  SmallVector<Int> parallelCounts, reducedCounts; ///< in units of a step
  Int results, stepsInAll;                        ///< products of these
  Int lane, column;                               ///< of this thread
  Indices base;  ///< indices of its first result
  Value inRange; ///< it has a result
  Value scratch; ///< workgroup buffer
};

std::string ReductionEmitter::check() {
  combiner = Combiner::of(nest.op);
  if (!combiner.op)
    return "the body does not combine one output by one associative operation";
  parallel = nest.parallelGroups();
  reduced = nest.reductionGroups();
  if (reduced.empty())
    return "the op has no reduction loop";
  if (params.lanes < 1 || params.threads < 1 || params.threads % params.lanes)
    return "'lanes' (" + std::to_string(params.lanes) +
           ") must divide 'threads' (" + std::to_string(params.threads) + ")";
  if (params.lanes & (params.lanes - 1))
    return "'lanes' (" + std::to_string(params.lanes) +
           ") must be a power of two";
  if (params.threads % kWarp && params.lanes > 1)
    return "'threads' (" + std::to_string(params.threads) +
           ") must be a multiple of " + std::to_string(kWarp);
  if (params.alongReduction && params.lanes > kWarp * kWarp)
    return "'lanes' must be at most " + std::to_string(kWarp * kWarp);
  if (!params.alongReduction && parallel.empty())
    return "there is no parallel loop to run along";
  if (params.width < 1 || params.unroll < 1)
    return "'width' and 'unroll' must be at least 1";
  if (!params.widths.empty() && params.widths.size() != nest.buffers.size())
    return "'widths' must have one entry per operand";
  return "";
}

/// Who this thread is, and where its results lie.
void ReductionEmitter::enter() {
  Int thread(nest.threadId());
  Int perBlock = columns();
  lane = params.alongReduction ? remainder(b, thread, params.lanes)
                               : divide(b, thread, perBlock);
  Int inBlock = params.alongReduction ? divide(b, thread, params.lanes)
                                      : remainder(b, thread, perBlock);
  column = inBlock;
  Int number = add(b, mul(b, Int(nest.blockId()), perBlock), inBlock);
  bool exact = results.constant && *results.constant % columns() == 0 &&
               *results.constant > 0;
  if (!exact)
    inRange = less(b, number, results);
  base.assign(nest.size(), Int(0));
  for (auto [g, part] :
       llvm::zip_equal(parallel, Nest::split(b, number, parallelCounts)))
    base[g] = !params.alongReduction && g == parallel.back()
                  ? mul(b, part, params.width)
                  : part;
}

/// What the body gives the combiner at the points of one step.
SmallVector<Value> ReductionEmitter::steps(Int step, ValueRange carried,
                                           int64_t copies) {
  unsigned inner = params.alongReduction ? reduced.back() : parallel.back();
  // All loads first.
  SmallVector<SmallVector<Value>> loads(copies);
  SmallVector<Indices> starts;
  for (int64_t u = 0; u < copies; ++u) {
    Indices at = base;
    Int number = add(b, step, u * params.lanes);
    for (auto [g, part] :
         llvm::zip_equal(reduced, Nest::split(b, number, reducedCounts)))
      at[g] = params.alongReduction && g == reduced.back()
                  ? mul(b, part, params.width)
                  : part;
    starts.push_back(at);
    for (unsigned k = 0; k < nest.numInputs(); ++k) {
      Buffer &buffer = nest.buffers[k];
      bool wide =
          buffer.shaped && !params.widths.empty() && params.widths[k] > 1;
      for (int64_t i = 0; i < params.width; ++i) {
        if (!buffer.shaped) {
          loads[u].push_back(buffer.use->get());
          continue;
        }
        bool first =
            i == 0 || !buffer.linear || !(wide || buffer.perGroup[inner].is(0));
        Indices point = at;
        point[inner] = add(b, point[inner], i);
        Value v = first ? nest.load(b, buffer, nest.address(b, buffer, point),
                                    wide ? params.width : 1)
                        : loads[u][loads[u].size() - i];
        loads[u].push_back(v);
      }
    }
  }
  SmallVector<Value> next(carried);
  for (int64_t u = 0; u < copies; ++u)
    for (int64_t i = 0; i < params.width; ++i) {
      SmallVector<Value> args;
      for (unsigned k = 0; k < nest.numInputs(); ++k) {
        Value v = loads[u][k * params.width + i];
        if (isa<VectorType>(v.getType()))
          v = vector::ExtractOp::create(b, v, i);
        args.push_back(v);
      }
      args.push_back(next[i]);
      Indices point = starts[u];
      point[inner] = add(b, point[inner], i);
      next[i] = nest.body(b, point, args, /*fuse=*/true).front();
    }
  return next;
}

/// Each lane's share; `width` accumulators.
SmallVector<Value> ReductionEmitter::accumulate() {
  SmallVector<Value> carried(params.width, neutral());
  Int limit = stepsInAll;
  if (inRange)
    limit = arith::SelectOp::create(b, inRange, limit.get(b), Int(0).get(b))
                .getResult();
  int64_t stride = params.lanes, unroll = params.unroll;
  auto loop = [&](Int from, Int to, int64_t by, ValueRange init,
                  int64_t copies) {
    auto op = scf::ForOp::create(
        b, from.get(b), to.get(b), Int(by).get(b), init,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(b, steps(Int(i), args, copies));
        });
    keepRolled(op);
    return SmallVector<Value>(op.getResults());
  };
  if (unroll == 1)
    return loop(lane, limit, stride, carried, 1);
  // Rounds in which every lane has all its copies, then single steps.
  int64_t round = stride * unroll;
  Int rounds = mul(b, divide(b, limit, round), round);
  carried = loop(lane, rounds, round, carried, unroll);
  if (stepsInAll.constant && *stepsInAll.constant % round == 0)
    return carried;
  return loop(add(b, rounds, lane), limit, stride, carried, 1);
}

/// The value of the thread `distance` away (xor), any type of up to 64 bits.
Value ReductionEmitter::shuffle(Value v, int64_t distance) {
  Type type = v.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, word, distance, kWarp,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type intType = b.getIntegerType(bits);
  Value x = isa<FloatType>(type)
                ? arith::BitcastOp::create(b, intType, v).getResult()
                : v;
  if (bits < 32) {
    x = exchange(arith::ExtUIOp::create(b, b.getI32Type(), x));
    x = arith::TruncIOp::create(b, intType, x);
  } else if (bits == 32) {
    x = exchange(x);
  } else {
    Value by = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value low = exchange(arith::TruncIOp::create(b, b.getI32Type(), x));
    Value high = exchange(arith::TruncIOp::create(
        b, b.getI32Type(), arith::ShRUIOp::create(b, x, by)));
    high =
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, intType, high), by);
    x = arith::OrIOp::create(b, arith::ExtUIOp::create(b, intType, low), high);
  }
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, x).getResult()
                              : x;
}

Value ReductionEmitter::acrossLanes(Value v, int64_t lanes) {
  for (int64_t d = lanes / 2; d >= 1; d /= 2)
    v = combiner.combine(b, v, shuffle(v, d));
  return v;
}

/// One value per warp through workgroup memory; then the first warp of each
/// result has the whole.
Value ReductionEmitter::acrossWarps(Value v) {
  int64_t warps = params.lanes / kWarp;
  Int warp = divide(b, lane, kWarp), within = remainder(b, lane, kWarp);
  Int row = mul(b, column, warps);
  auto at = [&](Int i) { return SmallVector<Value>{add(b, row, i).get(b)}; };
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      within.get(b), Int(0).get(b));
  guarded(b, first, [&] { memref::StoreOp::create(b, v, scratch, at(warp)); });
  gpu::BarrierOp::create(b);
  // Lanes beyond the warps read the last one's slot and drop it.
  Value has = less(b, within, warps);
  Value slot = arith::SelectOp::create(b, has, within.get(b), Int(0).get(b));
  Value other = memref::LoadOp::create(b, scratch, at(Int(slot)));
  return acrossLanes(arith::SelectOp::create(b, has, other, neutral()),
                     std::min<int64_t>(kWarp, llvm::PowerOf2Ceil(warps)));
}

/// Halving tree over the lanes of each column.
void ReductionEmitter::throughShared(SmallVector<Value> &values) {
  int64_t pitch = columns() * params.width;
  auto at = [&](Int l, int64_t i) {
    // Value i of all columns together: neighbouring threads, neighbouring
    // words.
    return SmallVector<Value>{
        add(b, mul(b, l, pitch), add(b, column, i * columns())).get(b)};
  };
  for (auto [i, v] : llvm::enumerate(values))
    memref::StoreOp::create(b, v, scratch, at(lane, i));
  gpu::BarrierOp::create(b);
  for (int64_t half = params.lanes / 2; half >= 1; half /= 2) {
    guarded(b, less(b, lane, half), [&] {
      for (size_t i = 0; i < values.size(); ++i) {
        Value mine = memref::LoadOp::create(b, scratch, at(lane, i));
        Value other =
            memref::LoadOp::create(b, scratch, at(add(b, lane, half), i));
        memref::StoreOp::create(b, combiner.combine(b, mine, other), scratch,
                                at(lane, i));
      }
    });
    if (half > 1)
      gpu::BarrierOp::create(b);
  }
  // Lane 0 wrote these itself.
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = memref::LoadOp::create(b, scratch, at(lane, i));
}

/// The first lane joins the initial value and writes.
void ReductionEmitter::finish(ValueRange values) {
  Value write = inRange;
  if (params.lanes > 1) {
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        lane.get(b), Int(0).get(b));
    write = write ? arith::AndIOp::create(b, write, first).getResult() : first;
  }
  unsigned k = nest.numInputs();
  bool wide = !params.widths.empty() && params.widths[k] > 1;
  guarded(b, write, [&] {
    Int address = nest.address(b, *output, base);
    SmallVector<Value> out;
    for (auto [i, v] : llvm::enumerate(values)) {
      Int element =
          params.alongReduction
              ? address
              : add(b, address, mul(b, i, output->perGroup[parallel.back()]));
      Value init = nest.load(b, *output, element);
      Value joined = combiner.outputSide == 0 ? combiner.combine(b, init, v)
                                              : combiner.combine(b, v, init);
      if (!wide)
        nest.store(b, *output, element, {joined});
      out.push_back(joined);
    }
    if (wide)
      nest.store(b, *output, address, out);
  });
}

std::string ReductionEmitter::run() {
  if (std::string why = check(); !why.empty())
    return why;
  output = &nest.buffers.back();
  auto inUnits = [&](unsigned g, bool stepped) {
    return stepped ? divide(b, nest.extents[g], params.width) : nest.extents[g];
  };
  for (unsigned g : parallel)
    parallelCounts.push_back(
        inUnits(g, !params.alongReduction && g == parallel.back()));
  for (unsigned g : reduced)
    reducedCounts.push_back(
        inUnits(g, params.alongReduction && g == reduced.back()));
  unsigned inner = params.alongReduction ? reduced.back() : parallel.back();
  if (!nest.extents[inner].isMultipleOf(params.width))
    return "'width' (" + std::to_string(params.width) +
           ") does not divide loop group " + std::to_string(inner);
  results = product(b, parallelCounts);
  stepsInAll = product(b, reducedCounts);
  int64_t words = params.alongReduction
                      ? (params.lanes > kWarp ? params.threads / kWarp : 0)
                      : (params.lanes > 1 ? params.threads * params.width : 0);
  SmallVector<Type> shared;
  if (words) {
    auto space = gpu::AddressSpaceAttr::get(b.getContext(),
                                            gpu::AddressSpace::Workgroup);
    shared.push_back(MemRefType::get({words}, output->element,
                                     MemRefLayoutAttrInterface(), space));
  }
  nest.createLaunch(b, ceilDivide(b, results, columns()), params.threads,
                    shared);
  if (words)
    scratch = nest.launch.getWorkgroupAttributions().front();
  for (auto [k, width] : llvm::enumerate(params.widths)) {
    if (width != 1 && width != params.width)
      return "width " + std::to_string(width) + " of operand " +
             std::to_string(k) + " is neither 1 nor " +
             std::to_string(params.width);
    if (std::string why = nest.vectorProblem(nest.buffers[k], inner, width);
        !why.empty())
      return why;
  }
  enter();
  SmallVector<Value> values = accumulate();
  if (params.alongReduction) {
    Value v = values.front();
    for (Value more : ArrayRef<Value>(values).drop_front())
      v = combiner.combine(b, v, more);
    v = acrossLanes(v, std::min(params.lanes, kWarp));
    if (params.lanes > kWarp)
      v = acrossWarps(v);
    values = {v};
  } else if (params.lanes > 1) {
    throughShared(values);
  }
  finish(values);
  return "";
}

} // namespace

std::string emitReduction(Builder &b, Nest &nest,
                          const ReductionParams &params) {
  return ReductionEmitter(b, nest, params).run();
}

} // namespace hwtune::launch
