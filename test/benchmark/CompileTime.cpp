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
// Usage: bench-compile-time [samples] [seed] [target]
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

/// Milliseconds of each step for one candidate, or the reason why it failed.
struct Steps {
  double schedule = 0, outline = 0, lower = 0, ptx = 0;
  double sum() const { return schedule + outline + lower + ptx; }
};

static Expected<Steps> compile(mlir::ModuleOp module, const std::string &script,
                               const TargetSpec &target) {
  mlir::OwningOpRef<mlir::ModuleOp> owned(module.clone());
  CompileOptions options;
  Steps steps;
  Status status = success();
  auto timed = [&](double &ms, auto step) {
    double begin = processorMs();
    if (status)
      status = step();
    ms = processorMs() - begin;
  };
  timed(steps.schedule, [&] { return applySchedule(*owned, script); });
  timed(steps.outline, [&] { return outlineKernels(*owned, options); });
  timed(steps.lower, [&] { return lowerKernels(*owned); });
  timed(steps.ptx, [&]() -> Status {
    mlir::gpu::GPUModuleOp kernel;
    owned->walk([&](mlir::gpu::GPUModuleOp found) { kernel = found; });
    Expected<std::string> ptx = toPtx(kernel, target);
    return ptx ? success() : Status(ptx.error());
  });
  if (!status)
    return status.error();
  return steps;
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
    fmt::print(stderr, "usage: bench-compile-time [samples] [seed] [target]\n");
    return 1;
  }
  mlir::Operation *op = nullptr;
  (*module)->walk([&](mlir::linalg::LinalgOp found) { op = found; });
  Expected<Workload> workload = extractWorkload(op);
  if (!workload) {
    fmt::print(stderr, "{}\n", workload.error().str());
    return 1;
  }
  std::vector<double> times, schedules, lowers, ptxs;
  size_t failed = 0;
  Space space = schedule->space(*workload, *target);
  for (const Config &config : sample(space, count, seed)) {
    Expected<Steps> steps = compile(
        **module, schedule->script(*workload, *target, config), *target);
    if (!steps) {
      ++failed;
      fmt::print(stderr, "{}: {}\n", space.toText(config), steps.error().str());
      continue;
    }
    times.push_back(steps->sum());
    schedules.push_back(steps->schedule);
    lowers.push_back(steps->outline + steps->lower);
    ptxs.push_back(steps->ptx);
  }
  if (times.empty())
    return 1;
  for (std::vector<double> *list : {&schedules, &lowers, &ptxs})
    std::sort(list->begin(), list->end());
  std::sort(times.begin(), times.end());
  auto at = [&](double share) {
    return times[size_t(share * double(times.size() - 1))];
  };
  fmt::print("{} candidates (seed {}), {} failed: processor time to PTX, ms: "
             "median {:.1f}, 10 % {:.1f}, 90 % {:.1f}, most {:.1f}\n",
             times.size(), seed, failed, at(0.5), at(0.1), at(0.9), at(1.0));
  fmt::print("medians of the steps, ms: schedule {:.1f}, outline and lower "
             "{:.1f}, LLVM {:.1f}\n",
             schedules[schedules.size() / 2], lowers[lowers.size() / 2],
             ptxs[ptxs.size() / 2]);
  return 0;
}
