//===- NvidiaFamilies.cpp - what NVIDIA architectures have in common ------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits come from CUDA's own occupancy header and device queries; latencies
// from published micro-benchmarks. A family whose value was measured on one
// member only carries it as a proxy.
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"

using namespace hwtune;
using namespace hwtune::table;

namespace {

// clang-format off
constexpr int64_t kCarveoutsVolta[] = {0, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 96 * KiB};
constexpr int64_t kCarveoutsTuring[] = {32 * KiB, 64 * KiB};
constexpr int64_t kCarveouts100[] = {0, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 100 * KiB};
constexpr int64_t kCarveouts164[] = {0, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 100 * KiB, 132 * KiB, 164 * KiB};
constexpr int64_t kCarveouts228[] = {0, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 100 * KiB, 132 * KiB, 164 * KiB, 196 * KiB, 228 * KiB};

constexpr Entry kEveryNvidia[] = {
    {"warp_size", 32, "dq-v100"}, {"schedulers_per_sm", 4, "proxy-a6000"},
    {"max_threads_per_block", 1024, "dq-v100"}, {"registers_per_sm", 65536, "xla"},
    {"registers_per_block", 65536, "dq-v100"}, {"max_registers_per_thread", 255, "unverified"},
    {"register_alloc_unit", 256, "occ"}, {"warp_alloc_granularity", 4, "occ"},
    {"shared_per_block", 48 * KiB, "dq-v100"}, {"shared_banks", 32, "proxy-sun-tc"},
    {"bank_bytes", 4, "proxy-sun-tc"}, {"line_bytes", 128, "accelsim-paper"},
    {"sector_bytes", 32, "accelsim-paper"}, {"max_grid_x", 2147483647, "dq-v100"},
    {"max_grid_y", 65535, "dq-v100"}, {"max_grid_z", 65535, "dq-v100"},
    {"max_block_x", 1024, "dq-v100"}, {"max_block_y", 1024, "dq-v100"},
    {"max_block_z", 64, "dq-v100"}, {"shuffle_latency", 22.7, "cmp90hx"},
    {"barrier_latency", 28.6, "cmp90hx"}, {"bank_conflict_latency", 2, "proxy-sun-tc"},
    {"cold_launch_us", 6, "family"}, {"l1_lines_per_clk", 3.5, "proxy-a100"},
    {"icache_l0_bytes", 16 * KiB, "icache-fit"}, {"icache_l1_bytes", 46 * KiB, "icache-fit"},
    {"icache_line_clocks", 12, "icache-fit"}, {"memory_queue_per_scheduler", 5, "proxy-a6000"},
    {"static_w_per_sm", 0.36, "accelwattch"}, {"pj_per_inst_lane", 6, "pj28"},
    {"pj_per_fma32", 20, "pj28"}, {"pj_per_shared_byte", 1.56, "pj28"},
    {"pj_per_l1_byte", 1.56, "pj28"}, {"pj_per_l2_byte", 17.2, "pj28"},
    {"pj_per_tensor_fma", 3, "unverified"},
    {"atomic_clocks", 1, "histograms"}, {"block_start_clocks", 1, "amali"},
};

// Volta
constexpr Entry kSm70[] = {
    {"max_threads_per_sm", 2048, "dq-v100"}, {"max_warps_per_sm", 64, "derived"},
    {"max_blocks_per_sm", 32, "occ"}, {"shared_per_sm", 96 * KiB, "xla"},
    {"shared_per_block_optin", 96 * KiB, "xla"}, {"shared_reserved_per_block", 0, "unverified"},
    {"shared_alloc_unit", 256, "occ"}, {"shared_carveouts", List{kCarveoutsVolta}, "occ"},
    {"l1_plus_shared", 128 * KiB, "accelsim-cfg"}, {"fp32_lanes", 64, "dq-v100"},
    {"fp64_lanes", 32, "proxy-titanv"}, {"int32_lanes", 64, "proxy-titanv"},
    {"sfu_lanes", 16, "proxy-titanv"}, {"tensor_cores", 8, "proxy-sun-tc"},
    {"fp16_lanes", 128, "proxy-titanv"}, {"alu_latency", 4, "proxy-titanv"}, {"fp64_latency", 8.1, "proxy-titanv"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 35.3, "proxy-titanv"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "proxy-a100"},
};

// Volta (Xavier)
constexpr Entry kSm72[] = {
    {"max_threads_per_sm", 2048, "dq-xavier"}, {"max_warps_per_sm", 64, "derived"},
    {"max_blocks_per_sm", 32, "occ"}, {"shared_per_sm", 96 * KiB, "dq-xavier"},
    {"shared_per_block_optin", 96 * KiB, "derived"},
    {"shared_reserved_per_block", 0, "unverified"}, {"shared_alloc_unit", 256, "occ"},
    {"shared_carveouts", List{kCarveoutsVolta}, "occ"},
    {"l1_plus_shared", 128 * KiB, "unverified"}, {"fp32_lanes", 64, "dq-xavier"},
    {"int32_lanes", 64, "unverified"}, {"sfu_lanes", 16, "unverified"},
    {"tensor_cores", 8, "unverified"}, {"fp16_lanes", 128, "proxy-titanv"},
    {"alu_latency", 4, "proxy-titanv"}, {"fp64_latency", 8.1, "proxy-titanv"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 35.3, "proxy-titanv"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "proxy-a100"},
};

// Turing
constexpr Entry kSm75[] = {
    {"max_threads_per_sm", 1024, "dq-t4"}, {"max_warps_per_sm", 32, "derived"},
    {"max_blocks_per_sm", 16, "occ"}, {"shared_per_sm", 64 * KiB, "dq-t4"},
    {"shared_per_block_optin", 64 * KiB, "derived"},
    {"shared_reserved_per_block", 0, "unverified"}, {"shared_alloc_unit", 256, "occ"},
    {"shared_carveouts", List{kCarveoutsTuring}, "occ"}, {"l1_plus_shared", 96 * KiB, "t4-paper"},
    {"fp32_lanes", 64, "dq-t4"}, {"fp64_lanes", 2, "ppt"}, {"int32_lanes", 64, "ppt"},
    {"sfu_lanes", 16, "ppt"}, {"tensor_cores", 8, "proxy-sun-tc"}, {"fp16_lanes", 128, "unverified"},
    {"alu_latency", 4, "proxy-titanrtx"}, {"fp64_latency", 45, "proxy-titanrtx"},
    {"sfu_latency", 25, "proxy-titanrtx"}, {"tensor_latency", 17.3, "proxy-2080ti-mma"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 2, "proxy-2080ti-counters"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 2, "proxy-2080ti-counters"},
};

// Ampere (A100)
constexpr Entry kSm80[] = {
    {"max_threads_per_sm", 2048, "xla"}, {"max_warps_per_sm", 64, "derived"},
    {"max_blocks_per_sm", 32, "occ"}, {"shared_per_sm", 164 * KiB, "xla"},
    {"shared_per_block_optin", 163 * KiB, "xla"}, {"shared_reserved_per_block", 1024, "derived"},
    {"shared_alloc_unit", 128, "occ"}, {"shared_carveouts", List{kCarveouts164}, "occ"},
    {"l1_plus_shared", 192 * KiB, "hyfiss"}, {"fp32_lanes", 64, "xla-core"},
    {"fp64_lanes", 32, "xla-core"}, {"int32_lanes", 64, "xla-core"},
    {"sfu_lanes", 16, "unverified"}, {"tensor_cores", 4, "proxy-sun-tc"},
    {"fp16_lanes", 256, "unverified"}, {"alu_latency", 4, "ampere-paper"},
    {"fp64_latency", 5, "ampere-paper"}, {"sfu_latency", 21.1, "proxy-titanv"},
    {"tensor_latency", 24.7, "a100-mma"}, {"atomic_latency", 243.6, "proxy-titanv"},
    {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "rrze-strides"},
};

// Ampere (GA10x)
constexpr Entry kSm86[] = {
    {"max_threads_per_sm", 1536, "dq-3090"}, {"max_warps_per_sm", 48, "derived"},
    {"max_blocks_per_sm", 16, "occ"}, {"shared_per_sm", 100 * KiB, "dq-3090"},
    {"shared_per_block_optin", 99 * KiB, "derived"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts100}, "occ"},
    {"l1_plus_shared", 128 * KiB, "accelsim-cfg"}, {"fp32_lanes", 128, "dq-3090"},
    {"fp64_lanes", 2, "unverified"}, {"int32_lanes", 64, "unverified"},
    {"sfu_lanes", 16, "unverified"}, {"tensor_cores", 4, "unverified"},
    {"fp16_lanes", 128, "unverified"}, {"alu_latency", 4, "proxy-a6000"},
    {"fp64_latency", 45, "proxy-titanrtx"}, {"sfu_latency", 21.1, "proxy-titanv"},
    {"tensor_latency", 33, "proxy-3070ti-mma"}, {"atomic_latency", 243.6, "proxy-titanv"},
    {"clocks_per_wavefront", 1, "proxy-3090-counters"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 2, "proxy-a40"},
};

// Ampere (Orin)
constexpr Entry kSm87[] = {
    {"max_threads_per_sm", 1536, "dq-orin"}, {"max_warps_per_sm", 48, "derived"},
    {"max_blocks_per_sm", 16, "occ"}, {"shared_per_sm", 164 * KiB, "occ"},
    {"shared_per_block_optin", 163 * KiB, "derived"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts164}, "occ"}, {"l1_plus_shared", 192 * KiB, "unverified"},
    {"fp32_lanes", 128, "dq-orin"}, {"int32_lanes", 64, "unverified"},
    {"sfu_lanes", 16, "unverified"}, {"tensor_cores", 4, "unverified"},
    {"fp16_lanes", 128, "unverified"}, {"alu_latency", 4, "proxy-a6000"},
    {"fp64_latency", 45, "proxy-titanrtx"}, {"sfu_latency", 21.1, "proxy-titanv"},
    {"tensor_latency", 33, "proxy-3070ti-mma"}, {"atomic_latency", 243.6, "proxy-titanv"},
    {"clocks_per_wavefront", 1, "proxy-3090-counters"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 2, "proxy-a40"},
};

// Ada
constexpr Entry kSm89[] = {
    {"max_threads_per_sm", 1536, "dq-4090"}, {"max_warps_per_sm", 48, "derived"},
    {"max_blocks_per_sm", 24, "occ"}, {"shared_per_sm", 100 * KiB, "dq-4090"},
    {"shared_per_block_optin", 99 * KiB, "derived"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts100}, "occ"}, {"l1_plus_shared", 128 * KiB, "unverified"},
    {"fp32_lanes", 128, "dq-4090"}, {"fp64_lanes", 2, "unverified"},
    {"int32_lanes", 64, "unverified"}, {"sfu_lanes", 16, "unverified"},
    {"tensor_cores", 4, "unverified"}, {"fp16_lanes", 128, "unverified"},
    {"alu_latency", 4, "proxy-a6000"}, {"fp64_latency", 45, "proxy-titanrtx"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 24.6, "proxy-4090"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "proxy-3090-counters"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 2, "proxy-a40"},
};

// Hopper
constexpr Entry kSm90[] = {
    {"max_threads_per_sm", 2048, "xla"}, {"max_warps_per_sm", 64, "derived"},
    {"max_blocks_per_sm", 32, "occ"}, {"barriers_per_sm", 64, "occ"},
    {"shared_per_sm", 228 * KiB, "xla"}, {"shared_per_block_optin", 227 * KiB, "xla"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts228}, "occ"}, {"l1_plus_shared", 256 * KiB, "unverified"},
    {"fp32_lanes", 128, "xla-core"}, {"fp64_lanes", 64, "xla-core"},
    {"int32_lanes", 64, "xla-core"}, {"sfu_lanes", 16, "unverified"},
    {"tensor_cores", 4, "xla-core"}, {"fp16_lanes", 256, "unverified"},
    {"alu_latency", 4, "proxy-gh100"}, {"fp64_latency", 8.04, "proxy-gh100"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 24.1, "proxy-h800"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "proxy-a100"},
};

// Blackwell (B200)
constexpr Entry kSm100[] = {
    {"max_threads_per_sm", 2048, "xla"}, {"max_warps_per_sm", 64, "derived"},
    {"max_blocks_per_sm", 32, "occ"}, {"barriers_per_sm", 64, "occ"},
    {"shared_per_sm", 228 * KiB, "xla"}, {"shared_per_block_optin", 227 * KiB, "xla"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts228}, "occ"}, {"l1_plus_shared", 256 * KiB, "unverified"},
    {"fp32_lanes", 128, "xla-core"}, {"fp64_lanes", 64, "xla-core"},
    {"int32_lanes", 64, "xla-core"}, {"sfu_lanes", 16, "unverified"},
    {"tensor_cores", 4, "xla-core"}, {"fp16_lanes", 256, "unverified"},
    {"alu_latency", 4, "proxy-gh100"}, {"fp64_latency", 8.04, "proxy-gh100"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 24.1, "proxy-h800"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "proxy-a100"},
};

// Blackwell (Thor)
constexpr Entry kSm110[] = {
    {"max_threads_per_sm", 1536, "dq-thor"}, {"max_warps_per_sm", 48, "derived"},
    {"max_blocks_per_sm", 24, "occ"}, {"barriers_per_sm", 24, "occ"},
    {"shared_per_sm", 228 * KiB, "dq-thor"}, {"shared_per_block_optin", 227 * KiB, "derived"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts228}, "occ"}, {"l1_plus_shared", 256 * KiB, "unverified"},
    {"fp32_lanes", 128, "dq-thor"}, {"sfu_lanes", 16, "unverified"},
    {"fp16_lanes", 256, "unverified"}, {"alu_latency", 4, "proxy-gh100"},
    {"fp64_latency", 8.04, "proxy-gh100"}, {"sfu_latency", 21.1, "proxy-titanv"},
    {"tensor_latency", 24.1, "proxy-h800"}, {"atomic_latency", 243.6, "proxy-titanv"},
    {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 1, "proxy-a100"},
};

// Blackwell (GB20x)
constexpr Entry kSm120[] = {
    {"max_threads_per_sm", 1536, "dq-5090"}, {"max_warps_per_sm", 48, "derived"},
    {"max_blocks_per_sm", 24, "occ"}, {"barriers_per_sm", 24, "occ"},
    {"shared_per_sm", 100 * KiB, "dq-5090"}, {"shared_per_block_optin", 99 * KiB, "xla"},
    {"shared_reserved_per_block", 1024, "derived"}, {"shared_alloc_unit", 128, "occ"},
    {"shared_carveouts", List{kCarveouts100}, "occ"}, {"l1_plus_shared", 128 * KiB, "unverified"},
    {"fp32_lanes", 128, "sm120-doc"}, {"fp64_lanes", 2, "sm120-doc"},
    {"int32_lanes", 128, "sm120-doc"}, {"sfu_lanes", 16, "sm120-doc"},
    {"tensor_cores", 4, "unverified"}, {"fp16_lanes", 128, "unverified"},
    {"alu_latency", 4, "proxy-gb203"}, {"fp64_latency", 63.57, "proxy-gb203"},
    {"sfu_latency", 21.1, "proxy-titanv"}, {"tensor_latency", 35, "sass-king"},
    {"atomic_latency", 243.6, "proxy-titanv"}, {"clocks_per_wavefront", 1, "family"}, {"l1_fill_bytes", 64, "l2-bandwidths"},
    {"clocks_per_memory_inst", 2, "proxy-a40"},
};
// clang-format on

} // namespace

std::span<const Entry> table::everyNvidia() { return kEveryNvidia; }

std::span<const Entry> table::nvidiaFamily(int capability) {
  switch (capability) {
  case 70:
    return kSm70;
  case 72:
    return kSm72;
  case 75:
    return kSm75;
  case 80:
    return kSm80;
  case 86:
    return kSm86;
  case 87:
    return kSm87;
  case 89:
    return kSm89;
  case 90:
    return kSm90;
  case 100:
    return kSm100;
  case 110:
    return kSm110;
  case 120:
    return kSm120;
  default:
    return {};
  }
}
