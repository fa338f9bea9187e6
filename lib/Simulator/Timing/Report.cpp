//===- Report.cpp - a timing report as JSON -------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Timing.h"

#include <nlohmann/json.hpp>

using namespace hwtune;
using namespace hwtune::timing;
using Json = nlohmann::ordered_json;

static Json toObject(const Breakdown &b) {
  return {{"issue", b.issue},
          {"fp32", b.fp32},
          {"fp64", b.fp64},
          {"integer", b.integer},
          {"special", b.special},
          {"matrix", b.matrix},
          {"shared", b.shared},
          {"lsu", b.lsu},
          {"l2", b.l2},
          {"dram", b.dram},
          {"dependence", b.dependence},
          {"memory_latency", b.memoryLatency},
          {"barrier", b.barrier},
          {"icache", b.icache},
          {"atomics", b.atomics},
          {"block_starts", b.blockStarts},
          {"idle", b.idle}};
}

static Json toObject(const ModelTime &time) {
  return {{"cycles", time.cycles},
          {"seconds", time.seconds},
          {"breakdown_cycles", toObject(time.breakdown)}};
}

/// In the names of the profiler's metrics, where there is one.
static Json toObject(const exec::EventCounts &e) {
  Json classes = Json::object();
  for (size_t i = 0; i < exec::kNumInstClasses; ++i)
    if (e.instByClass[i])
      classes[std::string(exec::instClassName(exec::InstClass(i)))] =
          e.instByClass[i];
  return {
      {"smsp__inst_executed.sum", e.instExecuted},
      {"smsp__thread_inst_executed.sum", e.threadInstExecuted},
      {"smsp__thread_inst_executed_pred_on.sum", e.threadInstExecutedPredOn},
      {"smsp__inst_executed_op_shared_ld.sum", e.sharedLoads},
      {"smsp__inst_executed_op_shared_st.sum", e.sharedStores},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       e.sharedLoadWavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       e.sharedStoreWavefronts},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", e.globalLoads},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", e.globalStores},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", e.globalLoadSectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", e.globalStoreSectors},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", e.localLoadSectors},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", e.localStoreSectors},
      {"barriers", e.barriers},
      {"shuffles", e.shuffles},
      {"inst_by_class", classes}};
}

std::string timing::toJson(const TimingReport &r) {
  Json json = {{"label", "simulated"},
               {"seconds", r.seconds},
               {"launch_seconds", r.launchSeconds},
               {"roofline_seconds", r.rooflineSeconds},
               {"formula", toObject(r.formula)},
               {"simulation", toObject(r.simulation)},
               {"sampled", r.sampled},
               {"blocks_run", r.launch.blocksRun},
               {"hardware_insts", r.hardwareInsts},
               {"registers", r.registers},
               {"registers_basis", r.registersGiven ? "given" : "estimate"},
               {"blocks_per_sm", r.blocksPerSM},
               {"occupancy", r.occupancy},
               {"limiter", r.limiter},
               {"waves", r.waves},
               {"l1_bytes", r.l1Bytes},
               {"l1_hit_rate", r.l1HitRate},
               {"l2_hit_rate", r.l2HitRate},
               {"lts__t_sectors", r.l2Sectors},
               {"dram_read_bytes", r.dramReadBytes},
               {"dram_write_bytes", r.dramWriteBytes},
               {"energy_j", r.energyJ},
               {"mean_power_w", r.meanPowerW},
               {"missing_target_facts", r.missing},
               {"events", toObject(r.launch.events)}};
  return json.dump(2);
}
