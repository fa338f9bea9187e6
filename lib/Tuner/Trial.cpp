//===- Trial.cpp - what a measurement leaves behind -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "hwtune/Measure/Statistics.h"
#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <cmath>

namespace hwtune {

Measured measuredOf(const TrialRecord &trial) {
  Measured measured;
  auto scaled = [](const std::optional<double> &value, double factor) {
    return value ? std::optional<double>(*value * factor) : std::nullopt;
  };
  measured.seconds = scaled(trial.medianNs, 1e-9);
  measured.coldSeconds = scaled(trial.coldNs, 1e-9);
  measured.joules = scaled(trial.energyMJ, 1e-3);
  measured.watts = trial.powerW;
  return measured;
}

double reportedSeconds(Objective objective, const TrialRecord &trial) {
  Measured measured = measuredOf(trial);
  if (objective == Objective::Latency && measured.coldSeconds)
    return *measured.coldSeconds;
  return measured.seconds.value_or(0);
}

double relativeNoise(const TrialRecord &trial) {
  if (!trial.q20Ns || !trial.q80Ns || trial.medianNs.value_or(0) <= 0)
    return 0;
  return (*trial.q80Ns - *trial.q20Ns) / (2 * *trial.medianNs);
}

void fillMeasurement(TrialRecord &trial, const Measurement &m) {
  trial.status = m.status;
  trial.reason = shortened(m.reason, kMaxReasonBytes);
  trial.label = m.label;
  for (double seconds : m.seconds)
    trial.timesNs.push_back(seconds * 1e9);
  if (m.measured.seconds)
    trial.medianNs = *m.measured.seconds * 1e9;
  else if (!trial.timesNs.empty())
    trial.medianNs = quantile(trial.timesNs, 0.5);
  if (m.q20 && m.q80) {
    trial.q20Ns = *m.q20 * 1e9;
    trial.q80Ns = *m.q80 * 1e9;
  } else if (!trial.timesNs.empty()) {
    trial.q20Ns = quantile(trial.timesNs, 0.2);
    trial.q80Ns = quantile(trial.timesNs, 0.8);
  }
  if (m.measured.coldSeconds)
    trial.coldNs = *m.measured.coldSeconds * 1e9;
  if (m.measured.joules)
    trial.energyMJ = *m.measured.joules * 1e3;
  trial.powerW = m.measured.watts;
  trial.clockMHz = m.clockMHz;
  trial.maxAbs = m.maxAbs, trial.maxRel = m.maxRel;
  trial.checkedElements = m.checkedElements;
  double median = trial.medianNs.value_or(0);
  if (trial.ok() && !(median > 0 && std::isfinite(median))) {
    trial.status = TrialStatus::Noisy;
    trial.reason = trial.medianNs
                       ? fmt::format("a time of {} ns is no time", median)
                       : "the device returned no time";
  }
  // A time of a kernel that failed must not be taken for one later.
  if (!trial.ok())
    trial.medianNs.reset();
}

void fillArtifact(TrialRecord &trial, const Artifact &artifact) {
  trial.status = artifact.status;
  trial.reason = shortened(artifact.reason, kMaxReasonBytes);
  trial.registers = artifact.registers;
  trial.spillBytes = artifact.spillBytes;
  trial.sharedBytes = artifact.sharedBytes;
  trial.registerBasis = artifact.registerBasis;
  trial.occupancy = artifact.occupancy;
  trial.artifact = artifact.hash;
  trial.compileMs = artifact.compileMs;
}

std::string LessonBook::learn(const TrialRecord &trial, double seconds) {
  if (!trial.ok())
    return fmt::format("failed ({}): told to the search as not feasible",
                       toString(trial.status));
  std::string text;
  if (trial.predictedNs && *trial.predictedNs > 0 &&
      std::isfinite(*trial.predictedNs)) {
    double ratio = seconds / (*trial.predictedNs * 1e-9);
    text = fmt::format("{:.2f} x the prediction of {}", ratio,
                       formatTime(*trial.predictedNs * 1e-9));
    // What counts is how it differs from the others: a common factor changes
    // no order.
    if (count > 0) {
      double usual = std::exp(logRatios / double(count));
      text += fmt::format(", {:.0f} % {} than the model expects relative to "
                          "the trials before",
                          std::abs(ratio / usual - 1) * 100,
                          ratio > usual ? "slower" : "faster");
    }
    logRatios += std::log(ratio);
    ++count;
  }
  if (!best || seconds < *best) {
    best = seconds;
    text += std::string(text.empty() ? "" : "; ") + "new best";
  }
  return text;
}

} // namespace hwtune
