//===- Machine.h - the state that handlers work on --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction is 32 bytes: two handlers and four operands, which are byte
// offsets into the register frame of the warp. A register is 32 lanes of 4 or
// 8 bytes (16-bit ones are zero-extended to 4), a predicate one 32-bit word.
// Handlers tail-call the next one; a handler that must leave the chain stores
// what is to be resumed in the warp and returns.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_MACHINE_H
#define HWTUNE_LIB_SIMULATOR_EXEC_MACHINE_H

#include <cstddef>
#include <cstdint>

namespace hwtune::exec {

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kFullMask = 0xffffffffu;

struct Inst;
struct Warp;
using Handler = void (*)(const Inst *, std::byte *, Warp *, uint32_t);

struct alignas(32) Inst {
  Handler full;   ///< all 32 lanes
  Handler masked; ///< any subset
  uint32_t d, a, b, c;
};
static_assert(sizeof(Inst) == 32);

/// Predicate words at the start of every frame.
inline constexpr uint32_t kTruePredicate = 0; ///< all ones
inline constexpr uint32_t kCarry = 4;         ///< CC.CF
inline constexpr uint32_t kFirstPredicate = 8;

enum class AddrSpace : uint8_t { Generic, Global, Shared, Local, Param };

/// The part of a memory instruction that does not fit in `Inst`. Each launch
/// works on its own copies, because they cache the allocation last used.
struct MemDesc {
  int64_t imm = 0;    ///< added to the base register
  uint64_t lo = 1;    ///< first address of the cached allocation
  int64_t limit = -1; ///< its bytes less those of one access, or negative
  std::byte *host = nullptr;
  uint32_t slots[8] = {}; ///< of vector elements
  uint8_t elemBytes = 4, elems = 1;
  uint8_t laneBytes = 4; ///< elemBytes * elems
  AddrSpace space = AddrSpace::Generic;
  bool wideBase = true; ///< 64-bit base register
  bool isStore = false, isAtomic = false, isAsync = false;
  bool isStrong = false;      ///< volatile, relaxed, acquire or release
  bool isInit = false;        ///< mbarrier.init: writes without reading
  bool halves = false;        ///< slots come in pairs of one 128-bit register
  uint32_t lanes = kFullMask; ///< whose addresses count (ldmatrix)
  uint32_t partner = ~0u;     ///< of an asynchronous copy: its shared side
  uint32_t meta = 0;          ///< InstMeta id
  uint32_t base = 0;          ///< slot of the base register
  bool isConstant = false;    ///< ld.const
  bool isFragment = false;    ///< wmma.load, wmma.store
  uint32_t leading = 0;       ///< of these: slot of the leading dimension, or 0
};

enum class MatrixType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32,
  E4M3,
  E5M2
};

enum class Rounding;

/// A matrix instruction: its shape, types and registers.
struct MatrixDesc {
  uint16_t m = 0, n = 0, k = 0;
  MatrixType a{}, b{}, c{}, d{};
  bool rowA = true, rowB = false;
  bool saturate = false, isAnd = false;
  bool isVolta = false; ///< mma.m8n8k4 on f16: four products by quad pairs
  bool isWmma = false;  ///< our own layout of fragments, see OpsMatrix.cpp
  Rounding rounding{};  ///< of f64; nearest unless wmma says otherwise
  uint8_t numA = 0, numB = 0, numC = 0, numD = 0;
  uint32_t slotsA[8] = {}, slotsB[8] = {}, slotsC[8] = {}, slotsD[8] = {};
  // --- loads and stores of fragments ---
  uint8_t part = 0; ///< 'a', 'b', 'c', 'd'
  bool rowMajor = true;
  bool transposed = false; ///< ldmatrix.trans
  uint32_t stride = 0;     ///< register with the leading dimension, or 0
};

/// What one access costs.
struct MemCost {
  uint32_t sectors = 0, lines = 0, wavefronts = 0;
};
struct MemCount {
  uint64_t runs = 0, sectors = 0, lines = 0, wavefronts = 0, lanes = 0;
};
/// Events of one memory instruction, with the costs of the shapes it had last.
/// A shape is the mask, the lanes' distances from the first one and the phase
/// of its address; sectors repeat modulo 32 bytes, so there are four ways.
struct alignas(64) CountMemo {
  uint64_t deltas[4][kLanes] = {};
  uint32_t mask[4] = {};
  uint32_t phase[4] = {};
  MemCost cost[4];
  MemCount counts[3]; ///< global, shared, local
  uint64_t misses = 0;
  /// Where shapes hardly ever come again, noting them is only now and then
  /// worth its time.
  bool keepsThisMiss() const {
    uint64_t runs = counts[0].runs + counts[1].runs + counts[2].runs;
    return runs < 64 || misses % 32 == 0 || misses < runs - runs / 4;
  }
};

/// Where lanes that were split come together again. Alive while `expected` is
/// not empty.
struct Recon {
  const Inst *target = nullptr; ///< a Reconverge instruction, or after a call
  struct Frame *frame = nullptr;
  uint32_t expected = 0; ///< lanes that have to come, or wait
  uint32_t arrived = 0;  ///< lanes that wait
  int64_t since = 0;     ///< time of the warp when the last of them came
  Recon *parent = nullptr;
};

/// One activation of a function.
struct Frame {
  std::byte *regs = nullptr;
  uint32_t function = 0;
  uint32_t live = 0; ///< lanes that have not returned
  Frame *caller = nullptr;
  Recon *back = nullptr;  ///< at the instruction after the call
  uint32_t localBase = 0; ///< of this frame, in each lane's local memory
  uint32_t localTop = 0;  ///< moves with alloca
  uint32_t call = 0;      ///< index of the call descriptor
};

enum class WaitKind : uint8_t { None, Barrier, WarpSync };

/// Lanes that are at one instruction of one frame.
struct Path {
  const Inst *pc = nullptr;
  uint32_t mask = 0;
  Frame *frame = nullptr;
  Recon *recon = nullptr;
  WaitKind wait = WaitKind::None;
  uint32_t members = 0; ///< of a warp-level wait
  uint32_t barrier = 0;
  const Inst *resume = nullptr; ///< after a block barrier
};

/// Why the handler chain returned.
enum class Stop : uint8_t {
  Switch, ///< the current path is parked; choose another
  Yield,  ///< the slice is used up; `pc` and `mask` are to be resumed
  Sleep,  ///< the same, and the warp's turn is over
  Fault,  ///< `Launch::result` says what happened
};

struct Launch;
struct Block;

struct Warp {
  // --- read by handlers ---
  MemDesc *mem = nullptr;
  const MatrixDesc *matrix = nullptr;
  std::byte *shared = nullptr;
  int64_t sharedBytes = 0;
  const std::byte *params = nullptr;
  std::byte *local = nullptr; ///< lane l at local + l * localStride
  uint64_t localStride = 0;
  Frame *frame = nullptr; ///< of the running path
  Recon *recon = nullptr; ///< of the running path
  int64_t slice = 0;      ///< instructions until a yield
  uint32_t savedMask = 0; ///< of the guarded instruction
  uint32_t alive = 0;     ///< lanes that have not exited
  Launch *launch = nullptr;
  Block *block = nullptr;
  uint64_t *blockRuns = nullptr;  ///< executions of each basic block
  uint64_t *blockLanes = nullptr; ///< the same times lanes
  CountMemo *memos = nullptr;     ///< of a counting launch, by descriptor
  uint64_t predOff = 0;           ///< lanes switched off by guards
  // --- resume state ---
  const Inst *pc = nullptr;
  uint32_t mask = 0;
  Stop stop = Stop::Switch;
  std::byte *regs = nullptr; ///< of a build without tail calls
  bool goOn = false;
  // --- identity ---
  uint32_t index = 0;  ///< in the block
  uint32_t exists = 0; ///< lanes that have a thread
  alignas(64) uint32_t tid[3][kLanes];
  struct WarpState *state = nullptr; ///< cold part
};

#define HWTUNE_LIKELY(x) __builtin_expect(!!(x), 1)
#define HWTUNE_UNLIKELY(x) __builtin_expect(!!(x), 0)

// A build without tail calls (sanitizers, other compilers) returns to a loop
// after each handler.
#if defined(__clang__) && !defined(HWTUNE_LOOP_DISPATCH)
#define HWTUNE_TAIL_CALLS 1
#define HWTUNE_TAIL [[clang::musttail]] return
#else
#define HWTUNE_TAIL_CALLS 0
#endif

#if HWTUNE_TAIL_CALLS
#define HWTUNE_GO_FULL(next) HWTUNE_TAIL(next)->full((next), R, W, mask)
#define HWTUNE_GO_MASKED(next) HWTUNE_TAIL(next)->masked((next), R, W, mask)
/// To a slow path with the same arguments, which goes on itself.
#define HWTUNE_GO_TO(function) HWTUNE_TAIL function(I, R, W, mask)
#else
/// The loop clears `goOn` before each handler; leaving the chain keeps it so.
#define HWTUNE_GO_FULL(next)                                                   \
  do {                                                                         \
    W->pc = (next);                                                            \
    W->mask = mask;                                                            \
    W->regs = R;                                                               \
    W->goOn = true;                                                            \
    return;                                                                    \
  } while (0)
#define HWTUNE_GO_MASKED(next) HWTUNE_GO_FULL(next)
#define HWTUNE_GO_TO(function)                                                 \
  do {                                                                         \
    function(I, R, W, mask);                                                   \
    return;                                                                    \
  } while (0)
#endif
/// With a mask that may have changed.
#define HWTUNE_GO(next)                                                        \
  do {                                                                         \
    if (mask == kFullMask)                                                     \
      HWTUNE_GO_FULL(next);                                                    \
    HWTUNE_GO_MASKED(next);                                                    \
  } while (0)

#define HWTUNE_HANDLER_ARGS                                                    \
  [[maybe_unused]] const Inst *I, [[maybe_unused]] std::byte *R,               \
      [[maybe_unused]] Warp *W, [[maybe_unused]] uint32_t mask

// --- slow services (not specific to a vector unit) --------------------------

/// Host memory of one lane's access, or null after recording the fault. The
/// allocation is cached in `desc` where it is global memory.
std::byte *resolveLane(Warp *warp, MemDesc &desc, uint64_t address,
                       uint32_t lane, uint32_t bytes, const Inst *inst);

/// Computes the cost of an access whose shape is new and counts it.
void countMiss(Warp *warp, uint32_t which, const std::byte *R, uint32_t mask);

/// a * b + c in one of the directed modes.
double directedFma(Rounding mode, double a, double b, double c);

/// Waits until all lanes of the warp are at `inst`; false: not yet.
bool wholeWarp(Warp *warp, const Inst *inst, uint32_t mask);

// --- the registry of instructions -------------------------------------------

/// How an instruction's PTX name is executed. `sig` has one letter for each
/// operand, the destination first: p predicate, h 16 bits, w 32, q 64, o 128;
/// f and d are w and q whose immediates are floating-point.
struct Entry {
  Handler full = nullptr;
  Handler masked = nullptr;
  const char *sig = "";
};

class Registry; ///< Registry.h; opaque to the files built per vector unit
/// The name is `op` followed by `type` (".s32").
void addEntry(Registry &registry, const char *op, const char *type,
              Entry entry);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_MACHINE_H
