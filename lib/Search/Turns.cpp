//===- Turns.cpp - what each trial of `auto` does -------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Turns.h"

namespace hwtune {

namespace {

// All in trials. With a model the wide one stands in the middle of nine, beside
// the list's every third, and the first comes when the list has been walked.
// Without one every second look is near the best, and a wide one is rarer.
constexpr size_t kListEvery = 3;
constexpr size_t kWideEvery = 9, kWideAt = 4, kWideFrom = 18;
constexpr size_t kWideEveryBlackBox = 18, kWideAtBlackBox = 17;
constexpr size_t kOthersEvery = 13, kOthersAfter = 12;
constexpr size_t kLocalEvery = 5, kLocalEveryBlackBox = 2;

bool isWide(size_t trial, bool withModel) {
  return withModel ? trial >= kWideFrom && trial % kWideEvery == kWideAt
                   : trial % kWideEveryBlackBox == kWideAtBlackBox;
}

} // namespace

Turn turnOf(size_t trial, bool withModel, size_t idle) {
  if (isWide(trial, withModel))
    return Turn::Improvement;
  if (withModel && trial % kListEvery == kListEvery - 1)
    return Turn::List;
  if (idle >= kOthersAfter && trial % kOthersEvery == 1)
    return trial / kOthersEvery % 2 ? Turn::Annealing : Turn::Genetic;
  return Turn::Improvement;
}

Look lookOf(size_t trial, bool withModel) {
  if (isWide(trial, withModel))
    return Look::Wide;
  size_t every = withModel ? kLocalEvery : kLocalEveryBlackBox;
  if (trial % every == 0)
    return trial / every % 2 ? Look::OneStep : Look::TwoSteps;
  return Look::Everywhere;
}

} // namespace hwtune
