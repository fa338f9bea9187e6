//===- PseudoSass.h - what a PTX instruction becomes ------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is not what runs. Moves, conversions between integer widths, parameter
// and constant loads fold away; 64-bit integers take pairs; a division is a
// sequence. These are facts about NVIDIA's compiler, not about one GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_PSEUDOSASS_H
#define HWTUNE_SIMULATOR_TIMING_PSEUDOSASS_H

#include "hwtune/Simulator/Exec/Trace.h"
#include "hwtune/Target/TargetSpec.h"

#include <span>
#include <vector>

namespace hwtune::timing {

enum class Pipe : uint8_t {
  None,
  Fp32,
  Fp64,
  Fp16,
  Integer,
  Special,
  Matrix,
  Memory,
  Control
};

struct SassCost {
  double issue = 1; ///< instructions that take an issue slot
  Pipe pipe = Pipe::Fp32;
  double pipeOps = 1;      ///< operations on that pipe, per lane
  double special = 0;      ///< operations on the SFU besides
  double latencySteps = 1; ///< dependent steps of the pipe's latency
  double matrixFma = 0;    ///< multiply-adds of one matrix instruction
};

/// Encoded size, since Volta.
inline constexpr double kBytesPerHardwareInst = 16;

SassCost sassCost(const exec::InstMeta &inst);
std::vector<SassCost> sassCosts(std::span<const exec::InstMeta> insts);

/// By instruction, whether an assembler joins the lanes of an atomic to one: on
/// integers in global memory, at an address that is computed alike in all lanes
/// (`ptxas` 13.0 for sm_75 to sm_90, by its code). `isEntry` is by function.
std::vector<bool> joinedAtomics(std::span<const exec::InstMeta> insts,
                                const std::vector<bool> &isEntry);

/// How many places each instruction of a basic block moves up, as a scheduler
/// that hides latency would move loads, and what computes their addresses: at
/// most `distance`, never over a producer, a store that may meet the load, or a
/// barrier.
std::vector<uint8_t> hoistDistances(std::span<const exec::InstMeta> insts,
                                    unsigned distance);

/// Clocks that a scheduler waits for the fetch of each instruction of a kernel
/// of `codeBytes`, 0 where it fits the first two instruction caches.
double fetchClocks(double codeBytes, const TargetSpec &target);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_PSEUDOSASS_H
