//===- Timing.h - how long a launch takes on a target -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two models of the same launch, both kept and both reported: a closed formula
// over event counts (`Formula.h`) and a simulation of the resident blocks of
// one SM (`SmSimulation.h`). Only a sample of the blocks is executed; counts
// are scaled to the grid by position class. All numbers of the GPU come from
// the `TargetSpec`; a fact that it lacks switches the mechanism off and is
// listed in the report.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_TIMING_H
#define HWTUNE_SIMULATOR_TIMING_TIMING_H

#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Target/TargetSpec.h"

#include <string>
#include <vector>

namespace hwtune::timing {

/// Each can be switched off alone; tests show that its pair of kernels then no
/// longer differs.
struct Mechanisms {
  bool issue = true;         ///< issue slots of the schedulers
  bool pipes = true;         ///< FP32, FP64, integer, SFU, matrix throughput
  bool dependence = true;    ///< latency of ALU results
  bool memoryLatency = true; ///< latency of loads
  bool bankConflicts = true; ///< more than one wavefront per shared access
  bool coalescing = true;    ///< more sectors than the useful bytes need
  bool lsu = true;           ///< load/store unit: one instruction per n clocks
  bool lookups = true;       ///< each line of an access is looked up
  bool shuffles = true;      ///< as accesses to shared memory without banks
  bool barriers = true;      ///< warps wait for each other
  bool joins = true;         ///< neighbouring words of shared memory at once
  bool constants = true;     ///< each address of an ld.const is a request
  bool l1 = true;            ///< L1 hits
  bool fill = true;          ///< what arrives in L1 uses its data stage
  bool l2 = true;            ///< L2 bandwidth and reuse
  bool reuse = true;         ///< L2 holds what was used not long ago
  bool dram = true;          ///< DRAM bandwidth
  bool occupancy = true;     ///< only as many resident blocks as fit
  bool tail = true;          ///< last wave, SMs without work
  bool skew = true;          ///< blocks that do more than others
  bool launch = true;        ///< launch overhead
  bool blockStarts = true;   ///< blocks start one after the other
  bool atomics = true;       ///< atomics on one address wait for each other
  bool icache = true;        ///< code larger than the instruction caches
  bool spills = true;        ///< local memory traffic of spilled registers
};

/// What a compiler back end knows and PTX does not say.
struct KernelFacts {
  uint32_t registers = 0;  ///< per thread; 0: the executor's estimate
  uint32_t spillBytes = 0; ///< of spilled words in the code
  bool given = false;      ///< somebody knew the two above
};

/// What precedes a launch.
enum class LaunchState {
  Stream, ///< other work: nothing of it is in L2, its overhead back to back
  Cold,   ///< nothing: L2 is empty, and the launch comes from idle
  Warm,   ///< the same launch: L2 holds what that left
};

struct TimingOptions {
  Mechanisms mechanisms;
  LaunchState state = LaunchState::Stream;
  KernelFacts facts;
  /// Run the whole grid (outputs complete); else only the sample.
  bool wholeGrid = false;
  /// Interior blocks sampled for the counts, beside one per border class.
  uint32_t interiorBlocks = 6;
  /// Grids whose blocks differ by more than their place are counted whole, up
  /// to so many blocks and estimated warp instructions.
  uint64_t countedBlocks = 1 << 14, countedInstructions = 20'000'000;
  /// Warp instructions replayed on the simulated SM.
  uint64_t simulatedInstructions = 400000;
  uint64_t instructionBudget = 0; ///< watchdog, see `LaunchOptions`
  uint64_t seed = 0;
};

/// Of the formula: clocks that each resource alone would need; their sum means
/// nothing. Of the simulation: what its schedulers did with their clocks, the
/// mean of all; they add up to its cycles.
struct Breakdown {
  /// Instructions issued. The next ones: waits for a unit that is busy.
  double issue = 0, fp32 = 0, fp64 = 0, integer = 0, special = 0, matrix = 0;
  double shared = 0; ///< wavefronts of the shared memory and L1 data stage
  double lsu = 0;
  /// Formula: bandwidth. Simulation: waits for what comes from there.
  double l2 = 0, dram = 0;
  double dependence = 0;    ///< results of arithmetic
  double memoryLatency = 0; ///< simulation: of what shared memory and L1 hold
  double barrier = 0, icache = 0;
  /// Simulation: waits for what atomics return. Formula: those on one address.
  double atomics = 0;
  double blockStarts = 0; ///< blocks that wait until those before have started
  double idle = 0; ///< simulation: schedulers without a warp, as at the end
};

/// Calls `f` on each part.
template <typename F> void forEachPart(Breakdown &b, F f) {
  for (double *part :
       {&b.issue, &b.fp32, &b.fp64, &b.integer, &b.special, &b.matrix,
        &b.shared, &b.lsu, &b.l2, &b.dram, &b.dependence, &b.memoryLatency,
        &b.barrier, &b.icache, &b.atomics, &b.blockStarts, &b.idle})
    f(*part);
}

struct ModelTime {
  double cycles = 0;  ///< of the kernel, launch overhead left out
  double seconds = 0; ///< launch overhead included
  Breakdown breakdown;
};

struct TimingReport {
  exec::LaunchResult
      launch; ///< of the blocks that ran, events scaled to the grid
  bool sampled = false;
  // --- occupancy ---
  uint32_t registers = 0;
  bool registersGiven = false; ///< `KernelFacts::given`
  int64_t blocksPerSM = 0;
  std::string limiter;  ///< what bounds the occupancy
  double occupancy = 0; ///< resident warps / maximal warps
  double waves = 0;
  int64_t l1Bytes = 0; ///< left of the SM's memory beside the carve-out
  /// Estimated hardware instructions of warps: PTX less what folds away, plus
  /// what expands.
  double hardwareInsts = 0;
  // --- memory ---
  double l1HitRate = 0, l2HitRate = 0;
  double l2Sectors = 0; ///< read + written
  double dramReadBytes = 0, dramWriteBytes = 0;
  // --- time ---
  ModelTime formula, simulation;
  double seconds = 0; ///< geometric mean of the two
  double launchSeconds = 0;
  double rooflineSeconds = 0; ///< max of flops and compulsory bytes alone
  // --- energy ---
  double energyJ = 0, meanPowerW = 0; ///< 0 where the target lacks the facts
  /// Facts of the target that were missing, by field name.
  std::vector<std::string> missing;
};

/// Executes (a sample of) the launch on `memory` and times it. On a fault only
/// `launch` is filled.
TimingReport timeLaunch(const exec::Program &program,
                        exec::GlobalMemory &memory,
                        const exec::LaunchRequest &request,
                        const TargetSpec &target,
                        const TimingOptions &options = {});

/// The report as one JSON object, counts in profilers' metric names.
std::string toJson(const TimingReport &report);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_TIMING_H
