//===- AmdTargets.cpp - AMD GPUs ------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Described, attached, enumerated and scored; PTX is refused for them. "SM"
// stands for the unit that shares the local memory: the CU of CDNA, the WGP
// (two CUs) of RDNA. L1 is separate from local memory, so the only carve-out is
// all of it.
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"

using namespace hwtune;
using namespace hwtune::table;

namespace {

// clang-format off
constexpr int64_t kLds64[] = {64 * KiB};
constexpr int64_t kLds128[] = {128 * KiB};

constexpr Entry kEveryAmd[] = {
    {"max_threads_per_block", 1024, "unverified"}, {"max_threads_per_sm", 2048, "derived"},
    {"warp_alloc_granularity", 1, "unverified"}, {"max_registers_per_thread", 256, "unverified"},
    {"schedulers_per_sm", 4, "unverified"}, {"shared_banks", 32, "unverified"},
    {"bank_bytes", 4, "unverified"}, {"line_bytes", 128, "unverified"},
    {"sector_bytes", 32, "unverified"}, {"shared_reserved_per_block", 0, "unverified"},
    {"shared_per_block", 64 * KiB, "unverified"}, {"shared_per_block_optin", 64 * KiB, "unverified"},
    {"max_grid_x", 2147483647, "unverified"}, {"max_grid_y", 65535, "unverified"},
    {"max_grid_z", 65535, "unverified"}, {"max_block_x", 1024, "unverified"},
    {"max_block_y", 1024, "unverified"}, {"max_block_z", 1024, "unverified"},
    {"bank_conflict_latency", 2, "amd-like-nvidia"}, {"clocks_per_wavefront", 1, "amd-like-nvidia"},
    {"clocks_per_memory_inst", 2, "amd-like-nvidia"}, {"cold_launch_us", 6, "amd-like-nvidia"},
    {"shared_latency", 64, "unverified"}, {"host_copy_gbs", 24, "pcie4"},
};

constexpr Entry kCdna2[] = {
    {"warp_size", 64, "rocm"}, {"max_warps_per_sm", 32, "derived"}, {"max_blocks_per_sm", 32, "derived"},
    {"registers_per_sm", 131072, "rocm"}, {"registers_per_block", 131072, "derived"},
    {"register_alloc_unit", 512, "unverified"}, {"shared_per_sm", 64 * KiB, "rocm"},
    {"shared_alloc_unit", 512, "unverified"}, {"shared_carveouts", List{kLds64}, "rocm"},
    {"l1_plus_shared", 80 * KiB, "rocm"}, {"fp32_lanes", 64, "derived"}, {"fp64_lanes", 64, "derived"},
    {"int32_lanes", 64, "unverified"}, {"sfu_lanes", 16, "unverified"},
    {"alu_latency", 8, "unverified"},
};

constexpr Entry kRdna[] = {
    {"warp_size", 32, "rocm"}, {"max_warps_per_sm", 64, "derived"}, {"max_blocks_per_sm", 64, "derived"},
    {"register_alloc_unit", 256, "unverified"}, {"shared_per_sm", 128 * KiB, "rocm"},
    {"shared_alloc_unit", 512, "unverified"}, {"shared_carveouts", List{kLds128}, "rocm"},
    {"fp32_lanes", 128, "derived"}, {"int32_lanes", 128, "unverified"}, {"sfu_lanes", 32, "unverified"},
    {"alu_latency", 5, "unverified"},
};

constexpr Entry kMi250xGcd[] = {
    {"name", "AMD Instinct MI250X (one GCD of two)", "unverified"}, {"sm_count", 110, "rocm"},
    {"clock_mhz", 1700, "xla"}, {"l2_bytes", 8 * MiB, "rocm"}, {"dram_bytes", 64 * GiB, "rocm"},
    {"dram_type", "HBM2e", "zexron"}, {"dram_bus_bits", 4096, "siliconcat"}, {"dram_gbs", 1638.4, "xla"},
    {"tdp_w", 280, "zexron"}, {"peak_f32", 23.95, "zexron"}, {"peak_f64", 23.95, "zexron"},
    {"peak_f16_tensor", 191.5, "zexron"}, {"peak_i8_tensor", 191.5, "zexron"},
    {"l1_latency", 125, "proxy-mi210"}, {"l2_latency", 248, "proxy-mi210"}, {"dram_latency", 630, "proxy-mi210"},
    {"l1_bytes_per_clk", 64, "unverified"}, {"l2_bytes_per_clk", 2650, "proxy-mi210"},
    {"dram_eff_read", 0.84, "proxy-mi210"}, {"launch_us", 2.05, "proxy-mi210"},
};

constexpr Entry kW6600[] = {
    {"name", "AMD Radeon PRO W6600", "unverified"}, {"sm_count", 14, "rocm-wgp"},
    {"registers_per_sm", 131072, "rocm"}, {"registers_per_block", 131072, "derived"},
    {"l1_plus_shared", 160 * KiB, "rocm"},
    {"clock_mhz", 2903, "unverified"}, {"l2_bytes", 2 * MiB, "rocm"}, {"l3_bytes", 32 * MiB, "rocm"},
    {"dram_bytes", 8 * GiB, "rocm"}, {"dram_type", "GDDR6", "hwluxx"}, {"dram_bus_bits", 128, "hwluxx"},
    {"dram_gbs", 224, "hwluxx"}, {"tdp_w", 100, "hwluxx"}, {"peak_f32", 10.4, "unverified"},
    {"l1_latency", 73, "proxy-6900xt"}, {"l2_latency", 220, "proxy-6900xt"},
    {"dram_latency", 600, "unverified"}, {"launch_us", 3.3, "proxy-6900xt"},
};

constexpr Entry kW7800[] = {
    {"name", "AMD Radeon PRO W7800", "unverified"}, {"sm_count", 35, "rocm-wgp"},
    {"registers_per_sm", 196608, "rocm"}, {"registers_per_block", 196608, "derived"},
    {"l1_plus_shared", 192 * KiB, "rocm"},
    {"clock_mhz", 2525, "unverified"}, {"l2_bytes", 6 * MiB, "rocm"}, {"l3_bytes", 64 * MiB, "rocm"},
    {"dram_bytes", 32 * GiB, "rocm"}, {"dram_type", "GDDR6", "unverified"}, {"dram_bus_bits", 256, "unverified"},
    {"dram_gbs", 576, "unverified"}, {"tdp_w", 260, "unverified"}, {"peak_f32", 45.2, "dual-issue"},
    {"peak_f16_tensor", 90.5, "unverified"},
    {"l1_latency", 73, "proxy-6900xt"}, {"l2_latency", 220, "proxy-6900xt"},
    {"dram_latency", 600, "unverified"}, {"launch_us", 3.3, "proxy-6900xt"},
};
// clang-format on

} // namespace

std::span<const Row> table::amdRows() {
  static const Row rows[] = {
      {"amd-mi250x-gcd", "amd", "gfx90a", "gpu", kEveryAmd, kCdna2, kMi250xGcd},
      {"amd-w6600", "amd", "gfx1032", "gpu", kEveryAmd, kRdna, kW6600},
      {"amd-w7800", "amd", "gfx1100", "gpu", kEveryAmd, kRdna, kW7800},
  };
  return rows;
}
