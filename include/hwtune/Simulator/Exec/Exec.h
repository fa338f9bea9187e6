//===- Exec.h - executing a PTX module on the CPU ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Program::create` decodes a parsed module once; `launch` runs a kernel of it
// block by block, warp by warp, and returns when the grid has ended. The result
// is the same on each run. An instruction that is not implemented does not keep
// its module from loading: `Program::refusals` names it, and the thread that
// executes it ends the launch.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_EXEC_H
#define HWTUNE_SIMULATOR_EXEC_EXEC_H

#include "hwtune/Simulator/Exec/EventCounts.h"
#include "hwtune/Simulator/Exec/GlobalMemory.h"
#include "hwtune/Simulator/Exec/Trace.h"
#include "hwtune/Simulator/Ptx/Ast.h"
#include "hwtune/Support/Expected.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune::exec {

using Dim3 = std::array<uint32_t, 3>; ///< x, y, z

struct ParamInfo {
  uint32_t offset = 0, bytes = 0, align = 1;
};

/// What a driver needs to know of a function.
struct FunctionInfo {
  std::string name;
  bool isEntry = false;
  uint32_t staticSharedBytes = 0; ///< with what the functions it calls declare
  uint32_t localBytes = 0;        ///< .local of one thread, own frame
  uint32_t constBytes = 0;        ///< .const of the module
  uint32_t paramBytes = 0;
  std::vector<ParamInfo> params;
  /// Most 32-bit registers live at once in three schedules of our own: one that
  /// keeps few values alive, one that loads early enough to hide latency, and
  /// the first with long basic blocks cut in windows.
  /// `timing::estimateRegisters` guesses from them what `ptxas` would report.
  uint32_t leastRegisters = 0, hoistedRegisters = 0, windowRegisters = 0;
  /// Whether it is only with its loads that a block is longer than a window.
  bool loadsMakeWindows = false;
  std::optional<Dim3> maxNTid, reqNTid;
  std::optional<Dim3> clusterBlocks; ///< `.reqnctapercluster`
  /// `.explicitcluster`: the launch has to say how large clusters are where the
  /// kernel does not.
  bool wantsClusterSize = false;
  std::optional<uint32_t> minBlocksPerSM, maxRegisters;
  bool usesBarriers = false, usesDynamicShared = false, usesGridSync = false;
};

/// A `.global` or `.const` variable.
struct GlobalInfo {
  std::string name;
  DeviceAddress address = 0; ///< as given to `Program::create`
  uint64_t bytes = 0;
  uint32_t align = 1;
  bool isConst = false, managed = false, isExtern = false;
};

/// An instruction of PTX that is not implemented.
struct Refusal {
  uint32_t line = 0, column = 0; ///< of the PTX
  std::string function;
  std::string text; ///< "unsupported instruction 'tex.1d...'", perhaps why
};

struct ProgramOptions {
  /// Compute capability of the device, 10 * major + minor (80, 90). 0: the
  /// module's own target.
  uint32_t computeCapability = 0;
  /// Address of an `.extern .global` variable; 0: unknown, which is an error.
  std::function<DeviceAddress(std::string_view name)> resolveExtern;
  /// "avx2" or "avx512" to insist on one; empty: the best of this host. The
  /// results are the same.
  std::string vectorUnit;
};

/// A decoded module, loaded into a device's memory. Immutable after `create`;
/// several threads may launch from it (each launch serialised per memory).
class Program {
public:
  /// Decodes all functions, allocates and initialises the variables in
  /// `memory`, which must outlive the program (its variables are released with
  /// it). The error's `where` is "line:column" of the PTX.
  static Expected<std::shared_ptr<const Program>>
  create(const ptx::Module &module, GlobalMemory &memory,
         const ProgramOptions &options = {});
  ~Program();

  /// By the index of `ptx::Module::functions`.
  std::span<const FunctionInfo> functions() const;
  const FunctionInfo *findFunction(std::string_view name) const;
  std::span<const GlobalInfo> globals() const;
  const GlobalInfo *findGlobal(std::string_view name) const;

  /// All instructions of all functions; `InstMeta::id` is the index.
  std::span<const InstMeta> instructions() const;
  /// The instructions of one function, in order.
  std::span<const InstMeta> instructions(const FunctionInfo &function) const;

  /// In the order of the text.
  std::span<const Refusal> refusals() const;

  struct Impl;
  const Impl &impl() const { return *pimpl; }

private:
  Program();
  std::unique_ptr<Impl> pimpl;
};

enum class LaunchStatus {
  Ok,
  IllegalAddress, ///< outside every allocation (or of its window)
  MisalignedAddress,
  IllegalInstruction, ///< e.g. call of something that is no function
  Trap,               ///< `trap`, `brkpt`, failed assertion
  Timeout,            ///< the watchdog's instruction budget is spent
  Deadlock,           ///< no thread can go on
  OutOfResources,     ///< threads, shared memory, local memory
  InvalidRequest,     ///< wrong function, empty grid, parameter bytes, ...
  Unsupported,        ///< a thread came to an instruction of `refusals`
  CheckFailed,        ///< what only `check` finds; see the diagnostic's kind
};
std::string_view statusName(LaunchStatus status);

enum class DiagnosticKind {
  None,
  OutOfBounds,
  Misaligned,
  WriteToConstant,
  UninitializedRead,
  SharedRace,
  DivergentBarrier,
  Trap,
  Watchdog,
  Deadlock,
  IllegalInstruction,
  Unsupported,
  Launch,
};
std::string_view diagnosticName(DiagnosticKind kind); ///< "out-of-bounds", ...

class DeviceHeap;

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::None;
  std::string function;
  uint32_t line = 0; ///< of the PTX, 0 where there is none
  Dim3 thread{}, block{};
  DeviceAddress address = 0;
  /// One line: what was wrong with its values and what was expected.
  std::string text;
  /// "line 12: thread (3,0,0) of block (0,1,0): …".
  std::string str() const;
};

struct LaunchOptions {
  bool check = false;
  bool countEvents = false;
  TraceHook *trace = nullptr; ///< not owned; implies decoded per-step callbacks
  /// Linear block indices to run, in this order; empty: the whole grid.
  std::vector<uint64_t> blocks;
  /// Warp instructions (of all blocks) after which the launch times out;
  /// 0: never. Counted at backward branches and calls; a `nanosleep` counts as
  /// 500.
  uint64_t instructionBudget = 0;
  /// Blocks that are interleaved when none can finish alone: as many as the
  /// GPU holds at once.
  uint32_t residentBlocks = 32;
  /// All blocks must be resident at once (grid synchronisation).
  bool cooperative = false;
  uint32_t smCount = 1; ///< %nsmid; %smid = block mod smCount
  uint64_t gridId = 1;
  double clockMHz = 1000; ///< of %clock against %globaltimer
  uint32_t maxThreadsPerBlock = 1024;
  uint32_t maxSharedBytes = 232448; ///< static + dynamic
  /// Of a block, for the system's software; and what shared memory is given out
  /// in multiples of. Programs read both in special registers.
  uint32_t reservedSharedBytes = 0, sharedUnitBytes = 1;
  /// Bytes of text that printf's buffer holds. It is circular: the oldest calls
  /// are lost (CUDA C++ programming guide, formatted output).
  uint64_t printfBytes = 1 << 20;
  /// Of a thread of a kernel whose need is not known: recursion, calls through
  /// pointers, alloca.
  uint64_t stackBytes = 1 << 16;
  DeviceHeap *heap = nullptr; ///< null: a default one, for this launch alone
  /// Called at the launch's end, also where it failed, with the text of each
  /// printf; empty: discarded.
  std::function<void(std::string_view text)> printf;
};

struct LaunchRequest {
  const FunctionInfo *function = nullptr; ///< of the program
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::optional<Dim3> clusterBlocks; ///< where the launch itself says it
  /// The parameter block, laid out as `FunctionInfo::params` says.
  std::span<const std::byte> params;
  LaunchOptions options;
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::Ok;
  Diagnostic diagnostic; ///< where status is not Ok
  EventCounts events;    ///< where counted; of the blocks that ran
  /// Executions of each instruction by warps, by `InstMeta::id`; where counted.
  std::vector<uint64_t> runs;
  uint64_t warpInstructions = 0; ///< executed; exact if events are counted
  uint64_t blocksRun = 0;
  bool ok() const { return status == LaunchStatus::Ok; }
};

LaunchResult launch(const Program &program, GlobalMemory &memory,
                    const LaunchRequest &request);

/// Why the clusters of a launch that names their size, or does not, cannot run:
/// only those of one block do. Empty where they can.
std::string clusterObstacle(const FunctionInfo &function,
                            const std::optional<Dim3> &named);

/// What this host can run: "avx512", "avx2", or "" where it can run nothing
/// (no AVX2 with FMA); `Program::create` then says so.
std::string_view hostVectorUnit();

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_EXEC_H
