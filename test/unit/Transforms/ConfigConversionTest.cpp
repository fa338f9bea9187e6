//===- ConfigConversionTest.cpp - annotations and configurations ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Model/ExpectedTime.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Transforms/ModelRanking.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

/// A copy of 4096 floats.
Workload copyWorkload() {
  Workload w;
  w.kind = WorkloadKind::Elementwise;
  w.loops = {{LoopKind::Parallel, 4096}};
  Operand in;
  in.shape = {4096};
  in.index = {{{1}, 0}};
  Operand out = in;
  out.isOutput = true;
  w.operands = {in, out};
  return w;
}

TEST(ConfigConversion, EveryLegalConfigurationComesBack) {
  mlir::MLIRContext context;
  context.loadDialect<HWTuneDialect>();
  Workload w = copyWorkload();
  TargetSpec target = *knownTarget("t4");
  const Schedule *schedule = scheduleFor(w);
  ASSERT_TRUE(schedule);
  Space space = schedule->space(w, target);
  unsigned count = 0;
  space.forEach([&](const Config &config) {
    ++count;
    ConfigAttr attr = toConfigAttr(&context, schedule->name(), space, config);
    Expected<ResolvedConfig> back =
        resolveConfig(attr, /*op=*/nullptr, w, target, UserSchedules());
    EXPECT_TRUE(back && back->config == config && back->schedule == schedule);
    return true;
  });
  EXPECT_EQ(count, space.count().legal);
  EXPECT_GT(count, 10u);
}

/// The best of a ranking are the least of all, in order, ties by index.
TEST(ModelRanking, KeepsTheLeast) {
  Workload w = copyWorkload();
  TargetSpec target = *knownTarget("t4");
  const Schedule *schedule = scheduleFor(w);
  ASSERT_TRUE(schedule);
  std::vector<std::pair<double, uint64_t>> all;
  uint64_t index = 0;
  schedule->space(w, target).forEach([&](const Config &config) {
    // The same function that `device=model` answers by.
    double seconds = expectedSeconds(schedule->features(w, target, config),
                                     ModelTarget::from(target), makeEnsemble());
    if (std::isfinite(seconds))
      all.emplace_back(seconds, index);
    ++index;
    return true;
  });
  std::sort(all.begin(), all.end());
  Ranking ranking = rankByModel(*schedule, w, target, 7);
  EXPECT_EQ(ranking.legal, index);
  EXPECT_EQ(ranking.infeasible, index - all.size());
  ASSERT_EQ(ranking.best.size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(ranking.best[i].index, all[i].second);
    EXPECT_DOUBLE_EQ(ranking.best[i].prediction.seconds, all[i].first);
  }
}

} // namespace
