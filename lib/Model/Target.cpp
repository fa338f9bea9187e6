//===- Target.cpp - a target description as the model reads it ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"

#include <algorithm>

namespace hwtune {

namespace {

/// Optional facts, noted where they are missing.
struct Reader {
  std::vector<std::string> &absent;
  template <typename T>
  double operator()(const std::optional<T> &fact, const char *name) {
    if (fact)
      return static_cast<double>(*fact);
    absent.emplace_back(name);
    return 0;
  }
};

void readTensor(ModelTarget &out, const TensorRates &rates) {
  auto set = [&](TensorType type, const std::optional<int64_t> &rate) {
    out.tensorFma[static_cast<unsigned>(type)] =
        rate ? static_cast<double>(*rate) : 0;
  };
  set(TensorType::F16AccF32, rates.f16AccF32);
  set(TensorType::F16AccF16, rates.f16AccF16);
  set(TensorType::BF16, rates.bf16);
  set(TensorType::TF32, rates.tf32);
  set(TensorType::F64, rates.f64);
  set(TensorType::I8, rates.i8);
  set(TensorType::I4, rates.i4);
  set(TensorType::F8, rates.f8);
  set(TensorType::F4, rates.f4);
}

} // namespace

ModelTarget ModelTarget::from(const TargetSpec &spec) {
  ModelTarget t;
  Reader read{t.absent};
  t.spec = &spec;
  t.warpSize = static_cast<double>(std::max<int64_t>(spec.warpSize, 1));
  t.schedulers =
      static_cast<double>(std::max<int64_t>(spec.schedulersPerSM, 1));
  t.sms = static_cast<double>(std::max<int64_t>(spec.smCount, 1));
  t.hz = spec.clockMHz > 0 ? spec.clockMHz * 1e6 : 1e9;
  if (spec.clockMHz <= 0)
    t.absent.emplace_back("clock_mhz");
  t.fp32Lanes = static_cast<double>(std::max<int64_t>(spec.fp32Lanes, 1));
  t.fp64Lanes = read(spec.fp64Lanes, "fp64_lanes");
  // Half precision and integers run on the FP32 lanes where nothing is said.
  t.fp16Lanes =
      spec.fp16Lanes ? static_cast<double>(*spec.fp16Lanes) : t.fp32Lanes;
  t.intLanes =
      spec.int32Lanes ? static_cast<double>(*spec.int32Lanes) : t.fp32Lanes;
  t.sfuLanes = read(spec.sfuLanes, "sfu_lanes");
  readTensor(t, spec.tensorFma);

  if (spec.clocksPerMemoryInst)
    t.clocksPerMemInst = *spec.clocksPerMemoryInst;
  else if (spec.ldstLanes && *spec.ldstLanes > 0)
    t.clocksPerMemInst = t.warpSize / static_cast<double>(*spec.ldstLanes);
  else
    t.absent.emplace_back("ldst_lanes");
  if (spec.clocksPerWavefront)
    t.clocksPerWavefront = *spec.clocksPerWavefront;
  else
    t.absent.emplace_back("clocks_per_wavefront");
  t.l1FillBytes = read(spec.l1FillBytes, "l1_fill_bytes");
  t.l1LinesPerClk = read(spec.l1LinesPerClk, "l1_lines_per_clk");

  t.dramBytesPerClkSM =
      spec.dramGBs * 1e9 * spec.dramEffRead.value_or(1) / t.hz / t.sms;
  t.l2BytesPerClkSM = read(spec.l2BytesPerClk, "l2_bytes_per_clk") / t.sms;
  t.aluLatency = read(spec.aluLatency, "alu_latency");
  t.sfuLatency = spec.sfuLatency.value_or(0);
  t.tensorLatency = spec.tensorLatency.value_or(0);
  t.sharedLatency = read(spec.sharedLatency, "shared_latency");
  t.l1Latency = read(spec.l1Latency, "l1_latency");
  t.l2Latency = read(spec.l2Latency, "l2_latency");
  t.dramLatency = read(spec.dramLatency, "dram_latency");
  t.shuffleLatency = spec.shuffleLatency.value_or(t.sharedLatency);
  t.atomicLatency = spec.atomicLatency.value_or(t.l2Latency);
  t.l1PlusShared = static_cast<double>(spec.l1PlusShared);
  t.l2Bytes = static_cast<double>(spec.l2Bytes);
  t.icacheBytes = static_cast<double>(spec.icacheL1Bytes.value_or(0) +
                                      spec.icacheL0Bytes.value_or(0));
  t.icacheLineClocks = spec.icacheLineClocks.value_or(0);
  t.sectorBytes = static_cast<double>(std::max<int64_t>(spec.sectorBytes, 1));
  t.launchClocks = read(spec.launchUs, "launch_us") * 1e-6 * t.hz;
  t.blockStartClocks = read(spec.blockStartClocks, "block_start_clocks");
  t.hostBytesPerClk = spec.hostCopyGBs.value_or(0) * 1e9 / t.hz;
  return t;
}

} // namespace hwtune
