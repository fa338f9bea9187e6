//===- CompilersTest.cpp - what clang makes of OpenCL and CUDA ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX lies beside its source, which says how it was compiled. Expected
// values are computed here.
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

#include "hwtune/Support/File.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::exec;

namespace {

std::string input(const std::string &name) {
  Expected<std::string> text =
      readFile(std::string(HWTUNE_TEST_INPUTS) + "/" + name);
  EXPECT_TRUE(text) << text.error().str();
  return text ? *text : "";
}

TEST(Compilers, OpenCLThroughClangCountsWithAtomics) {
  ExecHarness device(input("collatz.ptx"));
  ASSERT_TRUE(device.program) << device.error;
  constexpr uint32_t kBlocks = 9, kThreads = 96, kBins = 16, kFirst = 27;
  std::vector<uint32_t> histogram(kBlocks * kBins), wanted(histogram.size());
  DeviceAddress bins = device.upload(histogram);
  DeviceAddress most = device.upload(std::vector<uint32_t>{0});
  LaunchResult result = device.run("collatz", {kBlocks, 1, 1}, {kThreads, 1, 1},
                                   {bins, most, kFirst});
  ASSERT_TRUE(result.ok()) << result.diagnostic.str();
  uint32_t longest = 0;
  for (uint32_t i = 0; i < kBlocks * kThreads; ++i) {
    uint32_t steps = 0;
    for (uint64_t n = kFirst + i; n != 1; ++steps)
      n = n % 2 ? 3 * n + 1 : n / 2;
    ++wanted[i / kThreads * kBins + steps % kBins];
    longest = std::max(longest, steps);
  }
  EXPECT_EQ(device.download<uint32_t>(bins, wanted.size()), wanted);
  EXPECT_EQ(device.download<uint32_t>(most, 1)[0], longest);
}

/// As in terms.cu.
struct Series {
  double coefficients[5];
  int32_t terms;
};

double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

double sum(const Series &series, int i, double x) {
  return i == series.terms
             ? 0
             : series.coefficients[i] * power(x, i) + sum(series, i + 1, x);
}

TEST(Compilers, CudaThroughClangRecursesAndCallsThroughATable) {
  ExecHarness device(input("terms.ptx"));
  ASSERT_TRUE(device.program) << device.error;
  constexpr uint32_t kBlocks = 3, kThreads = 64, kAll = kBlocks * kThreads;
  std::vector<double> x(kAll);
  for (uint32_t i = 0; i < kAll; ++i)
    x[i] = 0.37 * i - 20;
  struct {
    DeviceAddress out, warps, x;
    Series series;
  } args{device.upload(std::vector<double>(kAll)),
         device.upload(std::vector<double>(kAll / 32)), device.upload(x),
         Series{{1.5, -0.25, 3, 0.125, -2}, 5}};
  LaunchRequest request;
  request.function = device.program->findFunction("series");
  ASSERT_TRUE(request.function);
  request.grid = {kBlocks, 1, 1};
  request.block = {kThreads, 1, 1};
  request.params = std::as_bytes(std::span(&args, 1));
  LaunchResult result = launch(*device.program, device.memory, request);
  ASSERT_TRUE(result.ok()) << result.diagnostic.str();
  std::vector<double> wanted(kAll), warps;
  for (uint32_t i = 0; i < kAll; ++i)
    wanted[i] = sum(args.series, 0, x[i]);
  EXPECT_EQ(device.download<double>(args.out, kAll), wanted);
  for (uint32_t warp = 0; warp < kAll; warp += 32) {
    // In the order of the shuffles: halves are added lane by lane.
    std::vector<double> lanes(wanted.begin() + warp,
                              wanted.begin() + warp + 32);
    for (uint32_t step = 16; step; step /= 2)
      for (uint32_t lane = 0; lane < step; ++lane)
        lanes[lane] += lanes[lane + step];
    warps.push_back(lanes[0]);
  }
  EXPECT_EQ(device.download<double>(args.warps, kAll / 32), warps);
}

} // namespace
