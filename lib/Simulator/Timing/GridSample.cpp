//===- GridSample.cpp - the blocks that are run to time a grid ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/GridSample.h"
#include "hwtune/Simulator/Timing/BlockWork.h"
#include "hwtune/Simulator/Timing/PseudoSass.h"
#include "hwtune/Simulator/Timing/Sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <optional>

using namespace hwtune;
using namespace hwtune::timing;

namespace {

exec::AccessUnits unitsOf(const TargetSpec &target) {
  auto bits = [](int64_t size) {
    return uint8_t(std::bit_width(uint64_t(std::max<int64_t>(1, size))) - 1);
  };
  return {bits(target.lineBytes), bits(target.sectorBytes),
          bits(target.sharedBanks), bits(target.bankBytes)};
}

/// How many places loads move up inside a basic block: a compiler hides the
/// latency of shared memory behind as many instructions, one issued per clock.
unsigned hoistDistance(const TargetSpec &target) {
  constexpr double kMost = 255;
  return unsigned(std::clamp(target.sharedLatency.value_or(0), 0.0, kMost));
}

/// Several hooks for a grid that may run only once.
class All : public exec::TraceHook {
public:
  explicit All(std::initializer_list<exec::TraceHook *> hooks) : hooks(hooks) {}
  void instruction(const exec::TraceEvent &event) override {
    for (exec::TraceHook *hook : hooks)
      hook->instruction(event);
  }

private:
  std::vector<exec::TraceHook *> hooks;
};

/// How many blocks of one SM are simulated: all of them, or some rounds of
/// resident ones, so that whole rounds are left out and the last one is not. In
/// the first all start together, and only in the next ones do some load while
/// others compute.
uint64_t blocksToSimulate(uint64_t blocks, uint64_t resident, bool hasTail) {
  constexpr uint64_t kRounds = 4;
  uint64_t last = hasTail ? lastRound(blocks, resident) : resident;
  return std::min(blocks, (kRounds - 1) * resident + last);
}

/// Whether a block may wait for another one, which then must run as well: only
/// a volatile, relaxed or acquire load need ever see what that stores.
bool mayWaitForBlocks(const exec::Program &program,
                      const exec::LaunchRequest &request) {
  if (request.options.cooperative)
    return true;
  auto isStrong = [](std::string_view name) {
    return name.find(".volatile") != name.npos ||
           name.find(".relaxed") != name.npos ||
           name.find(".acquire") != name.npos;
  };
  for (const exec::InstMeta &inst : program.instructions()) {
    const exec::FunctionInfo &function = program.functions()[inst.function];
    bool isReached = &function == request.function || !function.isEntry;
    bool isGlobal =
        inst.space == ptx::Space::Global || inst.space == ptx::Space::None;
    if (isReached && inst.isLoad && isGlobal && isStrong(inst.name))
      return true;
  }
  return false;
}

class Sampler {
public:
  Sampler(const exec::Program &program, const JoinedInsts &insts,
          exec::GlobalMemory &memory, const exec::LaunchRequest &request,
          const TargetSpec &target, const TimingOptions &options,
          uint64_t blocksPerSM);

  GridSample run();

private:
  bool runBlocks(std::vector<uint64_t> blocks, double weight,
                 exec::TraceHook *hook);
  bool runUniform(FootprintRecorder &footprints);
  bool runClasses();
  bool runSample(FootprintRecorder &footprints, TraceRecorder &recorder);
  bool runOneSM(TraceRecorder &recorder);
  bool countBlocks();
  TraceRecorder::Limits limitsFor(uint64_t together) const;
  bool isLikeFirst(size_t blocks);

  const exec::Program &program;
  const JoinedInsts &insts;
  exec::GlobalMemory &memory;
  const exec::LaunchRequest &request;
  const TimingOptions &options;
  uint64_t gridBlocks, warpsPerBlock, blocksPerSM;
  exec::AccessUnits units;
  std::vector<uint8_t> hoist;
  std::vector<uint64_t> near, ofOneSM;
  std::vector<uint64_t> touching; ///< whose lines are noted: `near`, the ends
  exec::LaunchResult last;        ///< of the last group
  std::optional<exec::EventCounts> first;
  bool alikeByPlace = true; ///< blocks of one class do about the same
  GridSample sample;
};

Sampler::Sampler(const exec::Program &program, const JoinedInsts &insts,
                 exec::GlobalMemory &memory, const exec::LaunchRequest &request,
                 const TargetSpec &target, const TimingOptions &options,
                 uint64_t blocksPerSM)
    : program(program), insts(insts), memory(memory), request(request),
      options(options),
      gridBlocks(uint64_t(request.grid[0]) * request.grid[1] * request.grid[2]),
      warpsPerBlock(
          (uint64_t(request.block[0]) * request.block[1] * request.block[2] +
           target.warpSize - 1) /
          target.warpSize),
      blocksPerSM(blocksPerSM), units(unitsOf(target)),
      hoist(hoistDistances(insts.insts, hoistDistance(target))),
      ofOneSM(blocksOfOneSM(
          gridBlocks, target.smCount,
          blocksToSimulate((gridBlocks + target.smCount - 1) / target.smCount,
                           blocksPerSM, options.mechanisms.tail))) {
  Neighbours n = neighbours(request.grid);
  auto add = [](std::vector<uint64_t> &list, uint64_t block) {
    if (std::find(list.begin(), list.end(), block) == list.end())
      list.push_back(block);
  };
  for (uint64_t block : {n.center, n.x, n.y, n.z})
    add(near, block);
  touching = near;
  add(touching, 0);
  add(touching, gridBlocks - 1);
}

void add(exec::EventCounts &sum, const exec::EventCounts &part, double weight) {
  exec::EventCounts copy = part;
  auto scale = [&](uint64_t &value) {
    value = static_cast<uint64_t>(std::llround(double(value) * weight));
  };
  exec::forEachCount(copy, scale);
  for (auto &[name, count] : copy.matrix)
    scale(count);
  sum += copy;
}

/// Runs `blocks` (none: the whole grid); each stands for `weight` of the grid.
bool Sampler::runBlocks(std::vector<uint64_t> blocks, double weight,
                        exec::TraceHook *hook) {
  exec::LaunchRequest part = request;
  part.options.blocks = std::move(blocks);
  part.options.countEvents = true;
  part.options.trace = hook;
  part.options.instructionBudget = options.instructionBudget;
  last = exec::launch(program, memory, part);
  exec::LaunchResult &all = sample.launch;
  all.warpInstructions += last.warpInstructions;
  all.blocksRun += last.blocksRun;
  if (!last.ok()) {
    all.status = last.status;
    all.diagnostic = last.diagnostic;
    return false;
  }
  add(all.events, last.events, weight);
  sample.runs.resize(last.runs.size());
  for (size_t i = 0; i < last.runs.size(); ++i)
    sample.runs[i] += weight * double(last.runs[i]);
  return true;
}

/// Whether the last `blocks` did as much each as the first block, in what
/// decides the time.
bool Sampler::isLikeFirst(size_t blocks) {
  const exec::EventCounts &e = last.events;
  if (!first)
    first = e;
  return first->instExecuted * blocks == e.instExecuted &&
         first->threadInstExecutedPredOn * blocks ==
             e.threadInstExecutedPredOn &&
         first->sharedLoadWavefronts * blocks == e.sharedLoadWavefronts &&
         first->globalLoadSectors * blocks == e.globalLoadSectors;
}

/// Runs neighbours in the middle, the corners and two blocks by chance. Where
/// all do the same, so does the grid, and its counts are set; else they are
/// left empty. False on a fault.
bool Sampler::runUniform(FootprintRecorder &footprints) {
  auto rest = std::vector<uint64_t>(near.begin() + 1, near.end());
  if (!runBlocks({near[0]}, 0, &footprints))
    return false;
  exec::LaunchResult center = last;
  bool uniform = isLikeFirst(1);
  if (!rest.empty() && !runBlocks(rest, 0, &footprints))
    return false;
  uniform &= rest.empty() || isLikeFirst(rest.size());
  for (const BlockClass &cls : sampleClasses(request.grid, 2, options.seed)) {
    // Where the corners do the same, the edges between them do too.
    bool isEdge = cls.weight > 1 && cls.fixedDims > 0;
    if (isEdge)
      continue;
    if (!runBlocks(cls.blocks, 0, &footprints))
      return false;
    uniform &= isLikeFirst(cls.blocks.size());
  }
  if (!uniform)
    return true;
  add(sample.launch.events, center.events, double(gridBlocks));
  for (size_t i = 0; i < center.runs.size(); ++i)
    sample.runs[i] = double(gridBlocks) * double(center.runs[i]);
  return true;
}

bool Sampler::runClasses() {
  for (const BlockClass &cls :
       sampleClasses(request.grid, options.interiorBlocks, options.seed)) {
    std::vector<uint64_t> insts;
    for (uint64_t block : cls.blocks) {
      if (!runBlocks({block}, cls.weight, nullptr))
        return false;
      insts.push_back(last.events.instExecuted);
    }
    alikeByPlace &= !isSkewed(insts);
  }
  return true;
}

/// Where the place of a block does not say how much it does, and counting costs
/// little, all blocks are counted, and the longest is recorded.
bool Sampler::countBlocks() {
  double each = double(sample.launch.warpInstructions) /
                double(std::max<uint64_t>(1, sample.launch.blocksRun));
  if (gridBlocks > options.countedBlocks ||
      each * double(gridBlocks) > double(options.countedInstructions))
    return true;
  sample.launch.events = {};
  sample.runs.clear();
  for (uint64_t block = 0; block < gridBlocks; ++block) {
    if (!runBlocks({block}, 1, nullptr))
      return false;
    sample.blockInsts.push_back(last.events.instExecuted);
  }
  uint64_t longest = uint64_t(
      std::max_element(sample.blockInsts.begin(), sample.blockInsts.end()) -
      sample.blockInsts.begin());
  TraceRecorder recorder(insts, hoist, std::span(&longest, 1), limitsFor(1));
  if (!runBlocks({longest}, 0, &recorder))
    return false;
  sample.longest = std::move(recorder.takeTraces().front());
  return true;
}

/// One round of resident blocks, and the others where these are short.
bool Sampler::runOneSM(TraceRecorder &recorder) {
  size_t round = std::min<size_t>(ofOneSM.size(), blocksPerSM);
  if (!runBlocks({ofOneSM.begin(), ofOneSM.begin() + round}, 0, &recorder))
    return false;
  bool isShort =
      std::none_of(ofOneSM.begin(), ofOneSM.begin() + round,
                   [&](uint64_t b) { return recorder.hasEnough(b); });
  return !isShort || round == ofOneSM.size() ||
         runBlocks({ofOneSM.begin() + round, ofOneSM.end()}, 0, &recorder);
}

bool Sampler::runSample(FootprintRecorder &footprints,
                        TraceRecorder &recorder) {
  if (!runUniform(footprints))
    return false;
  if (!sample.launch.events.instExecuted && !runClasses())
    return false;
  if (!runOneSM(recorder))
    return false;
  alikeByPlace &= !isSkewed(recorder.recorded());
  return alikeByPlace || countBlocks();
}

/// What is recorded of blocks of which `together` are simulated at once.
TraceRecorder::Limits Sampler::limitsFor(uint64_t together) const {
  uint64_t warps = std::max<uint64_t>(1, warpsPerBlock * together);
  return {units, std::max<uint64_t>(256, options.simulatedInstructions / warps),
          warpsPerBlock};
}

GridSample Sampler::run() {
  TraceRecorder recorder(
      insts, hoist, ofOneSM,
      limitsFor(std::min<uint64_t>(ofOneSM.size(), blocksPerSM)));
  std::vector<bool> isEntry;
  for (const exec::FunctionInfo &function : program.functions())
    isEntry.push_back(function.isEntry);
  FootprintRecorder footprints(program.instructions(),
                               joinedAtomics(program.instructions(), isEntry),
                               touching, units);
  sample.sampled = !options.wholeGrid && gridBlocks > options.interiorBlocks &&
                   !mayWaitForBlocks(program, request);
  if (sample.sampled) {
    if (!runSample(footprints, recorder))
      return std::move(sample);
  } else {
    BlockWorkRecorder work(insts, hoist, gridBlocks, limitsFor(1));
    All all({&recorder, &footprints, &work});
    if (!runBlocks({}, 1, &all))
      return std::move(sample);
    sample.blockInsts = work.takeCounts();
    sample.longest = work.takeLongest();
  }
  sample.lines = footprints.lines();
  sample.atomics = footprints.atomics();
  sample.traces = recorder.takeTraces();
  std::erase_if(sample.traces,
                [](const BlockTrace &t) { return t.recorded == 0; });
  bool truncated =
      std::any_of(sample.traces.begin(), sample.traces.end(),
                  [](const BlockTrace &t) { return t.truncated(); });
  if (truncated && sample.traces.size() > blocksPerSM)
    sample.traces.resize(blocksPerSM);
  return std::move(sample);
}

} // namespace

GridSample
timing::sampleGrid(const exec::Program &program, const JoinedInsts &insts,
                   exec::GlobalMemory &memory,
                   const exec::LaunchRequest &request, const TargetSpec &target,
                   const TimingOptions &options, uint64_t blocksPerSM) {
  return Sampler(program, insts, memory, request, target, options, blocksPerSM)
      .run();
}
