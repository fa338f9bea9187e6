//===- RegisterPressure.cpp - registers that a schedule needs -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterPressure.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace hwtune::exec {

namespace {

struct ScheduleGoal {
  /// Instructions between a load and its first use, where there are so many.
  unsigned loadDistance = 0;
  /// Iterations of a loop of one block that are scheduled together.
  unsigned unroll = 1;
  /// Of each so many instructions of the source, all come before the next.
  uint32_t window = ~0u;
};

constexpr ScheduleGoal kLeastRegisters{4};
constexpr ScheduleGoal kHiddenLatency{64, 4};
/// Instructions that `ptxas` 13.0 schedules together, as its code for sm_75
/// and sm_86 shows: chains of additions that run apart meet again there.
constexpr uint32_t kWindow = 4096;
constexpr ScheduleGoal kWindows{4, 1, kWindow};

/// One value: what one write of a register leaves, until the next.
using Value = uint32_t;

struct Node {
  std::vector<Value> writes, reads; ///< those that need registers
  bool isLoad = false;
  std::vector<uint32_t> before; ///< nodes that must come earlier
  unsigned after = 0;           ///< nodes that must come later, unscheduled
  uint64_t notBefore = 0;       ///< reverse step from which it may go
  uint32_t place = 0;           ///< instructions of hardware before it
};

constexpr uint32_t kNone = ~0u;
/// Candidates and readers that are looked at, so that the time stays linear.
constexpr size_t kMostCompared = 256;

/// A basic block as a graph of values, scheduled backwards.
class BlockSchedule {
public:
  explicit BlockSchedule(const Folding &folding) : folding(folding) {}

  void append(std::span<const InstMeta> insts) {
    for (const InstMeta &inst : insts)
      append(inst);
  }

  /// Most words live at once.
  unsigned schedule(const std::vector<uint32_t> &liveOut, ScheduleGoal goal);
  /// Instructions of hardware, and those of them that load nothing.
  uint32_t size() const { return placed; }
  uint32_t arithmetic() const { return placed - loads; }

private:
  void append(const InstMeta &inst);
  void place(const InstMeta &inst, Node &node);
  void read(Node &node, uint32_t representative);
  void after(Node &node, int from);
  void orderMemory(const InstMeta &inst, Node &node);
  Value current(uint32_t representative);
  Value newValue(uint32_t representative, int by);
  int change(const Node &node) const;
  std::pair<int, int> outlook(const Node &node) const;
  void findChains();
  size_t choose(const std::vector<uint32_t> &ready, uint64_t step) const;
  void take(const Node &node);

  const Folding &folding;
  std::vector<Node> nodes;
  std::unordered_map<uint32_t, Value> valueOf;
  // By value.
  std::vector<unsigned> words;
  std::vector<unsigned> users; ///< nodes that read it and are not scheduled
  std::vector<int> writer;     ///< node, -1: from before the block
  std::vector<std::vector<uint32_t>> readers;
  std::vector<bool> live;
  // By node.
  std::vector<int> height; ///< longest way to the end
  std::vector<uint32_t> chain;
  std::vector<int> frontier; ///< by chain: height of what was scheduled
  unsigned now = 0, highest = 0;
  // While appending.
  uint32_t placed = 0, loads = 0;
  int lastFence = -1;
  std::vector<uint32_t> sinceFence;
  /// Since the last fence, by state space.
  struct Accesses {
    int lastStore = -1;
    std::vector<uint32_t> loads; ///< since that store
  };
  std::map<ptx::Space, Accesses> accesses;
};

Value BlockSchedule::newValue(uint32_t representative, int by) {
  words.push_back(folding.words(representative));
  writer.push_back(by);
  users.push_back(0);
  return Value(words.size() - 1);
}

Value BlockSchedule::current(uint32_t representative) {
  auto at = valueOf.find(representative);
  if (at == valueOf.end())
    at = valueOf.emplace(representative, newValue(representative, -1)).first;
  return at->second;
}

void BlockSchedule::after(Node &node, int from) {
  if (from < 0)
    return;
  node.before.push_back(uint32_t(from));
  ++nodes[size_t(from)].after;
}

void BlockSchedule::read(Node &node, uint32_t representative) {
  Value value = current(representative);
  if (std::find(node.reads.begin(), node.reads.end(), value) !=
      node.reads.end())
    return;
  node.reads.push_back(value);
  ++users[value];
  after(node, writer[value]);
}

void BlockSchedule::append(const InstMeta &inst) {
  if (Folding::vanishes(inst) &&
      folding.of(inst.reads[0]) == folding.of(inst.writes[0]))
    return;
  Node node;
  for (uint32_t reg : inst.reads)
    if (uint32_t r = folding.of(reg); folding.words(r))
      read(node, r);
  for (uint32_t reg : inst.writes) {
    uint32_t r = folding.of(reg);
    if (!folding.words(r))
      continue;
    if (inst.guarded) // the lanes that are off keep what was there
      read(node, r);
    valueOf[r] = newValue(r, int(nodes.size()));
    node.writes.push_back(valueOf[r]);
  }
  orderMemory(inst, node);
  node.isLoad = inst.isMemory && inst.isLoad && !inst.isStore;
  place(inst, node);
  nodes.push_back(std::move(node));
}

/// Constants are operands of what uses them.
void BlockSchedule::place(const InstMeta &inst, Node &node) {
  node.place = placed;
  if (inst.writes.size() == 1 && folding.isConstant(inst.writes[0]))
    return;
  ++placed;
  loads += node.isLoad;
}

void BlockSchedule::orderMemory(const InstMeta &inst, Node &node) {
  auto at = uint32_t(nodes.size());
  bool isFence = inst.isBranch || inst.isAtomic ||
                 inst.cls == InstClass::Barrier ||
                 inst.cls == InstClass::Control ||
                 inst.cls == InstClass::Warp || inst.cls == InstClass::Other;
  if (isFence) {
    for (uint32_t access : sinceFence)
      after(node, int(access));
    after(node, lastFence);
    sinceFence.clear();
    accesses.clear();
    lastFence = int(at);
  } else if (inst.isMemory && !inst.isReadOnly) {
    after(node, lastFence);
    sinceFence.push_back(at);
    for (const auto &[space, others] : accesses) {
      if (!mayAlias(inst.space, space))
        continue;
      after(node, others.lastStore);
      if (inst.isStore)
        for (uint32_t load : others.loads)
          after(node, int(load));
    }
    Accesses &own = accesses[inst.space];
    if (inst.isStore)
      own = {int(at), {}};
    else
      own.loads.push_back(at);
  }
}

/// Words that live before `node` less those that live after it.
int BlockSchedule::change(const Node &node) const {
  int sum = 0;
  for (Value v : node.writes)
    if (live[v])
      sum -= int(words[v]);
  for (Value v : node.reads)
    if (!live[v])
      sum += int(words[v]);
  return sum;
}

/// Chains of instructions that pass a value on, each on its longest way to the
/// end of the block, such as the additions into one accumulator. Stores that
/// memory keeps in order still end chains of their own.
void BlockSchedule::findChains() {
  height.assign(nodes.size(), 0);
  chain.assign(nodes.size(), kNone);
  readers.assign(words.size(), {});
  for (size_t i = nodes.size(); i-- > 0;) {
    if (chain[i] == kNone) {
      chain[i] = uint32_t(frontier.size());
      frontier.push_back(height[i] - 1);
    }
    for (uint32_t before : nodes[i].before)
      height[before] = std::max(height[before], height[i] + 1);
    for (Value v : nodes[i].reads) {
      readers[v].push_back(uint32_t(i));
      if (writer[v] >= 0 && height[size_t(writer[v])] == height[i] + 1)
        chain[size_t(writer[v])] = chain[i];
    }
  }
}

/// Words more that live before `node` if it goes next, and how many steps the
/// last of the values that it wakes stays awake.
std::pair<int, int> BlockSchedule::outlook(const Node &node) const {
  int sum = change(node), reach = 0;
  for (Value v : node.reads) {
    if (node.isLoad) { // its address lives on for other loads
      if (!live[v])
        sum -= int(words[v]);
    } else if (users[v] == 1 && writer[v] >= 0 &&
               nodes[size_t(writer[v])].isLoad) {
      sum -= int(words[v]); // the load itself can go next
    } else if (!live[v]) {
      size_t most = std::min(readers[v].size(), kMostCompared);
      for (size_t k = 0; k < most; ++k) {
        uint32_t reader = readers[v][k];
        reach = std::max(reach, height[reader] - frontier[chain[reader]]);
      }
    }
  }
  return {sum, reach};
}

/// Index into `ready` of the instruction to take at `step`.
size_t BlockSchedule::choose(const std::vector<uint32_t> &ready,
                             uint64_t step) const {
  auto rank = [&](uint32_t i) {
    uint64_t from = nodes[i].notBefore;
    auto [sum, reach] = outlook(nodes[i]);
    return std::tuple(from > step ? from - step : 0, sum, reach, -int64_t(i));
  };
  size_t first = ready.size() - std::min(ready.size(), kMostCompared);
  size_t best = first;
  auto bestRank = rank(ready[best]);
  for (size_t k = first + 1; k < ready.size(); ++k)
    if (auto r = rank(ready[k]); r < bestRank) {
      bestRank = r;
      best = k;
    }
  return best;
}

void BlockSchedule::take(const Node &node) {
  unsigned dead = 0; // results that nothing reads still need a place
  for (Value v : node.writes)
    if (!live[v])
      dead += words[v];
  highest = std::max(highest, now + dead);
  now = unsigned(int(now) + change(node));
  for (Value v : node.writes)
    live[v] = false;
  for (Value v : node.reads) {
    live[v] = true;
    --users[v];
  }
  highest = std::max(highest, now);
}

unsigned BlockSchedule::schedule(const std::vector<uint32_t> &liveOut,
                                 ScheduleGoal goal) {
  std::vector<Value> atEnd;
  for (uint32_t r : liveOut)
    atEnd.push_back(current(r));
  live.assign(words.size(), false);
  for (Value v : atEnd) {
    live[v] = true;
    now += words[v];
  }
  highest = now;
  findChains();
  uint32_t windowStart = placed ? (placed - 1) / goal.window * goal.window : 0;
  std::vector<uint32_t> ready, earlierWindows;
  auto offer = [&](uint32_t i) {
    (nodes[i].place >= windowStart ? ready : earlierWindows).push_back(i);
  };
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].after == 0)
      offer(i);
  for (uint64_t step = 0; step < nodes.size(); ++step) {
    while (ready.empty() && !earlierWindows.empty()) {
      windowStart -= goal.window;
      for (uint32_t i : std::exchange(earlierWindows, {}))
        offer(i);
    }
    if (ready.empty()) // never: what is earlier depends on nothing later
      break;
    size_t best = choose(ready, step);
    uint32_t chosen = ready[best];
    ready.erase(ready.begin() + ptrdiff_t(best));
    int &reached = frontier[chain[chosen]];
    reached = std::max(reached, height[chosen]);
    take(nodes[chosen]);
    for (uint32_t before : nodes[chosen].before) {
      Node &earlier = nodes[before];
      if (earlier.isLoad)
        earlier.notBefore =
            std::max(earlier.notBefore, step + goal.loadDistance);
      if (--earlier.after == 0)
        offer(before);
    }
  }
  return highest;
}

using Bits = std::vector<uint64_t>;

/// Representatives live at the end of each block.
std::vector<std::vector<uint32_t>> liveOuts(const FlowGraph &flow,
                                            const Folding &folding) {
  size_t count = flow.blocks.size(), size = (flow.words.size() + 63) / 64;
  std::vector<Bits> use(count, Bits(size)), def(count, Bits(size)),
      in(count, Bits(size)), out(count, Bits(size));
  auto test = [](const Bits &b, uint32_t r) {
    return b[r / 64] >> (r % 64) & 1;
  };
  auto set = [](Bits &b, uint32_t r) { b[r / 64] |= 1ull << (r % 64); };
  for (size_t b = 0; b < count; ++b)
    for (const InstMeta &inst : flow.blocks[b].insts) {
      for (uint32_t reg : inst.reads)
        if (uint32_t r = folding.of(reg); !test(def[b], r))
          set(use[b], r);
      for (uint32_t reg : inst.writes) {
        uint32_t r = folding.of(reg);
        if (!inst.guarded)
          set(def[b], r);
        else if (!test(def[b], r))
          set(use[b], r);
      }
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = count; b-- > 0;)
      for (size_t w = 0; w < size; ++w) {
        for (uint32_t s : flow.blocks[b].successors)
          out[b][w] |= in[s][w];
        uint64_t now = use[b][w] | (out[b][w] & ~def[b][w]);
        changed |= now != in[b][w];
        in[b][w] = now;
      }
  }
  std::vector<std::vector<uint32_t>> lists(count);
  for (size_t b = 0; b < count; ++b)
    for (uint32_t r = 0; r < flow.words.size(); ++r)
      if (test(out[b], r) && folding.words(r))
        lists[b].push_back(r);
  return lists;
}

/// Instructions beyond which a loop is not unrolled.
constexpr size_t kMostUnrolled = 500;

/// Block `b` by itself.
class BlockPressure {
public:
  BlockPressure(const FlowGraph &flow, const Folding &folding, uint32_t b,
                const std::vector<uint32_t> &liveOut)
      : block(flow.blocks[b]), folding(folding), liveOut(liveOut),
        loops(std::find(block.successors.begin(), block.successors.end(), b) !=
              block.successors.end()) {}

  BlockSchedule schedule(ScheduleGoal goal) const {
    BlockSchedule schedule(folding);
    if (loops && !block.insts.empty())
      for (unsigned u = 1;
           u < goal.unroll && u * block.insts.size() < kMostUnrolled; ++u)
        schedule.append(block.insts.first(block.insts.size() - 1));
    schedule.append(block.insts);
    return schedule;
  }
  unsigned words(ScheduleGoal goal) const {
    return schedule(goal).schedule(liveOut, goal);
  }
  void addTo(RegisterPressure &most) const;

private:
  const FlowBlock &block;
  const Folding &folding;
  const std::vector<uint32_t> &liveOut;
  bool loops;
};

void BlockPressure::addTo(RegisterPressure &most) const {
  BlockSchedule whole = schedule(kLeastRegisters);
  most.least = std::max(most.least, whole.schedule(liveOut, kLeastRegisters));
  most.hoisted = std::max(most.hoisted, words(kHiddenLatency));
  // A block that ends the kernel is not cut.
  if (whole.size() > kWindow && !block.successors.empty()) {
    most.windows = std::max(most.windows, words(kWindows));
    most.loadsMakeWindows |= whole.arithmetic() <= kWindow;
  }
}

} // namespace

RegisterPressure registerPressure(const FlowGraph &flow,
                                  const Folding &folding) {
  std::vector<std::vector<uint32_t>> outs = liveOuts(flow, folding);
  RegisterPressure most;
  for (uint32_t b = 0; b < flow.blocks.size(); ++b)
    BlockPressure(flow, folding, b, outs[b]).addTo(most);
  most.windows = std::max(most.windows, most.least);
  return most;
}

} // namespace hwtune::exec
