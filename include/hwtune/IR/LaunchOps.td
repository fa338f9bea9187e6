//===- LaunchOps.td - linalg op to gpu.launch in one step --*- tablegen -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transform ops that turn one linalg op on memrefs of identity layout into one
// gpu.launch, element by element with guards: they take any indexing maps, any
// body and dynamic sizes. Stock tiling and vectorisation do not handle edges
// and dynamic sizes in place, and have no lane step (docs/schedules.md).
//
// All take `collapse`: the number of adjacent loops in each group; a group is
// run as one loop. Positions in other attributes are those of groups.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_LAUNCHOPS_TD
#define HWTUNE_IR_LAUNCHOPS_TD

include "mlir/Dialect/Transform/IR/TransformAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"

class HWTune_LaunchOp<string mnemonic>
    : Op<Transform_Dialect, "hwtune." # mnemonic,
         [TransformOpInterface, TransformEachOpTrait,
          FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]> {
  let cppNamespace = "::hwtune";
  let results = (outs TransformHandleTypeInterface:$launch);
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::linalg::LinalgOp target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

def HWTune_LaunchPointsOp : HWTune_LaunchOp<"launch_points"> {
  let summary = "one thread for each tile of the parallel loops";
  let description = [{
    The tiles of `tile` iterations of the parallel loops are dealt to threads in
    the order of the loops, the last one fastest, or in that of `order`. A thread
    takes `per_thread` tiles that lie `threads` apart, loads all of them before
    it stores any, and runs the reduction loops inside, in order, with the tile's
    results in registers; `unroll` copies of the innermost reduction loop's body.

    `widths` has one entry per operand: elements of one access along the
    parallel loop `vector_loop`. Each must divide that loop's tile and be
    provably aligned; else the op fails and says why.

    Edges: where tiles do not divide the loops, a tile that fits takes the fast
    path and another one runs point by point, each point guarded.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$threads,
                       DenseI64ArrayAttr:$collapse, DenseI64ArrayAttr:$tile,
                       DefaultValuedAttr<I64Attr, "1">:$per_thread,
                       DefaultValuedAttr<I64Attr, "1">:$unroll,
                       OptionalAttr<DenseI64ArrayAttr>:$order,
                       DefaultValuedAttr<I64Attr, "-1">:$vector_loop,
                       OptionalAttr<DenseI64ArrayAttr>:$widths);
  let assemblyFormat = [{
    $target `threads` $threads attr-dict `:` functional-type($target, results)
  }];
}

def HWTune_LaunchReductionOp : HWTune_LaunchOp<"launch_reduction"> {
  let summary = "several threads for each result of a reduction";
  let description = [{
    The op has one output that its body combines with one associative and
    commutative operation. A block computes `threads / lanes` columns of results
    with `lanes` threads each, which take every `lanes`-th step of the reduction
    loops.

    With `along` = "reduction" the lanes of one result are neighbouring threads,
    each step is `width` consecutive reduction iterations, and lanes are combined
    by shuffles, then, beyond a warp, through workgroup memory. With `along` =
    "parallel" neighbouring threads work on neighbouring results, `width` of them
    each, and lanes are combined through workgroup memory only.

    `unroll` steps are loaded before they are combined. `widths` has the elements
    of one access per operand: `width` or 1.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$threads,
                       DenseI64ArrayAttr:$collapse, I64Attr:$lanes, StrAttr:$along,
                       DefaultValuedAttr<I64Attr, "1">:$width,
                       DefaultValuedAttr<I64Attr, "1">:$unroll,
                       OptionalAttr<DenseI64ArrayAttr>:$widths);
  let assemblyFormat = [{
    $target `threads` $threads attr-dict `:` functional-type($target, results)
  }];
}

def HWTune_LaunchTransposeOp : HWTune_LaunchOp<"launch_transpose"> {
  let summary = "an elementwise op whose inputs and output differ in fastest loop";
  let description = [{
    A block computes a tile of `tile[0]` iterations of the loop that is fastest
    in the inputs by `tile[1]` of the one that is fastest in the output. Inputs
    whose fastest loop is the first are read along it, `width` elements an
    access, into workgroup memory with rows of `tile[0] + pad` elements; all else
    is read and written along the second. `staged` lists the operands that go
    through workgroup memory.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$threads,
                       DenseI64ArrayAttr:$collapse, DenseI64ArrayAttr:$loops,
                       DenseI64ArrayAttr:$tile, DenseI64ArrayAttr:$staged,
                       DefaultValuedAttr<I64Attr, "1">:$width,
                       DefaultValuedAttr<I64Attr, "1">:$pad);
  let assemblyFormat = [{
    $target `threads` $threads attr-dict `:` functional-type($target, results)
  }];
}

#endif // HWTUNE_IR_LAUNCHOPS_TD
