//===- Points.cpp - one thread for each tile of the parallel loops --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two paths: a tile inside the iteration space is unrolled, with vector
// accesses; one that overhangs it runs as loops over its points, each guarded.
// Where the sizes show that no tile overhangs, there is only the first.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;

namespace hwtune::launch {

void guarded(Builder &b, Value condition, function_ref<void()> then) {
  if (!condition) {
    then();
    return;
  }
  auto op = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
}

void keepRolled(Operation *loop) {
  MLIRContext *c = loop->getContext();
  auto yes = BoolAttr::get(c, true);
  auto unroll = LLVM::LoopUnrollAttr::get(c, yes, {}, {}, {}, {}, {}, {});
  // The name under which `llvm.br` holds it; scf.for hands it down.
  loop->setAttr("loop_annotation",
                LLVM::LoopAnnotationAttr::get(c, {}, {}, {}, unroll, {}, {}, {},
                                              {}, {}, {}, {}, {}, {}, {}, {}));
}

namespace {

/// The points of one tile as offsets, and what has been loaded for them.
class Tile {
public:
  Tile(Nest &nest, ArrayRef<int64_t> sizes, int64_t vectorLoop,
       ArrayRef<int64_t> widths)
      : nest(nest), vectorLoop(vectorLoop), widths(widths) {
    SmallVector<int64_t> at(sizes.size(), 0);
    int64_t total = 1;
    for (int64_t s : sizes)
      total *= s;
    for (int64_t n = 0; n < total; ++n) {
      int64_t rest = n;
      for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i])
        at[i] = rest % sizes[i];
      offsets.push_back(at);
    }
  }

  size_t size() const { return offsets.size(); }

  Indices indices(Builder &b, const Indices &origin, size_t point) {
    Indices at;
    for (auto [o, d] : llvm::zip_equal(origin, offsets[point]))
      at.push_back(add(b, o, d));
    return at;
  }

  /// The element of operand `k` at a point; loads are shared by address.
  Value element(Builder &b, unsigned k, const Indices &origin, size_t point) {
    Buffer &buffer = nest.buffers[k];
    if (!buffer.shaped)
      return buffer.use->get();
    if (!buffer.linear)
      return nest.load(b, buffer,
                       nest.address(b, buffer, indices(b, origin, point)));
    int64_t width = widthOf(k), within = 0;
    SmallVector<int64_t> start = offsets[point];
    if (width > 1) {
      within = start[vectorLoop] % width;
      start[vectorLoop] -= within;
    }
    // Loops that do not move the operand do not tell its loads apart.
    for (unsigned g = 0; g < nest.size(); ++g)
      if (buffer.perGroup[g].is(0))
        start[g] = 0;
    Value &loaded =
        cache[{k, std::vector<int64_t>(start.begin(), start.end())}];
    if (!loaded)
      loaded = nest.load(b, buffer, addressAt(b, buffer, origin, start), width);
    return width > 1 ? vector::ExtractOp::create(b, loaded, within).getResult()
                     : loaded;
  }

  void forget() { cache.clear(); }

  /// Stores `values`, one per point, to operand `k`.
  void store(Builder &b, unsigned k, const Indices &origin,
             ArrayRef<Value> values) {
    Buffer &buffer = nest.buffers[k];
    int64_t width = widthOf(k);
    for (size_t point = 0; point < size(); ++point) {
      if (width > 1 && offsets[point][vectorLoop] % width)
        continue;
      SmallVector<Value> group{values[point]};
      for (int64_t i = 1; i < width; ++i) {
        SmallVector<int64_t> next = offsets[point];
        next[vectorLoop] += i;
        group.push_back(values[llvm::find(offsets, next) - offsets.begin()]);
      }
      Int at = buffer.linear
                   ? addressAt(b, buffer, origin, offsets[point])
                   : nest.address(b, buffer, indices(b, origin, point));
      nest.store(b, buffer, at, group);
    }
  }

private:
  int64_t widthOf(unsigned k) const { return widths.empty() ? 1 : widths[k]; }
  /// Base of the origin plus a distance that is mostly constant.
  Int addressAt(Builder &b, const Buffer &buffer, const Indices &origin,
                ArrayRef<int64_t> offset) {
    Int distance = 0;
    for (unsigned g = 0; g < nest.size(); ++g)
      distance = add(b, distance, mul(b, offset[g], buffer.perGroup[g]));
    return add(b, nest.address(b, buffer, origin), distance);
  }

  Nest &nest;
  int64_t vectorLoop;
  ArrayRef<int64_t> widths;
  SmallVector<SmallVector<int64_t>> offsets;
  std::map<std::pair<unsigned, std::vector<int64_t>>, Value> cache;
};

class PointsEmitter {
public:
  PointsEmitter(Builder &b, Nest &nest, const PointsParams &params)
      : b(b), nest(nest), params(params) {}
  std::string run();

private:
  std::string check();
  void whole(ArrayRef<Indices> origins);
  void edge(const Indices &origin);
  void reduceTile(Tile &tile, const Indices &origin);
  SmallVector<Value> reductionLoops(Tile &tile, Indices at,
                                    ArrayRef<unsigned> loops,
                                    SmallVector<Value> carried);
  SmallVector<Value> reductionStep(Tile &tile, const Indices &at,
                                   ValueRange carried);
  SmallVector<Value>
  forLoop(Int from, Int to, int64_t step, ValueRange carried,
          function_ref<SmallVector<Value>(Value, ValueRange)> body);
  Value overhang(const Indices &origin, ArrayRef<unsigned> groups);
  Indices originOf(Int tileNumber);

  Builder &b;
  Nest &nest;
  const PointsParams &params;
  SmallVector<unsigned> order;  ///< parallel groups, slowest first
  SmallVector<Int> counts;      ///< tiles along each of `order`
  SmallVector<unsigned> uneven; ///< parallel groups that the tile may overhang
};

std::string PointsEmitter::check() {
  if (params.tile.size() != nest.size())
    return "'tile' must have one size per loop group (" +
           std::to_string(nest.size()) + ")";
  for (unsigned g = 0; g < nest.size(); ++g)
    if (params.tile[g] < 1 || (nest.reduction[g] && params.tile[g] != 1))
      return "tile " + std::to_string(params.tile[g]) + " of loop group " +
             std::to_string(g) +
             (nest.reduction[g] ? " must be 1: it is a reduction"
                                : " must be at least 1");
  if (params.perThread < 1 || params.unroll < 1 || params.threads < 1)
    return "'threads', 'per_thread' and 'unroll' must be at least 1";
  if (!params.widths.empty() && params.widths.size() != nest.buffers.size())
    return "'widths' must have one entry per operand";
  SmallVector<unsigned> parallel = nest.parallelGroups();
  if (params.order.empty())
    order = parallel;
  for (int64_t g : params.order)
    order.push_back(g);
  SmallVector<unsigned> sorted = order;
  llvm::sort(sorted);
  if (sorted != parallel)
    return "'order' must name every parallel loop group once";
  for (auto [k, width] : llvm::enumerate(params.widths)) {
    if (width > 1 &&
        (params.vectorLoop < 0 || params.tile[params.vectorLoop] % width))
      return "width " + std::to_string(width) + " of operand " +
             std::to_string(k) + " does not divide the tile";
    if (std::string why =
            width > 1
                ? nest.vectorProblem(nest.buffers[k], params.vectorLoop, width)
                : "";
        !why.empty())
      return why;
  }
  return "";
}

/// i1: any of `groups` reaches past its end; null where none can.
Value PointsEmitter::overhang(const Indices &origin,
                              ArrayRef<unsigned> groups) {
  Value fits;
  for (unsigned g : groups) {
    Value one =
        lessEqual(b, add(b, origin[g], params.tile[g]), nest.extents[g]);
    fits = fits ? arith::AndIOp::create(b, fits, one).getResult() : one;
  }
  return fits;
}

SmallVector<Value> PointsEmitter::forLoop(
    Int from, Int to, int64_t step, ValueRange carried,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(b, from.get(b), to.get(b), Int(step).get(b), carried,
                         [&](OpBuilder &, Location, Value i, ValueRange args) {
                           scf::YieldOp::create(b, body(i, args));
                         });
  keepRolled(loop);
  return SmallVector<Value>(loop.getResults());
}

/// One execution of the body at every point; `carried` is point-major.
SmallVector<Value> PointsEmitter::reductionStep(Tile &tile, const Indices &at,
                                                ValueRange carried) {
  unsigned inputs = nest.numInputs(), outputs = nest.buffers.size() - inputs;
  SmallVector<Value> next;
  bool fuse = true;
  for (size_t p = 0; p < tile.size(); ++p) {
    SmallVector<Value> args;
    for (unsigned k = 0; k < inputs; ++k)
      args.push_back(tile.element(b, k, at, p));
    llvm::append_range(args, carried.slice(p * outputs, outputs));
    llvm::append_range(next, nest.body(b, tile.indices(b, at, p), args, fuse));
  }
  tile.forget();
  return next;
}

SmallVector<Value> PointsEmitter::reductionLoops(Tile &tile, Indices at,
                                                 ArrayRef<unsigned> loops,
                                                 SmallVector<Value> carried) {
  if (loops.empty())
    return reductionStep(tile, at, carried);
  unsigned g = loops.front();
  Int extent = nest.extents[g];
  if (loops.size() > 1)
    return forLoop(0, extent, 1, carried, [&](Value i, ValueRange args) {
      at[g] = i;
      return reductionLoops(tile, at, loops.drop_front(),
                            SmallVector<Value>(args));
    });
  int64_t unroll = params.unroll;
  if (extent.constant)
    unroll = std::min(unroll, std::max<int64_t>(1, *extent.constant));
  auto steps = [&](Value i, ValueRange args, int64_t copies) {
    SmallVector<Value> values(args);
    for (int64_t u = 0; u < copies; ++u) {
      at[g] = add(b, Int(i), u);
      values = reductionStep(tile, at, values);
    }
    return values;
  };
  Int full = mul(b, divide(b, extent, unroll), unroll);
  carried = forLoop(0, full, unroll, carried, [&](Value i, ValueRange args) {
    return steps(i, args, unroll);
  });
  if (extent.constant && full.constant == extent.constant)
    return carried;
  return forLoop(full, extent, 1, carried,
                 [&](Value i, ValueRange args) { return steps(i, args, 1); });
}

void PointsEmitter::reduceTile(Tile &tile, const Indices &origin) {
  unsigned inputs = nest.numInputs(), outputs = nest.buffers.size() - inputs;
  SmallVector<Value> carried;
  for (size_t p = 0; p < tile.size(); ++p)
    for (unsigned o = 0; o < outputs; ++o) {
      OpOperand &use = *nest.buffers[inputs + o].use;
      if (nest.op.payloadUsesValueFromOperand(&use))
        carried.push_back(tile.element(b, inputs + o, origin, p));
      else
        carried.push_back(arith::ConstantOp::create(
            b, b.getZeroAttr(nest.buffers[inputs + o].element)));
    }
  tile.forget();
  carried = reductionLoops(tile, origin, nest.reductionGroups(), carried);
  for (unsigned o = 0; o < outputs; ++o) {
    SmallVector<Value> values;
    for (size_t p = 0; p < tile.size(); ++p)
      values.push_back(carried[p * outputs + o]);
    tile.store(b, inputs + o, origin, values);
  }
}

/// Tiles that lie inside: with no reduction, all loads precede all stores.
void PointsEmitter::whole(ArrayRef<Indices> origins) {
  if (!nest.reductionGroups().empty()) {
    for (const Indices &origin : origins) {
      Tile tile(nest, params.tile, params.vectorLoop, params.widths);
      reduceTile(tile, origin);
    }
    return;
  }
  unsigned inputs = nest.numInputs(), operands = nest.buffers.size();
  SmallVector<SmallVector<SmallVector<Value>>> arguments; // [tile][point]
  SmallVector<Tile> tiles;
  for (const Indices &origin : origins) {
    tiles.emplace_back(nest, params.tile, params.vectorLoop, params.widths);
    auto &points = arguments.emplace_back();
    for (size_t p = 0; p < tiles.back().size(); ++p) {
      auto &args = points.emplace_back();
      for (unsigned k = 0; k < operands; ++k) {
        bool read = k < inputs ||
                    nest.op.payloadUsesValueFromOperand(nest.buffers[k].use);
        args.push_back(read ? tiles.back().element(b, k, origin, p)
                            : arith::ConstantOp::create(
                                  b, b.getZeroAttr(nest.buffers[k].element))
                                  .getResult());
      }
    }
  }
  for (auto [t, origin] : llvm::enumerate(origins)) {
    SmallVector<SmallVector<Value>> results(operands - inputs);
    for (size_t p = 0; p < tiles[t].size(); ++p)
      for (auto [o, v] : llvm::enumerate(
               nest.body(b, tiles[t].indices(b, origin, p), arguments[t][p])))
        results[o].push_back(v);
    for (unsigned o = 0; o < results.size(); ++o)
      tiles[t].store(b, inputs + o, origin, results[o]);
  }
}

/// Point by point, each under its own check.
void PointsEmitter::edge(const Indices &origin) {
  Indices at = origin;
  SmallVector<int64_t> ones(nest.size(), 1);
  std::function<void(ArrayRef<unsigned>)> loops =
      [&](ArrayRef<unsigned> groups) {
        if (groups.empty()) {
          Tile tile(nest, ones, -1, {});
          if (!nest.reductionGroups().empty())
            return reduceTile(tile, at);
          PointsParams single = params;
          single.tile = ones;
          single.widths.clear();
          PointsEmitter(b, nest, single).whole({at});
          return;
        }
        unsigned g = groups.front();
        if (params.tile[g] == 1)
          return loops(groups.drop_front());
        Int start = origin[g], end = add(b, start, params.tile[g]);
        Value stop =
            arith::MinSIOp::create(b, end.get(b), nest.extents[g].get(b));
        forLoop(start, Int(stop), 1, {}, [&](Value i, ValueRange) {
          at[g] = i;
          loops(groups.drop_front());
          return SmallVector<Value>();
        });
      };
  loops(nest.parallelGroups());
}

Indices PointsEmitter::originOf(Int tileNumber) {
  Indices origin(nest.size(), Int(0));
  for (auto [g, part] :
       llvm::zip_equal(order, Nest::split(b, tileNumber, counts)))
    origin[g] = mul(b, part, params.tile[g]);
  return origin;
}

std::string PointsEmitter::run() {
  // Counts are made outside: inside they are kernel parameters or constants.
  if (params.tile.size() != nest.size())
    return check();
  SmallVector<unsigned> parallel = nest.parallelGroups();
  SmallVector<unsigned> wanted(params.order.begin(), params.order.end());
  for (unsigned g : wanted.empty() ? parallel : wanted)
    if (g < nest.size())
      counts.push_back(
          ceilDivide(b, nest.extents[g], std::max<int64_t>(1, params.tile[g])));
  Int tiles = product(b, counts);
  int64_t perBlock = params.threads * params.perThread;
  nest.createLaunch(b, ceilDivide(b, tiles, perBlock), params.threads);
  if (std::string why = check(); !why.empty())
    return why;
  for (unsigned g : order)
    if (!nest.extents[g].constant || *nest.extents[g].constant % params.tile[g])
      uneven.push_back(g);

  Int first =
      add(b, mul(b, Int(nest.blockId()), perBlock), Int(nest.threadId()));
  bool even =
      tiles.constant && *tiles.constant % perBlock == 0 && *tiles.constant > 0;
  SmallVector<Int> numbers;
  for (int64_t u = 0; u < params.perThread; ++u)
    numbers.push_back(add(b, first, u * params.threads));
  if (even && uneven.empty()) {
    SmallVector<Indices> origins;
    for (Int n : numbers)
      origins.push_back(originOf(n));
    whole(origins);
    return "";
  }
  auto oneByOne = [&] {
    for (Int n : numbers)
      guarded(b, even ? Value() : less(b, n, tiles), [&] {
        Indices origin = originOf(n);
        Value fits = overhang(origin, uneven);
        if (!fits)
          return whole({origin});
        auto op = scf::IfOp::create(b, fits, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(op.thenBlock());
        whole({origin});
        b.setInsertionPointToStart(op.elseBlock());
        edge(origin);
      });
  };
  bool oneGroup = order.size() == 1;
  if (params.perThread == 1 || (!uneven.empty() && !oneGroup)) {
    oneByOne();
    return "";
  }
  // All tiles of the block lie inside: no check between their loads.
  Int end = mul(b, add(b, Int(nest.blockId()), 1), perBlock);
  Value full = oneGroup ? lessEqual(b, mul(b, end, params.tile[order[0]]),
                                    nest.extents[order[0]])
                        : lessEqual(b, end, tiles);
  auto op = scf::IfOp::create(b, full, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  SmallVector<Indices> origins;
  for (Int n : numbers)
    origins.push_back(originOf(n));
  whole(origins);
  b.setInsertionPointToStart(op.elseBlock());
  oneByOne();
  return "";
}

} // namespace

std::string emitPoints(Builder &b, Nest &nest, const PointsParams &params) {
  return PointsEmitter(b, nest, params).run();
}

} // namespace hwtune::launch
