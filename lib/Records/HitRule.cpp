//===- HitRule.cpp - which stored run spares a new one --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/HitRule.h"

#include <fmt/format.h>

#include <tuple>

namespace hwtune {

/// Whether a budget of `had` was at least `asked`; 0 = no limit.
static bool covers(double had, double asked) {
  return had == 0 || (asked != 0 && had >= asked);
}

static bool hasResult(const RunRecord &run) {
  return run.label && run.tunedNs.value_or(0) > 0;
}

std::string shortcoming(const RunRecord &run, const HitRule &rule) {
  if (!run.finished)
    return "it was not finished";
  if (!hasResult(run))
    return "it found nothing";
  if (*run.label < rule.label)
    return fmt::format("its times are {}, this device's are {}",
                       toString(*run.label), toString(rule.label));
  if (!run.verified)
    return "its winner was not verified";
  if (!rule.schedule.empty() && run.schedule != rule.schedule)
    return fmt::format("its winner is of schedule '{}', expected '{}'",
                       run.schedule, rule.schedule);
  if (run.converged)
    return "";
  if (!covers(double(run.budgetTrials), double(rule.trials)))
    return fmt::format("it had a budget of {} trials, {} are asked for",
                       run.budgetTrials,
                       rule.trials ? std::to_string(rule.trials) : "unlimited");
  if (!covers(run.budgetSeconds, rule.seconds))
    return fmt::format(
        "it had a budget of {} seconds, {} are asked for", run.budgetSeconds,
        rule.seconds ? fmt::format("{}", rule.seconds) : "unlimited");
  return "";
}

bool isBetter(const RunRecord &a, const RunRecord &b) {
  return std::tuple(!a.verified, -int(*a.label), *a.tunedNs) <
         std::tuple(!b.verified, -int(*b.label), *b.tunedNs);
}

bool supersedes(const RunRecord &kept, const RunRecord &old) {
  if (!(kept.key == old.key) || !kept.finished || !hasResult(kept))
    return false;
  if (!hasResult(old))
    return true;
  if (!isBetter(kept, old))
    return false;
  // The most that `old` is a hit for; one that is no hit at all needs no cover.
  HitRule most{*old.label, old.converged ? 0 : old.budgetTrials,
               old.converged ? 0 : old.budgetSeconds, old.schedule};
  return !shortcoming(old, most).empty() || shortcoming(kept, most).empty();
}

} // namespace hwtune
