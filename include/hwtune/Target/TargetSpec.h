//===- TargetSpec.h - what is known of one GPU ------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where hardware numbers live. Everything above reads a
// `TargetSpec`; no number about a GPU stands anywhere else in the code.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TARGET_TARGETSPEC_H
#define HWTUNE_TARGET_TARGETSPEC_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// Where a number comes from. A result that rests on `FamilyDefault`, `Proxy`
/// or `Unverified` says so.
enum class Basis {
  Measured,      ///< measured on this device by someone, named in the note
  VendorTable,   ///< vendor's table, header or device query
  Derived,       ///< computed from other fields
  Proxy,         ///< measured on another device, named in the note
  FamilyDefault, ///< the usual value of the architecture family
  Unverified,    ///< common knowledge, not seen in a source
  User,          ///< written by the user
};

struct Provenance {
  Basis basis = Basis::User;
  std::string note; ///< source or device; "" where the basis says it all
};

/// Dense multiply-adds per clock and SM of the matrix units, by operand type
/// (accumulator type where it matters). Absent: no such unit, or unknown.
struct TensorRates {
  std::optional<int64_t> f16AccF32, f16AccF16, bf16, tf32, f64, i8, i4, f8, f4;
};

/// One device, as a plain struct. "SM" stands for the vendor's own compute
/// unit (SM, CU, core). Optional facts are optional, never invented.
struct TargetSpec {
  // --- identity ---
  std::string id;     ///< "a100-sxm4-80gb"; kebab-case, unique in the table
  std::string name;   ///< the vendor's own name
  std::string vendor; ///< "nvidia", "amd", "arm", ... lower case
  std::string arch;   ///< "sm_80", "gfx90a", ...
  std::string kind = "gpu"; ///< "gpu", "mobile-gpu", "npu"

  // --- limits of one SM and of one block (NVIDIA's allocation rules) ---
  int64_t warpSize = 32;             ///< lanes
  int64_t schedulersPerSM = 4;       ///< sub-partitions, 1 issue/clk each
  int64_t maxThreadsPerBlock = 1024; ///< threads
  int64_t maxThreadsPerSM = 0;       ///< threads
  int64_t maxWarpsPerSM = 0;         ///< warps
  int64_t maxBlocksPerSM = 0;        ///< blocks
  int64_t barriersPerSM = 0;         ///< named barriers, in blocks of 1 barrier
  int64_t registersPerSM = 0;        ///< 32-bit registers
  int64_t registersPerBlock = 0;     ///< 32-bit registers
  int64_t maxRegistersPerThread = 255;
  int64_t registerAllocUnit = 256;      ///< registers, per warp
  int64_t warpAllocGranularity = 4;     ///< warps
  int64_t sharedPerSM = 0;              ///< bytes, largest carve-out
  int64_t sharedPerBlock = 49152;       ///< bytes, without opting in
  int64_t sharedPerBlockOptin = 0;      ///< bytes
  int64_t sharedReservedPerBlock = 0;   ///< bytes
  int64_t sharedAllocUnit = 0;          ///< bytes
  std::vector<int64_t> sharedCarveouts; ///< bytes, ascending
  int64_t l1PlusShared = 0;             ///< bytes; L1 = this less the carve-out
  int64_t sharedBanks = 32;
  int64_t bankBytes = 4;
  int64_t lineBytes = 128;
  int64_t sectorBytes = 32;
  int64_t maxGridX = 2147483647, maxGridY = 65535, maxGridZ = 65535;
  int64_t maxBlockX = 1024, maxBlockY = 1024, maxBlockZ = 64;

  // --- execution lanes of one SM (results per clock) ---
  int64_t fp32Lanes = 0;
  std::optional<int64_t> fp64Lanes, fp16Lanes, int32Lanes, sfuLanes, ldstLanes;
  std::optional<int64_t> tensorCores;
  TensorRates tensorFma;

  // --- chip ---
  int64_t smCount = 0;
  double clockMHz = 0; ///< boost clock, the default of all times
  std::optional<double> baseClockMHz, tensorClockMHz, memoryClockMHz;
  int64_t l2Bytes = 0;
  std::optional<int64_t> l2Partitions;
  std::optional<int64_t> l3Bytes; ///< cache between L2 and DRAM
  int64_t dramBytes = 0;
  std::string dramType;
  std::optional<int64_t> dramBusBits;
  double dramGBs = 0; ///< peak, 1e9 bytes/s
  std::optional<double> tdpW;
  /// Peak rates in TFLOP/s or TOP/s, dense, 2 per multiply-add.
  std::optional<double> peakF32, peakF64, peakF16Tensor, peakBf16Tensor,
      peakTf32Tensor, peakI8Tensor, peakI4Tensor, peakF8Tensor, peakF4Tensor;

  // --- latencies (cycles at clockMHz) and sustained rates ---
  std::optional<double> aluLatency, fp64Latency, sfuLatency, shuffleLatency,
      sharedLatency, l1Latency, l2Latency, l2FarLatency, dramLatency,
      barrierLatency, atomicLatency, tensorLatency;
  /// Extra latency of each further way of a shared-memory bank conflict.
  std::optional<double> bankConflictLatency;
  /// Clocks the shared/L1 data stage is busy per wavefront (2 on Turing).
  std::optional<double> clocksPerWavefront;
  /// Bytes from L2 that L1 takes in one such pass.
  std::optional<double> l1FillBytes;
  /// Lines that L1 looks up per clock for one access.
  std::optional<double> l1LinesPerClk;
  /// Clocks per memory instruction of the SM's load/store unit.
  std::optional<double> clocksPerMemoryInst;
  /// Clocks from one block's start to the next one's, on whatever SMs.
  std::optional<double> blockStartClocks;
  /// Clocks from one lane's atomic operation on an address of global memory to
  /// the next on the same, whatever SM it comes from.
  std::optional<double> atomicClocks;
  std::optional<double> l1BytesPerClk;             ///< per SM
  std::optional<double> l2BytesPerClk;             ///< whole chip
  std::optional<double> dramEffRead, dramEffMixed; ///< share of dramGBs
  std::optional<double> launchUs;                  ///< launches back to back
  std::optional<double> coldLaunchUs;              ///< one launch from idle
  std::optional<double> hostCopyGBs;               ///< host <-> device copies
  std::optional<int64_t> icacheL0Bytes, icacheL1Bytes, icacheL2Bytes;
  /// Clocks per line that the instruction fetch of one scheduler gets from
  /// beyond the first two levels.
  std::optional<double> icacheLineClocks;
  /// Memory instructions a scheduler can hold before the load/store unit.
  std::optional<int64_t> memoryQueuePerScheduler;

  // --- energy (picojoules per event; watts) ---
  std::optional<double> idleW, staticWPerSM, pjPerInstLane, pjPerFma32,
      pjPerSharedByte, pjPerL1Byte, pjPerL2Byte, pjPerDramByte, pjPerTensorFma;

  /// Provenance by field name as in the text form ("dram_gbs"). A field that
  /// is not listed has the basis of the whole description (`defaultBasis`).
  std::map<std::string, Provenance> basis;
  Provenance defaultBasis;

  /// 10 * major + minor of an NVIDIA "sm_XY" / "sm_XYZ" arch, else 0.
  int computeCapability() const;
  bool isNvidia() const { return vendor == "nvidia"; }
};

} // namespace hwtune

#endif // HWTUNE_TARGET_TARGETSPEC_H
