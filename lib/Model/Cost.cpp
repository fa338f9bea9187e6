//===- Cost.cpp - predicted time of a kernel on a target ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of the formulas: docs/method.md names one per term. Counts are of
// one SM with its resident blocks, "the wave"; the launch is `wavesPaid` times
// that. Terms that overlap are joined by a 3-norm, which is near the maximum
// where one dominates and above it where several are alike.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"

#include "Limits.h"
#include "hwtune/Model/Score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hwtune {

namespace {

using C = ConstantId;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kVectorInstBytes = 16; // widest single access of one lane
constexpr double kWordBytes = 4;
constexpr double kLineSectors = 4; // of a 128-byte line
constexpr double kInstBytes =
    16; // of machine code, where only a count is known

double cube(double x) { return x * x * x; }
double norm3(double a, double b, double c = 0, double d = 0) {
  return std::cbrt(cube(a) + cube(b) + cube(c) + cube(d));
}
double ratio(double a, double b) { return b > 0 ? a / b : 0; }
/// 1 where `need` fits `capacity`, falling to 0 at 1.5 times the capacity: LRU
/// drops a cyclic pattern at once, hashing of sets blurs the edge.
double keepShare(double need, double capacity) {
  if (need <= 0)
    return 1;
  return capacity <= 0 ? 0 : std::clamp(3 - 2 * need / capacity, 0.0, 1.0);
}

/// Everything that the streams add up to, per wave or per block.
struct Traffic {
  double issueSlots = 0;    ///< per thread
  double chainAccesses = 0; ///< load and store instructions per thread
  double lsuClocks = 0;     ///< per warp
  double copySlots = 0, copyClocks = 0; ///< the copies' part of both
  double missLatency = 0; ///< clocks one warp sees of L1 misses, whole
  double l2Bytes = 0;     ///< per block
  double dramBytes = 0;   ///< per block
  double requested = 0, missed = 0;     ///< loaded bytes of a block, L1
  double l2Requested = 0, l2Missed = 0; ///< of a block
  double widest = 0;                    ///< vector bytes
};

class Predictor {
public:
  Predictor(const KernelFeatures &f, const ModelTarget &t, const Constants &c,
            Prediction &p)
      : f(f), t(t), c(c), p(p) {}

  void run(const CostWeights &weights);

private:
  bool resources();
  double spillUses() const;
  double scheduleRisk() const;
  void residency();
  std::array<double, kNumCosts> ofWave(double sm, double chip) const;
  void waves();
  void addShared(const AccessStream &s, Traffic &sum) const;
  double together(const AccessStream &s) const;
  double firstUses(const AccessStream &s, double unique, double met) const;
  void addLoads(const AccessStream &s, double met, Traffic &sum) const;
  void addStores(const AccessStream &s, Traffic &sum) const;
  Traffic traffic();
  void computeTerms(const Traffic &sum);
  void memoryTerms(const Traffic &sum);
  void waitingTerms(const Traffic &sum);
  void phaseTerm(const Traffic &sum);
  void roofline();
  void combine(const CostWeights &weights);
  void correct(const CostWeights &weights);
  double &term(Term id) { return p.clocks[static_cast<unsigned>(id)]; }
  double lsuInst(const AccessStream &s, double wavefronts,
                 double lines = 0) const;
  double fillClocks(double bytes) const;

  const KernelFeatures &f;
  const ModelTarget &t;
  const Constants &c;
  Prediction &p;
  double warpsPerBlock = 1;
  double activeSMs = 1;
  double l1Share = 1, l2Share = 1; ///< keepShare of the two caches
  double l1Whole = 0; ///< keepShare of L1 for all that the grid reads
};

bool Predictor::resources() {
  const TargetSpec &spec = *t.spec;
  warpsPerBlock = std::ceil(f.threadsPerBlock / t.warpSize);
  double asked =
      f.registers > 0
          ? f.registers * (f.registersKnown ? 1 : c[C::RegisterScale])
          : f.accumulators + f.fragments + c[C::Registers];
  BlockLimits limits = blockLimits(spec, f.threadsPerBlock);
  p.registers = std::min(asked, limits.registersPerThread);
  p.spilled = f.registersKnown ? f.spillBytes / kWordBytes
                               : std::max(0.0, asked - p.registers);
  p.infeasible = blockMisfit(spec, f.threadsPerBlock, f.sharedBytes,
                             f.registersKnown ? f.registers : 0);
  if (p.infeasible)
    return false;
  p.blocksPerSM =
      residentBlocks(spec, f.threadsPerBlock, p.registers, f.sharedBytes);
  if (p.blocksPerSM < 1)
    p.infeasible = "no block fits on an SM";
  return !p.infeasible;
}

/// How often each live value of a thread is used.
double Predictor::spillUses() const {
  double work =
      f.fma32 + f.fp32 + f.fp16 + f.fp64 + ratio(f.tensorFma, t.warpSize);
  return f.accumulators > 0 ? std::max(1.0, work / f.accumulators)
                            : std::max(1.0, f.loopTurns);
}

/// Expected spill accesses per operation of a straight-line body so long that
/// the compiler's scheduler loses track of live ranges.
double Predictor::scheduleRisk() const {
  constexpr double kWhenLost = 0.25; // an access every four operations
  if (f.registersKnown)
    return 0;
  double beyond = f.unrolledBody / c[C::BodyLimit] - 1;
  return kWhenLost * std::clamp(2 * beyond, 0.0, 1.0);
}

void Predictor::residency() {
  double blocks = std::max(f.blocks, 1.0);
  activeSMs = std::min(blocks, t.sms);
  // A grid smaller than one wave leaves fewer blocks on each SM.
  p.blocksPerSM = std::min(p.blocksPerSM, std::ceil(blocks / t.sms));
  p.warpsPerSM = p.blocksPerSM * warpsPerBlock;
  p.occupancy = ratio(p.warpsPerSM, static_cast<double>(t.spec->maxWarpsPerSM));
  p.waves = blocks / (activeSMs * p.blocksPerSM);
}

/// Clocks the load/store unit is busy with one access of one warp; vectors
/// beyond 16 bytes are several accesses. The tags of `lines` are looked up
/// while the data stage passes `wavefronts`.
double Predictor::lsuInst(const AccessStream &s, double wavefronts,
                          double lines) const {
  return std::max({t.clocksPerMemInst * c[C::MemoryInst] *
                       std::max(1.0, s.vectorBytes / kVectorInstBytes),
                   wavefronts * t.clocksPerWavefront * c[C::Wavefront],
                   ratio(lines, t.l1LinesPerClk)});
}

/// Clocks of L1's data stage, for each warp of a block, that `bytes` take on
/// their way in.
double Predictor::fillClocks(double bytes) const {
  return ratio(bytes / warpsPerBlock, t.l1FillBytes) * t.clocksPerWavefront *
         c[C::Wavefront];
}

/// Wavefronts of a global access in L1: 64-bit accesses go by half warps,
/// 128-bit ones by quarters, and a sector fills the banks of its columns.
double globalWavefronts(const AccessStream &s) {
  return std::max(
      {s.wavefronts, s.sectors / kLineSectors, s.vectorBytes / kWordBytes});
}

void Predictor::addShared(const AccessStream &s, Traffic &sum) const {
  double accesses = s.loads + s.stores;
  double insts = accesses * std::max(1.0, s.vectorBytes / kVectorInstBytes);
  double slots = insts * c[C::SharedInst];
  double clocks = accesses * lsuInst(s, s.wavefronts);
  // An asynchronous copy writes shared memory without an instruction of its
  // own; its bandwidth remains. Matrix fragments arrive at the data stage's
  // rate, every word in the lane that multiplies it.
  if (s.isAsync)
    slots = insts = 0;
  else if (f.mmaInsts <= 0)
    clocks += accesses * s.vectorBytes / kWordBytes * c[C::SharedWord];
  sum.issueSlots += slots;
  sum.chainAccesses += insts;
  sum.lsuClocks += clocks;
  // What is stored to shared memory is a copy, or as good as one.
  double copied = accesses > 0 ? s.stores / accesses : 0;
  sum.copySlots += copied * slots;
  sum.copyClocks += copied * clocks;
}

/// What is left per block of bytes that blocks of a sharing group which happen
/// to be on one SM fetch together. Of `groups` groups in flight, b blocks
/// placed at random meet groups (1 - (1 - 1/groups)^b).
double Predictor::together(const AccessStream &s) const {
  if (s.sharingBlocks <= 1 || p.blocksPerSM <= 1)
    return 1;
  double groups = std::max(1.0, activeSMs * p.blocksPerSM / s.sharingBlocks);
  double met = groups * (1 - std::pow(1 - 1 / groups, p.blocksPerSM));
  return met / p.blocksPerSM;
}

/// Bytes of a block that L1 must fetch at least once; `met` is `together(s)`.
double Predictor::firstUses(const AccessStream &s, double unique,
                            double met) const {
  double first = unique * met;
  // A table that stays in L1 from block to block is fetched once per SM.
  double perSM = s.totalBytes * activeSMs / std::max(f.blocks, 1.0);
  if (s.totalBytes > 0 && perSM < first)
    first += l1Whole * (perSM - first);
  return first;
}

void Predictor::addLoads(const AccessStream &s, double met,
                         Traffic &sum) const {
  double requested = s.loads * warpsPerBlock * s.sectors * t.sectorBytes;
  double unique =
      s.uniqueBytes > 0 ? std::min(s.uniqueBytes, requested) : requested;
  double blocks = std::max(f.blocks, 1.0);
  double first = firstUses(s, unique, met);
  double hit1 = requested > 0 ? (1 - first / requested) * l1Share : 0;
  double missed = requested * (1 - hit1);
  // What the grid needs at least; with sharing blocks running together, what
  // one of each group fetches; with neither, every L1 miss.
  double whole =
      s.totalBytes > 0 ? std::min(s.totalBytes / blocks, missed) : unique;
  double shared = std::max(whole, unique / std::max(s.sharingBlocks, 1.0));
  double moved = l2Share * whole + (1 - l2Share) * shared;
  moved = std::min(moved, missed);
  double hit2 = missed > 0 ? 1 - moved / missed : 0;

  sum.requested += requested;
  sum.missed += missed;
  sum.l2Requested += missed;
  sum.l2Missed += moved;
  sum.l2Bytes += missed;
  sum.dramBytes += moved;
  double insts = s.loads * std::max(1.0, s.vectorBytes / kVectorInstBytes);
  // What an asynchronous copy brings passes the data stage once, into shared
  // memory.
  double passes = s.isAsync ? 0 : globalWavefronts(s);
  double clocks = s.loads * lsuInst(s, passes, s.lines);
  if (!s.isAsync)
    clocks += fillClocks(missed) +
              s.loads * s.vectorBytes / kWordBytes * c[C::GlobalWord];
  sum.issueSlots += insts * c[C::GlobalInst];
  sum.chainAccesses += insts;
  sum.lsuClocks += clocks;
  if (s.isCopy) {
    sum.copySlots += insts * c[C::GlobalInst];
    sum.copyClocks += clocks;
    return;
  }
  // Mean latency behind L1: t_DRAM less what L2's memory ratio saves.
  double behind = t.dramLatency - memRatio(t.dramLatency, t.l2Latency, hit2) *
                                      t.l2Latency *
                                      (1 - ratio(t.l2Latency, t.dramLatency));
  sum.missLatency += s.loads * (1 - hit1) * behind;
}

void Predictor::addStores(const AccessStream &s, Traffic &sum) const {
  double bytes = s.stores * warpsPerBlock * s.sectors * t.sectorBytes;
  double insts = s.stores * std::max(1.0, s.vectorBytes / kVectorInstBytes);
  sum.issueSlots += insts * c[C::GlobalInst];
  sum.chainAccesses += insts;
  sum.lsuClocks += s.stores * (lsuInst(s, globalWavefronts(s), s.lines) +
                               s.vectorBytes / kWordBytes * c[C::GlobalWord]);
  sum.l2Bytes += bytes;
  double blocks = std::max(f.blocks, 1.0);
  // Writes gather in L2; what reaches DRAM is each byte once.
  sum.dramBytes +=
      s.totalBytes > 0 ? std::min(s.totalBytes / blocks, bytes) : bytes;
}

Traffic Predictor::traffic() {
  double reuse = 0, total = 0, read = 0;
  std::array<double, kMaxStreams> met; // of each global stream that loads
  for (int i = 0; i < f.numStreams; ++i) {
    const AccessStream &s = f.streams[i];
    if (s.isShared)
      continue;
    if (s.loads > 0) {
      met[i] = together(s);
      reuse += (s.reuseBytes > 0 ? s.reuseBytes : s.uniqueBytes) * met[i];
    }
    total += s.totalBytes;
    read += s.loads > 0 ? std::max(s.totalBytes, s.uniqueBytes) : 0;
  }
  double l1 = std::max(0.0, t.l1PlusShared - p.blocksPerSM * f.sharedBytes);
  l1Share = keepShare(p.blocksPerSM * reuse, c[C::L1Keep] * l1);
  l1Whole = keepShare(read, c[C::L1Keep] * l1);
  l2Share = keepShare(total, c[C::L2Keep] * t.l2Bytes);

  Traffic sum;
  for (int i = 0; i < f.numStreams; ++i) {
    const AccessStream &s = f.streams[i];
    sum.widest = std::max(sum.widest, s.vectorBytes);
    if (s.isShared) {
      addShared(s, sum);
      continue;
    }
    if (s.loads > 0)
      addLoads(s, met[i], sum);
    if (s.stores > 0)
      addStores(s, sum);
  }
  // Spilled values live in local memory: accesses of whole lines, kept by L1.
  p.spillAccesses = c[C::SpillTouch] * p.spilled * spillUses() +
                    scheduleRisk() * (f.fma32 + f.fp32);
  sum.issueSlots += p.spillAccesses;
  sum.chainAccesses += p.spillAccesses;
  sum.lsuClocks +=
      p.spillAccesses *
      (std::max(t.clocksPerMemInst, t.clocksPerWavefront) + c[C::GlobalWord]);
  double spillSet = p.blocksPerSM * f.threadsPerBlock * p.spilled * kWordBytes;
  double spillMiss = p.spillAccesses * f.threadsPerBlock * kWordBytes *
                     (1 - keepShare(spillSet, c[C::L1Keep] * l1));
  sum.l2Bytes += spillMiss;
  return sum;
}

void Predictor::computeTerms(const Traffic &sum) {
  double lanes = p.warpsPerSM * t.warpSize; // threads resident on the SM
  term(Term::Fma) = lanes * (f.fma32 + f.fp32) / t.fp32Lanes;
  term(Term::Arithmetic) =
      lanes * std::max(f.integer / t.intLanes,
                       f.fp16 / t.fp16Lanes + ratio(f.fp64, t.fp64Lanes));
  term(Term::Special) = lanes * ratio(f.special, t.sfuLanes) * c[C::Special];
  double rate = t.tensorFma[static_cast<unsigned>(f.tensorType)];
  // Fewer warps than sub-partitions leave matrix units idle.
  double busy = std::min(1.0, p.warpsPerSM / t.schedulers);
  term(Term::Tensor) = lanes *
                       ratio(f.tensorFma, rate * busy * f.tensorEfficiency) *
                       c[C::Tensor];
  double slots = f.fma32 + f.fp32 + f.fp64 + f.fp16 + f.integer + f.special +
                 f.mmaInsts + f.shuffles + f.barriers + f.atomics +
                 c[C::OtherInst] * f.otherInsts + c[C::LoopTurn] * f.loopTurns +
                 sum.issueSlots;
  slots += f.copies * c[f.guardedCopies ? C::GuardedCopyInst : C::CopyInst];
  term(Term::Issue) = p.warpsPerSM / t.schedulers * slots;
  // A body larger than the instruction cache comes in line by line for every
  // warp, unless warps run in step.
  double code = f.codeBytes > 0 ? f.codeBytes : f.unrolledBody * kInstBytes;
  if (t.icacheBytes > 0)
    term(Term::Fetch) = p.warpsPerSM * slots * kInstBytes /
                        static_cast<double>(t.spec->lineBytes) *
                        t.icacheLineClocks * c[C::Icache] *
                        (1 - keepShare(code, t.icacheBytes));
}

void Predictor::memoryTerms(const Traffic &sum) {
  term(Term::Lsu) = p.warpsPerSM * sum.lsuClocks;
  // Idle SMs leave their share of L2 and DRAM to the others.
  double gather = t.sms / activeSMs;
  double l2 = t.l2BytesPerClkSM > 0 ? t.l2BytesPerClkSM
                                    : c[C::L2OverDram] * t.dramBytesPerClkSM;
  term(Term::L2) =
      ratio(p.blocksPerSM * sum.l2Bytes, l2 * gather) * c[C::L2Rate];
  term(Term::Dram) =
      ratio(p.blocksPerSM * sum.dramBytes, t.dramBytesPerClkSM * gather) *
      c[C::DramRate];
  term(Term::Atomics) = p.warpsPerSM * f.atomics * t.clocksPerMemInst;
  double blocks = std::max(f.blocks, 1.0);
  p.l2BytesMoved = sum.l2Bytes * blocks;
  p.dramBytesMoved = sum.dramBytes * blocks;
  p.l1Hit = sum.requested > 0 ? 1 - sum.missed / sum.requested : 0;
  p.l2Hit = sum.l2Requested > 0 ? 1 - sum.l2Missed / sum.l2Requested : 0;
  p.l1MemRatio = memRatio(t.dramLatency, t.l1Latency, p.l1Hit);
  p.l2MemRatio = memRatio(t.dramLatency, t.l2Latency, p.l2Hit);
}

void Predictor::waitingTerms(const Traffic &sum) {
  // One warp alone: multiply-adds at their rate or, with too few independent
  // ones, at their latency.
  double interval =
      std::max(t.warpSize * t.schedulers / t.fp32Lanes,
               t.aluLatency / std::max({1.0, f.ilp, f.accumulators}));
  double others =
      f.fp32 + f.fp64 + f.fp16 + f.integer + f.otherInsts +
      c[C::LoopTurn] * f.loopTurns + sum.chainAccesses +
      f.copies * c[f.guardedCopies ? C::GuardedCopyInst : C::CopyInst];
  double rate = t.tensorFma[static_cast<unsigned>(f.tensorType)];
  // Matrix units work at their rate, or with too few independent instructions
  // at their latency, while the warp goes on issuing.
  double matrix = std::max(ratio(f.tensorFma * t.warpSize * t.schedulers,
                                 rate * f.tensorEfficiency) *
                               c[C::Tensor],
                           f.mmaInsts * t.tensorLatency / std::max(1.0, f.ilp));
  double rest = f.fma32 * interval + c[C::ChainInst] * others +
                f.special * t.sfuLatency / std::max(1.0, f.ilp) +
                c[C::LoadExposed] * t.sharedLatency * f.loadWaits +
                c[C::MissExposed] * sum.missLatency +
                f.atomics * t.atomicLatency;
  double own = norm3(matrix, rest);
  // With n buffers a tile's copy starts as soon as the tile n before it has
  // been used: n tiles take a copy and one computation, or n computations. The
  // first tile's copy has nothing to hide behind.
  double copy = c[C::CopyExposed] * t.dramLatency;
  double copies = copy * f.copyPhases;
  term(Term::Chain) = std::max(own + std::min(copy, copies),
                               (own + copies) / std::max(1.0, f.stages));
  term(Term::Barriers) = c[C::Barrier] * f.barriers;
  term(Term::Shuffles) = c[C::Shuffle] * t.shuffleLatency * f.shuffles;
  // Until the blocks of the first wave have started, the last of them waits.
  double firstWave =
      std::min(std::max(f.blocks, 1.0), activeSMs * p.blocksPerSM);
  term(Term::Launch) = c[C::Launch] * t.launchClocks * f.launches +
                       t.blockStartClocks * firstWave;
  term(Term::HostCopy) = ratio(f.hostBytes, t.hostBytesPerClk);
}

/// A block that copies, meets a barrier and computes does not overlap the two
/// by itself, only with other blocks: alone it takes their sum. A software
/// pipeline overlaps them.
void Predictor::phaseTerm(const Traffic &sum) {
  if (f.copyPhases <= 0 || f.stages > 1)
    return;
  auto share = [&](Term id) { return term(id) / p.blocksPerSM; };
  double copySlots =
      sum.copySlots +
      f.copies * c[f.guardedCopies ? C::GuardedCopyInst : C::CopyInst];
  double copyIssue = warpsPerBlock / t.schedulers * copySlots;
  double copyClocks = warpsPerBlock * sum.copyClocks;
  double copying =
      norm3(copyIssue, copyClocks, share(Term::L2), share(Term::Dram));
  double computing =
      norm3(share(Term::Fma), share(Term::Arithmetic),
            share(Term::Issue) - copyIssue, share(Term::Lsu) - copyClocks);
  term(Term::Phases) = c[C::Phases] * (copying + computing);
}

void Predictor::roofline() {
  double bytes = 0;
  for (int i = 0; i < f.numStreams; ++i)
    if (!f.streams[i].isShared)
      bytes += f.streams[i].totalBytes;
  double rate = t.tensorFma[static_cast<unsigned>(f.tensorType)];
  double fma = std::max(t.fp32Lanes, f.tensorFma > 0 ? rate : 0);
  p.roofline = std::max(f.flops / (2 * fma * t.sms),
                        ratio(bytes, t.dramBytesPerClkSM * t.sms)) /
               t.hz;
}

/// Seconds of the costs, by `Cost`, of a wave in which an SM has the share `sm`
/// of its blocks, and all SMs together the share `chip` of theirs. A warp's
/// waiting is its own.
std::array<double, kNumCosts> Predictor::ofWave(double sm, double chip) const {
  auto at = [&](Term id) { return p.clocks[static_cast<unsigned>(id)]; };
  std::array<double, kNumCosts> result;
  result[static_cast<unsigned>(Cost::Compute)] =
      sm * std::cbrt(cube(at(Term::Fma)) + cube(at(Term::Arithmetic)) +
                     cube(at(Term::Special)) + cube(at(Term::Tensor)) +
                     cube(at(Term::Issue)) + cube(at(Term::Fetch)));
  result[static_cast<unsigned>(Cost::Memory)] =
      norm3(sm * at(Term::Lsu), chip * at(Term::L2), chip * at(Term::Dram),
            sm * at(Term::Atomics));
  // A block alone takes its phases or its warps' own time, whichever is more.
  result[static_cast<unsigned>(Cost::Communication)] =
      norm3(at(Term::Chain) + at(Term::Barriers) + at(Term::Shuffles),
            at(Term::Phases));
  for (double &clocks : result)
    clocks *= p.vectorFactor / t.hz;
  return result;
}

/// Full waves, then what is left: the SM with most of it has fewer blocks,
/// which have the SM, and with fewer on all SMs L2 and DRAM, to themselves.
void Predictor::waves() {
  double blocks = std::max(f.blocks, 1.0);
  double wave = activeSMs * p.blocksPerSM;
  double full = std::floor(blocks / wave + 1e-9);
  double left = blocks - full * wave;
  p.wavesPaid = full;
  if (left < 0.5)
    return;
  auto norm = [](const std::array<double, kNumCosts> &cost) {
    return norm3(cost[0], cost[1], cost[2]);
  };
  double most = std::ceil(left / activeSMs - 1e-9) / p.blocksPerSM;
  double share = left / wave;
  double taken = ratio(norm(ofWave(most, share)), norm(ofWave(1, 1)));
  // A wrong constant makes no last wave longer than a full one.
  p.wavesPaid += share + std::min(c[C::Tail], 1.0) * (taken - share);
}

void Predictor::combine(const CostWeights &weights) {
  auto at = [&](Term id) { return p.clocks[static_cast<unsigned>(id)]; };
  // The host's part overlaps with nothing on the device.
  double overhead = (at(Term::Launch) + at(Term::HostCopy)) / t.hz;
  std::array<double, kNumCosts> onDevice = ofWave(1, 1);
  for (double &seconds : onDevice)
    seconds *= p.wavesPaid;
  double norm = norm3(onDevice[0], onDevice[1], onDevice[2]);
  p.seconds = 0;
  for (unsigned i = 0; i < kNumCosts; ++i) {
    double share = norm > 0 ? onDevice[i] / norm : 0;
    double apart =
        i == static_cast<unsigned>(Cost::Communication) ? overhead : 0;
    p.cost[i] = onDevice[i] + apart;
    double counted = share * share * onDevice[i] + apart;
    p.weight[i] = ratio(counted, p.cost[i]);
    p.seconds += p.weight[i] * p.cost[i];
  }
  p.overhead = overhead;
  if (weights != CostWeights())
    correct(weights);
}

/// Each term's part by its factor, and all by the scale.
void Predictor::correct(const CostWeights &weights) {
  std::array<double, kNumTerms> part = secondsByTerm(p);
  std::array<double, kNumCosts> counted{};
  for (unsigned k = 0; k < kNumTerms; ++k)
    counted[static_cast<unsigned>(costOf(Term(k)))] +=
        weights.scale * weights.eta[k] * part[k];
  p.seconds = 0;
  for (unsigned i = 0; i < kNumCosts; ++i) {
    p.weight[i] = ratio(counted[i], p.cost[i]);
    p.seconds += counted[i];
  }
}

void Predictor::run(const CostWeights &weights) {
  if (!resources()) {
    p.seconds = kInfinity;
    return;
  }
  residency();
  Traffic sum = traffic();
  computeTerms(sum);
  memoryTerms(sum);
  waitingTerms(sum);
  phaseTerm(sum);
  roofline();
  if (sum.widest > kVectorInstBytes)
    p.vectorFactor +=
        c[C::WideVector] * std::log2(sum.widest / kVectorInstBytes);
  waves();
  combine(weights);
}

} // namespace

std::array<double, kNumTerms> secondsByTerm(const Prediction &p) {
  auto at = [&](Term id) { return p.clocks[static_cast<unsigned>(id)]; };
  std::array<double, kNumTerms> part{};
  std::array<double, kNumCosts> cubes{};
  double waiting = at(Term::Chain) + at(Term::Barriers) + at(Term::Shuffles);
  for (unsigned k = 0; k < kNumTerms; ++k) {
    switch (Term(k)) {
    case Term::Chain:
    case Term::Barriers:
    case Term::Shuffles: // one after the other
      part[k] = p.clocks[k] * waiting * waiting;
      break;
    case Term::Launch:
    case Term::HostCopy:
      continue; // in no norm
    default:
      part[k] = cube(p.clocks[k]);
    }
    cubes[static_cast<unsigned>(costOf(Term(k)))] += part[k];
  }
  for (unsigned k = 0; k < kNumTerms; ++k) {
    auto cost = static_cast<unsigned>(costOf(Term(k)));
    double counted = p.weight[cost] * p.cost[cost];
    if (Cost(cost) == Cost::Communication)
      counted -= p.overhead;
    part[k] *= ratio(counted, cubes[cost]);
  }
  double apart = at(Term::Launch) + at(Term::HostCopy);
  for (Term id : {Term::Launch, Term::HostCopy})
    part[static_cast<unsigned>(id)] = p.overhead * ratio(at(id), apart);
  return part;
}

Prediction predict(const KernelFeatures &features, const ModelTarget &target,
                   const Constants &constants, const CostWeights &weights) {
  Prediction result;
  Predictor(features, target, constants, result).run(weights);
  return result;
}

Prediction predict(const KernelFeatures &features, const TargetSpec &target,
                   const Constants &constants) {
  return predict(features, ModelTarget::from(target), constants);
}

std::array<float, kNumHardwareFeatures>
hardwareFeatures(const KernelFeatures &f, const Prediction &p) {
  auto at = [&](Term id) { return p.clocks[static_cast<unsigned>(id)]; };
  double whole = 1;
  for (Term id : {Term::Fma, Term::Arithmetic, Term::Tensor, Term::Issue,
                  Term::Lsu, Term::L2, Term::Dram, Term::Chain})
    whole = std::max(whole, at(id));
  // Below a thousandth of the largest a term does not matter.
  auto share = [&](Term id) { return std::log(at(id) / whole + 1e-3); };
  double loads = 0, words = 0, global = 0;
  for (int i = 0; i < f.numStreams; ++i) {
    const AccessStream &s = f.streams[i];
    (s.isShared ? loads : global) += s.loads;
    words += s.loads * s.vectorBytes / kWordBytes;
  }
  double work = 1 + f.fma32 + f.fp32 + f.fp16 + f.fp64 + f.tensorFma;
  auto per = [&](double x) { return std::log(x / work + 1e-3); };
  const double values[kNumHardwareFeatures] = {
      share(Term::Fma) + share(Term::Tensor),
      share(Term::Issue),
      share(Term::Lsu),
      share(Term::L2),
      share(Term::Dram),
      share(Term::Chain),
      per(loads),
      per(global),
      per(words),
      per(f.copies),
      std::log(1 + p.registers),
      std::log(1 + p.spilled),
      std::log(1 + p.blocksPerSM),
      std::log(1 + p.warpsPerSM),
      p.wavesPaid > 0 ? std::log(p.wavesPaid / p.waves) * 10 : 0,
      std::log(work)};
  std::array<float, kNumHardwareFeatures> result;
  std::copy(std::begin(values), std::end(values), result.begin());
  return result;
}

void predictBatch(std::span<const KernelFeatures> features,
                  const ModelTarget &target,
                  std::span<const Constants> constants,
                  std::span<double> seconds, const CostWeights &weights) {
  size_t out = 0;
  for (const KernelFeatures &f : features)
    for (const Constants &c : constants)
      seconds[out++] = predict(f, target, c, weights).seconds;
}

} // namespace hwtune
