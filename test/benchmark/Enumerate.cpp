//===- Enumerate.cpp - how fast a space is walked and scored --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matmul schedule's own space and features on one core: configurations a
// processor second of the walk alone, of the count, and of walk and score
// together with one vector of constants (design: at least a million a second).
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"
#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Tuner/Candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace hwtune;

/// C[m,n] += A[m,k] * B[k,n] in f32.
static Workload matmul(int64_t size) {
  Workload w;
  w.opName = "linalg.matmul";
  w.loops = {{LoopKind::Parallel, size},
             {LoopKind::Parallel, size},
             {LoopKind::Reduction, size}};
  auto operand = [&](std::vector<int64_t> row, std::vector<int64_t> column) {
    Operand op;
    op.shape = {size, size};
    op.index = {{std::move(row), 0}, {std::move(column), 0}};
    return op;
  };
  w.operands = {operand({1, 0, 0}, {0, 0, 1}), operand({0, 0, 1}, {0, 1, 0}),
                operand({1, 0, 0}, {0, 1, 0})};
  w.operands[2].isOutput = w.operands[2].readsInit = true;
  w.body = {1, 2, 0, 0};
  w.combiner = "add";
  w.kind = classify(w);
  return w;
}

/// Processor seconds: other work on the machine does not count.
static double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Of the fastest of three runs.
template <typename F> static double timed(F run) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    double begin = processorSeconds();
    run();
    best = std::min(best, processorSeconds() - begin);
  }
  return best;
}

static void print(const char *what, uint64_t count, double seconds) {
  fmt::print("{:<44} {:>12} in {:>9}  {}\n", what, count, formatTime(seconds),
             formatRate(double(count) / seconds, "/s"));
}

int main(int argc, char **argv) {
  std::string id = argc > 1 ? argv[1] : "a100-sxm4-80gb";
  Expected<TargetSpec> target = knownTarget(id);
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().str());
    return 1;
  }
  Workload w = matmul(4096);
  const Schedule *schedule = scheduleFor(w);
  Space space = schedule->space(w, *target);
  if (Status status = space.check(); !status) {
    fmt::print(stderr, "{}\n", status.error().str());
    return 1;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  SpaceCounts counts;
  double count = timed([&] { counts = space.count(); });
  fmt::print("{} 4096 on {}, schedule {}\n{}\n", w.opName, id, schedule->name(),
             describeCounts(counts));
  print("counted without visiting", counts.product, count);

  uint64_t visited = 0;
  double walk = timed([&] {
    visited = 0;
    space.forEach([&](const Config &) { return ++visited; });
  });
  print("walked", visited, walk);

  // At most this many are scored, so that a large space does not take minutes.
  constexpr uint64_t kMost = 100'000;
  ModelTarget model = ModelTarget::from(*target);
  Constants constants = Constants::reasoned();
  auto featuresOf = schedule->boundFeatures(w, *target);
  double best = 1e300, features = 0, sum = 0;
  uint64_t scored = 0;
  features = timed([&] {
    uint64_t n = 0;
    space.forEach([&](const Config &config) {
      sum += featuresOf(config).fma32;
      return ++n < kMost;
    });
  });
  double both = timed([&] {
    scored = 0;
    space.forEach([&](const Config &config) {
      Prediction p = predict(featuresOf(config), model, constants);
      best = std::min(best, p.seconds);
      return ++scored < kMost;
    });
  });
  print("walked, with features", scored, features);
  print("walked and scored (one constant vector)", scored, both);

  KernelFeatures one;
  space.forEach([&](const Config &config) {
    one = featuresOf(config);
    return false;
  });
  constexpr uint64_t kPredictions = 1'000'000;
  double predictions = timed([&] {
    for (uint64_t i = 0; i < kPredictions; ++i) {
      one.blocks += 1e-9;
      sum += predict(one, model, constants).seconds;
    }
  });
  print("predicted, one configuration again", kPredictions, predictions);
  fmt::print("best prediction {} (checksum {:.3g})\n", formatTime(best), sum);
  return 0;
}
