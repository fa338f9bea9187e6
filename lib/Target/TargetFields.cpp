//===- TargetFields.cpp - the list of fields ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

using namespace hwtune;

namespace {

// Bounds are there to catch slips of the pen (a size in KiB for bytes, GHz for
// MHz), not to describe any device.
constexpr double kMany = 1e6;   // things on a chip
constexpr double kBytes = 1e15; // sizes
constexpr double kRate = 1e9;   // rates, clocks, watts
constexpr double kCycles = 1e5; // latencies

#define FIELD(name, member, unit, description, least, most)                    \
  TargetField {                                                                \
    name, unit, description,                                                   \
        [](TargetSpec &s) -> TargetFieldRef { return &s.member; }, least, most \
  }
#define TEXT(name, member, description)                                        \
  FIELD(name, member, "", description, 0, 0)

// clang-format off
constexpr TargetField kFields[] = {
  TEXT("id", id, "name of the description: kebab-case, unique"),
  TEXT("name", name, "the vendor's own name"),
  TEXT("vendor", vendor, "lower case: nvidia, amd, arm, ..."),
  TEXT("arch", arch, "instruction set: sm_80, gfx90a, ..."),
  TEXT("kind", kind, "gpu, mobile-gpu or npu"),

  FIELD("warp_size", warpSize, "lanes", "threads that execute together", 1, 1024),
  FIELD("schedulers_per_sm", schedulersPerSM, "schedulers", "sub-partitions of one SM, one issue per clock each", 1, 64),
  FIELD("max_threads_per_block", maxThreadsPerBlock, "threads", "largest block", 1, kMany),
  FIELD("max_threads_per_sm", maxThreadsPerSM, "threads", "resident threads of one SM", 1, kMany),
  FIELD("max_warps_per_sm", maxWarpsPerSM, "warps", "resident warps of one SM", 1, kMany),
  FIELD("max_blocks_per_sm", maxBlocksPerSM, "blocks", "resident blocks of one SM", 1, kMany),
  FIELD("barriers_per_sm", barriersPerSM, "barriers", "named barriers of one SM; 0: no such limit", 0, kMany),
  FIELD("registers_per_sm", registersPerSM, "registers", "32-bit registers of one SM", 1, 1e9),
  FIELD("registers_per_block", registersPerBlock, "registers", "32-bit registers one block may use", 1, 1e9),
  FIELD("max_registers_per_thread", maxRegistersPerThread, "registers", "32-bit registers one thread may use", 1, 65536),
  FIELD("register_alloc_unit", registerAllocUnit, "registers", "registers are given to a warp in multiples of this", 1, 65536),
  FIELD("warp_alloc_granularity", warpAllocGranularity, "warps", "a block's warps count in multiples of this for registers", 1, 64),
  FIELD("shared_per_sm", sharedPerSM, "bytes", "shared memory of one SM at the largest carve-out", 0, kBytes),
  FIELD("shared_per_block", sharedPerBlock, "bytes", "shared memory of a block without opting in", 0, kBytes),
  FIELD("shared_per_block_optin", sharedPerBlockOptin, "bytes", "shared memory of a block that opts in", 0, kBytes),
  FIELD("shared_reserved_per_block", sharedReservedPerBlock, "bytes", "shared memory the system takes from each block", 0, kBytes),
  FIELD("shared_alloc_unit", sharedAllocUnit, "bytes", "shared memory is given in multiples of this", 1, kBytes),
  FIELD("shared_carveouts", sharedCarveouts, "bytes", "splits of the L1 memory the SM can be set to, ascending", 0, kBytes),
  FIELD("l1_plus_shared", l1PlusShared, "bytes", "L1 and shared memory of one SM together", 0, kBytes),
  FIELD("shared_banks", sharedBanks, "banks", "shared-memory banks", 1, 1024),
  FIELD("bank_bytes", bankBytes, "bytes", "width of one bank", 1, 1024),
  FIELD("line_bytes", lineBytes, "bytes", "cache line", 1, 65536),
  FIELD("sector_bytes", sectorBytes, "bytes", "part of a line fetched at once", 1, 65536),
  FIELD("max_grid_x", maxGridX, "blocks", "largest grid, first dimension", 1, 1e15),
  FIELD("max_grid_y", maxGridY, "blocks", "largest grid, second dimension", 1, 1e15),
  FIELD("max_grid_z", maxGridZ, "blocks", "largest grid, third dimension", 1, 1e15),
  FIELD("max_block_x", maxBlockX, "threads", "largest block, first dimension", 1, kMany),
  FIELD("max_block_y", maxBlockY, "threads", "largest block, second dimension", 1, kMany),
  FIELD("max_block_z", maxBlockZ, "threads", "largest block, third dimension", 1, kMany),

  FIELD("fp32_lanes", fp32Lanes, "results/clk/SM", "f32 lanes of one SM", 1, kMany),
  FIELD("fp64_lanes", fp64Lanes, "results/clk/SM", "f64 lanes of one SM", 0, kMany),
  FIELD("fp16_lanes", fp16Lanes, "results/clk/SM", "f16 lanes of one SM, outside matrix units", 0, kMany),
  FIELD("int32_lanes", int32Lanes, "results/clk/SM", "32-bit integer lanes of one SM", 0, kMany),
  FIELD("sfu_lanes", sfuLanes, "results/clk/SM", "special-function lanes of one SM", 0, kMany),
  FIELD("ldst_lanes", ldstLanes, "lanes/clk/SM", "load/store lanes of one SM", 0, kMany),
  FIELD("tensor_cores", tensorCores, "units/SM", "matrix units of one SM", 0, kMany),
  FIELD("tensor_fma_f16_acc_f32", tensorFma.f16AccF32, "FMA/clk/SM", "matrix multiply-adds, f16 in, f32 accumulator", 0, kMany),
  FIELD("tensor_fma_f16_acc_f16", tensorFma.f16AccF16, "FMA/clk/SM", "matrix multiply-adds, f16 in, f16 accumulator", 0, kMany),
  FIELD("tensor_fma_bf16", tensorFma.bf16, "FMA/clk/SM", "matrix multiply-adds, bf16", 0, kMany),
  FIELD("tensor_fma_tf32", tensorFma.tf32, "FMA/clk/SM", "matrix multiply-adds, tf32", 0, kMany),
  FIELD("tensor_fma_f64", tensorFma.f64, "FMA/clk/SM", "matrix multiply-adds, f64", 0, kMany),
  FIELD("tensor_fma_i8", tensorFma.i8, "FMA/clk/SM", "matrix multiply-adds, 8-bit integers", 0, kMany),
  FIELD("tensor_fma_i4", tensorFma.i4, "FMA/clk/SM", "matrix multiply-adds, 4-bit integers", 0, kMany),
  FIELD("tensor_fma_f8", tensorFma.f8, "FMA/clk/SM", "matrix multiply-adds, 8-bit floats", 0, kMany),
  FIELD("tensor_fma_f4", tensorFma.f4, "FMA/clk/SM", "matrix multiply-adds, 4-bit floats", 0, kMany),

  FIELD("sm_count", smCount, "SMs", "SMs of the chip", 1, kMany),
  FIELD("clock_mhz", clockMHz, "MHz", "boost clock, the default of all times", 1, 1e5),
  FIELD("base_clock_mhz", baseClockMHz, "MHz", "base clock", 1, 1e5),
  FIELD("tensor_clock_mhz", tensorClockMHz, "MHz", "clock under matrix load", 1, 1e5),
  FIELD("memory_clock_mhz", memoryClockMHz, "MHz", "DRAM clock as the driver reports it", 1, 1e5),
  FIELD("l2_bytes", l2Bytes, "bytes", "L2 cache of the chip; 0: none", 0, kBytes),
  FIELD("l2_partitions", l2Partitions, "partitions", "parts of the L2 with a near and a far side", 1, 1024),
  FIELD("l3_bytes", l3Bytes, "bytes", "cache between L2 and DRAM", 0, kBytes),
  FIELD("dram_bytes", dramBytes, "bytes", "device memory", 1, kBytes),
  TEXT("dram_type", dramType, "HBM2, GDDR6, LPDDR5 (shared), ..."),
  FIELD("dram_bus_bits", dramBusBits, "bits", "width of the memory bus", 1, kMany),
  FIELD("dram_gbs", dramGBs, "GB/s", "peak device memory bandwidth, 1e9 bytes per second", 0.001, kRate),
  FIELD("tdp_w", tdpW, "W", "board power limit", 0.001, kRate),
  FIELD("peak_f32", peakF32, "TFLOP/s", "peak f32 rate, 2 per multiply-add", 0, kRate),
  FIELD("peak_f64", peakF64, "TFLOP/s", "peak f64 rate", 0, kRate),
  FIELD("peak_f16_tensor", peakF16Tensor, "TFLOP/s", "peak dense f16 matrix rate, f32 accumulator", 0, kRate),
  FIELD("peak_bf16_tensor", peakBf16Tensor, "TFLOP/s", "peak dense bf16 matrix rate", 0, kRate),
  FIELD("peak_tf32_tensor", peakTf32Tensor, "TFLOP/s", "peak dense tf32 matrix rate", 0, kRate),
  FIELD("peak_i8_tensor", peakI8Tensor, "TOP/s", "peak dense 8-bit integer matrix rate", 0, kRate),
  FIELD("peak_i4_tensor", peakI4Tensor, "TOP/s", "peak dense 4-bit integer matrix rate", 0, kRate),
  FIELD("peak_f8_tensor", peakF8Tensor, "TFLOP/s", "peak dense 8-bit float matrix rate", 0, kRate),
  FIELD("peak_f4_tensor", peakF4Tensor, "TFLOP/s", "peak dense 4-bit float matrix rate", 0, kRate),

  FIELD("alu_latency", aluLatency, "clk", "dependent f32 and integer operation", 0, kCycles),
  FIELD("fp64_latency", fp64Latency, "clk", "dependent f64 operation", 0, kCycles),
  FIELD("sfu_latency", sfuLatency, "clk", "dependent special function", 0, kCycles),
  FIELD("shuffle_latency", shuffleLatency, "clk", "warp shuffle", 0, kCycles),
  FIELD("shared_latency", sharedLatency, "clk", "shared-memory load without conflict", 0, kCycles),
  FIELD("l1_latency", l1Latency, "clk", "load that hits in L1", 0, kCycles),
  FIELD("l2_latency", l2Latency, "clk", "load that hits in the near L2", 0, kCycles),
  FIELD("l2_far_latency", l2FarLatency, "clk", "load that hits in the far L2", 0, kCycles),
  FIELD("dram_latency", dramLatency, "clk", "load from device memory", 0, kCycles),
  FIELD("barrier_latency", barrierLatency, "clk", "block barrier, all warps arrived", 0, kCycles),
  FIELD("atomic_latency", atomicLatency, "clk", "global atomic, uncontended", 0, kCycles),
  FIELD("tensor_latency", tensorLatency, "clk", "one matrix instruction, dependent", 0, kCycles),
  FIELD("bank_conflict_latency", bankConflictLatency, "clk", "each further way of a shared-memory bank conflict", 0, kCycles),
  FIELD("clocks_per_wavefront", clocksPerWavefront, "clk", "shared/L1 data stage, per wavefront", 0.001, kCycles),
  FIELD("l1_fill_bytes", l1FillBytes, "bytes", "that L1 takes from L2 while its data stage serves a wavefront", 1, kCycles),
  FIELD("l1_lines_per_clk", l1LinesPerClk, "lines/clk", "that L1 looks up for one access", 0.001, kRate),
  FIELD("clocks_per_memory_inst", clocksPerMemoryInst, "clk", "load/store unit of an SM, per instruction", 0.001, kCycles),
  FIELD("block_start_clocks", blockStartClocks, "clk", "from one block's start to the next one's, on whatever SMs", 0, kCycles),
  FIELD("atomic_clocks", atomicClocks, "clk", "from one lane's atomic on a global address to the next on the same", 0, kCycles),
  FIELD("l1_bytes_per_clk", l1BytesPerClk, "bytes/clk/SM", "sustained L1 hit bandwidth", 0.001, kRate),
  FIELD("l2_bytes_per_clk", l2BytesPerClk, "bytes/clk", "sustained L2 hit bandwidth of the chip", 0.001, kRate),
  FIELD("dram_eff_read", dramEffRead, "share", "sustained share of dram_gbs, reads", 0.01, 1),
  FIELD("dram_eff_mixed", dramEffMixed, "share", "sustained share of dram_gbs, reads and writes", 0.01, 1),
  FIELD("launch_us", launchUs, "us", "launches back to back, each", 0, kRate),
  FIELD("cold_launch_us", coldLaunchUs, "us", "one launch from idle", 0, kRate),
  FIELD("host_copy_gbs", hostCopyGBs, "GB/s", "copies between host and device", 0.001, kRate),
  FIELD("icache_l0_bytes", icacheL0Bytes, "bytes", "instruction cache, level 0", 0, kBytes),
  FIELD("icache_l1_bytes", icacheL1Bytes, "bytes", "instruction cache, level 1", 0, kBytes),
  FIELD("icache_l2_bytes", icacheL2Bytes, "bytes", "instruction cache, level 2", 0, kBytes),
  FIELD("icache_line_clocks", icacheLineClocks, "clk", "per line fetched from beyond instruction cache level 1", 0, 1e4),
  FIELD("memory_queue_per_scheduler", memoryQueuePerScheduler, "instructions", "memory instructions held before the load/store unit", 1, 1024),

  FIELD("idle_w", idleW, "W", "constant power of the board", 0, kRate),
  FIELD("static_w_per_sm", staticWPerSM, "W", "static power of an active SM", 0, kRate),
  FIELD("pj_per_inst_lane", pjPerInstLane, "pJ", "fetch, decode and operands of one lane", 0, kRate),
  FIELD("pj_per_fma32", pjPerFma32, "pJ", "one f32 multiply-add", 0, kRate),
  FIELD("pj_per_shared_byte", pjPerSharedByte, "pJ/byte", "shared-memory access", 0, kRate),
  FIELD("pj_per_l1_byte", pjPerL1Byte, "pJ/byte", "L1 access", 0, kRate),
  FIELD("pj_per_l2_byte", pjPerL2Byte, "pJ/byte", "L2 access", 0, kRate),
  FIELD("pj_per_dram_byte", pjPerDramByte, "pJ/byte", "device memory access", 0, kRate),
  FIELD("pj_per_tensor_fma", pjPerTensorFma, "pJ", "one f16 multiply-add of a matrix unit", 0, kRate),
};
// clang-format on

/// `variant` alternatives of a reference, without the pointer.
template <typename T> using Held = std::remove_pointer_t<T>;

std::string shown(double value) { return fmt::format("{}", value); }

/// "dram_gbs: -1 GB/s, expected 0.001 to 1000000000".
Error outOfRange(const TargetField &field, double value) {
  return Error{fmt::format("field `{}`: value {} is out of range, expected {} "
                           "to {} ({}: {})",
                           field.name, shown(value), shown(field.least),
                           shown(field.most), field.unit, field.description),
               ""};
}

Error wrongKind(const TargetField &field, std::string_view expected,
                const TargetFieldValue &value) {
  std::string text = toText(value);
  return Error{fmt::format("field `{}`: value `{}`, expected {} ({})",
                           field.name, text.empty() ? "nothing" : text,
                           expected, field.description),
               ""};
}

bool inRange(const TargetField &field, double value) {
  return value >= field.least && value <= field.most;
}

/// Integers that doubles hold exactly are taken for integers ("1.0").
std::optional<int64_t> asInteger(const TargetFieldValue &value) {
  if (auto *i = std::get_if<int64_t>(&value))
    return *i;
  auto *d = std::get_if<double>(&value);
  if (d && *d == std::floor(*d) && std::fabs(*d) < 9e15)
    return static_cast<int64_t>(*d);
  return std::nullopt;
}

std::optional<double> asReal(const TargetFieldValue &value) {
  if (auto *i = std::get_if<int64_t>(&value))
    return static_cast<double>(*i);
  if (auto *d = std::get_if<double>(&value); d && std::isfinite(*d))
    return *d;
  return std::nullopt;
}

Status store(const TargetField &field, std::string *slot,
             const TargetFieldValue &value) {
  auto *text = std::get_if<std::string>(&value);
  if (!text)
    return wrongKind(field, "text", value);
  *slot = *text;
  return success();
}
Status store(const TargetField &field, int64_t *slot,
             const TargetFieldValue &value) {
  auto number = asInteger(value);
  if (!number)
    return wrongKind(field, "an integer", value);
  if (!inRange(field, static_cast<double>(*number)))
    return outOfRange(field, static_cast<double>(*number));
  *slot = *number;
  return success();
}
Status store(const TargetField &field, double *slot,
             const TargetFieldValue &value) {
  auto number = asReal(value);
  if (!number)
    return wrongKind(field, "a number", value);
  if (!inRange(field, *number))
    return outOfRange(field, *number);
  *slot = *number;
  return success();
}
Status store(const TargetField &field, std::vector<int64_t> *slot,
             const TargetFieldValue &value) {
  auto *list = std::get_if<std::vector<int64_t>>(&value);
  if (!list)
    return wrongKind(field, "a list of integers", value);
  for (int64_t element : *list)
    if (!inRange(field, static_cast<double>(element)))
      return outOfRange(field, static_cast<double>(element));
  *slot = *list;
  return success();
}
template <typename T>
Status store(const TargetField &field, std::optional<T> *slot,
             const TargetFieldValue &value) {
  if (std::holds_alternative<std::monostate>(value)) {
    slot->reset();
    return success();
  }
  T number = 0;
  if (Status s = store(field, &number, value); !s)
    return s;
  *slot = number;
  return success();
}

} // namespace

std::span<const TargetField> hwtune::targetFields() { return kFields; }

const TargetField *hwtune::findTargetField(std::string_view name) {
  for (const TargetField &field : kFields)
    if (field.name == name)
      return &field;
  return nullptr;
}

bool hwtune::isOptional(const TargetField &field) {
  TargetSpec spec;
  TargetFieldRef ref = field.ref(spec);
  return std::holds_alternative<std::optional<int64_t> *>(ref) ||
         std::holds_alternative<std::optional<double> *>(ref);
}

bool hwtune::isInteger(const TargetField &field) {
  TargetSpec spec;
  TargetFieldRef ref = field.ref(spec);
  return std::holds_alternative<int64_t *>(ref) ||
         std::holds_alternative<std::optional<int64_t> *>(ref) ||
         std::holds_alternative<std::vector<int64_t> *>(ref);
}

TargetFieldValue hwtune::getField(const TargetSpec &spec,
                                  const TargetField &field) {
  // `ref` only takes an address; nothing is written through it here.
  TargetFieldRef ref = field.ref(const_cast<TargetSpec &>(spec));
  return std::visit(
      [](auto *slot) -> TargetFieldValue {
        using T = Held<decltype(slot)>;
        if constexpr (std::is_same_v<T, std::optional<int64_t>> ||
                      std::is_same_v<T, std::optional<double>>)
          return *slot ? TargetFieldValue(**slot) : TargetFieldValue();
        else
          return *slot;
      },
      ref);
}

Status hwtune::setField(TargetSpec &spec, const TargetField &field,
                        const TargetFieldValue &value) {
  return std::visit([&](auto *slot) { return store(field, slot, value); },
                    field.ref(spec));
}

std::string hwtune::toText(const TargetFieldValue &value) {
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  if (auto *i = std::get_if<int64_t>(&value))
    return fmt::format("{}", *i);
  if (auto *d = std::get_if<double>(&value))
    return shown(*d);
  if (auto *list = std::get_if<std::vector<int64_t>>(&value))
    return fmt::format("[{}]", fmt::join(*list, ", "));
  return {};
}

const Provenance &hwtune::provenanceOf(const TargetSpec &spec,
                                       std::string_view field) {
  auto it = spec.basis.find(std::string(field));
  return it == spec.basis.end() ? spec.defaultBasis : it->second;
}

namespace {
constexpr std::array<std::pair<Basis, std::string_view>, 7> kBasisNames = {{
    {Basis::Measured, "measured"},
    {Basis::VendorTable, "vendor-table"},
    {Basis::Derived, "derived"},
    {Basis::Proxy, "proxy"},
    {Basis::FamilyDefault, "family-default"},
    {Basis::Unverified, "unverified"},
    {Basis::User, "user"},
}};
} // namespace

std::string_view hwtune::toString(Basis basis) {
  for (auto [value, name] : kBasisNames)
    if (value == basis)
      return name;
  return "user";
}

std::optional<Basis> hwtune::parseBasis(std::string_view text) {
  for (auto [value, name] : kBasisNames)
    if (name == text)
      return value;
  return std::nullopt;
}

std::vector<std::string_view> hwtune::differingFields(const TargetSpec &a,
                                                      const TargetSpec &b) {
  std::vector<std::string_view> result;
  for (const TargetField &field : kFields)
    if (getField(a, field) != getField(b, field))
      result.push_back(field.name);
  return result;
}
