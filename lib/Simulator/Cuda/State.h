//===- State.h - what the simulated driver keeps ----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver is process-wide by nature; all of it is in one `Driver`, behind one
// mutex. Work is done when it is submitted, in the order of the calls, which
// satisfies every order that streams and events can ask for; streams differ in
// simulated time alone.
//
// Handles are numbers that are never given out twice, not addresses: a freed or
// foreign one is recognised without being touched.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_STATE_H
#define HWTUNE_LIB_SIMULATOR_CUDA_STATE_H

#include "Config.h"
#include "Types.h"
#include "hwtune/Simulator/Exec/DeviceHeap.h"
#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Simulator/Exec/GlobalMemory.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace hwtune::simcuda {

using cuda::DevicePtr;
using cuda::Result;
using exec::DeviceAddress;

/// The version of CUDA whose API is answered (12.8 as 12080).
inline constexpr int kDriverVersion = 13000;

using Id = uintptr_t;

template <typename T> Id idOf(T *handle) {
  return reinterpret_cast<Id>(handle);
}
template <typename T> T handleOf(Id id) { return reinterpret_cast<T>(id); }

struct StreamState {
  Id context = 0;
  unsigned flags = 0;
  int priority = 0;
  double end = 0; ///< simulated ns at which all its work is done
  Id capture = 0; ///< graph that its work goes into
  bool beganCapture = false;
};

struct EventState {
  Id context = 0;
  unsigned flags = 0;
  bool recorded = false;
  double time = 0; ///< simulated ns
  Id capture = 0;  ///< graph that it was recorded in
};

struct ModuleState {
  Id context = 0;
  uint32_t ptxVersion = 0; ///< virtual architecture, 10 * major + minor
  std::shared_ptr<const exec::Program> program;
  std::map<std::string, Id, std::less<>> functions; ///< handles given out
};

struct FunctionState {
  Id module = 0;
  const exec::FunctionInfo *info = nullptr;
  int maxDynamicShared = 0; ///< bytes, raised by opting in
  int carveout = -1;        ///< preferred, percent; -1 default
};

/// Mapped: accessible pieces of a reservation, see Virtual.cpp.
enum class MemoryKind { Device, Pinned, Managed, Registered, Mapped };
inline bool isDeviceMemory(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Managed ||
         kind == MemoryKind::Mapped;
}
struct MemoryState {
  Id context = 0;
  MemoryKind kind = MemoryKind::Device;
  uint64_t bytes = 0;
  void *host = nullptr; ///< of all but Device
  Id pool = 0;          ///< that it is taken from
  unsigned flags = 0;
};

/// What a node of a graph does, on the stream of the launch.
using GraphOperation = std::function<Result(cuda::Stream)>;
struct GraphNode {
  Id id = 0;
  GraphOperation run;
};
struct GraphState {
  std::vector<GraphNode> nodes; ///< in an order of their dependencies
};

struct PoolState {
  int reuse[3] = {1, 1, 1};
  uint64_t releaseThreshold = 0, used = 0, usedHigh = 0; ///< bytes
};

/// Memory of `cuMemCreate`: an anonymous file.
struct PhysicalState {
  int file = -1;
  uint64_t bytes = 0;
  unsigned handles = 0;    ///< held by the program
  unsigned references = 0; ///< these and mappings
};
struct VirtualMapping {
  uint64_t bytes = 0;
  Id memory = 0;
  bool accessible = false;
};
struct ReservationState {
  DeviceAddress base = 0;
  uint64_t bytes = 0;
  std::map<DeviceAddress, VirtualMapping> mappings;
};

struct LibraryState {
  Id module = 0;
};

/// `CUlimit`
enum Limit : int {
  kLimitStack,
  kLimitPrintf,
  kLimitHeap,
  kLimitLaunchDepth,
  kLimitLaunches,
  kLimitL2Fetch,
  kLimitL2Persisting,
  kLimitCount
};
inline constexpr size_t kLimitDefaults[kLimitCount] = {
    1024, 1 << 20, exec::DeviceHeap::kDefaultBytes, 2, 2048, 128, 0};

struct ContextState {
  bool primary = false;
  unsigned flags = 0;
  /// What every call answers once a kernel has failed.
  Result sticky = Result::Success;
  size_t limits[kLimitCount];
  std::unique_ptr<exec::DeviceHeap> heap; ///< null before the first launch
  StreamState legacy;
  std::map<std::thread::id, StreamState> perThread;
  int cacheConfig = 0, sharedConfig = 0;
  ContextState() { std::ranges::copy(kLimitDefaults, limits); }
};

/// What the last launch was and how long it took, for `hwtuneSimLastReport`.
struct LastLaunch {
  std::string json;
};

class Driver {
public:
  static Driver &get();

  std::mutex mutex;
  Config config;
  bool configured = false;
  std::atomic<bool> initialised = false; ///< read without the mutex by a fork
  bool lostInFork = false;               ///< the parent process was initialised

  exec::GlobalMemory memory;
  std::map<DeviceAddress, MemoryState> allocations; ///< by base
  std::map<Id, ContextState> contexts;
  std::map<Id, StreamState> streams;
  std::map<Id, EventState> events;
  std::map<Id, ModuleState> modules;
  std::map<Id, FunctionState> functions;
  std::map<Id, LibraryState> libraries;
  std::map<Id, GraphState> graphs, graphExecs;
  std::map<Id, PoolState> pools;
  std::map<Id, PhysicalState> physical;
  std::map<DeviceAddress, ReservationState> reservations; ///< by base
  Id defaultPool = 0, currentPool = 0; ///< 0: not made, the default one
  std::set<Id> deadContexts;
  Id primary = 0; ///< 0 while nobody retains it
  unsigned primaryCount = 0, primaryFlags = 0;
  LastLaunch last;

  // --- simulated time, ns ---
  double hostNow = 0;
  double computeEnd = 0, copyInEnd = 0, copyOutEnd = 0;

  Id newId() { return nextId += kIdStep; }
  int capability() const { return config.target.computeCapability(); }

  /// The current context of this thread: null with the code in `result`.
  ContextState *current(Result &result);
  /// The stream behind a handle in the current context, default ones included.
  StreamState *stream(ContextState &context, cuda::Stream handle,
                      Result &result);

  Id createContext(bool isPrimary, unsigned flags);
  /// Frees everything that belongs to it.
  void destroyContext(Id id);
  void unloadModule(Id id);
  void releaseMemory(DeviceAddress base);
  /// Bytes that device allocations may still take.
  uint64_t bytesLeft() const;

  /// Puts `ns` of work on a stream, after what it must wait for and after the
  /// engine is free. Returns the end.
  double schedule(ContextState &context, Id contextId, StreamState &stream,
                  double ns, double &engineEnd);
  /// The host waits for `stream`, or for all of a context.
  void synchronise(const StreamState &stream);
  void synchroniseContext(Id contextId, ContextState &context);

private:
  Driver() = default;
  static std::atomic<Driver *> &instance();
  static void afterFork();
  static constexpr Id kIdStep = 0x40;
  /// Out of any address a program could have.
  Id nextId = Id(1) << 52;
};

/// The context stack of this thread.
std::vector<Id> &contextStack();

/// The start of every entry point: takes the mutex; `result` is Success only
/// with an initialised driver and, unless `NoContext`, a healthy current
/// context.
enum class Need { Init, Context };
struct Call {
  explicit Call(Need need);
  Driver &driver;
  std::unique_lock<std::mutex> lock;
  Result result = Result::Success;
  ContextState *context = nullptr;
  Id contextId = 0;
  bool ok() const { return result == Result::Success; }
};

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_STATE_H
