//===- LoopView.h - a workload as groups of loops ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the launch ops see of an op (IR/LaunchOps.td), derived from the
// workload: loops that run as one, and how far each operand moves per
// iteration. Also how a warp's accesses fall into sectors.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SCHEDULE_LOOPS_LOOPVIEW_H
#define HWTUNE_LIB_SCHEDULE_LOOPS_LOOPVIEW_H

#include "hwtune/Model/KernelFeatures.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Target/TargetSpec.h"
#include "hwtune/Workload/Workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hwtune::loops {

inline constexpr int64_t kUnknown = INT64_MIN; ///< a stride of dynamic size
inline constexpr int64_t kAccessBytes = 16;    ///< the widest access of a lane

struct Group {
  LoopKind kind = LoopKind::Parallel;
  int64_t extent = kDynamic;
  int64_t assumed = 1; ///< product of the loops' assumed extents
  std::vector<unsigned> loops;
};

struct LoopView {
  const Workload *workload = nullptr;
  std::vector<Group> groups;
  /// [operand][group]: elements; kUnknown where sizes are not static.
  std::vector<std::vector<int64_t>> stride;
  std::vector<int64_t> constant; ///< [operand], kUnknown as above

  std::vector<int64_t> collapse() const; ///< loops of each group
  std::vector<unsigned> of(LoopKind kind) const;
  /// Group along which `operand` is contiguous.
  std::optional<unsigned> fastest(unsigned operand) const;
  /// Widest power of two, at most `wish` and 16 bytes, of elements that an
  /// access of `operand` along `group` can have: contiguous and aligned.
  int64_t width(unsigned operand, unsigned group, int64_t wish) const;
  /// Largest known power of two that divides the extent of `group`.
  int64_t multiple(unsigned group) const;
  int64_t points(LoopKind kind) const; ///< product of the assumed extents
};

/// With `collapse`, adjacent loops of a kind along which all operands are
/// contiguous or constant become one.
LoopView viewOf(const Workload &w, bool collapse);

/// Distinct sectors and lines of the accesses of 32 lanes, and the lines of
/// each phase of at most a line's bytes, summed. `indices[lane]` has an index
/// per group.
struct WarpAccess {
  double sectors = 1, lines = 1, wavefronts = 1;
};
WarpAccess warpAccess(const LoopView &v, unsigned operand, int64_t bytes,
                      const TargetSpec &t,
                      const std::vector<std::vector<int64_t>> &indices);

/// Splits `number` over `counts`, the last fastest.
std::vector<int64_t> splitNumber(int64_t number,
                                 const std::vector<int64_t> &counts);

int64_t ceilDiv(int64_t a, int64_t b);
/// Smallest power of two that is at least `n`.
int64_t powerOfTwoAtLeast(int64_t n);
/// Values of `all` that are at most `most`; never empty.
std::vector<int64_t> upTo(std::vector<int64_t> all, int64_t most);
/// The largest of `values` that is at most `wish`.
int64_t nearest(const std::vector<int64_t> &values, int64_t wish);

/// "array<i64: 1, 2>".
std::string arrayText(const std::vector<int64_t> &values);
/// A module whose @__transform_main applies `launch_op operands` to the op.
std::string launchScript(
    std::string_view launchOp, int64_t threads,
    const std::vector<std::pair<std::string, std::string>> &attributes);

/// Adds the arithmetic of `executions` of the body, per thread.
void addBody(KernelFeatures &f, const Workload &w, double executions);

/// needed <= limit for the values of one knob.
Constraint atMost(std::string kind, std::string what, unsigned knob,
                  double limit);

} // namespace hwtune::loops

#endif // HWTUNE_LIB_SCHEDULE_LOOPS_LOOPVIEW_H
