//===- Transpose.cpp - elementwise through workgroup memory ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two phases around one barrier: staged operands are read along their own
// fastest loop, everything else is read and written along the output's.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hwtune::launch {
namespace {

class TransposeEmitter {
public:
  TransposeEmitter(Builder &b, Nest &nest, const TransposeParams &params)
      : b(b), nest(nest), params(params) {}
  std::string run();

private:
  std::string check();
  std::string checkWidths();
  Indices tileOrigin();
  void forRounds(int64_t alongTile, int64_t acrossTile, unsigned along,
                 unsigned across, function_ref<void(Int, Int, Value)> body);
  void stage();
  void compute();
  bool isStaged(unsigned k) const {
    return llvm::is_contained(params.staged, k);
  }
  int64_t pitch() const { return params.tileFirst + params.pad; }

  Builder &b;
  Nest &nest;
  const TransposeParams &params;
  SmallVector<unsigned> order; ///< groups in grid order, slowest first
  SmallVector<Int> counts;
  Indices origin;
};

std::string TransposeEmitter::check() {
  if (params.first >= nest.size() || params.second >= nest.size() ||
      params.first == params.second)
    return "'loops' must name two different loop groups";
  if (!nest.reductionGroups().empty())
    return "the op has reduction loops";
  if (params.tileFirst < 1 || params.tileSecond < 1 || params.width < 1 ||
      params.pad < 0 || params.threads < 1)
    return "'tile', 'width' and 'threads' must be at least 1 and 'pad' at "
           "least 0";
  if (params.tileFirst % params.width || params.tileSecond % params.width)
    return "'width' (" + std::to_string(params.width) +
           ") must divide both tile sizes";
  for (int64_t lines :
       {params.tileFirst / params.width, params.tileSecond / params.width})
    if (params.threads % lines)
      return "'threads' (" + std::to_string(params.threads) +
             ") must be a multiple of " + std::to_string(lines) +
             ", the accesses of a tile row";
  for (int64_t k : params.staged)
    if (k < 0 || k >= nest.numInputs() || !nest.buffers[k].shaped)
      return "operand " + std::to_string(k) + " cannot be staged";
  return "";
}

std::string TransposeEmitter::checkWidths() {
  if (params.width == 1)
    return "";
  for (unsigned k = 0; k < nest.buffers.size(); ++k) {
    unsigned along = isStaged(k) ? params.first : params.second;
    if (!nest.buffers[k].shaped ||
        (nest.buffers[k].linear && nest.buffers[k].perGroup[along].is(0)))
      continue;
    if (std::string why =
            nest.vectorProblem(nest.buffers[k], along, params.width);
        !why.empty())
      return why;
  }
  for (unsigned g : {params.first, params.second})
    if (!nest.extents[g].isMultipleOf(params.width))
      return "'width' (" + std::to_string(params.width) +
             ") does not divide loop group " + std::to_string(g);
  return "";
}

/// Threads take `width` elements along `along`, row by row, until the tile is
/// covered. `body` gets the position in the tile and the guard, null if none.
void TransposeEmitter::forRounds(int64_t alongTile, int64_t acrossTile,
                                 unsigned along, unsigned across,
                                 function_ref<void(Int, Int, Value)> body) {
  int64_t lines = alongTile / params.width, rows = params.threads / lines;
  Int thread(nest.threadId());
  Int a = mul(b, remainder(b, thread, lines), params.width),
      row = divide(b, thread, lines);
  bool alongFits = nest.extents[along].constant &&
                   *nest.extents[along].constant % alongTile == 0;
  bool acrossFits = nest.extents[across].constant &&
                    *nest.extents[across].constant % acrossTile == 0;
  for (int64_t r = 0; r < acrossTile; r += rows) {
    Int c = add(b, row, r);
    Value ok;
    auto require = [&](Value v) {
      ok = ok ? arith::AndIOp::create(b, ok, v).getResult() : v;
    };
    if (r + rows > acrossTile)
      require(less(b, c, acrossTile));
    if (!alongFits)
      require(less(b, add(b, origin[along], a), nest.extents[along]));
    if (!acrossFits)
      require(less(b, add(b, origin[across], c), nest.extents[across]));
    body(a, c, ok);
  }
}

void TransposeEmitter::stage() {
  for (auto [s, k] : llvm::enumerate(params.staged)) {
    Value buffer = nest.launch.getWorkgroupAttributions()[s];
    const Buffer &operand = nest.buffers[k];
    forRounds(params.tileFirst, params.tileSecond, params.first, params.second,
              [&](Int f, Int c, Value ok) {
                guarded(b, ok, [&] {
                  Indices at = origin;
                  at[params.first] = add(b, at[params.first], f);
                  at[params.second] = add(b, at[params.second], c);
                  Value v = nest.load(b, operand, nest.address(b, operand, at),
                                      params.width);
                  Int row = add(b, mul(b, c, pitch()), f);
                  for (int64_t i = 0; i < params.width; ++i) {
                    Value one =
                        params.width > 1
                            ? vector::ExtractOp::create(b, v, i).getResult()
                            : v;
                    memref::StoreOp::create(b, one, buffer,
                                            ValueRange{add(b, row, i).get(b)});
                  }
                });
              });
  }
}

void TransposeEmitter::compute() {
  unsigned inputs = nest.numInputs(), operands = nest.buffers.size();
  forRounds(
      params.tileSecond, params.tileFirst, params.second, params.first,
      [&](Int s, Int f, Value ok) {
        guarded(b, ok, [&] {
          SmallVector<SmallVector<Value>> results(operands - inputs);
          Indices at = origin;
          at[params.first] = add(b, at[params.first], f);
          at[params.second] = add(b, at[params.second], s);
          SmallVector<Value> whole(operands);
          for (int64_t i = 0; i < params.width; ++i) {
            Indices point = at;
            point[params.second] = add(b, point[params.second], i);
            SmallVector<Value> args;
            for (unsigned k = 0; k < operands; ++k) {
              const Buffer &operand = nest.buffers[k];
              if (!operand.shaped) {
                args.push_back(operand.use->get());
              } else if (isStaged(k)) {
                unsigned slot =
                    llvm::find(params.staged, k) - params.staged.begin();
                Int where = add(b, mul(b, add(b, s, i), pitch()), f);
                args.push_back(memref::LoadOp::create(
                    b, nest.launch.getWorkgroupAttributions()[slot],
                    ValueRange{where.get(b)}));
              } else if (k >= inputs &&
                         !nest.op.payloadUsesValueFromOperand(operand.use)) {
                args.push_back(arith::ConstantOp::create(
                    b, b.getZeroAttr(operand.element)));
              } else {
                bool moves =
                    !operand.linear || !operand.perGroup[params.second].is(0);
                if (!whole[k] || (moves && params.width == 1))
                  whole[k] = nest.load(b, operand, nest.address(b, operand, at),
                                       moves ? params.width : 1);
                args.push_back(
                    isa<VectorType>(whole[k].getType())
                        ? vector::ExtractOp::create(b, whole[k], i).getResult()
                        : whole[k]);
              }
            }
            for (auto [o, v] : llvm::enumerate(nest.body(b, point, args)))
              results[o].push_back(v);
          }
          for (auto [o, values] : llvm::enumerate(results))
            nest.store(b, nest.buffers[inputs + o],
                       nest.address(b, nest.buffers[inputs + o], at), values);
        });
      });
}

std::string TransposeEmitter::run() {
  if (std::string why = check(); !why.empty())
    return why;
  for (unsigned g = 0; g < nest.size(); ++g) {
    if (g == params.first || g == params.second)
      continue;
    order.push_back(g);
    counts.push_back(nest.extents[g]);
  }
  // Neighbouring blocks read neighbouring parts of the inputs.
  order.append({params.second, params.first});
  counts.append({ceilDivide(b, nest.extents[params.second], params.tileSecond),
                 ceilDivide(b, nest.extents[params.first], params.tileFirst)});
  Int blocks = product(b, counts);
  SmallVector<Type> shared;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  for (int64_t k : params.staged)
    shared.push_back(MemRefType::get({params.tileSecond * pitch()},
                                     nest.buffers[k].element,
                                     MemRefLayoutAttrInterface(), space));
  nest.createLaunch(b, blocks, params.threads, shared);
  if (std::string why = checkWidths(); !why.empty())
    return why;
  origin.assign(nest.size(), Int(0));
  for (auto [g, part] :
       llvm::zip_equal(order, Nest::split(b, Int(nest.blockId()), counts)))
    origin[g] = g == params.first    ? mul(b, part, params.tileFirst)
                : g == params.second ? mul(b, part, params.tileSecond)
                                     : part;
  stage();
  if (!params.staged.empty())
    gpu::BarrierOp::create(b);
  compute();
  return "";
}

} // namespace

std::string emitTranspose(Builder &b, Nest &nest,
                          const TransposeParams &params) {
  return TransposeEmitter(b, nest, params).run();
}

} // namespace hwtune::launch
