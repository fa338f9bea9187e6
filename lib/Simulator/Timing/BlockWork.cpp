//===- BlockWork.cpp - grids whose blocks do not do the same --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/BlockWork.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

using namespace hwtune;
using namespace hwtune::timing;

void BlockWorkRecorder::instruction(const exec::TraceEvent &event) {
  // A block that is hardly longer than those before says nothing new.
  constexpr double kLonger = 1.25;
  if (event.block != current) {
    if (current < counts.size())
      longest = std::max(longest, counts[current]);
    current = event.block;
  }
  uint64_t count = ++counts[event.block];
  if (event.block != recorded && double(count) > kLonger * double(longest)) {
    recorder.emplace(insts, hoist, std::span(&current, 1), limits);
    recorded = event.block;
  }
  if (event.block == recorded)
    recorder->instruction(event);
}

BlockTrace BlockWorkRecorder::takeLongest() {
  return recorder ? std::move(recorder->takeTraces().front()) : BlockTrace();
}

bool timing::isSkewed(std::span<const uint64_t> blockInsts) {
  constexpr double kMuch = 1.2;
  if (blockInsts.empty())
    return false;
  double sum = std::accumulate(blockInsts.begin(), blockInsts.end(), 0.0);
  double most = double(*std::max_element(blockInsts.begin(), blockInsts.end()));
  return most * double(blockInsts.size()) > kMuch * sum;
}

/// Gives each block to the one of `takers` that has the least, and returns what
/// the one with the most has.
static double mostGiven(std::span<const uint64_t> blockInsts, uint64_t takers) {
  std::priority_queue<double, std::vector<double>, std::greater<>> given;
  double most = 0;
  for (uint64_t insts : blockInsts) {
    double before = 0;
    if (given.size() >= takers) {
      before = given.top();
      given.pop();
    }
    given.push(before + double(insts));
    most = std::max(most, before + double(insts));
  }
  return most;
}

double timing::busiestOverMean(std::span<const uint64_t> blockInsts,
                               uint64_t sms) {
  double sum = std::accumulate(blockInsts.begin(), blockInsts.end(), 0.0);
  double used = double(std::min<uint64_t>(sms, blockInsts.size()));
  return sum > 0 ? mostGiven(blockInsts, sms) * used / sum : 1;
}

double timing::longestRow(std::span<const uint64_t> blockInsts,
                          uint64_t places) {
  return mostGiven(blockInsts, places);
}
