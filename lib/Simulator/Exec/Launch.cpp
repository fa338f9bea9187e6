//===- Launch.cpp - running the blocks of a grid --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block runs until it ends. If its warps only spin, waiting for another
// block, the next one starts and they take turns.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace hwtune::exec {

// --- failures ---------------------------------------------------------------

uint32_t metaAt(const Launch &launch, uint32_t function, const Inst *I) {
  const Code &code = (*launch.code)[function];
  size_t at = size_t(I - code.insts.data());
  return at < code.metaOf.size() ? code.metaOf[at] : kNoMeta;
}

void fault(Warp *W, LaunchStatus status, DiagnosticKind kind, const Inst *I,
           uint32_t lane, uint64_t address, std::string text) {
  W->stop = Stop::Fault;
  LaunchResult &r = W->launch->result;
  if (r.status != LaunchStatus::Ok)
    return;
  r.status = status;
  Diagnostic &d = r.diagnostic;
  d.kind = kind;
  uint32_t function = W->frame ? W->frame->function : W->launch->kernelIndex;
  uint32_t meta = metaAt(*W->launch, function, I);
  d.function = W->launch->program->functions[function].info.name;
  d.line = meta < W->launch->program->metas.size()
               ? W->launch->program->metas[meta].line
               : 0;
  lane &= 31;
  d.thread = {W->tid[0][lane], W->tid[1][lane], W->tid[2][lane]};
  d.block = W->block->id;
  d.address = address;
  d.text = std::move(text);
}

std::byte *resolveLane(Warp *W, MemDesc &D, uint64_t address, uint32_t lane,
                       uint32_t bytes, const Inst *I) {
  AddrSpace space = D.space;
  uint64_t off = address;
  if (space == AddrSpace::Generic) {
    space = AddrSpace::Global;
    if (address - kSharedWindow < kSharedWindowBytes)
      space = AddrSpace::Shared, off -= kSharedWindow;
    else if (address - kLocalWindow < kLocalWindowBytes)
      space = AddrSpace::Local, off -= kLocalWindow;
    else if (address - kParamWindow < kParamWindowBytes)
      space = AddrSpace::Param, off -= kParamWindow;
  }
  const char *what = D.isAtomic ? "atomic" : D.isStore ? "store" : "load";
  // Three of four elements are aligned as the four are.
  if (off & (std::bit_ceil(bytes) - 1)) {
    fault(W, LaunchStatus::MisalignedAddress, DiagnosticKind::Misaligned, I,
          lane, address,
          fmt::format("{} of {} bytes at {:#x}, expected a multiple of {}",
                      what, bytes, address, std::bit_ceil(bytes)));
    return nullptr;
  }
  auto within = [&](uint64_t size) {
    return off <= size && bytes <= size - off;
  };
  switch (space) {
  case AddrSpace::Shared:
    if (within(uint64_t(W->sharedBytes)))
      return W->shared + off;
    fault(W, LaunchStatus::IllegalAddress, DiagnosticKind::OutOfBounds, I, lane,
          address,
          fmt::format(
              "shared {} of {} bytes at offset {:#x}, expected below {:#x}",
              what, bytes, off, W->sharedBytes));
    return nullptr;
  case AddrSpace::Local:
    if (within(W->localStride))
      return W->local + lane * W->localStride + off;
    fault(W, LaunchStatus::IllegalAddress, DiagnosticKind::OutOfBounds, I, lane,
          address,
          fmt::format(
              "local {} of {} bytes at offset {:#x}, expected below {:#x}",
              what, bytes, off, W->localStride));
    return nullptr;
  case AddrSpace::Param:
    if (within(W->launch->params.size()) && !D.isStore && !D.isAtomic)
      return W->launch->params.data() + off;
    fault(W, LaunchStatus::IllegalAddress,
          D.isStore ? DiagnosticKind::WriteToConstant
                    : DiagnosticKind::OutOfBounds,
          I, lane, address,
          fmt::format("{} of {} bytes at offset {:#x} of the kernel's {} bytes "
                      "of parameters",
                      what, bytes, off, W->launch->params.size()));
    return nullptr;
  default:
    break;
  }
  Allocation *a = W->launch->memory->find(address);
  if (!a || bytes > a->bytes - (address - a->base)) {
    std::string near = "no allocation is there";
    if (a)
      near = fmt::format("the allocation at {:#x} has {} bytes", a->base,
                         a->bytes);
    else if (const Allocation *below =
                 W->launch->memory->find(address & ~uint64_t(0));
             below)
      near = fmt::format("after the allocation at {:#x}", below->base);
    fault(W, LaunchStatus::IllegalAddress, DiagnosticKind::OutOfBounds, I, lane,
          address,
          fmt::format("global {} of {} bytes at {:#x}, but {}", what, bytes,
                      address, near));
    return nullptr;
  }
  if (a->readOnly && (D.isStore || D.isAtomic)) {
    fault(W, LaunchStatus::IllegalAddress, DiagnosticKind::WriteToConstant, I,
          lane, address,
          fmt::format("{} of {} bytes at {:#x} in constant memory", what, bytes,
                      address));
    return nullptr;
  }
  D.lo = a->base;
  D.limit = int64_t(a->bytes) - D.laneBytes;
  D.host = a->host;
  return a->host + (address - a->base);
}

// --- blocks -----------------------------------------------------------------

namespace {

struct FreeDeleter {
  void operator()(void *p) const { free(p); }
};

class GridRunner {
public:
  explicit GridRunner(Launch &launch)
      : L(launch), options(launch.request->options) {}

  void run() {
    const LaunchRequest &q = *L.request;
    uint64_t total = uint64_t(q.grid[0]) * q.grid[1] * q.grid[2];
    uint64_t count = options.blocks.empty() ? total : options.blocks.size();
    size_t limit = options.cooperative
                       ? size_t(count)
                       : std::max<size_t>(1, options.residentBlocks);
    size_t turn = 0;
    while (L.result.ok() && (nextBlock < count || !resident.empty())) {
      if (resident.empty())
        admit();
      turn %= resident.size();
      bool stuck = !runBlock(*resident[turn]);
      if (!L.result.ok())
        return;
      if (resident[turn]->done) {
        retire(turn);
        stuckTurns = 0;
        continue;
      }
      stuckTurns = stuck ? stuckTurns + 1 : 0;
      if (resident.size() < limit && nextBlock < count)
        admit();
      else if (stuckTurns > resident.size() * 2)
        return deadlock(*resident[turn]);
      ++turn;
    }
  }

private:
  void admit() {
    std::unique_ptr<Block> b;
    if (!spare.empty()) {
      b = std::move(spare.back());
      spare.pop_back();
    } else {
      b = makeBlock();
    }
    uint64_t index = nextBlock++;
    start(*b, options.blocks.empty() ? index : options.blocks[index]);
    resident.push_back(std::move(b));
  }

  void retire(size_t turn) {
    Block &b = *resident[turn];
    for (Warp &w : b.warps) {
      L.predOff += w.predOff;
      L.result.events.divergentBranches += w.state->divergent;
    }
    if (options.trace)
      options.trace->blockEnd(b.linear);
    ++L.result.blocksRun;
    // One that was stopped has frames in use.
    if (b.aliveThreads == 0)
      spare.push_back(std::move(resident[turn]));
    resident.erase(resident.begin() + long(turn));
  }

  std::unique_ptr<Block> makeBlock() {
    const LaunchRequest &q = *L.request;
    auto b = std::make_unique<Block>();
    b->launch = &L;
    b->numThreads = q.block[0] * q.block[1] * q.block[2];
    uint32_t numWarps = (b->numThreads + kLanes - 1) / kLanes;
    b->sharedMemory.reset(new std::byte[size_t(L.sharedBytes) + 256]);
    auto raw = reinterpret_cast<uintptr_t>(b->sharedMemory.get());
    std::byte *shared = b->sharedMemory.get() + (128 - raw % 128) % 128;
    b->warps.resize(numWarps);
    for (uint32_t i = 0; i < numWarps; ++i) {
      b->states.push_back(std::make_unique<WarpState>());
      Warp &w = b->warps[i];
      w.state = b->states.back().get();
      w.state->freeFrames.resize(L.program->functions.size());
      w.index = i;
      w.launch = &L;
      w.block = b.get();
      w.mem = L.mem.data();
      w.matrix = L.program->matrices.data();
      w.shared = shared;
      w.sharedBytes = L.sharedBytes;
      w.params = L.params.data();
      w.memos = L.memos.data();
      w.blockRuns = L.blockRuns.data();
      w.blockLanes = L.blockLanes.data();
      if (L.localStride) {
        // Zero pages until touched: most stacks stay small.
        w.state->localMemory.reset(calloc(kLanes, L.localStride));
        w.local = static_cast<std::byte *>(w.state->localMemory.get());
        w.localStride = L.localStride;
      }
      w.exists = 0;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        uint32_t t = i * kLanes + lane;
        w.exists |= t < b->numThreads ? 1u << lane : 0;
        w.tid[0][lane] = t % q.block[0];
        w.tid[1][lane] = t / q.block[0] % q.block[1];
        w.tid[2][lane] = t / q.block[0] / q.block[1];
      }
    }
    return b;
  }

  void start(Block &b, uint64_t linear) {
    const LaunchRequest &q = *L.request;
    b.linear = linear;
    b.id = {uint32_t(linear % q.grid[0]),
            uint32_t(linear / q.grid[0] % q.grid[1]),
            uint32_t(linear / q.grid[0] / q.grid[1])};
    b.aliveThreads = b.numThreads;
    b.done = false;
    b.progress = 0;
    b.barriers = {};
    memset(b.warps[0].shared, 0, size_t(L.sharedBytes));
    for (Warp &w : b.warps) {
      w.alive = w.exists;
      w.predOff = 0;
      WarpState &s = *w.state;
      s.divergent = 0;
      s.clock = 0;
      s.patience = kPatience;
      s.finished = false;
      s.ready.clear();
      s.waiting.clear();
      for (auto &p : s.pending)
        p.clear();
      for (auto &g : s.groups)
        g.clear();
      Frame *f = newFrame(&w, L.kernelIndex);
      f->live = w.exists;
      f->localTop = L.kernel->localBytes;
      Path p;
      p.pc = (*L.code)[L.kernelIndex].insts.data();
      p.mask = w.exists;
      p.frame = f;
      s.ready.push_back(p);
    }
    startModes(b);
    if (options.trace)
      options.trace->blockStart(linear);
  }

  /// One turn of all warps, repeated while they pass barriers or end. False
  /// if no warp could run.
  bool runBlock(Block &b) {
    bool ran = false;
    int patience = resident.size() > 1 ? 1 : 4;
    for (int idle = 0; idle < patience;) {
      uint64_t before = b.progress;
      bool any = false;
      for (Warp &w : b.warps) {
        if (w.state->finished)
          continue;
        any |= runWarp(w);
        if (!L.result.ok())
          return true;
      }
      ran |= any;
      if (b.aliveThreads == 0 ||
          (options.trace && options.trace->hasEnough(b.linear))) {
        b.done = true;
        return true;
      }
      if (!any)
        return ran;
      idle = b.progress == before ? idle + 1 : 0;
    }
    return ran;
  }

  /// A turn of the warp; false if no path of it can run.
  bool runWarp(Warp &w) {
    if (!unblock(&w))
      return false;
    uint32_t alive = w.alive;
    int64_t left = L.slice;
    do {
      left -= runPaths(w, left);
      if (w.stop == Stop::Yield || w.stop == Stop::Sleep)
        putBack(w);
    } while (w.stop == Stop::Yield && left > 0);
    if (w.alive == 0)
      w.state->finished = true;
    if (w.alive != alive)
      checkBarriers(*w.block);
    return true;
  }

  /// Runs the paths of a warp, the last that is ready first, for `most`
  /// instructions or until lanes may have waited enough. Returns how many.
  int64_t runPaths(Warp &w, int64_t most) {
    WarpState &s = *w.state;
    Path p = s.ready.back();
    s.ready.pop_back();
    w.frame = p.frame;
    w.recon = p.recon;
    w.slice = s.live.empty() ? most : std::min(most, s.patience);
    w.stop = Stop::Switch;
    int64_t given = w.slice;
    s.clock += given;
    L.sliced += uint64_t(given);
    runChain(w, p);
    int64_t left = std::exchange(w.slice, 0);
    s.clock -= left;
    L.sliced -= uint64_t(left);
    return given - left;
  }

  /// Others run before the path that was interrupted.
  void putBack(Warp &w) {
    Path q;
    q.pc = w.pc;
    q.mask = w.mask;
    q.frame = w.frame;
    q.recon = w.recon;
    w.state->ready.insert(w.state->ready.begin(), q);
    releaseOverdue(&w);
    if (options.instructionBudget && L.sliced > options.instructionBudget)
      fault(&w, LaunchStatus::Timeout, DiagnosticKind::Watchdog, q.pc,
            uint32_t(__builtin_ctz(q.mask)), 0,
            fmt::format("the launch did not end within {} warp instructions",
                        options.instructionBudget));
  }

  static void runChain(Warp &w, const Path &p) {
    uint32_t mask = p.mask;
    const Inst *I = p.pc;
#if HWTUNE_TAIL_CALLS
    (mask == kFullMask ? I->full : I->masked)(I, p.frame->regs, &w, mask);
#else
    w.goOn = true;
    w.pc = I;
    w.mask = mask;
    w.regs = p.frame->regs;
    while (w.goOn) {
      w.goOn = false;
      I = w.pc;
      mask = w.mask;
      (mask == kFullMask ? I->full : I->masked)(I, w.regs, &w, mask);
    }
#endif
  }

  void deadlock(Block &b) {
    for (Warp &w : b.warps)
      for (const Path &p : w.state->waiting) {
        w.frame = p.frame;
        fault(&w, LaunchStatus::Deadlock, DiagnosticKind::Deadlock, p.pc,
              uint32_t(__builtin_ctz(p.mask)), 0,
              p.wait == WaitKind::Barrier
                  ? fmt::format(
                        "threads wait at barrier {} for others that never come",
                        p.barrier)
                  : fmt::format("lanes wait for members {:#x} of a warp-level "
                                "operation that never come",
                                p.members));
        return;
      }
  }

  Launch &L;
  const LaunchOptions &options;
  uint64_t nextBlock = 0;
  size_t stuckTurns = 0;
  std::vector<std::unique_ptr<Block>> resident, spare;
};

/// Bytes of local memory that one thread of the kernel can use.
uint64_t stackBytes(const Program::Impl &P, uint32_t function,
                    std::vector<int> &state, bool &unbounded) {
  const DecodedFunction &F = P.functions[function];
  if (state[function] == 1) {
    unbounded = true;
    return 0;
  }
  state[function] = 1;
  uint64_t deepest = 0;
  unbounded |= F.callsIndirect || F.usesAlloca;
  for (uint32_t callee : F.callees)
    deepest = std::max(deepest, 16 + stackBytes(P, callee, state, unbounded));
  state[function] = 0;
  return F.localBytes + deepest;
}

/// The reserved part comes after the program's own, and is there only for
/// programs that ask where it is: for others it is out of bounds.
void placeShared(Launch &L) {
  const LaunchRequest &q = *L.request;
  uint64_t bytes = q.function->staticSharedBytes + q.dynamicSharedBytes;
  if (L.program->readsReservedShared) {
    constexpr uint64_t kAlignment = 128;
    L.reservedShared = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    bytes = L.reservedShared + q.options.reservedSharedBytes;
  }
  L.sharedBytes = int64_t(bytes);
}

LaunchResult refuse(LaunchStatus status, const LaunchRequest &q,
                    std::string text) {
  LaunchResult r;
  r.status = status;
  r.diagnostic.kind = DiagnosticKind::Launch;
  r.diagnostic.function = q.function ? q.function->name : "";
  r.diagnostic.text = std::move(text);
  return r;
}

std::optional<LaunchResult> validate(const Program::Impl &P,
                                     const LaunchRequest &q) {
  const FunctionInfo *f = q.function;
  if (!f || f < P.infos.data() || f >= P.infos.data() + P.infos.size() ||
      !f->isEntry)
    return refuse(LaunchStatus::InvalidRequest, q,
                  "the function is no kernel of this program");
  for (int i = 0; i < 3; ++i)
    if (q.grid[i] == 0 || q.block[i] == 0)
      return refuse(LaunchStatus::InvalidRequest, q,
                    fmt::format("grid ({},{},{}) of blocks ({},{},{}), "
                                "expected sizes of at least 1",
                                q.grid[0], q.grid[1], q.grid[2], q.block[0],
                                q.block[1], q.block[2]));
  uint64_t threads = uint64_t(q.block[0]) * q.block[1] * q.block[2];
  if (threads > q.options.maxThreadsPerBlock)
    return refuse(LaunchStatus::OutOfResources, q,
                  fmt::format("{} threads in a block, expected at most {}",
                              threads, q.options.maxThreadsPerBlock));
  if (f->maxNTid && threads > uint64_t((*f->maxNTid)[0]) * (*f->maxNTid)[1] *
                                  (*f->maxNTid)[2])
    return refuse(
        LaunchStatus::OutOfResources, q,
        fmt::format(
            "{} threads in a block, expected at most {} (.maxntid)", threads,
            uint64_t((*f->maxNTid)[0]) * (*f->maxNTid)[1] * (*f->maxNTid)[2]));
  if (f->reqNTid && q.block != *f->reqNTid)
    return refuse(
        LaunchStatus::InvalidRequest, q,
        fmt::format("blocks of ({},{},{}), expected ({},{},{}) (.reqntid)",
                    q.block[0], q.block[1], q.block[2], (*f->reqNTid)[0],
                    (*f->reqNTid)[1], (*f->reqNTid)[2]));
  if (std::string why = clusterObstacle(*f, q.clusterBlocks); !why.empty())
    return refuse(LaunchStatus::InvalidRequest, q, std::move(why));
  uint64_t shared = uint64_t(f->staticSharedBytes) + q.dynamicSharedBytes;
  if (shared > q.options.maxSharedBytes)
    return refuse(LaunchStatus::OutOfResources, q,
                  fmt::format("{} bytes of shared memory, expected at most {}",
                              shared, q.options.maxSharedBytes));
  if (q.params.size() < f->paramBytes)
    return refuse(LaunchStatus::InvalidRequest, q,
                  fmt::format("{} bytes of parameters, expected {}",
                              q.params.size(), f->paramBytes));
  uint64_t total = uint64_t(q.grid[0]) * q.grid[1] * q.grid[2];
  for (uint64_t b : q.options.blocks)
    if (b >= total)
      return refuse(LaunchStatus::InvalidRequest, q,
                    fmt::format("block {} of a grid of {}", b, total));
  return std::nullopt;
}

} // namespace

std::string clusterObstacle(const FunctionInfo &function,
                            const std::optional<Dim3> &named) {
  auto several = [](const Dim3 &d, const char *source) {
    return fmt::format("clusters of ({},{},{}) blocks ({}) are not supported",
                       d[0], d[1], d[2], source);
  };
  constexpr Dim3 kOne{1, 1, 1};
  if (function.clusterBlocks && *function.clusterBlocks != kOne)
    return several(*function.clusterBlocks, ".reqnctapercluster");
  if (named && *named != kOne)
    return several(*named, "named by the launch");
  if (function.wantsClusterSize && !function.clusterBlocks && !named)
    return "the launch does not name the size of its clusters "
           "(.explicitcluster)";
  return "";
}

LaunchResult launch(const Program &program, GlobalMemory &memory,
                    const LaunchRequest &request) {
  const Program::Impl &P = program.impl();
  if (auto refused = validate(P, request))
    return *refused;
  Launch L;
  L.program = &P;
  L.memory = &memory;
  L.request = &request;
  L.kernelIndex = uint32_t(request.function - P.infos.data());
  L.kernel = &P.functions[L.kernelIndex];
  L.mode = (request.options.countEvents ? ModeCount : 0) |
           (request.options.check ? ModeCheck : 0) |
           (!request.options.trace                  ? 0
            : request.options.trace->accessesOnly() ? ModeTraceAccesses
                                                    : ModeTrace);
  L.code = &P.code(L.mode);
  if (request.options.trace)
    L.slice = kTracedSlice;
  L.mem = P.mem;
  L.params.assign(request.params.begin(), request.params.end());
  placeShared(L);
  L.blockRuns.assign(P.numBlocks, 0);
  L.blockLanes.assign(P.numBlocks, 0);
  std::vector<int> state(P.functions.size());
  bool unbounded = false;
  uint64_t bytes = stackBytes(P, L.kernelIndex, state, unbounded);
  // Room for what a built-in function returns, and for recursion.
  L.localStride =
      (bytes + 256 + (unbounded ? request.options.stackBytes : 0) + 15) &
      ~15ull;
  // The counter that grid synchronisation of cooperative groups works on.
  if (request.options.cooperative)
    L.workspace = memory.allocate(256);
  DeviceHeap ownHeap(memory);
  L.heap = request.options.heap ? request.options.heap : &ownHeap;
  beginModes(L);
  GridRunner(L).run();
  if (request.options.printf)
    for (const std::string &text : L.printed)
      request.options.printf(text);
  endModes(L);
  memory.release(L.workspace);
  return std::move(L.result);
}

} // namespace hwtune::exec
