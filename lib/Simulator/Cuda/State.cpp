//===- State.cpp - what the simulated driver keeps ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <pthread.h>

using namespace hwtune;
using namespace hwtune::simcuda;

std::atomic<Driver *> &Driver::instance() {
  // Never destroyed: programs call in from their own exit handlers.
  static std::atomic<Driver *> driver = [] {
    pthread_atfork(nullptr, nullptr, afterFork);
    return new Driver;
  }();
  return driver;
}

Driver &Driver::get() { return *instance(); }

/// As of a GPU's driver: a context does not survive a fork, and the child of an
/// initialised process cannot initialise anew. The old driver is left as it is,
/// since another thread of the parent may have held its lock.
void Driver::afterFork() {
  const Driver &old = get();
  auto *fresh = new Driver;
  fresh->lostInFork = old.initialised || old.lostInFork;
  instance() = fresh;
}

std::vector<Id> &simcuda::contextStack() {
  thread_local std::vector<Id> stack;
  return stack;
}

Call::Call(Need need) : driver(Driver::get()), lock(driver.mutex) {
  if (!driver.initialised) {
    result = Result::NotInitialized;
    return;
  }
  if (need == Need::Context) {
    context = driver.current(result);
    if (context)
      contextId = contextStack().back();
  }
}

ContextState *Driver::current(Result &result) {
  auto &stack = contextStack();
  if (stack.empty() || stack.back() == 0) {
    result = Result::InvalidContext;
    return nullptr;
  }
  auto it = contexts.find(stack.back());
  if (it == contexts.end()) {
    result = Result::ContextIsDestroyed;
    return nullptr;
  }
  result = it->second.sticky;
  return &it->second;
}

StreamState *Driver::stream(ContextState &context, cuda::Stream handle,
                            Result &result) {
  if (handle == cuda::kStreamNull || handle == cuda::kStreamLegacy)
    return &context.legacy;
  if (handle == cuda::kStreamPerThread)
    return &context.perThread[std::this_thread::get_id()];
  auto it = streams.find(idOf(handle));
  if (it == streams.end()) {
    result = Result::InvalidHandle;
    return nullptr;
  }
  return &it->second;
}

Id Driver::createContext(bool isPrimary, unsigned flags) {
  Id id = newId();
  ContextState context;
  context.primary = isPrimary;
  context.flags = flags;
  contexts.emplace(id, std::move(context));
  return id;
}

void Driver::unloadModule(Id id) {
  auto it = modules.find(id);
  if (it == modules.end())
    return;
  for (const auto &[name, function] : it->second.functions)
    functions.erase(function);
  modules.erase(it);
}

void Driver::releaseMemory(DeviceAddress base) {
  auto it = allocations.find(base);
  if (it == allocations.end())
    return;
  memory.release(base);
  if (auto pool = pools.find(it->second.pool); pool != pools.end())
    pool->second.used -= it->second.bytes;
  MemoryKind kind = it->second.kind;
  if (kind == MemoryKind::Pinned || kind == MemoryKind::Managed)
    std::free(it->second.host);
  allocations.erase(it);
}

void Driver::destroyContext(Id id) {
  std::vector<Id> mine;
  for (const auto &[module, state] : modules)
    if (state.context == id)
      mine.push_back(module);
  for (Id module : mine)
    unloadModule(module);
  std::erase_if(libraries,
                [&](const auto &l) { return !modules.count(l.second.module); });
  std::erase_if(streams, [&](const auto &s) { return s.second.context == id; });
  std::erase_if(events, [&](const auto &e) { return e.second.context == id; });
  std::vector<DeviceAddress> bases;
  for (const auto &[base, state] : allocations)
    if (state.context == id)
      bases.push_back(base);
  for (DeviceAddress base : bases)
    releaseMemory(base);
  contexts.erase(id);
  if (primary == id)
    primary = 0;
}

double Driver::schedule(ContextState &context, Id contextId,
                        StreamState &stream, double ns, double &engineEnd) {
  double start = std::max({hostNow, stream.end, engineEnd});
  // The legacy default stream and those that are not "non-blocking" wait for
  // each other.
  bool isLegacy = &stream == &context.legacy;
  if (isLegacy) {
    for (const auto &[id, other] : streams)
      if (other.context == contextId &&
          !(other.flags & cuda::kStreamNonBlocking))
        start = std::max(start, other.end);
    for (const auto &[thread, other] : context.perThread)
      start = std::max(start, other.end);
  } else if (!(stream.flags & cuda::kStreamNonBlocking)) {
    start = std::max(start, context.legacy.end);
  }
  stream.end = start + ns;
  engineEnd = stream.end;
  return stream.end;
}

void Driver::synchronise(const StreamState &stream) {
  hostNow = std::max(hostNow, stream.end);
}

void Driver::synchroniseContext(Id contextId, ContextState &context) {
  synchronise(context.legacy);
  for (const auto &[thread, stream] : context.perThread)
    synchronise(stream);
  for (const auto &[id, stream] : streams)
    if (stream.context == contextId)
      synchronise(stream);
}
