//===- Core.h - decoded programs, warps, blocks, launches -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_CORE_H
#define HWTUNE_LIB_SIMULATOR_EXEC_CORE_H

#include "Machine.h"
#include "Video.h"
#include "hwtune/Simulator/Exec/DeviceHeap.h"
#include "hwtune/Simulator/Exec/Exec.h"

#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace hwtune::exec {

/// Addresses of functions, for indirect calls: 16 bytes each.
inline constexpr uint64_t kCodeWindow = 0x6'0000'0000;
inline constexpr uint64_t kCodeStride = 16;

/// Names to entries, for one vector unit. Built once, then only read.
class Registry {
public:
  void add(std::string name, Entry entry) { table[std::move(name)] = entry; }
  const Entry *find(const std::string &name) const {
    auto it = table.find(name);
    return it == table.end() ? nullptr : &it->second;
  }
  size_t size() const { return table.size(); }

private:
  std::unordered_map<std::string, Entry> table;
};
/// Of a vector unit, "" being the best of this host; null where this host has
/// no such unit.
const Registry *hostRegistry(std::string_view unit);

/// A value passed at a call, between the caller's and the callee's frame.
struct CallValue {
  uint32_t calleeOffset = 0; ///< in the callee's local frame
  uint32_t bytes = 0;
  bool inRegister = false;
  uint32_t caller = 0; ///< register slot, or offset in the caller's local frame
  bool placed = false; ///< `caller` is final
};
struct CallDesc {
  int32_t function = -1; ///< direct callee
  uint32_t slot = 0;     ///< else the register with the address
  bool placed = false;   ///< `slot` is final
  std::vector<CallValue> args, returns;
  uint32_t meta = 0;
  uint32_t builtin = 0; ///< 1 + index of a Builtin
};
enum class Builtin : uint32_t { Vprintf, Assertfail, Malloc, Free };

/// A basic block, for counting.
struct BlockInfo {
  uint32_t firstMeta = 0, numMetas = 0;
};

/// One function, assembled for one mode.
struct Code {
  std::vector<Inst> insts;
  std::vector<uint32_t> metaOf; ///< by instruction
};
inline constexpr uint32_t kNoMeta = ~0u;

/// What is inserted before instructions: bits of a mode.
enum ModeBits : uint32_t {
  ModeCount = 1,
  ModeCheck = 2,
  ModeTrace = 4,
  ModeTraceAccesses = 8
};
inline constexpr uint32_t kNumModes = 16;

/// Pre-assembly form of one handler invocation.
struct Op {
  const Entry *entry = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;
  uint32_t ext[4] = {}; ///< second word, where the entry takes one
  bool hasExt = false;
  int32_t target = -1;     ///< branch: label of the target block
  int32_t recon = -1;      ///< branch: block of reconvergence
  uint32_t meta = kNoMeta; ///< first op of an instruction carries it
  uint32_t mem = kNoMeta;  ///< index of a memory descriptor
  uint32_t skip = 0;       ///< guard: operations up to and including restore
  uint32_t guard = kTruePredicate, guardXor = 0; ///< of the instruction
};
struct OpBlock {
  std::vector<Op> ops;
  bool isReconvergence = false;
  uint32_t firstMeta = 0, numMetas = 0;
};

struct DecodedFunction {
  FunctionInfo info;
  std::vector<OpBlock> blocks;
  uint32_t frameBytes = 0;
  /// Constants: value repeated over the lanes.
  struct Constant {
    uint32_t slot = 0;
    bool wide = false;
    uint64_t bits = 0;
  };
  std::vector<Constant> constants;
  uint32_t localBytes = 0; ///< whole frame: returns, parameters, variables
  uint32_t firstMeta = 0, numMetas = 0;
  uint32_t firstBlock = 0; ///< of the program-wide block counters
  std::vector<uint32_t> callees;
  bool callsIndirect = false, usesAlloca = false;
  bool defined = false;
};

struct Program::Impl {
  GlobalMemory *memory = nullptr;
  const Registry *registry = nullptr;
  std::vector<DecodedFunction> functions;
  std::vector<FunctionInfo> infos;
  std::vector<GlobalInfo> globals;
  std::vector<DeviceAddress> owned; ///< allocations to release
  struct Free {
    void operator()(void *p) const { free(p); }
  };
  std::vector<std::unique_ptr<void, Free>> managed; ///< host side of some
  std::vector<InstMeta> metas;
  std::vector<MemDesc> mem;
  std::vector<CallDesc> calls;
  std::vector<MatrixDesc> matrices;
  std::vector<VideoDesc> videos;
  std::vector<Refusal> refusals;
  uint32_t numBlocks = 0;
  std::vector<BlockInfo> blockInfos;
  bool readsReservedShared = false; ///< %reserved_smem_offset_*

  /// Code for a mode, made at first use.
  const std::vector<Code> &code(uint32_t mode) const;
  mutable std::mutex mutex;
  mutable std::array<std::unique_ptr<std::vector<Code>>, kNumModes> codes;
};

/// Barriers that `bar` numbers, and one more for `barrier.cluster`.
inline constexpr uint32_t kBarriers = 16, kClusterBarrier = 16;

struct BarrierState {
  uint32_t arrived = 0;  ///< threads
  uint32_t expected = 0; ///< threads; 0: all that have not exited
  uint32_t count = 0;    ///< barrier.red: threads whose predicate holds
  uint32_t voters = 0;   ///< threads that gave a predicate
  bool used = false;
};

/// Instructions of a warp until others take their turn; of a traced one, which
/// may be stopped early; and what `nanosleep` counts as.
inline constexpr int64_t kSlice = 20000, kTracedSlice = 500, kSleep = 500;

/// Lanes wait at a point of reconvergence until their warp has run so many
/// instructions since the last of them came: those that are missing may be
/// going round a loop for what the waiting ones do next. The first number is
/// for warps that did not need it yet. It is halved at each need, down to the
/// second: lanes that take a lock in turn need it again and again.
inline constexpr int64_t kPatience = 16000, kLeastPatience = 2000;

/// The cold part of a warp.
struct WarpState {
  std::vector<Path> ready;   ///< the last runs next
  std::vector<Path> waiting; ///< at block barriers and warp-level syncs
  std::vector<Recon *> live; ///< records in use
  std::vector<Recon *> freeRecons;
  std::deque<Recon> reconPool;
  std::vector<std::vector<Frame *>> freeFrames; ///< by function
  std::deque<Frame> framePool;
  std::deque<std::unique_ptr<std::byte[]>> frameMemory;
  struct Free {
    void operator()(void *p) const { free(p); }
  };
  std::unique_ptr<void, Free> localMemory;
  int64_t clock = 0; ///< instructions run, those left of the turn included
  int64_t patience = kPatience;
  bool finished = false;
  bool syncPass = false; ///< the next warp-level sync does not wait
  uint64_t divergent = 0;
  struct AsyncCopy {
    std::byte *to;
    std::array<std::byte, 16> data;
    uint32_t bytes;
  };
  std::vector<AsyncCopy> pending[kLanes];            ///< not yet committed
  std::deque<std::vector<AsyncCopy>> groups[kLanes]; ///< committed
};

struct Block {
  Launch *launch = nullptr;
  uint64_t linear = 0;
  Dim3 id{};
  uint32_t numThreads = 0, aliveThreads = 0;
  std::vector<Warp> warps;
  std::vector<std::unique_ptr<WarpState>> states;
  std::unique_ptr<std::byte[]> sharedMemory;
  std::array<BarrierState, kBarriers + 1> barriers;
  bool started = false, done = false;
  uint64_t progress = 0;                    ///< barriers passed and warps ended
  std::shared_ptr<struct CheckState> check; ///< of a checked launch
};

struct Launch {
  const Program::Impl *program = nullptr;
  GlobalMemory *memory = nullptr;
  const LaunchRequest *request = nullptr;
  const DecodedFunction *kernel = nullptr;
  uint32_t kernelIndex = 0;
  uint32_t mode = 0;
  const std::vector<Code> *code = nullptr;
  std::vector<MemDesc> mem;
  std::vector<std::byte> params;
  LaunchResult result;
  int64_t sharedBytes = 0;     ///< the reserved ones included, where they are
  uint64_t reservedShared = 0; ///< where these begin
  uint64_t localStride = 0;
  int64_t budgetLeft = 0; ///< instructions, where there is a budget
  int64_t slice = kSlice;
  uint64_t sliced = 0; ///< instructions run, those left of the turn included
  std::vector<uint64_t> blockRuns, blockLanes; ///< by program-wide block
  uint64_t predOff = 0;
  std::deque<std::string> printed; ///< of each printf, oldest first
  uint64_t printedBytes = 0;
  uint64_t ticks = 0;           ///< keeps clock readings apart
  uint64_t workspace = 0;       ///< of grid synchronisation
  std::vector<CountMemo> memos; ///< of a counting launch
  DeviceHeap *heap = nullptr;
};

// --- services (Warp.cpp, Launch.cpp) ----------------------------------------

/// Records the first failure of the launch and makes the warp stop.
void fault(Warp *W, LaunchStatus status, DiagnosticKind kind, const Inst *I,
           uint32_t lane, uint64_t address, std::string text);
uint32_t metaAt(const Launch &launch, uint32_t function, const Inst *I);

Recon *newRecon(Warp *W);
Frame *newFrame(Warp *W, uint32_t function);
void freeFrame(Warp *W, Frame *frame);
/// Removes lanes from the records from `from` up to, not including, `to`.
void leaveRecons(Warp *W, Recon *from, Recon *to, uint32_t lanes);
void exitLanes(Warp *W, uint32_t lanes);
/// The instructions that the warp has run.
inline int64_t warpTime(const Warp *W) { return W->state->clock - W->slice; }
/// Lanes have come to the record and wait for the others there.
inline void waitAt(const Warp *W, Recon *r, uint32_t lanes) {
  r->arrived |= lanes;
  r->since = warpTime(W);
}
/// Makes another path ready if lanes wait that need not; false if none can go.
bool unblock(Warp *W);
/// Makes lanes ready that have waited for longer than the warp's patience.
void releaseOverdue(Warp *W);
/// Moves paths whose barrier is complete to the ready lists.
void checkBarriers(Block &block);
/// Arrives at a barrier with `lanes`.
bool arriveBarrier(Warp *W, const Inst *I, uint32_t id, uint32_t threads,
                   uint32_t lanes);

/// Completes the asynchronous copies of these lanes.
void landCopies(Warp *W, uint32_t lanes);

// Control handlers used from elsewhere.
void switchPath(HWTUNE_HANDLER_ARGS);
/// Waits for the members of a warp-level operation that are not here yet.
void parkSync(Warp *W, const Inst *I, uint32_t mask, uint32_t members);
/// The members that must be here before the operation runs.
inline bool syncReady(Warp *W, uint32_t mask, uint32_t members) {
  uint32_t need = members & W->alive;
  if (HWTUNE_LIKELY((mask & need) == need))
    return true;
  if (W->state->syncPass) {
    W->state->syncPass = false;
    return true;
  }
  return false;
}

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_CORE_H
