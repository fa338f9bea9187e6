//===- Schedule.cpp - all schedules ---------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Schedule/Factories.h"

namespace hwtune {

/// The most specific first.
static std::vector<std::unique_ptr<Schedule>> makeSchedules() {
  std::vector<std::unique_ptr<Schedule>> all;
  all.push_back(createMatmulSchedule());
  all.push_back(createElementwiseSchedule());
  all.push_back(createTransposeSchedule());
  all.push_back(createWindowSchedule());
  all.push_back(createReductionSchedule());
  all.push_back(createGenericSchedule()); // takes everything
  return all;
}

const std::vector<std::unique_ptr<Schedule>> &allSchedules() {
  static const std::vector<std::unique_ptr<Schedule>> all = makeSchedules();
  return all;
}

std::function<KernelFeatures(const Config &)>
Schedule::boundFeatures(const Workload &w, const TargetSpec &t) const {
  return [this, w, t](const Config &config) { return features(w, t, config); };
}

const Schedule *findSchedule(std::string_view name) {
  for (const std::unique_ptr<Schedule> &schedule : allSchedules())
    if (schedule->name() == name)
      return schedule.get();
  return nullptr;
}

const Schedule *scheduleFor(const Workload &w) {
  for (const std::unique_ptr<Schedule> &schedule : allSchedules())
    if (schedule->mismatch(w).empty())
      return schedule.get();
  return nullptr;
}

Workload withoutPromises(Workload w) {
  w.wholeRows = false;
  return w;
}

bool hasWholeRows(const Workload &w,
                  std::span<const std::vector<int64_t>> shapes) {
  size_t next = 0;
  for (const Operand &op : w.operands) {
    if (op.isScalar)
      continue;
    std::span<const int64_t> shape = op.shape;
    if (next < shapes.size())
      shape = shapes[next++];
    if (!op.shape.empty() && op.shape.back() == kDynamic &&
        shape.back() * sizeInBytes(op.type) % kRowBytes != 0)
      return false;
  }
  return true;
}

bool needsWholeRows(const Schedule &schedule, const Workload &w,
                    const TargetSpec &t, const Config &c) {
  if (!w.wholeRows)
    return false;
  Workload plain = withoutPromises(w);
  return schedule.space(plain, t).reject(c).has_value() ||
         schedule.script(plain, t, c) != schedule.script(w, t, c);
}

} // namespace hwtune
