// A schedule with choices for f32 products of any size: blocks of 256 threads,
// one 4 x 4 register tile or several for each. docs/user-schedules.md explains
// it; hw-export-schedule wrote the steps.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @tiled_matmul(%op: !transform.any_op {transform.consumed})
      attributes {hwtune.matches = ["linalg.matmul"]} {
    %function = transform.get_parent_op %op {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    %m = transform.tune.knob<"block_m"> options = [64, 128] -> !transform.param<i64>
    %n = transform.tune.knob<"block_n"> options = [64, 128] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> options = [8, 16] -> !transform.param<i64>
    %generic = transform.structured.generalize %op : (!transform.any_op) -> !transform.any_op
    %block, %launch = transform.hwtune.tile_to_grid %generic tile_sizes [64, 64, 0] round_to [64, 64, 8] threads 256 drop_unit_loops
        {hwtune.knobs = {tile_sizes = ["block_m", "block_n", 0], round_to = ["block_m", "block_n", "block_k"]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %step, %turns = transform.hwtune.tile_loop %block dim 2 size 8
        {hwtune.knobs = {size = "block_k"}} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %staged_a, %copy_a = transform.hwtune.promote %step operand 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %compute, %copy_b = transform.hwtune.promote %staged_a operand 1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.hwtune.barrier %copy_a : !transform.any_op
    transform.hwtune.barrier %compute : !transform.any_op
    transform.hwtune.distribute_copy %copy_a vector 4 : !transform.any_op
    transform.hwtune.distribute_copy %copy_b vector 4 : !transform.any_op
    %inner, %loop = transform.hwtune.tile_loop %compute dim 2 size 4 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "inner_loop" : !transform.any_op
    %tiles = transform.hwtune.tile_to_threads %inner tile_sizes [4, 4, 0] num_threads [16, 16, 0] : (!transform.any_op) -> !transform.any_op
    transform.hwtune.vectorize_contraction %tiles : !transform.any_op
    transform.include @to_registers failures(propagate) (%function) : (!transform.any_op) -> ()
    %inner_loop = transform.structured.match attributes {inner_loop} in %function : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"inner_loop"> {
    }, {
      %u = transform.tune.knob<"unroll"> options = [2, 4] -> !transform.param<i64>
      transform.loop.unroll %inner_loop {factor = 2 : i64, hwtune.knobs = {factor = "unroll"}} : !transform.any_op
    }
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    transform.yield
  }

  // Vectors of accumulators stay in registers, accesses become as wide as they can.
  transform.named_sequence @to_registers(%function: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    transform.hwtune.guard_transfers %function : !transform.any_op
    transform.hwtune.hoist_accumulators %function : !transform.any_op
    transform.hwtune.lower_transfers %function : !transform.any_op
    transform.yield
  }
}
