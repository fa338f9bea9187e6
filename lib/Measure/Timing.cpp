//===- Timing.cpp ---------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample is the time between two events around one launch of everything that
// comes from idle (cold), or around several back to back (warm). See
// docs/measuring.md.
//
//===----------------------------------------------------------------------===//

#include "Timing.h"

#include "hwtune/Measure/Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

using namespace hwtune;

namespace {

/// What NVIDIA documents of `cuEventElapsedTime`; used where the timer's own
/// steps cannot be seen.
constexpr double kDocumentedResolution = 0.5e-6;
constexpr int kResolutionProbes = 16;
constexpr int kMaxLaunchesPerSample = 1000;
/// Back to back: the first launch of a sample comes from idle and must not
/// count.
constexpr int kMinBackToBack = 10;
constexpr int kMinSamples = 3;
/// Twice the L2: what is evicted, and what was written to evict it.
constexpr int64_t kFlushFactor = 2;

class Timer {
public:
  Timer(DeviceSession &session, const RunPolicy &policy, RunOutcome &outcome)
      : session(session), driver(session.driver), policy(policy),
        outcome(outcome) {}
  ~Timer();
  bool run();

private:
  bool createEvents();
  bool allocateFlush();
  bool measureResolution();
  bool flush();
  /// Seconds of `launches` launches of everything.
  bool sample(int launches, double &seconds);
  bool elapsed(double &seconds);
  void plan(double estimate);
  bool takeSamples();
  bool finish();

  DeviceSession &session;
  const DriverTable &driver;
  const RunPolicy &policy;
  RunOutcome &outcome;
  TimingRecord record;
  cuda::Event start = nullptr, stop = nullptr;
  cuda::DevicePtr flushBuffer = 0;
  int samples = 0;
};

Timer::~Timer() {
  if (start)
    driver.cuEventDestroy(start);
  if (stop)
    driver.cuEventDestroy(stop);
  if (flushBuffer)
    driver.cuMemFree(flushBuffer);
}

bool Timer::createEvents() {
  return session.check(driver.cuEventCreate(&start, cuda::kEventDefault),
                       "cuEventCreate") &&
         session.check(driver.cuEventCreate(&stop, cuda::kEventDefault),
                       "cuEventCreate");
}

bool Timer::allocateFlush() {
  // A simulated device is told what a launch follows.
  bool told = driver.kind() == DriverKind::Simulated;
  // Nobody knows how much to write for a cache of unknown size.
  bool cold = policy.coldCache && (told || session.target.l2Bytes > 0);
  record.cache = cold ? "cold" : "warm";
  if (told || !cold)
    return true;
  record.flushBytes = kFlushFactor * session.target.l2Bytes;
  return session.check(
      driver.cuMemAlloc(&flushBuffer, static_cast<size_t>(record.flushBytes)),
      "cuMemAlloc");
}

bool Timer::flush() {
  if (!flushBuffer)
    return true;
  return session.check(
      driver.cuMemsetD8(flushBuffer, 0, static_cast<size_t>(record.flushBytes)),
      "cuMemsetD8");
}

bool Timer::elapsed(double &seconds) {
  float milliseconds = 0;
  if (!session.check(driver.cuEventSynchronize(stop), "cuEventSynchronize") ||
      !session.check(driver.cuEventElapsedTime(&milliseconds, start, stop),
                     "cuEventElapsedTime"))
    return false;
  seconds = static_cast<double>(milliseconds) * 1e-3;
  return true;
}

/// The smallest step between the times of empty event pairs.
bool Timer::measureResolution() {
  std::set<double> seen;
  for (int i = 0; i < kResolutionProbes; ++i) {
    double seconds = 0;
    if (!session.check(driver.cuEventRecord(start, nullptr), "cuEventRecord") ||
        !session.check(driver.cuEventRecord(stop, nullptr), "cuEventRecord") ||
        !elapsed(seconds))
      return false;
    seen.insert(seconds);
  }
  record.resolution = kDocumentedResolution;
  for (auto it = seen.begin(), next = std::next(it); next != seen.end();
       ++it, ++next)
    record.resolution = std::min(record.resolution, *next - *it);
  return true;
}

bool Timer::sample(int launches, double &seconds) {
  // A cold launch comes from idle: its overhead is part of it.
  if (!session.restoreInitial() || !flush() ||
      (policy.coldCache && !session.synchronize()) ||
      !session.check(driver.cuEventRecord(start, nullptr), "cuEventRecord"))
    return false;
  for (int i = 0; i < launches; ++i)
    if (!session.launchAll())
      return false;
  if (!session.check(driver.cuEventRecord(stop, nullptr), "cuEventRecord") ||
      !elapsed(seconds))
    return false;
  seconds /= launches;
  record.joules = session.joules();
  return true;
}

/// A tick more or less must not matter: one sample covers `minTicks` of them,
/// or, where a cold launch cannot be repeated, more samples average it out.
void Timer::plan(double estimate) {
  samples = policy.samples;
  double ticks = std::max(estimate / record.resolution, 1.0);
  double factor = std::ceil(policy.minTicks / ticks);
  if (!policy.coldCache)
    record.launchesPerSample = static_cast<int>(
        std::clamp<double>(factor, kMinBackToBack, kMaxLaunchesPerSample));
  else if (factor > 1)
    samples = static_cast<int>(std::min<double>(
        std::max(samples, policy.maxSamples), samples * factor));
}

bool Timer::takeSamples() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < samples; ++i) {
    double seconds = 0;
    if (!sample(record.launchesPerSample, seconds))
      return false;
    record.seconds.push_back(seconds);
    std::chrono::duration<double> spent = Clock::now() - begin;
    if (spent.count() > policy.budgetSeconds && i + 1 >= kMinSamples)
      break;
  }
  return true;
}

bool Timer::finish() {
  record.median = quantile(record.seconds, 0.5);
  record.q20 = quantile(record.seconds, 0.2);
  record.q80 = quantile(record.seconds, 0.8);
  bool usable = std::isfinite(record.median) && record.median > 0;
  record.spread = usable ? (record.q80 - record.q20) / record.median : 0;
  outcome.timing = record;
  if (!usable)
    return session.fail(
        RunStatus::Noisy,
        fmt::format("the event timer gave {} s for a launch", record.median));
  if (record.spread > policy.maxSpread)
    return session.fail(
        RunStatus::Noisy,
        fmt::format("samples spread by {:.0f} % of the median (q20 {:.3g} s, "
                    "q80 {:.3g} s), limit {:.0f} %",
                    100 * record.spread, record.q20, record.q80,
                    100 * policy.maxSpread));
  return true;
}

bool Timer::run() {
  if (!createEvents() || !allocateFlush())
    return false;
  // A simulated clock has no ticks worth waiting for, and no caches to warm.
  bool real = driver.kind() == DriverKind::Real;
  record.resolution = kDocumentedResolution;
  if (real && !measureResolution())
    return false;
  double estimate = 0;
  for (; record.warmups < policy.warmups; ++record.warmups)
    if (!sample(1, estimate))
      return false;
  if (real && record.warmups > 0)
    plan(estimate);
  else
    samples = policy.samples;
  return takeSamples() && finish();
}

} // namespace

bool hwtune::timeLaunches(DeviceSession &session, const RunPolicy &policy,
                          RunOutcome &outcome) {
  return Timer(session, policy, outcome).run();
}
