//===- KernelFeatures.h - what the model knows of a kernel ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fixed length by construction, versioned, plain. A schedule fills it from a
// configuration without compiling anything; a mapping file fills it for a
// kernel that is no linalg op. Counts are per thread and kernel unless said
// otherwise; wavefronts and sectors are per warp and access.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_KERNELFEATURES_H
#define HWTUNE_MODEL_KERNELFEATURES_H

#include <array>
#include <cstdint>

namespace hwtune {

inline constexpr int kFeatureVersion = 2;
inline constexpr int kMaxStreams = 8;

/// Memory accesses of one operand at one level, by one thread.
struct AccessStream {
  double loads = 0;       ///< load instructions per thread
  double stores = 0;      ///< store instructions per thread
  double vectorBytes = 4; ///< bytes per lane and instruction
  /// Wavefronts per warp access, conflicts in. Shared: most words of a bank,
  /// summed over phases (64-bit: half warps, 128-bit: quarters). Global: lines,
  /// summed over phases; the model takes at least what the fields below imply.
  double wavefronts = 1;
  double sectors = 4;     ///< global: 32-byte sectors per warp access
  double lines = 1;       ///< global: 128-byte lines per warp access
  double uniqueBytes = 0; ///< distinct bytes one block touches (global)
  double totalBytes = 0;  ///< distinct bytes the whole grid touches (global)
  /// Blocks that read the same bytes at about the same time, 1 = none (L2).
  double sharingBlocks = 1;
  /// Bytes of one block that must stay in L1 between two uses of a byte;
  /// 0 = `uniqueBytes`. Where it fits, only the first use misses.
  double reuseBytes = 0;
  /// Feeds shared memory: its waits are counted per copy phase.
  bool isCopy = false;
  bool isShared = false; ///< shared memory, else global
  bool isAsync = false;  ///< cp.async: no register write-back
};

/// Operand type of the matrix instructions: picks the rate in `TensorRates`.
enum class TensorType {
  None,
  F16AccF32,
  F16AccF16,
  BF16,
  TF32,
  F64,
  I8,
  I4,
  F8,
  F4
};

struct KernelFeatures {
  int version = kFeatureVersion;
  // launch
  double threadsPerBlock = 0;
  double blocks = 0;      ///< of the grid
  double sharedBytes = 0; ///< static + dynamic of one block
  /// Per thread: the schedule's estimate, or from ptxas; 0 = let the model
  /// estimate it from accumulators and fragments.
  double registers = 0;
  bool registersKnown = false;
  double spillBytes = 0; ///< per thread, where `registersKnown`
  // work of one thread
  double fma32 = 0, fp32 = 0, fp64 = 0, fp16 = 0, integer = 0, special = 0;
  double tensorFma = 0; ///< multiply-adds on matrix units
  double mmaInsts = 0;  ///< matrix instructions per warp
  TensorType tensorType = TensorType::None;
  /// Useful share of the matrix unit's work (tile shape, padding), 0..1.
  double tensorEfficiency = 1;
  double otherInsts = 0; ///< address, control, loop overhead, moves
  double shuffles = 0;
  double barriers = 0; ///< per thread
  double atomics = 0;
  // structure
  double accumulators = 0; ///< live accumulators per thread
  double fragments = 0;    ///< operand registers live beside them
  double ilp = 1;          ///< independent operations in flight
  double loopTurns = 0;    ///< iterations of the main (k) loop
  double unrolledBody = 0; ///< instructions in the unrolled main loop
  double codeBytes = 0;
  double stages = 1;     ///< tiles held in shared memory, 1 = no pipeline
  double copyPhases = 0; ///< global->shared phases, each ends in a barrier
  /// Global->shared copies (one load and one store, or one cp.async) per
  /// thread. Their loads and stores are in the streams; this adds addresses.
  double copies = 0;
  bool guardedCopies = false; ///< each copy tests bounds
  /// Times a thread waits for a group of loads before it can compute (the
  /// steps of an unpipelined k loop; 0 where loads run far ahead of use).
  double loadWaits = 0;
  double vectorWidth = 1; ///< elements, of the main access
  // whole kernel
  double flops = 0;     ///< useful flops of the grid
  double hostBytes = 0; ///< host <-> device copies
  double launches = 1;
  int numStreams = 0;
  std::array<AccessStream, kMaxStreams> streams;
};

} // namespace hwtune

#endif // HWTUNE_MODEL_KERNELFEATURES_H
