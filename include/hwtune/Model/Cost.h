//===- Cost.h - predicted time of a kernel on a target ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// t = sum over i in {memory, compute, communication} of w_i cost_i, with
// w_i = eta_i (cost_i / |cost|_3)^2: the 3-norm of the costs where every eta
// is 1. Each cost is made of terms of one SM's wave of resident blocks; every
// term is in the result. Each term has an efficiency factor; eta_i is the mean
// of those of cost i, by what the terms take. Pure; no allocation per
// prediction.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_COST_H
#define HWTUNE_MODEL_COST_H

#include "hwtune/Model/Constants.h"
#include "hwtune/Model/KernelFeatures.h"
#include "hwtune/Target/TargetSpec.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// A term of the predicted time. The clocks of one wave on one SM, except the
/// last two, which are clocks of the whole launch.
enum class Term : unsigned {
  Fma,
  Arithmetic,
  Special,
  Tensor,
  Issue,
  Fetch, // compute
  Lsu,
  L2,
  Dram,
  Atomics, // memory
  Chain,
  Barriers,
  Shuffles,
  Phases, // communication (waiting)
  Launch,
  HostCopy, // communication (once a launch)
  Count
};
inline constexpr unsigned kNumTerms = static_cast<unsigned>(Term::Count);
std::string_view termName(Term term); ///< "fma", "latency_chain", ...

/// Cost groups of the method.
enum class Cost : unsigned { Memory, Compute, Communication };
inline constexpr unsigned kNumCosts = 3;
std::string_view costName(Cost cost);
Cost costOf(Term term); ///< that it is a part of

/// A `TargetSpec` with everything the model reads resolved to one number, so
/// that a prediction asks no optional. Facts that the description lacks switch
/// their term off and are listed.
struct ModelTarget {
  double warpSize = 32, schedulers = 4, sms = 1, hz = 1e9;
  double fp32Lanes = 1, fp64Lanes = 0, fp16Lanes = 0, intLanes = 0,
         sfuLanes = 0;
  double tensorFma[10] = {}; ///< by TensorType; 0 = none
  double clocksPerMemInst = 1, clocksPerWavefront = 1;
  double l1FillBytes = 0;   ///< that arrive in L1 for a wavefront; 0 = unknown
  double l1LinesPerClk = 0; ///< whose tags L1 looks up; 0 = unknown
  double l2BytesPerClkSM = 0, dramBytesPerClkSM = 0;
  double aluLatency = 0, sfuLatency = 0, tensorLatency = 0, sharedLatency = 0,
         l1Latency = 0, l2Latency = 0, dramLatency = 0, shuffleLatency = 0,
         atomicLatency = 0;
  double l1PlusShared = 0, l2Bytes = 0, icacheBytes = 0, icacheLineClocks = 0,
         sectorBytes = 32;
  double launchClocks = 0, hostBytesPerClk = 0;
  double blockStartClocks = 0;      ///< between two blocks of a launch
  const TargetSpec *spec = nullptr; ///< must outlive this
  std::vector<std::string> absent;  ///< facts the description lacks

  static ModelTarget from(const TargetSpec &spec);
  double cores() const { return sms * fp32Lanes; }
};

/// Efficiency factors by `Term`, and one of the whole time (clocks are rarely
/// known): one at the start, corrected by measurements.
struct CostWeights {
  std::array<double, kNumTerms> eta;
  double scale = 1;
  CostWeights() { eta.fill(1); }
  bool operator==(const CostWeights &) const = default;
};
inline constexpr std::string_view kScaleName = "scale"; ///< beside terms' names

struct Prediction {
  /// Why it cannot run ("" = it can): more shared memory, threads or registers
  /// than a block may have. Then `seconds` is infinite.
  const char *infeasible = nullptr;
  std::array<double, kNumTerms> clocks{}; ///< by `Term`
  std::array<double, kNumCosts> cost{};   ///< seconds, by `Cost`
  std::array<double, kNumCosts> weight{}; ///< w_i
  double overhead = 0; ///< seconds of `Launch` and `HostCopy`, in cost[2]
  double seconds = 0;  ///< t
  double roofline = 0; ///< seconds no schedule of these flops and bytes beats
  // what the terms rest on
  double blocksPerSM = 0, warpsPerSM = 0, occupancy = 0;
  double waves = 0;         ///< grid / (SMs x blocks per SM)
  double wavesPaid = 0;     ///< with the tail
  double registers = 0;     ///< per thread, after the limit
  double spilled = 0;       ///< registers that do not fit
  double spillAccesses = 0; ///< per thread
  double vectorFactor = 1;
  double l1Hit = 0, l2Hit = 0;                 ///< of global loads
  double l1MemRatio = 0, l2MemRatio = 0;       ///< t_DRAM / t_level x hit rate
  double l2BytesMoved = 0, dramBytesMoved = 0; ///< whole grid
};

Prediction predict(const KernelFeatures &features, const ModelTarget &target,
                   const Constants &constants, const CostWeights &weights = {});
Prediction predict(const KernelFeatures &features, const TargetSpec &target,
                   const Constants &constants = Constants::reasoned());

/// Seconds of t by `Term`, of a feasible prediction whose factors are all one.
/// They sum to `seconds`. A term's part of a norm is what makes its root: term
/// k of |x|_3 has x_k (x_k / |x|_3)^2, which is also how t moves with it
/// (Euler: t is homogeneous of degree one).
std::array<double, kNumTerms> secondsByTerm(const Prediction &prediction);

/// seconds[i * constants.size() + m]: features[i] under constants[m]. Infinite
/// where infeasible.
void predictBatch(std::span<const KernelFeatures> features,
                  const ModelTarget &target,
                  std::span<const Constants> constants,
                  std::span<double> seconds, const CostWeights &weights = {});

/// Coordinates in which kernels that behave alike are near each other: logs of
/// the terms' shares and of work per thread, occupancy, registers, waves. For
/// a search that learns what the model does not say.
inline constexpr unsigned kNumHardwareFeatures = 16;
std::array<float, kNumHardwareFeatures>
hardwareFeatures(const KernelFeatures &features, const Prediction &prediction);

/// What sets two kernels apart by their features `f`, `g` and predictions `p`,
/// `q`, in plain words, the largest difference first: coalescing, bank
/// conflicts, vector width, reuse, latency hiding, wave quantisation, what only
/// one of them does. "" where nothing does.
std::string causes(const KernelFeatures &f, const Prediction &p,
                   const KernelFeatures &g, const Prediction &q);
/// Why the kernel of `f` and `p` is predicted faster or slower than that of `g`
/// and `q`, in plain words: the causes, then the terms of the time, the largest
/// difference first.
std::string explain(const KernelFeatures &f, const Prediction &p,
                    const KernelFeatures &g, const Prediction &q);

} // namespace hwtune

#endif // HWTUNE_MODEL_COST_H
