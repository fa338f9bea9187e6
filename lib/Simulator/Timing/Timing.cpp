//===- Timing.cpp - how long a launch takes on a target -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Simulator/Timing/BlockWork.h"
#include "hwtune/Simulator/Timing/Energy.h"
#include "hwtune/Simulator/Timing/Formula.h"
#include "hwtune/Simulator/Timing/GridSample.h"
#include "hwtune/Simulator/Timing/MemorySystem.h"
#include "hwtune/Simulator/Timing/Registers.h"
#include "hwtune/Simulator/Timing/SmSimulation.h"
#include "hwtune/Simulator/Timing/Traffic.h"
#include "hwtune/Target/Occupancy.h"

#include <algorithm>
#include <cmath>

using namespace hwtune;
using namespace hwtune::timing;
using exec::InstClass;

namespace {

class Estimator {
public:
  Estimator(const exec::Program &program, exec::GlobalMemory &memory,
            const exec::LaunchRequest &request, const TargetSpec &target,
            const TimingOptions &options)
      : program(program), memory(memory), request(request), target(target),
        options(options),
        joined(options.mechanisms.joins ? joinAccesses(program.instructions())
                                        : withoutJoins(program.instructions())),
        insts(joined.insts), costs(sassCosts(insts)) {}

  TimingReport run();

private:
  void findOccupancy();
  void countWork();
  void countInsts();
  void joinEvents();
  double lookupClocks(uint64_t accesses, uint64_t lines) const;
  void addLocalWork();
  double spillRuns() const;
  double blocksOfSM() const;
  double wholeRounds(double rounds, const SmInput &input,
                     const SmResult &result) const;
  double allBlocks(const SmInput &input, const SmResult &result) const;
  void simulate(std::span<const BlockTrace> traces);
  SmInput inputOf(std::span<const BlockTrace> traces) const;
  double aloneCycles(std::span<const BlockTrace> traces) const;
  void findTraffic();
  void countL2();
  void addSkew();
  void finishTimes();
  void noteMissing();

  double warpsPerBlock() const {
    return std::ceil(double(request.block[0]) * request.block[1] *
                     request.block[2] / double(target.warpSize));
  }
  double gridBlocks() const {
    return double(request.grid[0]) * request.grid[1] * request.grid[2];
  }

  const exec::Program &program;
  exec::GlobalMemory &memory;
  const exec::LaunchRequest &request;
  const TargetSpec &target;
  const TimingOptions &options;
  JoinedInsts joined;
  std::span<const exec::InstMeta> insts; ///< of `joined`
  std::vector<SassCost> costs;
  GridSample sample;
  double spillBytes = 0; ///< of a thread
  LocalTraffic local;
  DramTraffic traffic;
  double firstHitRate = 0; ///< of L2, for what a block reads first
  double storeHitRate = 0; ///< of stores that L2 merges with others
  GridWork work;
  TimingReport report;
};

void Estimator::findOccupancy() {
  const exec::FunctionInfo &function = *request.function;
  BlockNeeds needs;
  needs.threads =
      int64_t(request.block[0]) * request.block[1] * request.block[2];
  report.registersGiven = options.facts.given;
  RegisterEstimate estimate = estimateRegisters(function, target);
  report.registers =
      options.facts.registers ? options.facts.registers : estimate.registers;
  spillBytes = !options.mechanisms.spills ? 0
               : options.facts.registers || options.facts.spillBytes
                   ? options.facts.spillBytes
                   : estimate.spillBytes;
  needs.registersPerThread = report.registers;
  needs.sharedBytes =
      int64_t(function.staticSharedBytes) + request.dynamicSharedBytes;
  Occupancy found = occupancy(target, needs);
  report.blocksPerSM = std::max<int64_t>(1, found.blocksPerSM);
  report.limiter = limiterNames(found.limiters);
  report.l1Bytes = found.l1Bytes;
  if (!options.mechanisms.occupancy)
    report.blocksPerSM = std::max<int64_t>(
        1, target.maxWarpsPerSM /
               std::max<int64_t>(1, (needs.threads + target.warpSize - 1) /
                                        target.warpSize));
  report.occupancy = found.occupancy;
  report.waves =
      gridBlocks() / (double(target.smCount) * double(report.blocksPerSM));
}

/// Hardware instructions of the grid.
void Estimator::countInsts() {
  for (size_t i = 0; i < costs.size(); ++i) {
    const SassCost &cost = costs[i];
    double runs = sample.runs[i];
    work.issue += cost.issue * runs;
    work.pipeOps[size_t(cost.pipe)] += cost.pipeOps * runs;
    work.pipeOps[size_t(Pipe::Special)] += cost.special * runs;
    double rate = cost.matrixFma > 0 ? matrixRate(insts[i].name, target) : 0;
    if (rate > 0)
      work.matrixClocks +=
          runs * cost.matrixFma * double(target.schedulersPerSM) / rate;
  }
}

/// Takes from the events the instructions that joined accesses save. PTX has
/// them apart.
void Estimator::joinEvents() {
  exec::EventCounts &e = report.launch.events;
  for (size_t i = 0; i < insts.size(); ++i) {
    if (joined.standsFor[i] <= 1)
      continue;
    uint64_t &count = insts[i].isLoad ? e.sharedLoads : e.sharedStores;
    double saved = sample.runs[i] * (joined.standsFor[i] - 1);
    count -= std::min(count, uint64_t(std::llround(saved)));
  }
}

/// Clocks to look up `lines`, beyond those that their accesses take anyway.
double Estimator::lookupClocks(uint64_t accesses, uint64_t lines) const {
  if (!options.mechanisms.lookups || !target.l1LinesPerClk)
    return 0;
  double own =
      options.mechanisms.lsu ? target.clocksPerMemoryInst.value_or(1) : 0;
  return std::max(0.0, double(lines) / *target.l1LinesPerClk -
                           double(accesses) * own);
}

void Estimator::countWork() {
  for (const SassCost &cost : costs)
    work.codeBytes += cost.issue * kBytesPerHardwareInst;
  work.blocks = gridBlocks();
  work.blocksPerSM = double(report.blocksPerSM);
  countInsts();
  const exec::EventCounts &e = report.launch.events;
  bool conflicts = options.mechanisms.bankConflicts;
  work.wavefronts =
      conflicts ? double(e.sharedLoadWavefronts + e.sharedStoreWavefronts +
                         e.sharedAtomicWavefronts + e.globalLoadWavefronts +
                         e.globalStoreWavefronts)
                : double(e.sharedLoads + e.sharedStores + e.sharedAtomics +
                         e.globalLoads + e.globalStores);
  work.wavefronts += double(e.asyncCopyWavefronts);
  work.memoryInsts =
      double(e.sharedLoads + e.sharedStores + e.sharedAtomics + e.globalLoads +
             e.globalStores + e.globalAtomics + e.asyncCopies);
  if (options.mechanisms.shuffles)
    work.memoryInsts += double(e.shuffles);
  if (options.mechanisms.constants)
    work.memoryInsts += double(e.constantReplays);
  work.lookupClocks = lookupClocks(e.globalLoads, e.globalLoadLines) +
                      lookupClocks(e.globalStores, e.globalStoreLines);
  work.hotAtomics =
      hotAtomics(sample.atomics, neighbours(request.grid), request.grid);
  addLocalWork();
}

/// How often each spilled word is stored and loaded. Where the assembler puts
/// them is unknown: they are spread over the code as it is executed, loops
/// included.
double Estimator::spillRuns() const {
  double executed = 0, once = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (sample.runs[i] <= 0)
      continue;
    executed += costs[i].issue * sample.runs[i];
    once += costs[i].issue * warpsPerBlock() * gridBlocks();
  }
  return once > 0 ? std::max(1.0, executed / once) : 1;
}

/// Local memory: arrays that found no registers, and spills.
void Estimator::addLocalWork() {
  const exec::EventCounts &e = report.launch.events;
  auto first = std::find_if(insts.begin(), insts.end(), [&](const auto &inst) {
    return &program.functions()[inst.function] == request.function &&
           inst.registerSlots;
  });
  double frame = spillBytes, loads = 0, stores = 0; // bytes
  if (first == insts.end()) {
    frame += request.function->localBytes;
    double sectors = double(e.localLoadSectors + e.localStoreSectors);
    work.memoryInsts += double(e.localLoads + e.localStores);
    work.wavefronts +=
        sectors * double(target.sectorBytes) / double(target.lineBytes);
    loads = double(e.localLoadSectors) * double(target.sectorBytes);
    stores = double(e.localStoreSectors) * double(target.sectorBytes);
  }
  if (spillBytes > 0) {
    double words = spillBytes / double(target.bankBytes) * spillRuns() *
                   warpsPerBlock() * work.blocks;
    work.issue += 2 * words;
    work.memoryInsts += 2 * words;
    work.wavefronts += 2 * words;
    loads += words * double(target.lineBytes);
    stores += words * double(target.lineBytes);
  }
  double perSM = frame * double(target.warpSize) * warpsPerBlock() *
                 double(report.blocksPerSM);
  double sms = std::min<double>(target.smCount, work.blocks);
  if (perSM > 0) {
    local.l1HitRate = options.mechanisms.l1
                          ? std::min(1.0, double(report.l1Bytes) / perSM)
                          : 0;
    local.l2HitRate = surviving(perSM * sms, double(target.l2Bytes));
  }
  local.l2ReadBytes = loads * (1 - local.l1HitRate);
  local.l2WriteBytes = stores;
}

/// Clocks until the SM has run all blocks of `input` to their ends; what was
/// not simulated is extrapolated by the rate of the second half.
double fullCycles(const SmResult &result, const SmInput &input) {
  double rest = executedInsts(input) - double(result.issued);
  if (rest <= 0 || result.issued <= result.halfIssued)
    return result.cycles;
  double rate = (result.cycles - result.halfCycles) /
                double(result.issued - result.halfIssued);
  return result.cycles + rest * rate;
}

/// Work of a mean block of the grid, in that of a block of `input`.
static double meanBlockOver(const SmInput &input) {
  double executed = executedInsts(input) / double(input.blocks.size());
  return executed > 0 ? input.instsPerBlock / executed : 1;
}

SmInput Estimator::inputOf(std::span<const BlockTrace> traces) const {
  SmInput input;
  input.insts = insts;
  input.costs = costs;
  input.blocks = traces;
  input.instsPerBlock =
      double(report.launch.events.instExecuted) / gridBlocks();
  input.residentBlocks = report.blocksPerSM;
  input.l1Bytes = report.l1Bytes;
  input.l2HitRate = firstHitRate;
  input.storeHitRate = storeHitRate;
  input.againHitRate = traffic.againHitRate;
  input.localL2HitRate = local.l2HitRate;
  input.spillL1HitRate = local.l1HitRate;
  input.dramBytesPerClk =
      dramBytesPerClk(target, work.dramReadBytes, work.dramWriteBytes);
  input.spilledBytesPerThread = spillBytes > 0 ? spillBytes * spillRuns() : 0;
  input.codeBytes = work.codeBytes;
  input.activeSMs = std::min<double>(target.smCount, work.blocks);
  double atomics = double(report.launch.events.globalAtomics);
  if (options.mechanisms.atomics && atomics > 0)
    input.clocksPerAtomicInst = work.hotAtomics *
                                target.atomicClocks.value_or(0) *
                                input.activeSMs / atomics;
  return input;
}

/// Blocks of the SM that has the most of them; perfect balance without tail.
double Estimator::blocksOfSM() const {
  double mean = work.blocks / double(target.smCount);
  return std::max(1.0, options.mechanisms.tail ? std::ceil(mean) : mean);
}

/// Clocks of `rounds` whole rounds of resident blocks on the SM, as those
/// simulated take them.
double Estimator::wholeRounds(double rounds, const SmInput &input,
                              const SmResult &result) const {
  auto resident = size_t(report.blocksPerSM);
  double each = fullCycles(result, input);
  // Of several rounds simulated the first, in which all blocks start together,
  // and the last, which may not be a whole one, are no part of the slope.
  size_t whole = (input.blocks.size() - 1) / resident * resident;
  if (whole > resident)
    each = (result.blockEnds[whole - 1] - result.blockEnds[resident - 1]) /
           double(whole / resident - 1);
  // The others may have more to do, or less, than those simulated.
  return rounds * each * meanBlockOver(input);
}

/// Clocks of all blocks of the SM, from those simulated.
double Estimator::allBlocks(const SmInput &input,
                            const SmResult &result) const {
  double cycles = fullCycles(result, input);
  double all = blocksOfSM(), simulated = double(input.blocks.size());
  double resident = double(report.blocksPerSM);
  if (all <= simulated) // fewer: perfect balance was asked for
    return cycles * all / simulated;
  double last = options.mechanisms.tail
                    ? double(lastRound(uint64_t(all), uint64_t(resident)))
                    : resident;
  if (simulated > resident || last == resident)
    return cycles + wholeRounds((all - simulated) / resident, input, result);
  SmInput end = inputOf(input.blocks.first(size_t(last)));
  SmResult ended = simulateSM(end, target, options.mechanisms);
  return cycles +
         wholeRounds((all - simulated - last) / resident, input, result) +
         meanBlockOver(input) * fullCycles(ended, end);
}

void Estimator::simulate(std::span<const BlockTrace> traces) {
  SmInput input = inputOf(traces);
  SmResult result = simulateSM(input, target, options.mechanisms);
  double cycles = allBlocks(input, result);
  report.simulation.cycles = cycles;
  report.simulation.breakdown = result.spent;
  double scale = result.cycles > 0 ? cycles / result.cycles : 1;
  forEachPart(report.simulation.breakdown,
              [&](double &part) { part *= scale; });
  report.l1HitRate =
      result.l1Accesses ? double(result.l1Hits) / double(result.l1Accesses) : 0;
  const exec::EventCounts &events = report.launch.events;
  double loaded = double(events.globalLoadSectors + events.asyncCopySectors);
  work.fillSectors = local.l2ReadBytes / double(target.sectorBytes);
  if (result.l1Accesses)
    work.fillSectors +=
        loaded * double(result.l1Fills) / double(result.l1Accesses);
}

/// A mean block by itself, with nothing to wait for but itself.
double Estimator::aloneCycles(std::span<const BlockTrace> traces) const {
  SmInput alone = inputOf(traces.first(1));
  alone.residentBlocks = 1;
  alone.activeSMs = 1;
  SmResult result = simulateSM(alone, target, options.mechanisms);
  return meanBlockOver(alone) * fullCycles(result, alone);
}

/// What the units of a mean SM are busy at least.
static double busyCycles(const Breakdown &b) {
  return std::max({b.issue, b.fp32, b.fp64, b.integer, b.special, b.matrix,
                   b.shared, b.lsu, b.icache});
}

/// Of blocks that differ neither the busiest SM nor the longest row of blocks
/// in one place takes less than the whole.
void Estimator::addSkew() {
  if (!options.mechanisms.skew || !isSkewed(sample.blockInsts))
    return;
  double least = busyCycles(report.formula.breakdown) *
                 busiestOverMean(sample.blockInsts, uint64_t(target.smCount));
  double warps = 0; // of which something was recorded
  for (const WarpTrace &warp : sample.longest.warps)
    warps += !warp.records.empty();
  if (warps > 0) {
    SmInput alone = inputOf(std::span(&sample.longest, 1));
    alone.residentBlocks = alone.activeSMs = 1;
    SmResult result = simulateSM(alone, target, options.mechanisms);
    double ofAWarp = double(result.issued) / warps;
    double perInst = result.cycles / ofAWarp / warpsPerBlock();
    uint64_t places = uint64_t(target.smCount) * uint64_t(report.blocksPerSM);
    least = std::max(least, perInst * longestRow(sample.blockInsts, places));
  }
  for (ModelTime *time : {&report.formula, &report.simulation})
    if (time->cycles < least) {
      time->breakdown.idle += least - time->cycles; // SMs without work
      time->cycles = least;
    }
}

void Estimator::finishTimes() {
  double overheadUs = target.launchUs.value_or(0);
  if (options.state == LaunchState::Cold)
    overheadUs = target.coldLaunchUs.value_or(overheadUs);
  report.launchSeconds = options.mechanisms.launch ? overheadUs * 1e-6 : 0;
  double perSecond = target.clockMHz * 1e6;
  for (ModelTime *time : {&report.formula, &report.simulation})
    time->seconds = time->cycles / perSecond + report.launchSeconds;
  report.seconds =
      std::sqrt(report.formula.seconds * report.simulation.seconds);
  double flopClocks =
      double(report.launch.events.threadInstByClass[size_t(InstClass::FP32)]) /
      (double(target.fp32Lanes) * double(target.smCount));
  double bytes = report.dramReadBytes + report.dramWriteBytes -
                 local.dramReadBytes() - local.dramWriteBytes();
  report.rooflineSeconds =
      std::max(flopClocks / perSecond,
               target.dramGBs > 0 ? bytes / (target.dramGBs * 1e9) : 0);
}

void Estimator::noteMissing() {
  auto need = [&](bool present, const char *name) {
    if (!present)
      report.missing.push_back(name);
  };
  need(target.aluLatency.has_value(), "alu_latency");
  need(target.sharedLatency.has_value(), "shared_latency");
  need(target.l1Latency.has_value(), "l1_latency");
  need(target.l2Latency.has_value(), "l2_latency");
  need(target.dramLatency.has_value(), "dram_latency");
  need(target.l2BytesPerClk.has_value(), "l2_bytes_per_clk");
  need(target.clocksPerWavefront.has_value(), "clocks_per_wavefront");
  need(target.l1FillBytes.has_value(), "l1_fill_bytes");
  need(target.l1LinesPerClk.has_value(), "l1_lines_per_clk");
  need(target.clocksPerMemoryInst.has_value(), "clocks_per_memory_inst");
  need(target.memoryQueuePerScheduler.has_value(),
       "memory_queue_per_scheduler");
  need(target.launchUs.has_value(), "launch_us");
  need(target.blockStartClocks.has_value(), "block_start_clocks");
  need(target.atomicClocks.has_value(), "atomic_clocks");
  if (options.state == LaunchState::Cold)
    need(target.coldLaunchUs.has_value(), "cold_launch_us");
}

/// Bytes between L2 and DRAM, and what L2 holds of what the SMs ask for.
void Estimator::findTraffic() {
  const Mechanisms &on = options.mechanisms;
  traffic = dramTraffic(sample.lines, neighbours(request.grid), request.grid,
                        uint64_t(target.smCount) * report.blocksPerSM,
                        double(target.l2Bytes), unsigned(target.lineBytes),
                        memory, on.reuse);
  if (options.state == LaunchState::Warm)
    traffic.followItself(double(target.l2Bytes));
  const exec::EventCounts &events = report.launch.events;
  double sectorBytes = double(target.sectorBytes);
  double readBytes = traffic.blockReadSectors * sectorBytes;
  double storedBytes =
      double(events.globalStoreSectors + events.globalAtomicSectors) *
      sectorBytes;
  if (!on.l2) { // every miss of L1 goes to DRAM, and every store
    traffic.readBytes = readBytes;
    traffic.writeBytes = storedBytes;
  }
  // DRAM moves lines, and SMs ask for sectors: a line that two blocks use in
  // part is a hit for none of them.
  auto hits = [](double missed, double asked) {
    return asked > 0 ? std::clamp(1 - missed / asked, 0.0, 1.0) : 0;
  };
  report.l2HitRate = hits(traffic.readBytes, readBytes);
  storeHitRate = hits(traffic.writeBytes, storedBytes);
  if (!on.l2)
    traffic.againHitRate = 0;
  else if (!on.reuse)
    traffic.againHitRate = report.l2HitRate;
  work.dramReadBytes = traffic.readBytes + local.dramReadBytes();
  work.dramWriteBytes = traffic.writeBytes + local.dramWriteBytes();
}

/// What passes L2, now that the hits of L1 are known. A block that comes back
/// to what it has read finds it in L2 as far as that still holds it.
void Estimator::countL2() {
  const exec::EventCounts &events = report.launch.events;
  double sectorBytes = double(target.sectorBytes);
  double loads = double(events.globalLoadSectors + events.asyncCopySectors) *
                 (1 - report.l1HitRate);
  report.l2Sectors =
      loads + double(events.globalStoreSectors + events.globalAtomicSectors) +
      (local.l2ReadBytes + local.l2WriteBytes) / sectorBytes;
  work.l2Bytes = report.l2Sectors * sectorBytes;
  double again = std::max(0.0, loads - traffic.blockReadSectors) * sectorBytes;
  double missed = again * (1 - traffic.againHitRate);
  work.dramReadBytes += missed;
  if (again > 0)
    report.l2HitRate = std::clamp(
        1 - (traffic.readBytes + missed) / (loads * sectorBytes), 0.0, 1.0);
  report.dramReadBytes = work.dramReadBytes;
  report.dramWriteBytes = work.dramWriteBytes;
}

TimingReport Estimator::run() {
  noteMissing();
  findOccupancy();
  sample = sampleGrid(program, joined, memory, request, target, options,
                      uint64_t(report.blocksPerSM));
  report.launch = sample.launch;
  report.sampled = sample.sampled;
  if (!report.launch.ok())
    return std::move(report);
  std::span<const BlockTrace> traces = sample.traces;
  joinEvents();
  countWork();
  report.hardwareInsts = work.issue;
  findTraffic();
  firstHitRate = report.l2HitRate;
  simulate(traces);
  countL2();
  if (!traces.empty())
    work.aloneCycles = aloneCycles(traces);
  report.formula = formulaTime(work, target, options.mechanisms);
  addSkew();
  finishTimes();
  addEnergy(report, work, target);
  return std::move(report);
}

} // namespace

TimingReport timing::timeLaunch(const exec::Program &program,
                                exec::GlobalMemory &memory,
                                const exec::LaunchRequest &request,
                                const TargetSpec &target,
                                const TimingOptions &options) {
  return Estimator(program, memory, request, target, options).run();
}
