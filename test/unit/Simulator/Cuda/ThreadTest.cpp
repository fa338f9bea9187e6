//===- ThreadTest.cpp - the driver called from many threads ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <atomic>
#include <thread>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
/// One thread's program: it loads, allocates, copies, launches and frees on a
/// stream of its own, all in one context. Counts what did not succeed.
void work(Context context, int id, std::atomic<int> &failures) {
  auto need = [&](Result r) { failures += r != Result::Success; };
  need(entry<Result(Context)>("cuCtxSetCurrent")(context));
  for (int round = 0; round < 8; ++round) {
    Module module = nullptr;
    Function add = nullptr;
    Stream stream = nullptr;
    Event event = nullptr;
    need(driver().cuModuleLoadData(&module, kVectorAdd));
    need(driver().cuModuleGetFunction(&add, module, "vector_add"));
    need(driver().cuStreamCreate(&stream, 0));
    need(driver().cuEventCreate(&event, 0));
    std::vector<float> in(256), out(256);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = float(id * 1000 + round) + float(i);
    DevicePtr a = 0, c = 0;
    need(driver().cuMemAlloc(&a, 1024));
    need(driver().cuMemAllocAsync(&c, 1024, stream));
    need(driver().cuMemcpyHtoDAsync(a, in.data(), 1024, stream));
    unsigned n = 256;
    void *params[] = {&a, &a, &c, &n};
    need(driver().cuLaunchKernel(add, 2, 1, 1, 128, 1, 1, 0, stream, params,
                                 nullptr));
    need(driver().cuEventRecord(event, stream));
    need(driver().cuEventSynchronize(event));
    need(driver().cuMemcpyDtoH(out.data(), c, 1024));
    for (size_t i = 0; i < in.size(); ++i)
      failures += out[i] != 2 * in[i];
    need(driver().cuMemFreeAsync(c, stream));
    need(driver().cuMemFree(a));
    need(driver().cuEventDestroy(event));
    need(driver().cuStreamDestroy(stream));
    need(driver().cuModuleUnload(module));
  }
}

TEST_F(CudaTest, ManyThreadsShareAContext) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id)
    threads.emplace_back(work, context, id, std::ref(failures));
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(failures, 0);
}

/// A context each: destroying one takes along what is its own alone.
TEST_F(CudaTest, ThreadsWithContextsOfTheirOwn) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 6; ++id)
    threads.emplace_back([&, id] {
      Context own = nullptr;
      auto *create =
          entry<Result(Context *, unsigned, Device)>("cuCtxCreate_v2");
      failures += create(&own, 0, 0) != Result::Success;
      work(own, id, failures);
      failures +=
          entry<Result(Context)>("cuCtxDestroy_v2")(own) != Result::Success;
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(failures, 0);
}
} // namespace
