//===- Factories.h - the built-in schedules ---------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each schedule; `Schedule.cpp` lists them, the most specific
// first.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SCHEDULE_FACTORIES_H
#define HWTUNE_SCHEDULE_FACTORIES_H

#include "hwtune/Schedule/Schedule.h"

#include <memory>

namespace hwtune {

std::unique_ptr<Schedule> createMatmulSchedule();
std::unique_ptr<Schedule> createElementwiseSchedule();
std::unique_ptr<Schedule> createGenericSchedule();
std::unique_ptr<Schedule> createReductionSchedule();
std::unique_ptr<Schedule> createTransposeSchedule();
std::unique_ptr<Schedule> createWindowSchedule();

} // namespace hwtune

#endif // HWTUNE_SCHEDULE_FACTORIES_H
