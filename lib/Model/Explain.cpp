//===- Explain.cpp - predictions in plain words ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hwtune {

namespace {

constexpr std::string_view kTermNames[kNumTerms] = {
    "fma",      "arithmetic", "special",       "tensor",
    "issue",    "fetch",      "load_store",    "l2",
    "dram",     "atomics",    "latency_chain", "barriers",
    "shuffles", "phases",     "launch",        "host_copy"};
constexpr std::string_view kTermWords[kNumTerms] = {
    "multiply-adds",
    "other arithmetic",
    "special functions",
    "matrix units",
    "instruction issue",
    "instruction fetch",
    "the load/store unit",
    "L2 traffic",
    "DRAM traffic",
    "atomics",
    "waiting inside a warp",
    "barriers",
    "shuffles",
    "phases that do not overlap",
    "launching",
    "host copies"};
constexpr std::string_view kCostNames[kNumCosts] = {"memory", "compute",
                                                    "communication"};

/// Whole-launch clocks of a term.
double launchClocks(const Prediction &p, unsigned term) {
  bool once = term >= static_cast<unsigned>(Term::Launch);
  return p.clocks[term] * (once ? 1 : p.wavesPaid * p.vectorFactor);
}

} // namespace

std::string_view termName(Term term) {
  return kTermNames[static_cast<unsigned>(term)];
}

Cost costOf(Term term) {
  if (term < Term::Lsu)
    return Cost::Compute;
  return term < Term::Chain ? Cost::Memory : Cost::Communication;
}

std::string_view costName(Cost cost) {
  return kCostNames[static_cast<unsigned>(cost)];
}

std::string explain(const KernelFeatures &f, const Prediction &a,
                    const KernelFeatures &g, const Prediction &b) {
  if (a.infeasible || b.infeasible)
    return a.infeasible ? fmt::format("cannot run: {}", a.infeasible)
                        : fmt::format("the other cannot run: {}", b.infeasible);
  double change = a.seconds / b.seconds;
  std::string text =
      // Nearer than what three digits show.
      std::abs(change - 1) < 0.005
          ? fmt::format("predicted equal within 0.5 % ({:.4g} against {:.4g} "
                        "us)",
                        a.seconds * 1e6, b.seconds * 1e6)
          : fmt::format("predicted {:.3g} times as {} ({:.4g} against "
                        "{:.4g} us)",
                        change < 1 ? 1 / change : change,
                        change < 1 ? "fast" : "slow", a.seconds * 1e6,
                        b.seconds * 1e6);
  if (std::string why = causes(f, a, g, b); !why.empty())
    text += "; " + why;
  std::array<unsigned, kNumTerms> order;
  for (unsigned i = 0; i < kNumTerms; ++i)
    order[i] = i;
  auto gap = [&](unsigned i) {
    return std::abs(launchClocks(a, i) - launchClocks(b, i));
  };
  std::sort(order.begin(), order.end(), [&](unsigned x, unsigned y) {
    return gap(x) != gap(y) ? gap(x) > gap(y) : x < y;
  });
  for (unsigned i : order) {
    if (gap(i) <= 1e-3 * std::max(launchClocks(a, i), launchClocks(b, i)))
      break;
    text += fmt::format("; {}: {:.4g} against {:.4g} clocks", kTermWords[i],
                        launchClocks(a, i), launchClocks(b, i));
  }
  text += fmt::format("; occupancy {:.0f} % against {:.0f} %, {:.2f} against "
                      "{:.2f} waves, {:.0f} against {:.0f} registers",
                      a.occupancy * 100, b.occupancy * 100, a.wavesPaid,
                      b.wavesPaid, a.registers, b.registers);
  if (a.spilled > 0 || b.spilled > 0)
    text +=
        fmt::format(", {:.0f} against {:.0f} spilled", a.spilled, b.spilled);
  return text;
}

} // namespace hwtune
