//===- EventCounts.h - what a launch did, in profilers' terms ---*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_EVENTCOUNTS_H
#define HWTUNE_SIMULATOR_EXEC_EVENTCOUNTS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune::exec {

/// What unit an instruction keeps busy, at PTX level.
enum class InstClass : uint8_t {
  FP32, ///< add, mul, fma, min, max, setp on f32
  FP64,
  FP16,       ///< f16, f16x2, bf16, bf16x2
  Integer,    ///< add, logic, shift, compare, select
  IntegerMul, ///< mul, mad, dot products
  Special,    ///< rcp, sqrt, ex2, sin, ... (one MUFU each)
  Slow,       ///< div, rem, precise rcp/sqrt: a sequence on hardware
  Convert,
  Move,    ///< mov, cvta, predicate logic: mostly free on hardware
  Control, ///< bra, call, ret, exit
  Barrier,
  Warp,   ///< shfl, vote, match, redux
  Matrix, ///< mma, wmma.mma
  SharedLoad,
  SharedStore,
  SharedAtomic, ///< ldmatrix is a SharedLoad
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  LocalLoad,
  LocalStore,
  ConstLoad, ///< ld.const
  ParamLoad, ///< ld.param, st.param, constants on hardware
  AsyncCopy, ///< cp.async
  Other,     ///< fences, prefetch, nanosleep, ...
};
inline constexpr size_t kNumInstClasses = size_t(InstClass::Other) + 1;
/// "fp32", "shared_load", ...
std::string_view instClassName(InstClass cls);

/// Sums over all warps of the blocks that ran. The comment names the
/// profiler's metric where there is one. Generic accesses count under the
/// space they went to.
struct EventCounts {
  uint64_t instExecuted = 0;       ///< smsp__inst_executed.sum
  uint64_t threadInstExecuted = 0; ///< smsp__thread_inst_executed.sum
  /// smsp__thread_inst_executed_pred_on.sum: guards taken into account.
  uint64_t threadInstExecutedPredOn = 0;
  std::array<uint64_t, kNumInstClasses> instByClass{};
  std::array<uint64_t, kNumInstClasses> threadInstByClass{};

  uint64_t sharedLoads = 0;   ///< smsp__inst_executed_op_shared_ld.sum
  uint64_t sharedStores = 0;  ///< smsp__inst_executed_op_shared_st.sum
  uint64_t sharedAtomics = 0; ///< smsp__inst_executed_op_shared_atom.sum
  uint64_t sharedLoadWavefronts =
      0; ///< l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
  uint64_t sharedStoreWavefronts =
      0; ///< l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
  uint64_t sharedAtomicWavefronts = 0;

  uint64_t globalLoads = 0; ///< l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  uint64_t globalStores =
      0; ///< l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
  uint64_t globalAtomics =
      0; ///< l1tex__t_requests_pipe_lsu_mem_global_op_atom/red.sum
  uint64_t globalLoadSectors =
      0; ///< l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  uint64_t globalStoreSectors =
      0; ///< l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  uint64_t globalAtomicSectors = 0;
  uint64_t globalLoadLines = 0; ///< of each phase of each request, summed
  uint64_t globalStoreLines = 0;
  uint64_t globalLoadWavefronts = 0; ///< passes of L1's banks
  uint64_t globalStoreWavefronts = 0;
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0; ///< asked for by lanes
  uint64_t localLoads = 0, localStores = 0;
  uint64_t localLoadSectors = 0, localStoreSectors = 0;

  /// Requests of ld.const beyond its first: one for each address of a warp.
  uint64_t constantReplays = 0;
  uint64_t asyncCopies = 0, asyncCopySectors = 0, asyncCopyWavefronts = 0;
  uint64_t barriers = 0; ///< warp instructions that wait for a block barrier
  uint64_t shuffles = 0;
  uint64_t branches = 0; ///< smsp__sass_branch_targets.sum: bra by warps
  uint64_t divergentBranches =
      0; ///< smsp__sass_branch_targets_threads_divergent.sum
  /// Matrix instructions by shape and types: "mma.m16n8k16.f32.f16.f16.f32".
  std::map<std::string, uint64_t> matrix;

  EventCounts &operator+=(const EventCounts &other);
};

/// Calls `f` on every number but those of `matrix`.
template <typename F> void forEachCount(EventCounts &e, F f) {
  for (uint64_t *count : {&e.instExecuted,
                          &e.threadInstExecuted,
                          &e.threadInstExecutedPredOn,
                          &e.sharedLoads,
                          &e.sharedStores,
                          &e.sharedAtomics,
                          &e.sharedLoadWavefronts,
                          &e.sharedStoreWavefronts,
                          &e.sharedAtomicWavefronts,
                          &e.globalLoads,
                          &e.globalStores,
                          &e.globalAtomics,
                          &e.globalLoadSectors,
                          &e.globalStoreSectors,
                          &e.globalAtomicSectors,
                          &e.globalLoadLines,
                          &e.globalStoreLines,
                          &e.globalLoadWavefronts,
                          &e.globalStoreWavefronts,
                          &e.globalLoadBytes,
                          &e.globalStoreBytes,
                          &e.localLoads,
                          &e.localStores,
                          &e.localLoadSectors,
                          &e.localStoreSectors,
                          &e.constantReplays,
                          &e.asyncCopies,
                          &e.asyncCopySectors,
                          &e.asyncCopyWavefronts,
                          &e.barriers,
                          &e.shuffles,
                          &e.branches,
                          &e.divergentBranches})
    f(*count);
  for (size_t i = 0; i < kNumInstClasses; ++i) {
    f(e.instByClass[i]);
    f(e.threadInstByClass[i]);
  }
}

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_EVENTCOUNTS_H
