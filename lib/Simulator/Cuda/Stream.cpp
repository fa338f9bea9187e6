//===- Stream.cpp - streams and events ------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Event;
using cuda::Stream;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuStreamCreateWithPriority(Stream *stream,
                                                  unsigned flags,
                                                  int priority) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!stream || (flags & ~cuda::kStreamNonBlocking))
    return Result::InvalidValue;
  StreamState state;
  state.context = call.contextId;
  state.flags = flags;
  state.priority = 0; // the range is [0, 0]; others are clamped to it
  Id id = call.driver.newId();
  call.driver.streams.emplace(id, state);
  *stream = handleOf<Stream>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuStreamCreate(Stream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

HWTUNE_CUDA_API Result cuStreamDestroy_v2(Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  // Its work is done already.
  return call.driver.streams.erase(idOf(stream)) ? Result::Success
                                                 : Result::InvalidHandle;
}
HWTUNE_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2)

HWTUNE_CUDA_API Result cuStreamSynchronize(Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (state->capture)
    return kCaptureUnsupported;
  if (state == &call.context->legacy)
    call.driver.synchroniseContext(call.contextId, *call.context);
  else
    call.driver.synchronise(*state);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamSynchronize_ptsz, cuStreamSynchronize)

HWTUNE_CUDA_API Result cuStreamQuery(Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  return state->capture ? kCaptureUnsupported : Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamQuery_ptsz, cuStreamQuery)

HWTUNE_CUDA_API Result cuStreamWaitEvent(Stream stream, Event event,
                                         unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (flags > 1)
    return Result::InvalidValue;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  auto it = call.driver.events.find(idOf(event));
  if (it == call.driver.events.end())
    return Result::InvalidHandle;
  // A stream that waits for work of a capture joins it.
  if (it->second.capture)
    state->capture = it->second.capture;
  else if (it->second.recorded)
    state->end = std::max(state->end, it->second.time);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamWaitEvent_ptsz, cuStreamWaitEvent)

HWTUNE_CUDA_API Result cuStreamGetFlags(Stream stream, unsigned *flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!flags)
    return Result::InvalidValue;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (state)
    *flags = state->flags;
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags)

HWTUNE_CUDA_API Result cuStreamGetPriority(Stream stream, int *priority) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!priority)
    return Result::InvalidValue;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (state)
    *priority = state->priority;
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority)

HWTUNE_CUDA_API Result cuStreamGetId(Stream stream, unsigned long long *id) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!id)
    return Result::InvalidValue;
  if (call.driver.stream(*call.context, stream, call.result))
    *id = idOf(stream);
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamGetId_ptsz, cuStreamGetId)

HWTUNE_CUDA_API Result cuStreamGetDevice(Stream stream, cuda::Device *device) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!device)
    return Result::InvalidValue;
  if (call.driver.stream(*call.context, stream, call.result))
    *device = 0;
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamGetDevice_ptsz, cuStreamGetDevice)

HWTUNE_CUDA_API Result cuStreamGetCtx(Stream stream, cuda::Context *context) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!context)
    return Result::InvalidValue;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (state)
    *context = handleOf<cuda::Context>(state->context ? state->context
                                                      : call.contextId);
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx)

/// Attributes are hints (L2 windows, priority); none changes a result.
HWTUNE_CUDA_API Result cuStreamSetAttribute(Stream stream, int attribute,
                                            const void *value) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (attribute < 1 || !value)
    return Result::InvalidValue;
  call.driver.stream(*call.context, stream, call.result);
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute)

HWTUNE_CUDA_API Result cuStreamAttachMemAsync(Stream stream, DevicePtr address,
                                              size_t bytes, unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.stream(*call.context, stream, call.result))
    return call.result;
  auto it = call.driver.allocations.find(address);
  bool isManaged = it != call.driver.allocations.end() &&
                   it->second.kind == MemoryKind::Managed;
  return isManaged ? Result::Success : Result::InvalidValue;
}
HWTUNE_CUDA_ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync)

/// The work before it is done, so the function is called at once, without the
/// driver's lock.
HWTUNE_CUDA_API Result cuLaunchHostFunc(Stream stream, void (*function)(void *),
                                        void *data) {
  {
    Call call(Need::Context);
    if (!call.ok())
      return call.result;
    if (!function)
      return Result::InvalidValue;
    if (!call.driver.stream(*call.context, stream, call.result))
      return call.result;
    if (capture(call, stream,
                [=](Stream s) { return cuLaunchHostFunc(s, function, data); }))
      return Result::Success;
  }
  function(data);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc)

HWTUNE_CUDA_API Result cuStreamAddCallback(Stream stream,
                                           void (*function)(Stream, Result,
                                                            void *),
                                           void *data, unsigned flags) {
  {
    Call call(Need::Context);
    if (!call.ok())
      return call.result;
    if (!function || flags)
      return Result::InvalidValue;
    if (!call.driver.stream(*call.context, stream, call.result))
      return call.result;
  }
  function(stream, Result::Success, data);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback)

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuEventCreate(Event *event, unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  constexpr unsigned kAll = cuda::kEventBlockingSync |
                            cuda::kEventDisableTiming |
                            cuda::kEventInterprocess;
  if (!event || (flags & ~kAll))
    return Result::InvalidValue;
  // An event for other processes may not have times.
  if ((flags & cuda::kEventInterprocess) &&
      !(flags & cuda::kEventDisableTiming))
    return Result::InvalidValue;
  EventState state;
  state.context = call.contextId;
  state.flags = flags;
  Id id = call.driver.newId();
  call.driver.events.emplace(id, state);
  *event = handleOf<Event>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuEventDestroy_v2(Event event) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  return call.driver.events.erase(idOf(event)) ? Result::Success
                                               : Result::InvalidHandle;
}
HWTUNE_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2)

HWTUNE_CUDA_API Result cuEventRecordWithFlags(Event event, Stream stream,
                                              unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (flags > 1)
    return Result::InvalidValue;
  auto it = call.driver.events.find(idOf(event));
  if (it == call.driver.events.end())
    return Result::InvalidHandle;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (it->second.context != call.contextId ||
      (state->context && state->context != call.contextId))
    return Result::InvalidHandle;
  it->second.capture = state->capture;
  if (state->capture)
    return Result::Success;
  double noEngine = 0;
  it->second.time =
      call.driver.schedule(*call.context, call.contextId, *state, 0, noEngine);
  it->second.recorded = true;
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags)

HWTUNE_CUDA_API Result cuEventRecord(Event event, Stream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}
HWTUNE_CUDA_ALIAS(cuEventRecord_ptsz, cuEventRecord)

HWTUNE_CUDA_API Result cuEventQuery(Event event) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  auto it = call.driver.events.find(idOf(event));
  if (it == call.driver.events.end())
    return Result::InvalidHandle;
  return it->second.capture ? kCapturedEvent : Result::Success;
}

HWTUNE_CUDA_API Result cuEventSynchronize(Event event) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  auto it = call.driver.events.find(idOf(event));
  if (it == call.driver.events.end())
    return Result::InvalidHandle;
  if (it->second.capture)
    return kCapturedEvent;
  if (it->second.recorded)
    call.driver.hostNow = std::max(call.driver.hostNow, it->second.time);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuEventElapsedTime(float *milliseconds, Event start,
                                          Event end) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!milliseconds)
    return Result::InvalidValue;
  auto a = call.driver.events.find(idOf(start)),
       b = call.driver.events.find(idOf(end));
  if (a == call.driver.events.end() || b == call.driver.events.end())
    return Result::InvalidHandle;
  for (auto it : {a, b})
    if (!it->second.recorded || (it->second.flags & cuda::kEventDisableTiming))
      return Result::InvalidHandle;
  *milliseconds = float((b->second.time - a->second.time) * 1e-6);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime)
