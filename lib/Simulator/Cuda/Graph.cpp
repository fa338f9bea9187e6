//===- Graph.cpp - graphs and stream capture ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is done in the order of the calls, so a graph is a list: its nodes in
// the order in which they were made, which every dependency on an existing node
// follows. Launching it makes the nodes' calls again, one after the other, on
// the stream of the launch.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Function;
using cuda::Stream;
using Graph = struct GraphImpl *;
using GraphExec = struct GraphExecImpl *;
using Node = struct GraphNodeImpl *;

// The calls that nodes make.
HWTUNE_CUDA_API Result cuMemcpy3DAsync_v2(const cuda::Memcpy3D *box,
                                          Stream stream);
HWTUNE_CUDA_API Result cuMemsetD2D8Async(DevicePtr to, size_t pitch,
                                         unsigned char value, size_t width,
                                         size_t height, Stream stream);
HWTUNE_CUDA_API Result cuMemsetD2D16Async(DevicePtr to, size_t pitch,
                                          unsigned short value, size_t width,
                                          size_t height, Stream stream);
HWTUNE_CUDA_API Result cuMemsetD2D32Async(DevicePtr to, size_t pitch,
                                          unsigned value, size_t width,
                                          size_t height, Stream stream);
HWTUNE_CUDA_API Result cuLaunchHostFunc(Stream stream, void (*function)(void *),
                                        void *data);

namespace {
constexpr Result kUpdateFailure = Result(910);
constexpr int kTopologyChanged = 2;

/// CUDA_KERNEL_NODE_PARAMS; version 1 ends before `kernel`.
struct KernelParams {
  Function function;
  unsigned grid[3], block[3], sharedBytes;
  void **params, **extra;
};
/// CUDA_MEMSET_NODE_PARAMS
struct MemsetParams {
  DevicePtr to;
  size_t pitch;
  unsigned value, elementBytes;
  size_t width, height;
};
/// CUDA_HOST_NODE_PARAMS
struct HostParams {
  void (*function)(void *);
  void *data;
};
/// CUDA_GRAPH_INSTANTIATE_PARAMS
struct InstantiateParams {
  unsigned long long flags;
  Stream uploadStream;
  Node errorNode;
  int result;
};
/// CUgraphExecUpdateResultInfo
struct UpdateInfo {
  int result;
  Node errorNode, errorFromNode;
};

GraphState *graphOf(Driver &driver, Graph handle) {
  auto it = driver.graphs.find(idOf(handle));
  return it == driver.graphs.end() ? nullptr : &it->second;
}
GraphState *execOf(Driver &driver, GraphExec handle) {
  auto it = driver.graphExecs.find(idOf(handle));
  return it == driver.graphExecs.end() ? nullptr : &it->second;
}

auto findNode(GraphState &graph, Node node) {
  return std::find_if(graph.nodes.begin(), graph.nodes.end(),
                      [&](const GraphNode &n) { return n.id == idOf(node); });
}

/// Adds a node after those it depends on, which must be of the graph.
Result addNode(Call &call, Node *node, Graph handle, const Node *dependencies,
               size_t count, GraphOperation operation) {
  GraphState *graph = graphOf(call.driver, handle);
  if (!node || !graph || (count && !dependencies))
    return Result::InvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (findNode(*graph, dependencies[i]) == graph->nodes.end())
      return Result::InvalidValue;
  graph->nodes.push_back({call.driver.newId(), std::move(operation)});
  *node = handleOf<Node>(graph->nodes.back().id);
  return Result::Success;
}

Result kernelOperationOf(Call &call, const KernelParams *p,
                         GraphOperation &operation) {
  if (!p)
    return Result::InvalidValue;
  return kernelOperation(call, p->function,
                         {p->grid[0], p->grid[1], p->grid[2]},
                         {p->block[0], p->block[1], p->block[2]},
                         p->sharedBytes, p->params, p->extra, operation);
}

Result instantiate(GraphExec *exec, Graph handle) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  GraphState *graph = graphOf(call.driver, handle);
  if (!exec || !graph)
    return Result::InvalidValue;
  Id id = call.driver.newId();
  call.driver.graphExecs.emplace(id, *graph);
  *exec = handleOf<GraphExec>(id);
  return Result::Success;
}

/// Takes the operations of a graph of the same shape.
Result update(GraphExec handle, Graph from, int &outcome) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  GraphState *exec = execOf(call.driver, handle),
             *graph = graphOf(call.driver, from);
  if (!exec || !graph)
    return Result::InvalidValue;
  outcome = 0;
  if (exec->nodes.size() != graph->nodes.size()) {
    outcome = kTopologyChanged;
    return kUpdateFailure;
  }
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    exec->nodes[i].run = graph->nodes[i].run;
  return Result::Success;
}
} // namespace

bool simcuda::capture(Call &call, Stream stream, GraphOperation operation) {
  Result ignored = Result::Success;
  StreamState *state = call.driver.stream(*call.context, stream, ignored);
  if (!state || !state->capture)
    return false;
  call.driver.graphs.at(state->capture)
      .nodes.push_back({call.driver.newId(), std::move(operation)});
  return true;
}

//===----------------------------------------------------------------------===//
// Stream capture
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuStreamBeginCapture_v2(Stream stream, int mode) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  StreamState *state = call.driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (mode < 0 || mode > 2)
    return Result::InvalidValue;
  if (state == &call.context->legacy)
    return kCaptureUnsupported;
  if (state->capture)
    return Result::IllegalState;
  state->capture = call.driver.newId();
  state->beganCapture = true;
  call.driver.graphs.emplace(state->capture, GraphState());
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2)
HWTUNE_CUDA_API Result cuStreamBeginCapture(Stream stream) {
  return cuStreamBeginCapture_v2(stream, 0);
}
HWTUNE_CUDA_ALIAS(cuStreamBeginCapture_ptsz, cuStreamBeginCapture)

/// Ends the capture of all streams that joined it.
HWTUNE_CUDA_API Result cuStreamEndCapture(Stream stream, Graph *graph) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  Driver &driver = call.driver;
  StreamState *state = driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (!graph)
    return Result::InvalidValue;
  if (!state->capture)
    return Result::IllegalState;
  if (!state->beganCapture)
    return kCaptureUnmatched;
  Id id = state->capture;
  auto leave = [&](StreamState &s) {
    if (s.capture == id)
      s.capture = 0, s.beganCapture = false;
  };
  for (auto &[handle, other] : driver.streams)
    leave(other);
  for (auto &[thread, other] : call.context->perThread)
    leave(other);
  for (auto &[handle, event] : driver.events)
    if (event.capture == id)
      event.capture = 0;
  *graph = handleOf<Graph>(id);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture)

HWTUNE_CUDA_API Result cuStreamIsCapturing(Stream stream, int *status) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!status)
    return Result::InvalidValue;
  if (StreamState *state =
          call.driver.stream(*call.context, stream, call.result))
    *status = state->capture != 0;
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing)

/// The modes differ in which unsafe calls they forbid; none is forbidden here.
HWTUNE_CUDA_API Result cuThreadExchangeStreamCaptureMode(int *mode) {
  thread_local int current = 0;
  if (!mode || *mode < 0 || *mode > 2)
    return Result::InvalidValue;
  std::swap(*mode, current);
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuGraphCreate(Graph *graph, unsigned flags) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!graph || flags)
    return Result::InvalidValue;
  Id id = call.driver.newId();
  call.driver.graphs.emplace(id, GraphState());
  *graph = handleOf<Graph>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuGraphClone(Graph *clone, Graph original) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  GraphState *graph = graphOf(call.driver, original);
  if (!clone || !graph)
    return Result::InvalidValue;
  Id id = call.driver.newId();
  call.driver.graphs.emplace(id, *graph);
  *clone = handleOf<Graph>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuGraphDestroy(Graph graph) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  return call.driver.graphs.erase(idOf(graph)) ? Result::Success
                                               : Result::InvalidValue;
}

/// With null for the nodes, their number alone.
HWTUNE_CUDA_API Result cuGraphGetNodes(Graph handle, Node *nodes,
                                       size_t *count) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  GraphState *graph = graphOf(call.driver, handle);
  if (!graph || !count)
    return Result::InvalidValue;
  if (nodes)
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < graph->nodes.size() ? handleOf<Node>(graph->nodes[i].id)
                                         : nullptr;
  *count = nodes ? std::min(*count, graph->nodes.size()) : graph->nodes.size();
  return Result::Success;
}

/// Only along the order in which the nodes were made.
HWTUNE_CUDA_API Result cuGraphAddDependencies(Graph handle, const Node *from,
                                              const Node *to, size_t count) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  GraphState *graph = graphOf(call.driver, handle);
  if (!graph || (count && (!from || !to)))
    return Result::InvalidValue;
  for (size_t i = 0; i < count; ++i) {
    auto a = findNode(*graph, from[i]), b = findNode(*graph, to[i]);
    if (a == graph->nodes.end() || b == graph->nodes.end() || a == b)
      return Result::InvalidValue;
    if (a > b)
      return Result::NotSupported;
  }
  return Result::Success;
}

/// The data of an edge are those of programmatic launches.
HWTUNE_CUDA_API Result cuGraphAddDependencies_v2(Graph graph, const Node *from,
                                                 const Node *to,
                                                 const void *edgeData,
                                                 size_t count) {
  return edgeData ? Result::NotSupported
                  : cuGraphAddDependencies(graph, from, to, count);
}

HWTUNE_CUDA_API Result cuGraphAddKernelNode_v2(Node *node, Graph graph,
                                               const Node *dependencies,
                                               size_t count,
                                               const KernelParams *params) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  GraphOperation operation;
  Result result = kernelOperationOf(call, params, operation);
  return result == Result::Success ? addNode(call, node, graph, dependencies,
                                             count, std::move(operation))
                                   : result;
}
HWTUNE_CUDA_ALIAS(cuGraphAddKernelNode, cuGraphAddKernelNode_v2)

HWTUNE_CUDA_API Result cuGraphAddMemcpyNode(Node *node, Graph graph,
                                            const Node *dependencies,
                                            size_t count,
                                            const cuda::Memcpy3D *box,
                                            cuda::Context) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!box)
    return Result::InvalidValue;
  return addNode(
      call, node, graph, dependencies, count,
      [box = *box](Stream s) { return cuMemcpy3DAsync_v2(&box, s); });
}

HWTUNE_CUDA_API Result cuGraphAddMemsetNode(Node *node, Graph graph,
                                            const Node *dependencies,
                                            size_t count, const MemsetParams *p,
                                            cuda::Context) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!p ||
      (p->elementBytes != 1 && p->elementBytes != 2 && p->elementBytes != 4))
    return Result::InvalidValue;
  return addNode(call, node, graph, dependencies, count, [p = *p](Stream s) {
    size_t pitch = p.height > 1 ? p.pitch : p.width * p.elementBytes;
    if (p.elementBytes == 1)
      return cuMemsetD2D8Async(p.to, pitch, static_cast<uint8_t>(p.value),
                               p.width, p.height, s);
    if (p.elementBytes == 2)
      return cuMemsetD2D16Async(p.to, pitch, static_cast<uint16_t>(p.value),
                                p.width, p.height, s);
    return cuMemsetD2D32Async(p.to, pitch, p.value, p.width, p.height, s);
  });
}

HWTUNE_CUDA_API Result cuGraphAddHostNode(Node *node, Graph graph,
                                          const Node *dependencies,
                                          size_t count, const HostParams *p) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!p || !p->function)
    return Result::InvalidValue;
  return addNode(call, node, graph, dependencies, count, [p = *p](Stream s) {
    return cuLaunchHostFunc(s, p.function, p.data);
  });
}

HWTUNE_CUDA_API Result cuGraphAddEmptyNode(Node *node, Graph graph,
                                           const Node *dependencies,
                                           size_t count) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  return addNode(call, node, graph, dependencies, count,
                 [](Stream) { return Result::Success; });
}

//===----------------------------------------------------------------------===//
// Graphs to launch
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                                   unsigned long long) {
  return instantiate(exec, graph);
}
HWTUNE_CUDA_API Result cuGraphInstantiate(GraphExec *exec, Graph graph,
                                          Node *errorNode, char *log,
                                          size_t logBytes) {
  if (errorNode)
    *errorNode = nullptr;
  if (log && logBytes)
    *log = 0;
  return instantiate(exec, graph);
}
HWTUNE_CUDA_ALIAS(cuGraphInstantiate_v2, cuGraphInstantiate)
HWTUNE_CUDA_API Result cuGraphInstantiateWithParams(GraphExec *exec,
                                                    Graph graph,
                                                    InstantiateParams *params) {
  if (!params)
    return Result::InvalidValue;
  params->errorNode = nullptr;
  params->result = 0;
  return instantiate(exec, graph);
}
HWTUNE_CUDA_ALIAS(cuGraphInstantiateWithParams_ptsz,
                  cuGraphInstantiateWithParams)

HWTUNE_CUDA_API Result cuGraphExecDestroy(GraphExec exec) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  return call.driver.graphExecs.erase(idOf(exec)) ? Result::Success
                                                  : Result::InvalidValue;
}

HWTUNE_CUDA_API Result cuGraphUpload(GraphExec exec, Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!execOf(call.driver, exec))
    return Result::InvalidValue;
  call.driver.stream(*call.context, stream, call.result);
  return call.result;
}
HWTUNE_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload)

/// Makes the nodes' calls without the driver's lock, which each takes itself.
HWTUNE_CUDA_API Result cuGraphLaunch(GraphExec exec, Stream stream) {
  std::vector<GraphNode> nodes;
  {
    Call call(Need::Context);
    if (!call.ok())
      return call.result;
    GraphState *state = execOf(call.driver, exec);
    if (!state)
      return Result::InvalidValue;
    nodes = state->nodes;
  }
  for (const GraphNode &node : nodes)
    if (Result result = node.run(stream); result != Result::Success)
      return result;
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch)

HWTUNE_CUDA_API Result cuGraphExecKernelNodeSetParams_v2(
    GraphExec handle, Node node, const KernelParams *params) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  GraphState *exec = execOf(call.driver, handle);
  auto at = exec ? findNode(*exec, node) : std::vector<GraphNode>::iterator();
  if (!exec || at == exec->nodes.end())
    return Result::InvalidValue;
  return kernelOperationOf(call, params, at->run);
}
HWTUNE_CUDA_ALIAS(cuGraphExecKernelNodeSetParams,
                  cuGraphExecKernelNodeSetParams_v2)

HWTUNE_CUDA_API Result cuGraphExecUpdate_v2(GraphExec exec, Graph graph,
                                            UpdateInfo *info) {
  if (!info)
    return Result::InvalidValue;
  *info = {};
  return update(exec, graph, info->result);
}
HWTUNE_CUDA_API Result cuGraphExecUpdate(GraphExec exec, Graph graph,
                                         Node *errorNode, int *outcome) {
  if (!outcome)
    return Result::InvalidValue;
  if (errorNode)
    *errorNode = nullptr;
  return update(exec, graph, *outcome);
}
