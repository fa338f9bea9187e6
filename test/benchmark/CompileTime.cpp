//===- CompileTime.cpp - how long one candidate takes to PTX --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processor time of compiling an f32 matmul 4096^3 to PTX, over a seeded sample
// of the legal configurations, in one warm context as a worker has it. Design:
// median at most 60 ms.
//
// Usage: compile-time [samples] [seed] [target]
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Support/Random.h"
#include "hwtune/Target/KnownTargets.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace hwtune;

static constexpr const char *kMatmul = R"(
func.func @kernel(%a: memref<4096x4096xf32>, %b: memref<4096x4096xf32>,
                  %c: memref<4096x4096xf32>) {
  linalg.matmul {hwtune.op}
      ins(%a, %b : memref<4096x4096xf32>, memref<4096x4096xf32>)
      outs(%c : memref<4096x4096xf32>)
  return
})";

static double processorMs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

/// `count` configurations at random positions of the space's order.
static std::vector<Config> sample(const Space &space, size_t count,
                                  uint64_t seed) {
  std::vector<Config> reservoir;
  Random random(seed);
  uint64_t seen = 0;
  space.forEach([&](const Config &config) {
    ++seen;
    if (reservoir.size() < count)
      reservoir.push_back(config);
    else if (uint64_t at = random.next() % seen; at < count)
      reservoir[at] = config;
    return true;
  });
  return reservoir;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 60;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  Expected<TargetSpec> target =
      knownTarget(argc > 3 ? argv[3] : kDefaultTargetId);
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      parseModule(*context, kMatmul);
  const Schedule *schedule = findSchedule("matmul");
  if (!target || !module || !schedule || count == 0) {
    fmt::print(stderr, "usage: compile-time [samples] [seed] [target]\n");
    return 1;
  }
  mlir::Operation *op = nullptr;
  (*module)->walk([&](mlir::linalg::LinalgOp found) { op = found; });
  Expected<Workload> workload = extractWorkload(op);
  if (!workload) {
    fmt::print(stderr, "{}\n", workload.error().str());
    return 1;
  }
  std::vector<double> times;
  size_t failed = 0;
  for (const Config &config :
       sample(schedule->space(*workload, *target), count, seed)) {
    double begin = processorMs();
    Expected<CompiledKernel> kernel = compileKernel(
        **module, *schedule, *workload, *target, config, CompileOptions());
    times.push_back(processorMs() - begin);
    if (!kernel && failed++ < 3)
      fmt::print(stderr, "{}: {}\n",
                 schedule->space(*workload, *target).toText(config),
                 kernel.error().str());
  }
  std::sort(times.begin(), times.end());
  auto at = [&](double share) {
    return times[size_t(share * double(times.size() - 1))];
  };
  fmt::print("{} candidates (seed {}), {} failed: processor time to PTX, ms: "
             "median {:.1f}, 10 % {:.1f}, 90 % {:.1f}, most {:.1f}\n",
             times.size(), seed, failed, at(0.5), at(0.1), at(0.9), at(1.0));
  return 0;
}
