// A schedule of upstream transform ops alone, for elementwise operations on f32
// rows of 1024, four of them or a multiple: winners replay in a stock mlir-opt. Sizes are knobs by
// parameter where the op takes one, and by `hwtune.knobs` where it takes an
// attribute.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @rows(%op: !transform.any_op {transform.consumed})
      attributes {hwtune.matches = @rows_of_1024} {
    %function = transform.get_parent_op %op {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    %rows = transform.tune.knob<"rows"> options = [1, 2, 4] -> !transform.param<i64>
    %threads = transform.tune.knob<"threads"> options = [64, 128, 256] -> !transform.param<i64>
    %block, %blocks = transform.structured.tile_using_forall %op tile_sizes [%rows, 1024] (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %row, %row_loop = transform.structured.tile_using_for %block tile_sizes [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %part, %part_loop = transform.structured.tile_using_for %row tile_sizes [0, 256] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %lane, %lanes = transform.structured.tile_using_forall %part num_threads [0, %threads] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %lane : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %launch = transform.gpu.map_forall_to_blocks %function generate_gpu_launch : (!transform.any_op) -> !transform.any_op
    %mapped = transform.gpu.map_nested_forall_to_threads %launch block_dims = [64, 1, 1] sync_after_distribute = false
        {hwtune.knobs = {block_dims = ["threads", 1, 1]}} : (!transform.any_op) -> !transform.any_op
    // The handle that the mapping has not used up.
    %scheduled = transform.get_parent_op %mapped {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %scheduled {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_patterns to %scheduled {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }

  // Operations of two parallel loops, the second of 1024 iterations.
  transform.named_sequence @rows_of_1024(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %same = transform.match.structured %op : (!transform.any_op) -> !transform.any_op {
    ^bb0(%structured: !transform.any_op):
      transform.match.structured.dim %structured[all] {parallel} : !transform.any_op
      %rank = transform.match.structured.rank %structured : (!transform.any_op) -> !transform.param<i64>
      %two = transform.param.constant 2 : i64 -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %two : !transform.param<i64>
      %size = transform.match.structured.dim %structured[1] : (!transform.any_op) -> !transform.param<i64>
      %row = transform.param.constant 1024 : i64 -> !transform.param<i64>
      transform.match.param.cmpi eq %size, %row : !transform.param<i64>
      transform.match.structured.yield %structured : !transform.any_op
    }
    transform.yield %same : !transform.any_op
  }
}
