//===- NvidiaTargets.cpp - NVIDIA GPUs, one by one ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs inside a family. Peaks are dense. Latencies are in cycles at the
// clock their source's note names; where that differs from the listed clock,
// the cycles were kept.
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"

#include <array>

using namespace hwtune;
using namespace hwtune::table;

namespace {

// clang-format off
constexpr Entry kV100Sxm2_16gb[] = {
    {"name", "Tesla V100-SXM2-16GB", "unverified"}, {"sm_count", 80, "dq-v100"},
    {"clock_mhz", 1530, "dq-v100"}, {"base_clock_mhz", 1290, "unverified"},
    {"memory_clock_mhz", 877, "dq-v100"}, {"l2_bytes", 6 * MiB, "dq-v100"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 16 * GiB, "dq-v100"},
    {"dram_type", "HBM2", "unverified"}, {"dram_bus_bits", 4096, "dq-v100"},
    {"dram_gbs", 898.05, "xla"}, {"tdp_w", 300, "gpu-specs"}, {"peak_f32", 15.7, "gpu-specs"},
    {"peak_f64", 7.8, "gpu-specs"}, {"peak_f16_tensor", 125, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"l1_latency", 28, "proxy-v100-pcie"}, {"shared_latency", 24, "family"},
    {"l2_latency", 212, "proxy-v100-pcie"}, {"dram_latency", 425, "proxy-v100-pcie"},
    {"l1_bytes_per_clk", 125, "proxy-v100-pcie"}, {"l2_bytes_per_clk", 1760, "proxy-v100-pcie"},
    {"dram_eff_read", 0.965, "proxy-v100-pcie"}, {"dram_eff_mixed", 0.877, "proxy-v100-pcie"},
    {"launch_us", 2.65, "proxy-a100"}, {"host_copy_gbs", 12, "pcie3"},
    {"idle_w", 32.3, "accelwattch"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kV100Pcie_16gb[] = {
    {"name", "Tesla V100-PCIE-16GB", "unverified"}, {"sm_count", 80, "gpu-specs"},
    {"clock_mhz", 1380, "rrze"}, {"memory_clock_mhz", 877, "unverified"},
    {"l2_bytes", 6 * MiB, "xla"}, {"l2_partitions", 1, "unverified"},
    {"dram_bytes", 16 * GiB, "gpu-specs"}, {"dram_type", "HBM2", "unverified"},
    {"dram_bus_bits", 4096, "unverified"}, {"dram_gbs", 898.05, "derived"},
    {"tdp_w", 250, "gpu-specs"}, {"peak_f32", 14.0, "gpu-specs"}, {"peak_f64", 7.0, "gpu-specs"},
    {"peak_f16_tensor", 112, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"l1_latency", 28, "rrze"}, {"shared_latency", 24, "family"}, {"l2_latency", 212, "rrze"},
    {"dram_latency", 425, "rrze"}, {"l1_bytes_per_clk", 125, "rrze"},
    {"l2_bytes_per_clk", 1760, "rrze"}, {"dram_eff_read", 0.965, "rrze"},
    {"dram_eff_mixed", 0.877, "rrze"}, {"launch_us", 2.65, "proxy-a100"},
    {"host_copy_gbs", 12, "pcie3"}, {"idle_w", 26.9, "accelwattch-tdp"},
    {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kT4[] = {
    {"name", "Tesla T4", "unverified"}, {"sm_count", 40, "dq-t4"}, {"clock_mhz", 1590, "dq-t4"},
    {"base_clock_mhz", 585, "dq-t4"}, {"memory_clock_mhz", 5001, "dq-t4"},
    {"l2_bytes", 4 * MiB, "dq-t4"}, {"l2_partitions", 1, "unverified"},
    {"dram_bytes", 15843721216, "dq-t4"}, {"dram_type", "GDDR6", "t4-paper"},
    {"dram_bus_bits", 256, "dq-t4"}, {"dram_gbs", 320, "t4-paper"}, {"tdp_w", 70, "gpu-specs"},
    {"peak_f32", 8.1, "gpu-specs"}, {"peak_f64", 0.254, "derived"},
    {"peak_f16_tensor", 65, "gpu-specs"}, {"peak_i8_tensor", 130, "gpu-specs"},
    {"peak_i4_tensor", 260, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"l1_latency", 32, "t4-bench"}, {"shared_latency", 23, "proxy-2070"},
    {"l2_latency", 188, "t4-bench"}, {"dram_latency", 372, "proxy-2080s-t4"},
    {"l1_bytes_per_clk", 59, "t4-bench"}, {"l2_bytes_per_clk", 977, "proxy-2080ti-bus"},
    {"dram_eff_read", 0.865, "proxy-2080s"}, {"dram_eff_mixed", 0.8, "family"},
    {"launch_us", 2.5, "family"}, {"host_copy_gbs", 12, "pcie3"},
    {"idle_w", 7.5, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kA100Sxm4_40gb[] = {
    {"name", "A100-SXM4-40GB", "unverified"}, {"sm_count", 108, "xla"}, {"clock_mhz", 1410, "xla"},
    {"base_clock_mhz", 1095, "unverified"}, {"memory_clock_mhz", 1215, "xla"},
    {"l2_bytes", 40 * MiB, "xla"}, {"l2_partitions", 2, "gtc-ampere"},
    {"dram_bytes", 40 * GiB, "xla"}, {"dram_type", "HBM2", "unverified"},
    {"dram_bus_bits", 5120, "xla"}, {"dram_gbs", 1555.2, "xla"}, {"tdp_w", 400, "gpu-specs"},
    {"peak_f32", 19.5, "gpu-specs"}, {"peak_f64", 9.7, "gpu-specs"},
    {"peak_f16_tensor", 312, "gpu-specs"}, {"peak_bf16_tensor", 312, "gpu-specs"},
    {"peak_tf32_tensor", 156, "gpu-specs"}, {"peak_i8_tensor", 624, "gpu-specs"},
    {"peak_i4_tensor", 1248, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 1024, "sun-tc"}, {"tensor_fma_f16_acc_f16", 1024, "sun-tc"},
    {"tensor_fma_bf16", 1024, "sun-tc"}, {"tensor_fma_tf32", 512, "sun-tc"},
    {"tensor_fma_f64", 64, "sun-tc"}, {"tensor_fma_i8", 2048, "sun-tc"},
    {"tensor_fma_i4", 4096, "sun-tc"},
    {"l1_latency", 33, "rrze"}, {"shared_latency", 23, "ampere-paper"},
    {"l2_latency", 205, "rrze"}, {"l2_far_latency", 408, "rrze"}, {"dram_latency", 550, "rrze"},
    {"l1_bytes_per_clk", 126, "rrze"}, {"l2_bytes_per_clk", 3830, "rrze"},
    {"dram_eff_read", 0.965, "rrze"}, {"dram_eff_mixed", 0.873, "rrze"},
    {"launch_us", 2.65, "rrze"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 43.1, "accelwattch-tdp"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kA100Sxm4_80gb[] = {
    {"name", "A100-SXM4-80GB", "unverified"}, {"sm_count", 108, "xla"}, {"clock_mhz", 1410, "xla"},
    {"base_clock_mhz", 1275, "unverified"}, {"memory_clock_mhz", 1593, "xla"},
    {"l2_bytes", 40 * MiB, "xla"}, {"l2_partitions", 2, "gtc-ampere"},
    {"dram_bytes", 80 * GiB, "xla"}, {"dram_type", "HBM2e", "unverified"},
    {"dram_bus_bits", 5120, "xla"}, {"dram_gbs", 2039, "xla"}, {"tdp_w", 400, "gpu-specs"},
    {"peak_f32", 19.5, "gpu-specs"}, {"peak_f64", 9.7, "gpu-specs"},
    {"peak_f16_tensor", 312, "gpu-specs"}, {"peak_bf16_tensor", 312, "gpu-specs"},
    {"peak_tf32_tensor", 156, "gpu-specs"}, {"peak_i8_tensor", 624, "gpu-specs"},
    {"peak_i4_tensor", 1248, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 1024, "sun-tc"}, {"tensor_fma_f16_acc_f16", 1024, "sun-tc"},
    {"tensor_fma_bf16", 1024, "sun-tc"}, {"tensor_fma_tf32", 512, "sun-tc"},
    {"tensor_fma_f64", 64, "sun-tc"}, {"tensor_fma_i8", 2048, "sun-tc"},
    {"tensor_fma_i4", 4096, "sun-tc"},
    {"l1_latency", 33, "rrze"}, {"shared_latency", 23, "ampere-paper"},
    {"l2_latency", 205, "rrze"}, {"l2_far_latency", 408, "rrze"}, {"dram_latency", 550, "rrze"},
    {"l1_bytes_per_clk", 126, "rrze"}, {"l2_bytes_per_clk", 3830, "rrze"},
    {"dram_eff_read", 0.871, "rrze"}, {"dram_eff_mixed", 0.88, "rrze"},
    {"launch_us", 2.65, "rrze"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 43.1, "accelwattch-tdp"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kA10[] = {
    {"name", "NVIDIA A10", "unverified"}, {"sm_count", 72, "dq-a10"},
    {"clock_mhz", 1695, "dq-a10"}, {"base_clock_mhz", 885, "unverified"},
    {"memory_clock_mhz", 6251, "dq-a10"}, {"l2_bytes", 6 * MiB, "dq-a10"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 24 * GiB, "dq-a10"},
    {"dram_type", "GDDR6", "gpu-specs"}, {"dram_bus_bits", 384, "dq-a10"},
    {"dram_gbs", 600, "gpu-specs"}, {"tdp_w", 150, "gpu-specs"}, {"peak_f32", 31.2, "gpu-specs"},
    {"peak_f16_tensor", 125, "gpu-specs"}, {"peak_bf16_tensor", 125, "gpu-specs"},
    {"peak_tf32_tensor", 62.5, "gpu-specs"}, {"peak_i8_tensor", 250, "gpu-specs"},
    {"peak_i4_tensor", 500, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_bf16", 512, "derived"}, {"tensor_fma_tf32", 256, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"l1_latency", 33, "proxy-a40"}, {"shared_latency", 23, "proxy-a6000"},
    {"l2_latency", 250, "proxy-a40"}, {"dram_latency", 551, "proxy-a40"},
    {"l1_bytes_per_clk", 64, "proxy-a40"}, {"l2_bytes_per_clk", 1437, "proxy-a40"},
    {"dram_eff_read", 0.977, "proxy-a40"}, {"dram_eff_mixed", 0.963, "proxy-a40"},
    {"launch_us", 1.98, "proxy-a40"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 16.2, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kRtxA4000[] = {
    {"name", "RTX A4000", "unverified"}, {"sm_count", 48, "dq-a4000"},
    {"clock_mhz", 1560, "dq-a4000"}, {"base_clock_mhz", 735, "technical-city"},
    {"memory_clock_mhz", 7001, "dq-a4000"}, {"l2_bytes", 4 * MiB, "dq-a4000"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 16 * GiB, "dq-a4000"},
    {"dram_type", "GDDR6", "technical-city"}, {"dram_bus_bits", 256, "dq-a4000"},
    {"dram_gbs", 448, "technical-city"}, {"tdp_w", 140, "technical-city"},
    {"peak_f32", 19.17, "technical-city"}, {"peak_f16_tensor", 76.7, "derived"},
    {"peak_bf16_tensor", 76.7, "derived"}, {"peak_tf32_tensor", 38.3, "derived"},
    {"peak_i8_tensor", 153.4, "derived"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_bf16", 512, "derived"}, {"tensor_fma_tf32", 256, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"l1_latency", 33, "proxy-a40"}, {"shared_latency", 23, "proxy-a6000"},
    {"l2_latency", 250, "proxy-a40"}, {"dram_latency", 551, "proxy-a40"},
    {"l1_bytes_per_clk", 64, "proxy-a40"}, {"l2_bytes_per_clk", 958, "proxy-a40-l2"},
    {"dram_eff_read", 0.977, "proxy-a40"}, {"dram_eff_mixed", 0.963, "proxy-a40"},
    {"launch_us", 1.98, "proxy-a40"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 15.1, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kRtx_2070[] = {
    {"name", "GeForce RTX 2070", "unverified"}, {"sm_count", 36, "dq-2070"},
    {"clock_mhz", 1710, "dq-2070"}, {"base_clock_mhz", 1410, "unverified"},
    {"memory_clock_mhz", 7001, "dq-2070"}, {"l2_bytes", 4 * MiB, "dq-2070"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 8 * GiB, "dq-2070"},
    {"dram_type", "GDDR6", "unverified"}, {"dram_bus_bits", 256, "dq-2070"},
    {"dram_gbs", 448, "derived"}, {"tdp_w", 175, "unverified"}, {"peak_f32", 7.88, "derived"},
    {"peak_f16_tensor", 31.5, "derived"}, {"peak_i8_tensor", 126, "derived"},
    {"tensor_fma_f16_acc_f32", 256, "sun-tc"}, {"tensor_fma_f16_acc_f16", 512, "sun-tc"},
    {"tensor_fma_i8", 1024, "sun-tc"}, {"tensor_fma_i4", 2048, "sun-tc"},
    {"l1_latency", 32, "sjfeng"}, {"shared_latency", 23, "sjfeng"}, {"l2_latency", 236, "sjfeng"},
    {"dram_latency", 430, "proxy-2080s"}, {"l1_bytes_per_clk", 59, "proxy-t4"},
    {"l2_bytes_per_clk", 977, "proxy-2080ti-bus"}, {"dram_eff_read", 0.865, "proxy-2080s"},
    {"dram_eff_mixed", 0.8, "family"}, {"launch_us", 2.5, "family"},
    {"host_copy_gbs", 12, "pcie3"}, {"idle_w", 18.9, "accelwattch-tdp"},
    {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kRtx_2080Ti[] = {
    {"name", "GeForce RTX 2080 Ti", "unverified"}, {"sm_count", 68, "dq-2080ti"},
    {"clock_mhz", 1545, "dq-2080ti"}, {"base_clock_mhz", 1350, "huerta"},
    {"memory_clock_mhz", 7000, "dq-2080ti"}, {"l2_bytes", 5.5 * MiB, "dq-2080ti"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 11 * GiB, "dq-2080ti"},
    {"dram_type", "GDDR6", "unverified"}, {"dram_bus_bits", 352, "dq-2080ti"},
    {"dram_gbs", 616, "derived"}, {"tdp_w", 250, "unverified"}, {"peak_f32", 14.2, "lightning"},
    {"peak_f16_tensor", 53.8, "derived"}, {"peak_i8_tensor", 227.7, "lightning"},
    {"peak_i4_tensor", 455, "lightning"},
    {"tensor_fma_f16_acc_f32", 256, "sun-tc"}, {"tensor_fma_f16_acc_f16", 512, "sun-tc"},
    {"tensor_fma_i8", 1024, "sun-tc"}, {"tensor_fma_i4", 2048, "sun-tc"},
    {"l1_latency", 32, "proxy-2080s"}, {"shared_latency", 23, "proxy-2070"},
    {"l2_latency", 215, "proxy-2080s"}, {"dram_latency", 430, "proxy-2080s"},
    {"l1_bytes_per_clk", 59, "proxy-t4"}, {"l2_bytes_per_clk", 1344, "counters"},
    {"dram_eff_read", 0.865, "proxy-2080s"}, {"dram_eff_mixed", 0.8, "family"},
    {"launch_us", 2.5, "family"}, {"host_copy_gbs", 12, "pcie3"},
    {"idle_w", 26.9, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
    {"clocks_per_wavefront", 2, "counters-2080ti"}, {"clocks_per_memory_inst", 2, "counters-2080ti"},
    {"tensor_latency", 17.3, "2080ti-mma"},
};

constexpr Entry kRtx_3090[] = {
    {"name", "GeForce RTX 3090", "unverified"}, {"sm_count", 82, "dq-3090"},
    {"clock_mhz", 1695, "dq-3090"}, {"base_clock_mhz", 1395, "huerta"},
    {"memory_clock_mhz", 9751, "dq-3090"}, {"l2_bytes", 6 * MiB, "dq-3090"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 24 * GiB, "dq-3090"},
    {"dram_type", "GDDR6X", "unverified"}, {"dram_bus_bits", 384, "dq-3090"},
    {"dram_gbs", 936.2, "derived"}, {"tdp_w", 350, "unverified"}, {"peak_f32", 35.6, "lightning"},
    {"peak_f16_tensor", 71.2, "derived"}, {"peak_bf16_tensor", 71.2, "derived"},
    {"peak_tf32_tensor", 35.6, "derived"}, {"peak_i8_tensor", 284, "lightning"},
    {"peak_i4_tensor", 568, "lightning"},
    {"tensor_fma_f16_acc_f32", 256, "sun-tc"}, {"tensor_fma_f16_acc_f16", 512, "sun-tc"},
    {"tensor_fma_bf16", 256, "sun-tc"}, {"tensor_fma_tf32", 128, "sun-tc"},
    {"tensor_fma_i8", 1024, "sun-tc"}, {"tensor_fma_i4", 2048, "sun-tc"},
    {"l1_latency", 35, "arabel"}, {"shared_latency", 23, "proxy-a6000"},
    {"l2_latency", 228, "arabel"}, {"dram_latency", 466, "arabel"},
    {"l1_bytes_per_clk", 64, "proxy-a40"}, {"l2_bytes_per_clk", 1437, "proxy-a40"},
    {"dram_eff_read", 0.875, "arabel"}, {"dram_eff_mixed", 0.86, "family"},
    {"launch_us", 3.2, "arabel"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 37.7, "accelwattch-tdp"}, {"pj_per_dram_byte", 58, "unverified"},
    {"clocks_per_wavefront", 1, "counters-3090"}, {"clocks_per_memory_inst", 2, "counters-3090"},
};

constexpr Entry kRtx_4090[] = {
    {"name", "GeForce RTX 4090", "unverified"}, {"sm_count", 128, "dq-4090"},
    {"clock_mhz", 2520, "dq-4090"}, {"base_clock_mhz", 2235, "pages-4090"},
    {"memory_clock_mhz", 10501, "dq-4090"}, {"l2_bytes", 72 * MiB, "dq-4090"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 24 * GiB, "dq-4090"},
    {"dram_type", "GDDR6X", "gpu-specs"}, {"dram_bus_bits", 384, "dq-4090"},
    {"dram_gbs", 1008, "gpu-specs"}, {"tdp_w", 450, "gpu-specs"}, {"peak_f32", 82.6, "lightning"},
    {"peak_f16_tensor", 165.2, "derived"}, {"peak_bf16_tensor", 165.2, "derived"},
    {"peak_tf32_tensor", 82.6, "derived"}, {"peak_i8_tensor", 660.6, "lightning"},
    {"peak_i4_tensor", 1321, "lightning"}, {"peak_f8_tensor", 330.3, "derived"},
    {"tensor_fma_f16_acc_f32", 256, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_bf16", 256, "derived"}, {"tensor_fma_tf32", 128, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"tensor_fma_f8", 512, "derived"},
    {"l1_latency", 36, "hpmll"}, {"shared_latency", 30, "luo"}, {"l2_latency", 285, "hpmll"},
    {"dram_latency", 566, "hpmll"}, {"l1_bytes_per_clk", 121, "luo"},
    {"l2_bytes_per_clk", 2289, "proxy-l40"}, {"dram_eff_read", 0.92, "family"},
    {"dram_eff_mixed", 0.9, "family"}, {"launch_us", 1.63, "proxy-l40"},
    {"host_copy_gbs", 24, "pcie4"}, {"idle_w", 48.5, "accelwattch-tdp"},
    {"pj_per_dram_byte", 58, "unverified"},
};

constexpr Entry kL4[] = {
    {"name", "NVIDIA L4", "unverified"}, {"sm_count", 58, "dq-l4"}, {"clock_mhz", 2040, "dq-l4"},
    {"memory_clock_mhz", 6251, "dq-l4"}, {"l2_bytes", 48 * MiB, "neusight"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 24 * GiB, "dq-l4"},
    {"dram_type", "GDDR6", "gpu-specs"}, {"dram_bus_bits", 192, "dq-l4"},
    {"dram_gbs", 300, "gpu-specs"}, {"tdp_w", 72, "gpu-specs"}, {"peak_f32", 30.3, "gpu-specs"},
    {"peak_f16_tensor", 121, "gpu-specs"}, {"peak_bf16_tensor", 121, "gpu-specs"},
    {"peak_tf32_tensor", 60, "gpu-specs"}, {"peak_i8_tensor", 242, "gpu-specs"},
    {"peak_f8_tensor", 242, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_bf16", 512, "derived"}, {"tensor_fma_tf32", 256, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"tensor_fma_f8", 1024, "derived"},
    {"l1_latency", 34, "proxy-l40"}, {"shared_latency", 30, "proxy-4090"},
    {"l2_latency", 274, "proxy-l40"}, {"dram_latency", 623, "proxy-l40"},
    {"l1_bytes_per_clk", 64, "proxy-l40"}, {"l2_bytes_per_clk", 935, "proxy-l40-l2"},
    {"dram_eff_read", 0.978, "proxy-l40"}, {"dram_eff_mixed", 0.961, "proxy-l40"},
    {"launch_us", 1.63, "proxy-l40"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 7.8, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kL40s[] = {
    {"name", "NVIDIA L40S", "unverified"}, {"sm_count", 142, "dq-l40s"},
    {"clock_mhz", 2520, "dq-l40s"}, {"base_clock_mhz", 1110, "unverified"},
    {"memory_clock_mhz", 9001, "dq-l40s"}, {"l2_bytes", 96 * MiB, "dq-l40s"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 48 * GiB, "dq-l40s"},
    {"dram_type", "GDDR6", "gpu-specs"}, {"dram_bus_bits", 384, "dq-l40s"},
    {"dram_gbs", 864, "gpu-specs"}, {"tdp_w", 350, "unverified"}, {"peak_f32", 91.6, "gpu-specs"},
    {"peak_f16_tensor", 362, "gpu-specs"}, {"peak_bf16_tensor", 362, "gpu-specs"},
    {"peak_tf32_tensor", 183, "gpu-specs"}, {"peak_i8_tensor", 733, "gpu-specs"},
    {"peak_f8_tensor", 733, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"tensor_fma_bf16", 512, "derived"}, {"tensor_fma_tf32", 256, "derived"},
    {"tensor_fma_i8", 1024, "derived"}, {"tensor_fma_i4", 2048, "derived"},
    {"tensor_fma_f8", 1024, "derived"},
    {"l1_latency", 34, "proxy-l40"}, {"shared_latency", 30, "proxy-4090"},
    {"l2_latency", 274, "proxy-l40"}, {"dram_latency", 623, "proxy-l40"},
    {"l1_bytes_per_clk", 64, "proxy-l40"}, {"l2_bytes_per_clk", 2289, "proxy-l40"},
    {"dram_eff_read", 0.978, "proxy-l40"}, {"dram_eff_mixed", 0.961, "proxy-l40"},
    {"launch_us", 1.63, "proxy-l40"}, {"host_copy_gbs", 24, "pcie4"},
    {"idle_w", 37.7, "accelwattch-tdp"}, {"pj_per_dram_byte", 60, "unverified"},
};

constexpr Entry kH100Pcie[] = {
    {"name", "H100 PCIe 80GB", "unverified"}, {"sm_count", 114, "xla"}, {"clock_mhz", 1755, "xla"},
    {"tensor_clock_mhz", 1620, "xla"}, {"memory_clock_mhz", 1593, "xla"},
    {"l2_bytes", 50 * MiB, "xla"}, {"l2_partitions", 2, "luo"}, {"dram_bytes", 80 * GiB, "xla"},
    {"dram_type", "HBM2e", "gpu-specs"}, {"dram_bus_bits", 5120, "xla"}, {"dram_gbs", 2039, "xla"},
    {"tdp_w", 350, "gpu-specs"}, {"peak_f32", 51.2, "lightning"}, {"peak_f64", 25.6, "lightning"},
    {"peak_f16_tensor", 756, "lightning"}, {"peak_bf16_tensor", 756, "lightning"},
    {"peak_tf32_tensor", 378, "lightning"}, {"peak_i8_tensor", 1513, "lightning"},
    {"peak_f8_tensor", 1513, "lightning"},
    {"tensor_fma_f16_acc_f32", 2048, "xla-core"}, {"tensor_fma_f16_acc_f16", 2048, "xla-core"},
    {"tensor_fma_bf16", 2048, "xla-core"}, {"tensor_fma_tf32", 1024, "xla-core"},
    {"tensor_fma_f64", 128, "xla-core"}, {"tensor_fma_i8", 4096, "xla-core"},
    {"tensor_fma_f8", 4096, "xla-core"},
    {"l1_latency", 34, "te42"}, {"shared_latency", 29, "proxy-h800"}, {"l2_latency", 265, "te42"},
    {"l2_far_latency", 472, "te42"}, {"dram_latency", 640, "te42"},
    {"l1_bytes_per_clk", 126, "rrze"}, {"l2_bytes_per_clk", 3989, "rrze"},
    {"dram_eff_read", 0.952, "rrze"}, {"dram_eff_mixed", 0.898, "rrze"},
    {"launch_us", 2.4, "family"}, {"host_copy_gbs", 48, "pcie5"},
    {"idle_w", 37.7, "accelwattch-tdp"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kH100Sxm[] = {
    {"name", "H100 SXM5 80GB", "unverified"}, {"sm_count", 132, "xla"}, {"clock_mhz", 1980, "xla"},
    {"tensor_clock_mhz", 1830, "xla"}, {"memory_clock_mhz", 2619, "xla"},
    {"l2_bytes", 50 * MiB, "xla"}, {"l2_partitions", 2, "luo"}, {"dram_bytes", 80 * GiB, "xla"},
    {"dram_type", "HBM3", "gpu-specs"}, {"dram_bus_bits", 5120, "xla"},
    {"dram_gbs", 3352.3, "xla"}, {"tdp_w", 700, "tc-table"}, {"peak_f32", 67, "lightning"},
    {"peak_f64", 34, "lightning"}, {"peak_f16_tensor", 989.5, "lightning"},
    {"peak_bf16_tensor", 989.5, "lightning"}, {"peak_tf32_tensor", 494.5, "lightning"},
    {"peak_i8_tensor", 1979, "lightning"}, {"peak_f8_tensor", 1979, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 2048, "xla-core"}, {"tensor_fma_f16_acc_f16", 2048, "xla-core"},
    {"tensor_fma_bf16", 2048, "xla-core"}, {"tensor_fma_tf32", 1024, "xla-core"},
    {"tensor_fma_f64", 128, "xla-core"}, {"tensor_fma_i8", 4096, "xla-core"},
    {"tensor_fma_f8", 4096, "xla-core"},
    {"l1_latency", 34, "proxy-h100-pcie"}, {"shared_latency", 29, "proxy-h800"},
    {"l2_latency", 262, "proxy-h100-pcie"}, {"l2_far_latency", 472, "proxy-h100-pcie"},
    {"dram_latency", 640, "proxy-h100-pcie"}, {"l1_bytes_per_clk", 126, "proxy-h100-pcie"},
    {"l2_bytes_per_clk", 4000, "proxy-h100-pcie"}, {"dram_eff_read", 0.95, "proxy-h100-pcie"},
    {"dram_eff_mixed", 0.9, "proxy-h100-pcie"}, {"launch_us", 2.4, "family"},
    {"host_copy_gbs", 48, "pcie5"}, {"idle_w", 75.4, "accelwattch-tdp"},
    {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kH200[] = {
    {"name", "H200 SXM 141GB", "unverified"}, {"sm_count", 132, "xla"}, {"clock_mhz", 1980, "xla"},
    {"tensor_clock_mhz", 1830, "xla"}, {"memory_clock_mhz", 3201, "unverified"},
    {"l2_bytes", 50 * MiB, "xla"}, {"l2_partitions", 2, "luo"},
    {"dram_bytes", 141 * GiB, "xla"}, {"dram_type", "HBM3e", "gpu-specs"},
    {"dram_bus_bits", 6144, "unverified"}, {"dram_gbs", 4800, "xla"}, {"tdp_w", 700, "tc-table"},
    {"peak_f32", 67, "lightning"}, {"peak_f64", 34, "lightning"},
    {"peak_f16_tensor", 989.5, "lightning"}, {"peak_bf16_tensor", 989.5, "lightning"},
    {"peak_tf32_tensor", 494.5, "lightning"}, {"peak_i8_tensor", 1979, "lightning"},
    {"peak_f8_tensor", 1979, "gpu-specs"},
    {"tensor_fma_f16_acc_f32", 2048, "xla-core"}, {"tensor_fma_f16_acc_f16", 2048, "xla-core"},
    {"tensor_fma_bf16", 2048, "xla-core"}, {"tensor_fma_tf32", 1024, "xla-core"},
    {"tensor_fma_f64", 128, "xla-core"}, {"tensor_fma_i8", 4096, "xla-core"},
    {"tensor_fma_f8", 4096, "xla-core"},
    {"l1_latency", 32, "rrze"}, {"shared_latency", 29, "proxy-h800"}, {"l2_latency", 280, "rrze"},
    {"l2_far_latency", 445, "rrze"}, {"dram_latency", 645, "rrze"},
    {"l1_bytes_per_clk", 126, "rrze"}, {"l2_bytes_per_clk", 5050, "rrze"},
    {"dram_eff_read", 0.81, "rrze"}, {"dram_eff_mixed", 0.736, "rrze"},
    {"launch_us", 2.41, "rrze"}, {"host_copy_gbs", 48, "pcie5"},
    {"idle_w", 75.4, "accelwattch-tdp"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kB200[] = {
    {"name", "B200 SXM", "unverified"}, {"sm_count", 148, "xla"}, {"clock_mhz", 1965, "xla"},
    {"tensor_clock_mhz", 1835, "xla"}, {"memory_clock_mhz", 3996, "xla"},
    {"l2_bytes", 126.5 * MiB, "xla"}, {"l2_partitions", 2, "unverified"},
    {"dram_bytes", 191500000000, "xla"}, {"dram_type", "HBM3e", "unverified"},
    {"dram_bus_bits", 7680, "derived"}, {"dram_gbs", 7672.3, "xla"}, {"tdp_w", 1000, "unverified"},
    {"peak_f32", 74.5, "derived"}, {"peak_f64", 37.2, "derived"},
    {"peak_f16_tensor", 2250, "llmprof"}, {"peak_bf16_tensor", 2250, "llmprof"},
    {"peak_tf32_tensor", 1125, "derived"}, {"peak_i8_tensor", 4500, "llmprof"},
    {"peak_f8_tensor", 4500, "llmprof"}, {"peak_f4_tensor", 9000, "derived"},
    {"tensor_fma_f16_acc_f32", 4096, "xla-core"}, {"tensor_fma_f16_acc_f16", 4096, "xla-core"},
    {"tensor_fma_bf16", 4096, "xla-core"}, {"tensor_fma_tf32", 2048, "xla-core"},
    {"tensor_fma_f64", 64, "xla-core"}, {"tensor_fma_i8", 8192, "xla-core"},
    {"tensor_fma_f8", 8192, "xla-core"}, {"tensor_fma_f4", 16384, "xla-core"},
    {"l1_latency", 40, "ai-kernels"}, {"shared_latency", 29, "proxy-h800"},
    {"l2_latency", 295, "ai-kernels"}, {"dram_latency", 860, "ai-kernels"},
    {"l1_bytes_per_clk", 126, "proxy-h100-pcie"}, {"l2_bytes_per_clk", 5050, "proxy-h200"},
    {"dram_eff_read", 0.81, "proxy-h200"}, {"dram_eff_mixed", 0.736, "proxy-h200"},
    {"launch_us", 2.41, "proxy-h200"}, {"host_copy_gbs", 48, "pcie5"},
    {"idle_w", 107.8, "accelwattch-tdp"}, {"pj_per_dram_byte", 31, "unverified"},
};

constexpr Entry kRtx_5090[] = {
    {"name", "GeForce RTX 5090", "unverified"}, {"sm_count", 170, "dq-5090"},
    {"clock_mhz", 2407, "dq-5090"}, {"base_clock_mhz", 2017, "pages-5090"},
    {"memory_clock_mhz", 14001, "dq-5090"}, {"l2_bytes", 96 * MiB, "dq-5090"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 32 * GiB, "dq-5090"},
    {"dram_type", "GDDR7", "pages-5090"}, {"dram_bus_bits", 512, "dq-5090"},
    {"dram_gbs", 1792, "pages-5090"}, {"tdp_w", 575, "pages-5090"}, {"peak_f32", 104.8, "derived"},
    {"peak_f16_tensor", 209.5, "derived"}, {"peak_bf16_tensor", 209.5, "learn-cuda"},
    {"peak_tf32_tensor", 104.8, "derived"}, {"peak_i8_tensor", 838, "derived"},
    {"peak_f8_tensor", 419, "derived"}, {"peak_f4_tensor", 1676, "derived"},
    {"tensor_fma_f16_acc_f32", 256, "sm120-doc"}, {"tensor_fma_f16_acc_f16", 512, "sm120-doc"},
    {"tensor_fma_bf16", 256, "sm120-doc"}, {"tensor_fma_tf32", 128, "sm120-doc"},
    {"tensor_fma_i8", 1024, "sm120-doc"}, {"tensor_fma_f8", 512, "sm120-doc"},
    {"tensor_fma_f4", 2048, "sm120-doc"},
    {"l1_latency", 44, "ai-kernels"}, {"shared_latency", 33, "sass-king"},
    {"l2_latency", 360, "ai-kernels"}, {"dram_latency", 936, "ai-kernels"},
    {"l1_bytes_per_clk", 64, "proxy-a40"}, {"l2_bytes_per_clk", 2289, "proxy-l40"},
    {"dram_eff_read", 0.92, "family"}, {"dram_eff_mixed", 0.9, "family"},
    {"launch_us", 1.63, "proxy-l40"}, {"host_copy_gbs", 48, "pcie5"},
    {"idle_w", 62.0, "accelwattch-tdp"}, {"pj_per_dram_byte", 52, "unverified"},
};

constexpr Entry kJetsonAgxXavier[] = {
    {"name", "Jetson AGX Xavier", "unverified"}, {"sm_count", 8, "dq-xavier"},
    {"clock_mhz", 1377, "dq-xavier"}, {"l2_bytes", 512 * KiB, "dq-xavier"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 32 * GiB, "unverified"},
    {"dram_type", "LPDDR4x (shared)", "unverified"}, {"dram_bus_bits", 256, "dq-xavier"},
    {"dram_gbs", 137, "unverified"}, {"tdp_w", 30, "unverified"}, {"peak_f32", 1.41, "derived"},
    {"peak_f16_tensor", 11.3, "unverified"}, {"peak_i8_tensor", 22.6, "unverified"},
    {"tensor_fma_f16_acc_f32", 512, "derived"}, {"tensor_fma_f16_acc_f16", 512, "derived"},
    {"l1_latency", 28, "proxy-v100-pcie"}, {"shared_latency", 24, "family"},
    {"l2_latency", 212, "proxy-v100-pcie"}, {"dram_latency", 425, "lpddr-v100"},
    {"l1_bytes_per_clk", 125, "proxy-v100-pcie"}, {"l2_bytes_per_clk", 176, "proxy-v100-sms"},
    {"dram_eff_read", 0.8, "family"}, {"dram_eff_mixed", 0.75, "family"},
    {"launch_us", 5, "family"}, {"host_copy_gbs", 68, "shared-dram"},
    {"idle_w", 3.2, "accelwattch-tdp"}, {"pj_per_dram_byte", 35, "unverified"},
};

constexpr Entry kJetsonAgxOrin_64gb[] = {
    {"name", "Jetson AGX Orin 64GB", "unverified"}, {"sm_count", 16, "dq-orin"},
    {"clock_mhz", 1300, "accelsimj"}, {"memory_clock_mhz", 3200, "accelsimj"},
    {"l2_bytes", 4 * MiB, "accelsimj"}, {"l2_partitions", 1, "unverified"},
    {"dram_bytes", 64 * GiB, "unverified"}, {"dram_type", "LPDDR5 (shared)", "accelsimj"},
    {"dram_bus_bits", 256, "accelsimj"}, {"dram_gbs", 204.8, "accelsimj"},
    {"tdp_w", 60, "unverified"}, {"peak_f32", 5.3, "derived"},
    {"peak_f16_tensor", 42.6, "unverified"}, {"peak_i8_tensor", 85.2, "unverified"},
    {"tensor_fma_f16_acc_f32", 1024, "unverified"}, {"tensor_fma_f16_acc_f16", 1024, "unverified"},
    {"tensor_fma_bf16", 1024, "unverified"}, {"tensor_fma_tf32", 512, "unverified"},
    {"tensor_fma_i8", 2048, "unverified"}, {"tensor_fma_i4", 4096, "unverified"},
    {"l1_latency", 33, "proxy-a40"}, {"shared_latency", 23, "proxy-a6000"},
    {"l2_latency", 250, "proxy-a40"}, {"dram_latency", 551, "lpddr-a40"},
    {"l1_bytes_per_clk", 64, "proxy-a40"}, {"l2_bytes_per_clk", 274, "proxy-a40-sms"},
    {"dram_eff_read", 0.8, "family"}, {"dram_eff_mixed", 0.75, "family"},
    {"launch_us", 5, "family"}, {"host_copy_gbs", 102, "shared-dram"},
    {"idle_w", 6.5, "accelwattch-tdp"}, {"pj_per_dram_byte", 35, "unverified"},
};

constexpr Entry kJetsonThorT5000[] = {
    {"name", "Jetson AGX Thor (T5000)", "unverified"}, {"sm_count", 20, "dq-thor"},
    {"clock_mhz", 1575, "ridgerun"}, {"base_clock_mhz", 1049, "dq-thor"},
    {"memory_clock_mhz", 4266, "ridgerun"}, {"l2_bytes", 32 * MiB, "dq-thor"},
    {"l2_partitions", 1, "unverified"}, {"dram_bytes", 131614285824, "dq-thor"},
    {"dram_type", "LPDDR5X (shared)", "ridgerun"}, {"dram_bus_bits", 256, "ridgerun"},
    {"dram_gbs", 273, "ridgerun"}, {"tdp_w", 130, "ridgerun"}, {"peak_f32", 8.06, "derived"},
    {"peak_f16_tensor", 258, "derived"}, {"peak_bf16_tensor", 258, "derived"},
    {"peak_i8_tensor", 517, "derived"}, {"peak_f8_tensor", 517, "ridgerun"},
    {"peak_f4_tensor", 1035, "ridgerun"},
    {"tensor_fma_f16_acc_f32", 4096, "derived"}, {"tensor_fma_f16_acc_f16", 4096, "derived"},
    {"tensor_fma_bf16", 4096, "derived"}, {"tensor_fma_tf32", 2048, "derived"},
    {"tensor_fma_i8", 8192, "derived"}, {"tensor_fma_f8", 8192, "derived"},
    {"tensor_fma_f4", 16384, "derived"},
    {"l1_latency", 40, "proxy-b200"}, {"shared_latency", 29, "proxy-h800"},
    {"l2_latency", 295, "proxy-b200"}, {"dram_latency", 860, "lpddr-b200"},
    {"l1_bytes_per_clk", 126, "proxy-h100-pcie"}, {"l2_bytes_per_clk", 765, "proxy-h200-sms"},
    {"dram_eff_read", 0.8, "family"}, {"dram_eff_mixed", 0.75, "family"},
    {"launch_us", 5, "family"}, {"host_copy_gbs", 136, "shared-dram"},
    {"idle_w", 14.0, "accelwattch-tdp"}, {"pj_per_dram_byte", 35, "unverified"},
};
// clang-format on

Row row(std::string_view id, std::string_view arch, int capability,
        std::span<const Entry> own) {
  return {id, "nvidia", arch, "gpu", everyNvidia(), nvidiaFamily(capability),
          own};
}

} // namespace

std::span<const Row> table::nvidiaRows() {
  static const Row rows[] = {
      row("v100-sxm2-16gb", "sm_70", 70, kV100Sxm2_16gb),
      row("v100-pcie-16gb", "sm_70", 70, kV100Pcie_16gb),
      row("t4", "sm_75", 75, kT4),
      row("a100-sxm4-40gb", "sm_80", 80, kA100Sxm4_40gb),
      row("a100-sxm4-80gb", "sm_80", 80, kA100Sxm4_80gb),
      row("a10", "sm_86", 86, kA10),
      row("rtx-a4000", "sm_86", 86, kRtxA4000),
      row("rtx-2070", "sm_75", 75, kRtx_2070),
      row("rtx-2080-ti", "sm_75", 75, kRtx_2080Ti),
      row("rtx-3090", "sm_86", 86, kRtx_3090),
      row("rtx-4090", "sm_89", 89, kRtx_4090),
      row("l4", "sm_89", 89, kL4),
      row("l40s", "sm_89", 89, kL40s),
      row("h100-pcie", "sm_90", 90, kH100Pcie),
      row("h100-sxm", "sm_90", 90, kH100Sxm),
      row("h200", "sm_90", 90, kH200),
      row("b200", "sm_100", 100, kB200),
      row("rtx-5090", "sm_120", 120, kRtx_5090),
      row("jetson-agx-xavier", "sm_72", 72, kJetsonAgxXavier),
      row("jetson-agx-orin-64gb", "sm_87", 87, kJetsonAgxOrin_64gb),
      row("jetson-thor-t5000", "sm_110", 110, kJetsonThorT5000),
  };
  return rows;
}
