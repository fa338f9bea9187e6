//===- SmSimulation.cpp - the resident blocks of one SM -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/SmSimulation.h"
#include "hwtune/Simulator/Timing/MemorySystem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

using namespace hwtune;
using namespace hwtune::timing;
using exec::InstClass;
using exec::InstMeta;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr uint64_t kProgressPoints = 256;
constexpr size_t kPipes = size_t(Pipe::Control) + 1;

struct Warp {
  size_t block = 0, index = 0; ///< into the input's blocks and their warps
  size_t next = 0;             ///< record to issue
  double ready = 0;            ///< clock at which it may issue
  /// What its time to be ready waits for; none: its last instruction.
  std::optional<Level> wait;
  bool atBarrier = false, done = false;
  uint64_t order = 0;            ///< age: smaller is older
  std::vector<float> registers;  ///< ready clock, relative to `origin`
  std::vector<Level> from;       ///< where what a register holds comes from
  double spills = 0;             ///< spill instructions due
  AccessTime copied;             ///< the last cp.async of no group yet
  std::deque<AccessTime> groups; ///< of cp.async: when each is complete
};

struct Scheduler {
  std::vector<unsigned> warps; ///< slots, oldest first
  int last = -1;               ///< issued last
  double free = 0;             ///< issue slot
  std::array<double, kPipes> pipeFree{};
  std::vector<double> queue;  ///< service ends of queued memory instructions
  double spentUntil = 0;      ///< up to which its clocks are in the breakdown
  double *waitsFor = nullptr; ///< part of the breakdown since then
};

class Machine {
public:
  Machine(const SmInput &input, const TargetSpec &target,
          const Mechanisms &mechanisms)
      : input(input), target(target), on(mechanisms),
        memory(input, target, mechanisms),
        schedulers(std::max<int64_t>(1, target.schedulersPerSM)) {
    uint32_t maxRegister = 0;
    for (const InstMeta &inst : input.insts)
      for (const auto *list : {&inst.reads, &inst.writes})
        for (uint32_t reg : *list)
          maxRegister = std::max(maxRegister, reg + 1);
    numRegisters = maxRegister;
    setPipeClocks();
    if (mechanisms.icache)
      fetch = fetchClocks(input.codeBytes, target);
    double warpCount = 0;
    for (const BlockTrace &block : input.blocks) {
      totalRecords += block.recorded;
      warpCount += double(block.warps.size());
    }
    double executed = executedInsts(input);
    if (executed > 0 && mechanisms.spills)
      spillRate = 2 * input.spilledBytesPerThread / double(target.bankBytes) *
                  warpCount / executed;
  }

  SmResult run();

private:
  void setPipeClocks();
  Scheduler &emptiestScheduler();
  void startBlock(double now);
  void prepare(Warp &warp, double now);
  bool canIssue(const Warp &warp, Scheduler &scheduler, double now,
                double &when, double *&reason);
  double *partOf(Level from);
  double *reasonOf(const Warp &warp);
  void spendUntil(Scheduler &scheduler, double now);
  void spend(Scheduler &scheduler, double &part, double clocks);
  void finishBreakdown(double now);
  void issue(unsigned slot, Scheduler &scheduler, double now);
  void issueMemory(Warp &warp, Scheduler &scheduler, const InstMeta &inst,
                   const TraceRecord &record, double now);
  void writeRegisters(Warp &warp, const InstMeta &inst, double ready,
                      Level from);
  void spill(Warp &warp, Scheduler &scheduler, double now);
  void arrive(Warp &warp, double now);
  void releaseBarrier(size_t block, double now);
  void finish(unsigned slot, double now);
  double step(Scheduler &scheduler, double now);
  void wakeSchedulers(std::vector<double> &next, double now);
  bool releaseStuck(double now);
  double latencyOf(const SassCost &cost) const;
  bool goesToMemory(const InstMeta &inst, const TraceRecord &record) const;

  const SmInput &input;
  const TargetSpec &target;
  const Mechanisms &on;
  MemorySystem memory;
  std::vector<Scheduler> schedulers;
  std::vector<Warp> warps;
  std::array<double, kPipes> clocksPerOp{}; ///< of a warp, per sub-partition
  double spillRate = 0; ///< spill instructions per issued instruction
  double fetch = 0;     ///< clocks lost per instruction to cold code
  double startFree = 0; ///< when this SM's next block may start
  uint32_t numRegisters = 0;
  size_t nextBlock = 0, running = 0;
  bool woke = false, cut = false;
  std::vector<std::pair<uint64_t, double>> progress; ///< issued, clock
  std::vector<unsigned> liveWarps, waiting;          ///< per block
  uint64_t age = 0, totalRecords = 0;
  SmResult result;
};

/// Clocks that one warp keeps the unit of its sub-partition busy.
void Machine::setPipeClocks() {
  auto clocks = [&](std::optional<int64_t> lanes) {
    if (!lanes || *lanes <= 0 || !on.pipes)
      return 0.0;
    return double(target.warpSize) * double(schedulers.size()) / double(*lanes);
  };
  clocksPerOp[size_t(Pipe::Fp32)] = clocks(target.fp32Lanes);
  clocksPerOp[size_t(Pipe::Fp64)] = clocks(target.fp64Lanes);
  // Results a clock, of which a lane has two; one alone takes as long.
  clocksPerOp[size_t(Pipe::Fp16)] =
      clocks(target.fp16Lanes ? *target.fp16Lanes / 2 : target.fp32Lanes);
  clocksPerOp[size_t(Pipe::Integer)] =
      clocks(target.int32Lanes ? target.int32Lanes
                               : std::optional<int64_t>(target.fp32Lanes));
  clocksPerOp[size_t(Pipe::Special)] = clocks(target.sfuLanes);
}

double Machine::latencyOf(const SassCost &cost) const {
  if (!on.dependence)
    return 1;
  double base = target.aluLatency.value_or(1);
  switch (cost.pipe) {
  case Pipe::Fp64:
    base = target.fp64Latency.value_or(base);
    break;
  case Pipe::Special:
    base = target.sfuLatency.value_or(base);
    break;
  case Pipe::Matrix:
    base = target.tensorLatency.value_or(base);
    break;
  case Pipe::None:
    return 0;
  default:
    break;
  }
  return base * std::max(1.0, cost.latencySteps);
}

/// Warps are dealt to the schedulers so that these hold equally many.
Scheduler &Machine::emptiestScheduler() {
  return *std::min_element(schedulers.begin(), schedulers.end(),
                           [](const Scheduler &a, const Scheduler &b) {
                             return a.warps.size() < b.warps.size();
                           });
}

void Machine::startBlock(double now) {
  if (nextBlock >= input.blocks.size())
    return;
  size_t block = nextBlock++;
  double start = std::max(now, startFree);
  if (on.blockStarts) // the other SMs get theirs in between
    startFree = start + input.activeSMs * target.blockStartClocks.value_or(0);
  const BlockTrace &trace = input.blocks[block];
  unsigned live = 0;
  for (size_t w = 0; w < trace.warps.size(); ++w) {
    if (trace.warps[w].records.empty())
      continue;
    Warp warp;
    warp.block = block;
    warp.index = w;
    warp.order = age++;
    warp.registers.assign(numRegisters, 0);
    warp.from.assign(numRegisters, Level::Arithmetic);
    unsigned slot = static_cast<unsigned>(warps.size());
    warps.push_back(std::move(warp));
    emptiestScheduler().warps.push_back(slot);
    ++live;
    prepare(warps.back(), start);
    if (start > now)
      warps.back().wait = Level::Start;
  }
  liveWarps[block] = live;
  woke = true;
  if (live)
    ++running;
  else
    result.blockEnds.push_back(start);
}

/// When the head of `warp` has its operands, and what it waits for.
void Machine::prepare(Warp &warp, double now) {
  const auto &records = input.blocks[warp.block].warps[warp.index].records;
  const InstMeta &inst = input.insts[records[warp.next].inst];
  double ready = now;
  if (inst.commitsGroup)
    warp.groups.push_back(std::exchange(warp.copied, {}));
  warp.wait.reset();
  auto use = [&](uint32_t reg) {
    if (warp.registers[reg] > ready) {
      ready = warp.registers[reg];
      warp.wait = warp.from[reg];
    }
  };
  for (uint32_t reg : inst.reads)
    use(reg);
  for (uint32_t reg : inst.writes)
    use(reg);
  for (size_t i = 0; inst.groupsLeft && i < warp.groups.size(); ++i)
    if (i + *inst.groupsLeft < warp.groups.size() &&
        warp.groups[i].ready > ready) {
      ready = warp.groups[i].ready;
      warp.wait = warp.groups[i].from;
    }
  warp.ready = ready;
}

void Machine::writeRegisters(Warp &warp, const InstMeta &inst, double ready,
                             Level from) {
  for (uint32_t reg : inst.writes) {
    warp.registers[reg] = static_cast<float>(ready);
    warp.from[reg] = from;
  }
}

double *Machine::partOf(Level from) {
  Breakdown &spent = result.spent;
  switch (from) {
  case Level::Arithmetic:
    return &spent.dependence;
  case Level::Near:
    return &spent.memoryLatency;
  case Level::L2:
    return &spent.l2;
  case Level::Dram:
    return &spent.dram;
  case Level::Atomics:
    return &spent.atomics;
  case Level::Start:
    return &spent.blockStarts;
  }
  return &spent.dependence;
}

/// Why `warp` is not ready.
double *Machine::reasonOf(const Warp &warp) {
  return warp.atBarrier ? &result.spent.barrier
         : warp.wait    ? partOf(*warp.wait)
                        : &result.spent.issue;
}

/// Books the clocks until `now` on what `scheduler` waits for.
void Machine::spendUntil(Scheduler &scheduler, double now) {
  double *part = scheduler.waitsFor ? scheduler.waitsFor : &result.spent.idle;
  if (now > scheduler.spentUntil)
    spend(scheduler, *part, now - scheduler.spentUntil);
}

void Machine::spend(Scheduler &scheduler, double &part, double clocks) {
  part += clocks;
  scheduler.spentUntil += clocks;
}

/// Constants do where the lanes of a warp want several.
bool Machine::goesToMemory(const InstMeta &inst,
                           const TraceRecord &record) const {
  if (inst.cls == InstClass::ConstLoad)
    return on.constants && record.access >= 0;
  return inst.isMemory && input.costs[inst.id].pipe == Pipe::Memory;
}

bool Machine::canIssue(const Warp &warp, Scheduler &scheduler, double now,
                       double &when, double *&reason) {
  const auto &records = input.blocks[warp.block].warps[warp.index].records;
  const TraceRecord &record = records[warp.next];
  const InstMeta &inst = input.insts[record.inst];
  const SassCost &cost = input.costs[inst.id];
  when = warp.ready;
  Breakdown &spent = result.spent;
  reason = reasonOf(warp);
  if (warp.ready > now)
    return false;
  if (goesToMemory(inst, record)) {
    double free = memory.queueFree(scheduler.queue, now);
    if (free > now) {
      when = free;
      reason = inst.space == ptx::Space::Shared ? &spent.shared : &spent.lsu;
      return false;
    }
    return true;
  }
  double free = scheduler.pipeFree[size_t(cost.pipe)];
  if (free <= now)
    return true;
  when = free;
  reason = cost.pipe == Pipe::Fp64      ? &spent.fp64
           : cost.pipe == Pipe::Special ? &spent.special
           : cost.pipe == Pipe::Matrix  ? &spent.matrix
           : cost.pipe == Pipe::Integer ? &spent.integer
                                        : &spent.fp32;
  return false;
}

void Machine::releaseBarrier(size_t block, double now) {
  double after = now + (on.dependence ? target.barrierLatency.value_or(0) : 0);
  for (Warp &warp : warps)
    if (warp.block == block && warp.atBarrier && !warp.done) {
      warp.atBarrier = false;
      prepare(warp, after);
    }
  waiting[block] = 0;
  woke = true;
}

void Machine::arrive(Warp &warp, double now) {
  warp.atBarrier = true;
  warp.ready = kNever;
  if (++waiting[warp.block] >= liveWarps[warp.block])
    releaseBarrier(warp.block, now);
}

void Machine::finish(unsigned slot, double now) {
  Warp &warp = warps[slot];
  cut |= input.blocks[warp.block].warps[warp.index].cut;
  warp.done = true;
  warp.ready = kNever;
  warp.registers = {};
  warp.from = {};
  size_t block = warp.block;
  for (Scheduler &scheduler : schedulers)
    std::erase(scheduler.warps, slot);
  if (--liveWarps[block] == 0) {
    --running;
    result.blockEnds.push_back(now);
    startBlock(now);
  } else if (waiting[block] && waiting[block] >= liveWarps[block]) {
    releaseBarrier(block, now);
  }
}

void Machine::issueMemory(Warp &warp, Scheduler &scheduler,
                          const InstMeta &inst, const TraceRecord &record,
                          double now) {
  const BlockTrace &trace = input.blocks[warp.block];
  AccessTime time = memory.access(
      inst, record.access >= 0 ? &trace.accesses[record.access] : nullptr,
      trace, now);
  scheduler.queue.push_back(time.served);
  if (!on.memoryLatency)
    time.ready = now + 1;
  if (inst.isAsync && time.ready > warp.copied.ready)
    warp.copied = time;
  writeRegisters(warp, inst, time.ready, time.from);
}

/// Where the compiler put its spills is unknown: they are spread evenly.
void Machine::spill(Warp &warp, Scheduler &scheduler, double now) {
  warp.spills += spillRate;
  while (warp.spills >= 1) {
    warp.spills -= 1;
    spend(scheduler, result.spent.issue, on.issue ? 1 : 0);
    scheduler.free =
        std::max(scheduler.spentUntil, memory.queueFree(scheduler.queue, now));
    spend(scheduler, result.spent.lsu, scheduler.free - scheduler.spentUntil);
    scheduler.queue.push_back(memory.spill(now));
  }
}

void Machine::issue(unsigned slot, Scheduler &scheduler, double now) {
  Warp &warp = warps[slot];
  const auto &records = input.blocks[warp.block].warps[warp.index].records;
  const TraceRecord &record = records[warp.next];
  const InstMeta &inst = input.insts[record.inst];
  const SassCost &cost = input.costs[record.inst];
  ++result.issued;
  if (result.issued >= progress.size() * (totalRecords / kProgressPoints + 1))
    progress.emplace_back(result.issued, now);
  double slots = on.issue ? cost.issue : std::min(cost.issue, 0.0);
  double fetching = cost.issue > 0 ? std::max(0.0, fetch - 1) : 0;
  scheduler.free = now + slots + fetching;
  spendUntil(scheduler, now);
  spend(scheduler, result.spent.issue, slots);
  spend(scheduler, result.spent.icache, fetching);
  if (goesToMemory(inst, record)) {
    issueMemory(warp, scheduler, inst, record, now);
  } else if (cost.pipe == Pipe::Memory && on.shuffles) { // one pass of the LSU
    double ready = memory.shuffle(now);
    scheduler.queue.push_back(ready - target.shuffleLatency.value_or(0));
    writeRegisters(warp, inst, on.dependence ? ready : now + 1, Level::Near);
  } else {
    double busy = clocksPerOp[size_t(cost.pipe)] * cost.pipeOps;
    if (cost.pipe == Pipe::Matrix && on.pipes)
      busy = memory.matrixClocks(inst, cost);
    scheduler.pipeFree[size_t(cost.pipe)] = now + busy;
    if (cost.special > 0)
      scheduler.pipeFree[size_t(Pipe::Special)] =
          now + clocksPerOp[size_t(Pipe::Special)] * cost.special;
    double ready = now + latencyOf(cost);
    writeRegisters(warp, inst, ready, Level::Arithmetic);
  }
  while (inst.groupsLeft && warp.groups.size() > *inst.groupsLeft)
    warp.groups.pop_front();
  if (spillRate > 0)
    spill(warp, scheduler, now);
  ++warp.next;
  scheduler.last = static_cast<int>(slot);
  if (warp.next >= records.size()) {
    finish(slot, std::max(now, scheduler.free));
    return;
  }
  // One instruction of a warp per clock; branches refill its buffer.
  double earliest = now + (cost.issue > 0 ? std::max(1.0, slots) : 0);
  if (on.barriers && inst.cls == InstClass::Barrier &&
      inst.name.find("arrive") == std::string::npos) {
    arrive(warp, earliest);
    return;
  }
  prepare(warp, earliest);
}

/// Lets one scheduler issue at `now`; returns the next clock at which it can.
double Machine::step(Scheduler &scheduler, double now) {
  spendUntil(scheduler, now);
  scheduler.waitsFor = nullptr;
  if (scheduler.warps.empty())
    return kNever;
  double next = kNever;
  double *firstReason = nullptr;
  auto tryWarp = [&](unsigned slot) {
    double when = kNever;
    double *reason = nullptr;
    if (canIssue(warps[slot], scheduler, now, when, reason)) {
      issue(slot, scheduler, now);
      return true;
    }
    if (when < next || !firstReason) {
      next = std::min(next, when);
      firstReason = reason;
    }
    return false;
  };
  if (scheduler.last >= 0 && !warps[scheduler.last].done &&
      tryWarp(static_cast<unsigned>(scheduler.last)))
    return scheduler.free;
  for (size_t i = 0; i < scheduler.warps.size(); ++i) {
    unsigned slot = scheduler.warps[i];
    if (int(slot) != scheduler.last && tryWarp(slot))
      return scheduler.free;
  }
  scheduler.waitsFor = firstReason;
  return next;
}

/// A barrier was released or a block started: other schedulers have new work.
void Machine::wakeSchedulers(std::vector<double> &next, double now) {
  for (size_t i = 0; i < schedulers.size(); ++i)
    for (unsigned slot : schedulers[i].warps)
      if (warps[slot].ready < next[i])
        next[i] = std::max({warps[slot].ready, schedulers[i].free, now});
}

/// Barriers that this model cannot pair (named ones of specialised warps):
/// let everybody pass. False where nothing waits.
bool Machine::releaseStuck(double now) {
  bool any = false;
  for (size_t block = 0; block < waiting.size(); ++block)
    if (waiting[block]) {
      releaseBarrier(block, now);
      any = true;
    }
  return any;
}

/// All schedulers end with the last of them, and the SM with the last byte
/// that it moves.
void Machine::finishBreakdown(double now) {
  AccessTime last = memory.drained();
  for (Scheduler &scheduler : schedulers)
    now = std::max(now, scheduler.spentUntil);
  result.cycles = cut ? now : std::max(now, last.served);
  for (Scheduler &scheduler : schedulers) {
    spendUntil(scheduler, now);
    scheduler.waitsFor = partOf(last.from);
    spendUntil(scheduler, result.cycles);
  }
  double perScheduler = 1.0 / double(schedulers.size());
  forEachPart(result.spent, [&](double &part) { part *= perScheduler; });
}

SmResult Machine::run() {
  liveWarps.assign(input.blocks.size(), 0);
  waiting.assign(input.blocks.size(), 0);
  for (int64_t i = 0; i < std::max<int64_t>(1, input.residentBlocks); ++i)
    startBlock(0);
  double now = 0;
  std::vector<double> next(schedulers.size(), 0);
  // Where a warp would go on, what the others do without it says nothing.
  while (running && !cut) {
    for (size_t i = 0; i < schedulers.size(); ++i)
      if (next[i] <= now)
        next[i] = std::max(step(schedulers[i], now), schedulers[i].free);
    if (std::exchange(woke, false))
      wakeSchedulers(next, now);
    double soonest = *std::min_element(next.begin(), next.end());
    if (soonest == kNever && !releaseStuck(now))
      break;
    if (soonest < kNever)
      now = std::max(now, soonest);
  }
  finishBreakdown(now);
  for (auto [issued, clock] : progress)
    if (2 * issued <= result.issued) {
      result.halfIssued = issued;
      result.halfCycles = clock;
    }
  memory.addTo(result);
  return std::move(result);
}

} // namespace

double timing::executedInsts(const SmInput &input) {
  double executed = 0;
  for (const BlockTrace &block : input.blocks)
    executed += block.truncated()
                    ? std::max(double(block.recorded), input.instsPerBlock)
                    : double(block.recorded);
  return executed;
}

SmResult timing::simulateSM(const SmInput &input, const TargetSpec &target,
                            const Mechanisms &mechanisms) {
  return Machine(input, target, mechanisms).run();
}
