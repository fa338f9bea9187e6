//===- TransformOps.td - transform-dialect extension -------*- tablegen -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the stock transform ops cannot do on the way from a linalg op on
// memrefs to a GPU kernel: grids for extents that no tile divides and for
// dynamic ones, workgroup buffers with a pitch, cooperative copies, software
// pipelines, guards, and memory accesses of known alignment.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_TRANSFORMOPS_TD
#define HWTUNE_IR_TRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

/// Takes one handle, is applied to each payload op.
class HWTune_EachOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "hwtune." # mnemonic,
         !listconcat([TransformOpInterface, TransformEachOpTrait,
                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                     traits)> {
  let cppNamespace = "::hwtune";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

/// Results with any number of payload ops.
class HWTune_WholeOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "hwtune." # mnemonic,
         !listconcat([DeclareOpInterfaceMethods<TransformOpInterface>,
                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                     traits)> {
  let cppNamespace = "::hwtune";
}

def HWTune_TileToGridOp : HWTune_EachOp<"tile_to_grid"> {
  let summary = "tiles a linalg op over the blocks of a new gpu.launch";
  let description = [{
    Replaces a linalg op on memrefs by a `gpu.launch` whose blocks each compute
    one tile. `tile_sizes` has one entry per loop; 0 leaves a loop whole inside
    the block. The grid has ceildiv(extent, tile) blocks along each tiled loop,
    the last tiled loop along x; extents may be dynamic.

    Tiles have their full static size also at the edges: an operand that a tile
    overhangs is read through a `memref.reinterpret_cast` with extents rounded
    up and its true strides. `transform.hwtune.guard_transfers` puts the checks
    back. `round_to` (default: `tile_sizes`, 1 where that is 0) gives the
    multiple to which each loop's extent is rounded up; a loop with tile 0 needs
    it if it is to be tiled later by a size that does not divide it.

    With `drop_unit_loops`, loops of tile size 1 vanish from the tiled op, which
    must then be indexed by projected permutations.

    `threads` is the size of a block, along x.

    Results: the tiled op (a linalg.generic), and the launch.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DenseI64ArrayAttr:$tile_sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$round_to,
                       I64Attr:$threads,
                       UnitAttr:$drop_unit_loops);
  let results = (outs TransformHandleTypeInterface:$tiled,
                      TransformHandleTypeInterface:$launch);
  let assemblyFormat = [{
    $target `tile_sizes` $tile_sizes (`round_to` $round_to^)?
    `threads` $threads (`drop_unit_loops` $drop_unit_loops^)? attr-dict
    `:` functional-type($target, results)
  }];
}

def HWTune_TileLoopOp : HWTune_EachOp<"tile_loop"> {
  let summary = "tiles one loop of a linalg op sequentially, by full tiles";
  let description = [{
    A `scf.for` over loop `dim` with step `size`. Every tile has the full static
    size, also where `size` does not divide the extent: the extent must have
    been rounded up before (`transform.hwtune.tile_to_grid`), or be dynamic.
    With `drop_unit_loop` and size 1 the loop vanishes from the tiled op.
    Results: the tiled op, and the loop.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$dim,
                       I64Attr:$size, UnitAttr:$drop_unit_loop);
  let results = (outs TransformHandleTypeInterface:$tiled,
                      TransformHandleTypeInterface:$loop);
  let assemblyFormat = [{
    $target `dim` $dim `size` $size (`drop_unit_loop` $drop_unit_loop^)?
    attr-dict
    `:` functional-type($target, results)
  }];
}

def HWTune_TileToThreadsOp : HWTune_WholeOp<"tile_to_threads"> {
  let summary = "distributes a linalg op of static size over a block's threads";
  let description = [{
    Loop `d` of static extent E is cut into tiles of `tile_sizes[d]`, dealt
    cyclically to `num_threads[d]` threads: thread i takes tiles i,
    i + num_threads[d], ... (interleaved, so that neighbouring threads work on
    neighbouring tiles). 0 in `num_threads` leaves the loop whole. The linear
    thread id is split with the last loop fastest. Each thread's tiles are
    unrolled. tile_sizes[d] * num_threads[d] must divide E. Where the product
    of `num_threads` is less than `threads` of the launch, the rest does nothing.
    Result: the ops of all tiles of a thread, in loop order.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DenseI64ArrayAttr:$tile_sizes,
                       DenseI64ArrayAttr:$num_threads);
  let results = (outs TransformHandleTypeInterface:$tiled);
  let assemblyFormat = [{
    $target `tile_sizes` $tile_sizes `num_threads` $num_threads attr-dict
    `:` functional-type($target, results)
  }];
}

def HWTune_PromoteOp : HWTune_EachOp<"promote"> {
  let summary = "gives an operand of a linalg op a workgroup buffer";
  let description = [{
    Operand number `operand` (of static shape) is copied by a `linalg.copy`
    before the op into a buffer in workgroup memory, whose rows are `pad`
    elements longer than the operand's; the op reads the buffer. With `buffers`
    there are that many of them, the first in use
    (`transform.hwtune.pipeline` uses the others). The copy carries the operand
    number as `hwtune.buffer`.
    Results: the op, and the copy.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$operand,
                       DefaultValuedAttr<I64Attr, "0">:$pad,
                       DefaultValuedAttr<I64Attr, "1">:$buffers);
  let results = (outs TransformHandleTypeInterface:$promoted,
                      TransformHandleTypeInterface:$copy);
  let assemblyFormat = [{
    $target `operand` $operand (`pad` $pad^)? (`buffers` $buffers^)? attr-dict
    `:` functional-type($target, results)
  }];
}

def HWTune_PipelineOp : HWTune_EachOp<"pipeline"> {
  let summary = "overlaps the copies of a loop with its computation";
  let description = [{
    `target` is a `scf.for` whose body copies to workgroup buffers that
    `promote` made with `stages` buffers, then computes. Afterwards the copies
    run `stages` - 1 turns ahead, into the next buffers, as asynchronous groups
    (`distribute_copy ... async` must follow), and each turn waits for the
    group it needs and passes one barrier.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$stages);
  let results = (outs);
  let assemblyFormat = "$target `stages` $stages attr-dict `:` type($target)";
}

def HWTune_DynamicSharedOp : HWTune_EachOp<"dynamic_shared"> {
  let summary = "moves a launch's workgroup buffers to dynamic shared memory";
  let description = [{
    What a block may have of static shared memory is limited. All workgroup
    globals used in the launch become views of one dynamic allocation, whose
    size is set on the launch.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def HWTune_DistributeCopyOp : HWTune_EachOp<"distribute_copy"> {
  let summary = "lets all threads of the block share a linalg.copy";
  let description = [{
    Consecutive threads copy consecutive vectors of `vector` elements along the
    last dimension, in as many unrolled rounds as the tile needs; a last round
    that not all threads share is predicated. `vector` must divide the last
    extent.
    With `async` each round is a `cp.async`, otherwise a vector read and write.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$vector,
                       UnitAttr:$async);
  let results = (outs);
  let assemblyFormat = [{
    $target `vector` $vector (`async` $async^)? attr-dict `:` type($target)
  }];
}

def HWTune_BarrierOp : HWTune_EachOp<"barrier"> {
  let summary = "puts a gpu.barrier before an op, or after it";
  let arguments = (ins TransformHandleTypeInterface:$target, UnitAttr:$after);
  let results = (outs);
  let assemblyFormat = [{
    (`after` $after^)? $target attr-dict `:` type($target)
  }];
}

def HWTune_GuardTransfersOp : HWTune_EachOp<"guard_transfers"> {
  let summary = "checks transfers through rounded-up casts against true sizes";
  let description = [{
    In `target`, every vector transfer on a `memref.reinterpret_cast` that
    `tile_to_grid` made becomes a transfer on the memref itself, `in_bounds`
    only along dimensions that need no check. Reads give the element of
    `padding` that has the transfer's element type outside (default: zero).
    Views must have been folded into the transfers before.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       OptionalAttr<ArrayAttr>:$padding);
  let results = (outs);
  let assemblyFormat = [{
    $target (`padding` $padding^)? attr-dict `:` type($target)
  }];
}

def HWTune_VectorizeContractionOp : HWTune_EachOp<"vectorize_contraction"> {
  let summary = "turns a small contraction into vector multiply-adds";
  let description = [{
    A linalg op of static shape whose body is c + a * b, with or without widening
    of a and b, becomes vector reads of its operands, multiply-adds on rows along
    the output's last dimension, and a vector write.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def HWTune_MmaContractionOp : HWTune_EachOp<"mma_contraction"> {
  let summary = "runs a small contraction on the matrix units";
  let description = [{
    A linalg op on memrefs of static shape, c[m, n] += a[m, k] * b[k, n], with
    f16 or bf16 inputs in workgroup memory, k = 16 and an output of f32 or of
    their type along whose rows n runs, becomes `mma.sync.m16n8k16` with sums of
    f32. Each warp of the launch computes
    `warp_tile` = [rows, columns], multiples of 16, which must divide the
    output's extents into exactly as many tiles as there are warps. Inputs are
    loaded by `ldmatrix`, transposed where their rows do not run along k; each
    row must start at a multiple of 16 bytes. Each thread reads and writes pairs
    of neighbouring outputs as vectors, which `guard_transfers` and
    `hoist_accumulators` understand.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DenseI64ArrayAttr:$warp_tile);
  let results = (outs);
  let assemblyFormat = "$target `warp_tile` $warp_tile attr-dict `:` type($target)";
}

def HWTune_HoistAccumulatorsOp : HWTune_EachOp<"hoist_accumulators"> {
  let summary = "keeps what a loop reads and writes back in registers";
  let description = [{
    In `target`, inner loops first: a vector read and the only vector write to
    the same loop-invariant place become a loop-carried value, where nothing but
    such pairs touches that memref in the loop. Where what is read is only
    widened, and what is written is rounded back from that type, the wide value
    is carried and rounded once, after the loop. Different indices are taken to
    be disjoint places, which holds for the tiles of `tile_to_threads`. Run CSE
    before, so that equal indices are equal values.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def HWTune_LowerTransfersOp : HWTune_EachOp<"lower_transfers"> {
  let summary = "lowers vector transfers to loads and stores of known alignment";
  let description = [{
    Each transfer in `target` becomes `vector.load`s and `vector.store`s as wide
    as its alignment can be proved (arguments are assumed to be aligned to
    `alignment` bytes), at most 16 bytes. An access that may be out of bounds is
    guarded: as a whole where the size is a multiple of its width, else element
    by element.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<I64Attr, "16">:$alignment);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

#endif // HWTUNE_IR_TRANSFORMOPS_TD
