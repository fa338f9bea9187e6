//===- TargetSources.cpp - where the table's numbers come from ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"

using namespace hwtune;
using namespace hwtune::table;

namespace {

using enum Basis;

// clang-format off
constexpr Source kSources[] = {
    // vendor's tables, headers and device queries
    {"occ", VendorTable, "cuda_occupancy.h of CUDA 13.0"},
    {"xla", VendorTable, "openxla/xla target_config specs"},
    {"xla-core", VendorTable, "openxla/xla cuda_core_info_table"},
    {"dq-v100", VendorTable, "deviceQuery of a V100"},
    {"dq-t4", VendorTable, "deviceQuery of a T4"},
    {"dq-a10", VendorTable, "deviceQuery of an A10"},
    {"dq-a4000", VendorTable, "deviceQuery of an RTX A4000"},
    {"dq-2070", VendorTable, "deviceQuery of an RTX 2070"},
    {"dq-2080ti", VendorTable, "deviceQuery of an RTX 2080 Ti"},
    {"dq-3090", VendorTable, "deviceQuery of an RTX 3090"},
    {"dq-4090", VendorTable, "deviceQuery of an RTX 4090"},
    {"dq-l4", VendorTable, "deviceQuery of an L4"},
    {"dq-l40s", VendorTable, "deviceQuery of an L40S"},
    {"dq-5090", VendorTable, "deviceQuery of an RTX 5090"},
    {"dq-xavier", VendorTable, "deviceQuery of a Jetson AGX Xavier"},
    {"dq-orin", VendorTable, "deviceQuery of a Jetson AGX Orin"},
    {"dq-thor", VendorTable, "deviceQuery of a Jetson Thor"},
    {"gpu-specs", VendorTable, "winston-zhang-orz/gpu-specs"},
    {"lightning", VendorTable, "pytorch-lightning throughput table"},
    {"neusight", VendorTable, "NeuSight device_configs"},
    {"llmprof", VendorTable, "LLM-Prof hardware_spec"},
    {"learn-cuda", VendorTable, "gau-nernst/learn-cuda 02c"},
    {"tc-table", VendorTable, "public table of board powers"},
    {"technical-city", VendorTable, "technical.city"},
    {"pages-4090", VendorTable, "cputronic RTX 4090 page"},
    {"pages-5090", VendorTable, "pcspecchart RTX 5090 page"},
    {"ridgerun", VendorTable, "RidgeRun wiki on Jetson Thor"},
    {"sm120-doc", VendorTable, "CUDA 13 programming guide, as quoted"},
    {"rocm", VendorTable, "ROCm gpu-arch-specs"},
    {"rocm-wgp", VendorTable, "ROCm gpu-arch-specs, CUs by pairs"},
    {"zexron", VendorTable, "zexron.com MI250X page; half a card"},
    {"siliconcat", VendorTable, "siliconcat.net MI250X page"},
    {"hwluxx", VendorTable, "hardwareluxx W6600 page"},
    {"accelsimj", VendorTable, "Accel-Sim-J, Table I"},
    {"accelsim-cfg", VendorTable, "gpgpu-sim tested-cfgs"},
    {"hyfiss", VendorTable, "HyFiSS A100 configuration"},
    {"ppt", VendorTable, "PPT-GPU hardware tables"},
    // measured on the device itself, or on the same chip where the note says so
    {"rrze", Measured, "RRZE gpu-benches on this GPU"},
    {"rrze-strides", Measured, "RRZE gpu-strides: an access of a word by all lanes takes 1.02 clk on an A100, 2 on an A40"},
    {"te42", Measured, "te42kyfo gpu-benches, 1755 MHz"},
    {"t4-bench", Measured, "Jia et al. arXiv 1903.07486"},
    {"t4-paper", Measured, "Jia et al. arXiv 1903.07486"},
    {"ampere-paper", Measured, "Abdelkhalik et al. arXiv 2208.11174"},
    {"a100-mma", Measured, "Sun et al. 2022, m16n8k16 f16"},
    {"sun-tc", Measured, "Sun et al. 2022"},
    {"2080ti-mma", Measured, "Sun et al. 2022, RTX 2080 Ti, m16n8k8 f16"},
    {"sjfeng", Measured, "sjfeng1999 gpu-arch-microbenchmark"},
    {"arabel", Measured, "arabel1a gpu-micro-bench, ns at 1740 MHz"},
    {"hpmll", Measured, "HPMLL Hopper-Benchmark, 2235 MHz"},
    {"luo", Measured, "Luo et al. IPDPS 2024"},
    {"ai-kernels", Measured, "markdewing/AI_kernels"},
    {"sass-king", Measured, "sass-king, serial latency on sm_120"},
    {"huerta", VendorTable, "device table of Huerta et al. MICRO 2025"},
    {"accelsim-paper", Proxy, "V100 and others, Khairy et al. ISCA 2020"},
    {"gtc-ampere", Measured, "GTC21 S33322"},
    {"counters", Measured, "profiler counters: 42 sectors/clk is 100 %"},
    {"counters-2080ti", Measured, "profiler counters of an RTX 2080 Ti: never above 0.49 per clk"},
    {"counters-3090", Measured, "measured convolutions on an RTX 3090"},
    {"accelwattch", Proxy, "GV100, AccelWattch"},
    // measured on something else
    {"proxy-v100-pcie", Proxy, "V100 PCIe at 1380 MHz, RRZE gpu-benches"},
    {"proxy-v100-sms", Proxy, "V100, scaled by SMs"},
    {"proxy-titanv", Proxy, "TITAN V, accel-sim tuner"},
    {"proxy-titanrtx", Proxy, "TITAN RTX, NMSU-PEARL"},
    {"proxy-sun-tc", Proxy, "A100, RTX 3070 Ti, RTX 2080 Ti; Sun et al. 2022"},
    {"proxy-2080ti-mma", Proxy, "RTX 2080 Ti, Sun et al., m16n8k8 f16"},
    {"proxy-2080ti-counters", Proxy, "RTX 2080 Ti, profiler counters"},
    {"proxy-3090-counters", Proxy, "RTX 3090, measured convolutions"},
    {"proxy-gb203", Proxy, "GB203, arXiv Blackwell microbenchmarks"},
    {"proxy-t4", Proxy, "T4, Jia et al."},
    {"proxy-2070", Proxy, "RTX 2070, sjfeng1999"},
    {"proxy-2080s", Proxy, "RTX 2080 SUPER ns at 1845 MHz, arabel1a"},
    {"proxy-2080s-t4", Proxy, "RTX 2080 SUPER 234 ns at 1590 MHz, arabel1a"},
    {"proxy-2080ti-bus", Proxy, "RTX 2080 Ti, scaled by bus width"},
    {"proxy-a100", Proxy, "A100, RRZE gpu-benches"},
    {"proxy-a40", Proxy, "A40 at 1740 MHz, RRZE gpu-benches"},
    {"proxy-a40-l2", Proxy, "A40, scaled by L2 size"},
    {"proxy-a40-sms", Proxy, "A40, scaled by SMs"},
    {"proxy-a6000", Proxy, "RTX A6000, Huerta et al."},
    {"proxy-3070ti-mma", Proxy, "RTX 3070 Ti, Sun et al., m16n8k16 f16"},
    {"proxy-4090", Proxy, "RTX 4090, Luo et al."},
    {"proxy-l40", Proxy, "L40 at 2490 MHz, RRZE gpu-benches"},
    {"proxy-l40-l2", Proxy, "L40, scaled by SMs"},
    {"proxy-h800", Proxy, "H800, Luo et al."},
    {"proxy-h100-pcie", Proxy, "H100 PCIe, RRZE and te42kyfo"},
    {"proxy-h200", Proxy, "H200/GH200, RRZE gpu-benches"},
    {"proxy-h200-sms", Proxy, "H200, scaled by SMs"},
    {"proxy-gh100", Proxy, "GH100, arXiv Blackwell microbenchmarks"},
    {"proxy-b200", Proxy, "B200, markdewing/AI_kernels"},
    {"proxy-mi210", Proxy, "MI210 at 1700 MHz, RRZE gpu-benches"},
    {"proxy-6900xt", Proxy, "RX 6900 XT at 2560 MHz, RRZE gpu-benches"},
    {"cmp90hx", Proxy, "CMP 90HX ns at 1.7 GHz, arabel1a"},
    {"amali", Proxy, "empty kernels of blocks to 512 threads: A100 0.9, H100 1.0; AMALi, Cao et al. ISCA 2025"},
    {"histograms", Proxy, "GTX 1650, RTX 2060, 3060 to 3080: 1.75 to 1.88 per ns on one word, R100001's nvbench histograms; vendor's figure for GK110: one per clock"},
    {"icache-fit", Proxy, "fitted to convolutions on an RTX 2080 Ti"},
    {"lpddr-v100", Proxy, "V100 core; LPDDR latency unknown"},
    {"lpddr-a40", Proxy, "A40 core; LPDDR latency unknown"},
    {"lpddr-b200", Proxy, "B200 core; LPDDR latency unknown"},
    // the rest
    {"derived", Derived, ""},
    {"accelwattch-tdp", Derived, "GV100's constant power, scaled by board power"},
    {"shared-dram", Derived, "host memory is device memory: half of dram_gbs"},
    {"dual-issue", Unverified, "counts dual issue; half of it without"},
    {"family", FamilyDefault, ""},
    {"l2-bandwidths", FamilyDefault, "one sector a pass would not reach the measured L2 bandwidths of A100 and RTX 2080 Ti"},
    {"amd-like-nvidia", FamilyDefault, "taken from NVIDIA GPUs"},
    {"pcie3", FamilyDefault, "PCIe 3 x16"},
    {"pcie4", FamilyDefault, "PCIe 4 x16"},
    {"pcie5", FamilyDefault, "PCIe 5 x16"},
    {"pj28", FamilyDefault, "28 nm energy table: order of magnitude only"},
    {"unverified", Unverified, ""},
};
// clang-format on

} // namespace

std::span<const Source> table::sources() { return kSources; }
