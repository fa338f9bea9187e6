//===- Turns.h - what each trial of `auto` does ---------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `auto` alternates: by the number of the trial it asks the model's list, the
// genetic or the annealing strategy, or a process for the largest expected
// improvement, everywhere or near the best.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_TURNS_H
#define HWTUNE_LIB_SEARCH_TURNS_H

#include <cstddef>

namespace hwtune {

/// Whose turn a trial is.
enum class Turn { Improvement, List, Genetic, Annealing };
/// Where expected improvement looks. Wide: where least is known; the steps: no
/// further than one or two parameters from the best, where what a process over
/// the whole space smooths away is seen.
enum class Look { Everywhere, Wide, OneStep, TwoSteps };

/// `trial` from 0; `idle`: trials since the best last gained. Genetic and
/// annealing take turns where nothing was gained for a while: earlier, the
/// others gain more.
Turn turnOf(size_t trial, bool withModel, size_t idle);

/// Exploration never stops: from the 19th on every ninth trial, without a model
/// every 18th, is wide, and none of another's turn.
Look lookOf(size_t trial, bool withModel);

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_TURNS_H
