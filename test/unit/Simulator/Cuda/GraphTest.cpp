//===- GraphTest.cpp - graphs, stream capture, memory pools ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Cuda/Types.h"
#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
using Graph = void *;
using Exec = void *;
using Node = void *;
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ..._UNMATCHED
constexpr Result kCaptureUnsupported = Result(900),
                 kCaptureUnmatched = Result(903);

class GraphTest : public CudaTest {
protected:
  Stream newStream() {
    Stream stream = nullptr;
    EXPECT_CUDA(Success, driver().cuStreamCreate(&stream, 0));
    return stream;
  }
  Result begin(Stream s) {
    return entry<Result(Stream, int)>("cuStreamBeginCapture_v2")(s, 0);
  }
  Result end(Stream s, Graph *g) {
    return entry<Result(Stream, Graph *)>("cuStreamEndCapture")(s, g);
  }
  Exec instantiate(Graph g) {
    Exec exec = nullptr;
    EXPECT_CUDA(Success, (entry<Result(Exec *, Graph, unsigned long long)>(
                             "cuGraphInstantiateWithFlags")(&exec, g, 0)));
    return exec;
  }
  Result launchGraph(Exec exec, Stream s) {
    return entry<Result(Exec, Stream)>("cuGraphLaunch")(exec, s);
  }
  size_t nodes(Graph g) {
    size_t count = 0;
    EXPECT_CUDA(Success, (entry<Result(Graph, Node *, size_t *)>(
                             "cuGraphGetNodes")(g, nullptr, &count)));
    return count;
  }
};

TEST_F(GraphTest, CapturedWorkRunsAtEachLaunch) {
  Function add = function(load(kVectorAdd), "vector_add");
  DevicePtr a = upload({1, 2, 3, 4}), b = upload({10, 20, 30, 40}),
            c = upload({0, 0, 0, 0});
  Stream s = newStream();
  unsigned n = 4;
  EXPECT_CUDA(Success, begin(s));
  // c = a + b, then a = c; nothing happens yet.
  EXPECT_CUDA(Success, launch(add, 1, 32, {&a, &b, &c, &n}, 0, s));
  EXPECT_CUDA(Success, driver().cuMemcpyDtoDAsync(a, c, 16, s));
  n = 0; // parameters were copied
  int capturing = 0;
  auto *isCapturing = entry<Result(Stream, int *)>("cuStreamIsCapturing");
  EXPECT_CUDA(Success, isCapturing(s, &capturing));
  EXPECT_EQ(capturing, 1);
  EXPECT_EQ(driver().cuStreamSynchronize(s), kCaptureUnsupported);
  Graph graph = nullptr;
  EXPECT_CUDA(Success, end(s, &graph));
  EXPECT_CUDA(Success, isCapturing(s, &capturing));
  EXPECT_EQ(capturing, 0);
  EXPECT_EQ(nodes(graph), 2u);
  EXPECT_EQ(download(c, 4), (std::vector<float>{0, 0, 0, 0}));
  Exec exec = instantiate(graph);
  EXPECT_CUDA(Success, (entry<Result(Graph)>("cuGraphDestroy")(graph)));
  for (int i = 0; i < 3; ++i)
    EXPECT_CUDA(Success, launchGraph(exec, s));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(s));
  EXPECT_EQ(download(c, 4), (std::vector<float>{31, 62, 93, 124}));
  EXPECT_CUDA(Success, (entry<Result(Exec)>("cuGraphExecDestroy")(exec)));
  EXPECT_CUDA(InvalidValue, launchGraph(exec, s));
}

/// A second stream joins by an event, and leaves with the end of the capture.
TEST_F(GraphTest, StreamsForkInACapture) {
  DevicePtr a = upload({0, 0});
  Stream s = newStream(), t = newStream();
  Event fork = nullptr, join = nullptr;
  EXPECT_CUDA(Success, driver().cuEventCreate(&fork, 0));
  EXPECT_CUDA(Success, driver().cuEventCreate(&join, 0));
  EXPECT_CUDA(Success, begin(s));
  EXPECT_CUDA(Success, driver().cuEventRecord(fork, s));
  EXPECT_CUDA(Success, driver().cuStreamWaitEvent(t, fork, 0));
  EXPECT_CUDA(Success, driver().cuMemsetD32Async(a, 0x40000000, 1, t));
  EXPECT_CUDA(Success, driver().cuMemsetD32Async(a + 4, 0x3f800000, 1, s));
  EXPECT_CUDA(Success, driver().cuEventRecord(join, t));
  EXPECT_CUDA(Success, driver().cuStreamWaitEvent(s, join, 0));
  Graph graph = nullptr;
  EXPECT_EQ(end(t, &graph), kCaptureUnmatched);
  EXPECT_CUDA(Success, end(s, &graph));
  EXPECT_EQ(download(a, 2), (std::vector<float>{0, 0}));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(t));
  EXPECT_CUDA(Success, launchGraph(instantiate(graph), s));
  EXPECT_EQ(download(a, 2), (std::vector<float>{2, 1}));
}

TEST_F(GraphTest, NodesAreMadeAndChanged) {
  struct KernelParams {
    Function function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context;
  };
  Function add = function(load(kVectorAdd), "vector_add");
  DevicePtr a = upload({1, 2}), b = upload({3, 4}), c = upload({0, 0});
  unsigned n = 2, one = 1;
  Graph graph = nullptr;
  EXPECT_CUDA(Success,
              (entry<Result(Graph *, unsigned)>("cuGraphCreate")(&graph, 0)));
  void *params[] = {&a, &b, &c, &n}, *fewer[] = {&a, &b, &c, &one};
  KernelParams p{add, {1, 1, 1}, {32, 1, 1}, 0, params, nullptr, 0, 0};
  auto *addKernel =
      entry<Result(Node *, Graph, const Node *, size_t, const KernelParams *)>(
          "cuGraphAddKernelNode_v2");
  auto *addEmpty =
      entry<Result(Node *, Graph, const Node *, size_t)>("cuGraphAddEmptyNode");
  Node first = nullptr, kernel = nullptr, foreign = graph;
  EXPECT_CUDA(Success, addEmpty(&first, graph, nullptr, 0));
  EXPECT_CUDA(Success, addKernel(&kernel, graph, &first, 1, &p));
  EXPECT_CUDA(InvalidValue, addKernel(&kernel, graph, &foreign, 1, &p));
  auto *depend = entry<Result(Graph, const Node *, const Node *, size_t)>(
      "cuGraphAddDependencies");
  EXPECT_CUDA(Success, depend(graph, &first, &kernel, 1));
  EXPECT_CUDA(NotSupported, depend(graph, &kernel, &first, 1));
  Exec exec = instantiate(graph);
  auto *setParams = entry<Result(Exec, Node, const KernelParams *)>(
      "cuGraphExecKernelNodeSetParams_v2");
  p.params = fewer;
  EXPECT_CUDA(Success, setParams(exec, kernel, &p));
  EXPECT_CUDA(Success, launchGraph(exec, nullptr));
  EXPECT_EQ(download(c, 2), (std::vector<float>{4, 0}));
  EXPECT_CUDA(Success, launchGraph(instantiate(graph), nullptr));
  EXPECT_EQ(download(c, 2), (std::vector<float>{4, 6}));
}

TEST_F(GraphTest, PoolsCountWhatIsTaken) {
  using Pool = void *;
  Pool pool = nullptr;
  EXPECT_CUDA(Success, (entry<Result(Pool *, Device)>(
                           "cuDeviceGetDefaultMemPool")(&pool, 0)));
  auto *get = entry<Result(Pool, int, void *)>("cuMemPoolGetAttribute");
  auto *set = entry<Result(Pool, int, void *)>("cuMemPoolSetAttribute");
  int supported = 0;
  EXPECT_CUDA(Success,
              driver().cuDeviceGetAttribute(
                  &supported, DeviceAttribute::MemoryPoolsSupported, 0));
  EXPECT_EQ(supported, 1);
  constexpr int kThreshold = 4, kUsed = 7, kUsedHigh = 8;
  uint64_t value = 1 << 20;
  EXPECT_CUDA(Success, set(pool, kThreshold, &value));
  value = 0;
  EXPECT_CUDA(Success, get(pool, kThreshold, &value));
  EXPECT_EQ(value, 1u << 20);
  DevicePtr a = 0, b = 0;
  EXPECT_CUDA(Success, driver().cuMemAllocAsync(&a, 1000, nullptr));
  EXPECT_CUDA(Success, (entry<Result(DevicePtr *, size_t, Pool, Stream)>(
                           "cuMemAllocFromPoolAsync")(&b, 500, pool, nullptr)));
  EXPECT_CUDA(Success, get(pool, kUsed, &value));
  EXPECT_EQ(value, 1500u);
  EXPECT_CUDA(Success, driver().cuMemFreeAsync(a, nullptr));
  EXPECT_CUDA(Success, driver().cuMemFree(b));
  EXPECT_CUDA(Success, get(pool, kUsed, &value));
  EXPECT_EQ(value, 0u);
  EXPECT_CUDA(Success, get(pool, kUsedHigh, &value));
  EXPECT_EQ(value, 1500u);
  EXPECT_CUDA(InvalidValue, get(pool, 99, &value));
  EXPECT_CUDA(InvalidValue, (entry<Result(Pool)>("cuMemPoolDestroy")(pool)));
}

/// A fill, a copy and a call of the host, in the order of their dependencies.
TEST_F(GraphTest, NodesOfEveryKind) {
  struct MemsetParams {
    DevicePtr to;
    size_t pitch;
    unsigned value, elementBytes;
    size_t width, height;
  } fill{upload(std::vector<float>(4)), 8, 0x3f800000, 4, 1, 2};
  DevicePtr copyTo = upload(std::vector<float>(4));
  Memcpy3D copy{};
  copy.srcType = copy.dstType = MemoryType::Device;
  copy.srcDevice = fill.to, copy.dstDevice = copyTo;
  copy.width = 16, copy.height = copy.depth = 1;
  struct HostParams {
    void (*function)(void *);
    void *data;
  };
  int calls = 0;
  HostParams call{[](void *data) { ++*static_cast<int *>(data); }, &calls};
  Graph graph = nullptr, twin = nullptr;
  Node a = nullptr, b = nullptr, c = nullptr;
  const Node *none = nullptr;
  const MemsetParams *fillParams = &fill;
  const Memcpy3D *copyParams = &copy;
  const HostParams *hostParams = &call;
  EXPECT_CUDA(Success, invoke("cuGraphCreate", &graph, 0u));
  EXPECT_CUDA(Success, invoke("cuGraphAddMemsetNode", &a, graph, none,
                              size_t(0), fillParams, context));
  EXPECT_CUDA(Success, invoke("cuGraphAddMemcpyNode", &b, graph,
                              static_cast<const Node *>(&a), size_t(1),
                              copyParams, context));
  EXPECT_CUDA(Success, invoke("cuGraphClone", &twin, graph));
  EXPECT_CUDA(Success,
              invoke("cuGraphAddHostNode", &c, graph,
                     static_cast<const Node *>(&b), size_t(1), hostParams));
  fill.elementBytes = 3;
  EXPECT_CUDA(InvalidValue, invoke("cuGraphAddMemsetNode", &a, graph, none,
                                   size_t(0), fillParams, context));
  EXPECT_EQ(nodes(graph), 3u);
  EXPECT_EQ(nodes(twin), 2u);
  char log[8] = "?";
  Node wrong = graph;
  Exec exec = nullptr, second = nullptr;
  EXPECT_CUDA(Success, invoke("cuGraphInstantiate", &exec, graph, &wrong,
                              static_cast<char *>(log), sizeof log));
  EXPECT_EQ(wrong, nullptr);
  EXPECT_EQ(log[0], 0);
  EXPECT_CUDA(Success, invoke("cuGraphUpload", exec, Stream(nullptr)));
  EXPECT_CUDA(Success, launchGraph(exec, nullptr));
  EXPECT_EQ(download(copyTo, 4), (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(calls, 1);
  struct InstantiateParams {
    unsigned long long flags;
    Stream upload;
    Node errorNode;
    int result;
  } params{0, nullptr, graph, 9};
  EXPECT_CUDA(Success,
              invoke("cuGraphInstantiateWithParams", &second, twin, &params));
  EXPECT_EQ(params.errorNode, nullptr);
  EXPECT_EQ(params.result, 0);
  // The twin has one node fewer: it cannot take the place of the graph.
  int outcome = 9;
  EXPECT_EQ(invoke("cuGraphExecUpdate", exec, twin, &wrong, &outcome),
            Result(910)); // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
  EXPECT_NE(outcome, 0);
  EXPECT_CUDA(Success,
              invoke("cuGraphExecUpdate", second, twin, &wrong, &outcome));
  EXPECT_EQ(outcome, 0);
}

TEST_F(GraphTest, TheModeOfCapturesIsTheThreads) {
  int mode = 2;
  EXPECT_CUDA(Success, invoke("cuThreadExchangeStreamCaptureMode", &mode));
  EXPECT_EQ(mode, 0); // global, the default
  EXPECT_CUDA(Success, invoke("cuThreadExchangeStreamCaptureMode", &mode));
  EXPECT_EQ(mode, 2);
  mode = 3;
  EXPECT_CUDA(InvalidValue, invoke("cuThreadExchangeStreamCaptureMode", &mode));
}

TEST_F(GraphTest, AllocationsComeFromTheCurrentPool) {
  using Pool = void *;
  Pool standard = nullptr, own = nullptr, current = nullptr;
  char properties[88] = {1}; // pinned, as all device memory is
  EXPECT_CUDA(Success,
              invoke("cuDeviceGetDefaultMemPool", &standard, Device(0)));
  EXPECT_CUDA(Success, invoke("cuMemPoolCreate", &own,
                              static_cast<const void *>(properties)));
  EXPECT_CUDA(Success, invoke("cuDeviceSetMemPool", Device(0), own));
  EXPECT_CUDA(Success, invoke("cuDeviceGetMemPool", &current, Device(0)));
  EXPECT_EQ(current, own);
  DevicePtr a = 0;
  EXPECT_CUDA(Success, driver().cuMemAllocAsync(&a, 1000, nullptr));
  constexpr int kUsed = 7;
  uint64_t used = 0;
  void *value = &used;
  EXPECT_CUDA(Success, invoke("cuMemPoolGetAttribute", own, kUsed, value));
  EXPECT_EQ(used, 1000u);
  EXPECT_CUDA(Success, invoke("cuMemPoolTrimTo", own, size_t(0)));
  EXPECT_EQ(download(a, 1).size(), 1u); // what is in use stays
  EXPECT_CUDA(Success, driver().cuMemFreeAsync(a, nullptr));
  EXPECT_CUDA(Success, invoke("cuMemPoolDestroy", own));
  EXPECT_CUDA(Success, invoke("cuDeviceGetMemPool", &current, Device(0)));
  EXPECT_EQ(current, standard);
  EXPECT_CUDA(InvalidValue, invoke("cuMemPoolTrimTo", own, size_t(0)));
}
} // namespace
