//===- Schedule.h - one way to run a class of workloads ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is described in plain C++ and emits transform-dialect text, so
// that nothing here needs IR: what a configuration means is one string that a
// person can read, edit and replay with `--transform-interpreter`.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SCHEDULE_SCHEDULE_H
#define HWTUNE_SCHEDULE_SCHEDULE_H

#include "hwtune/Model/KernelFeatures.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Target/TargetSpec.h"
#include "hwtune/Workload/Workload.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// Launch shape a configuration promises; codegen must deliver exactly this.
struct LaunchShape {
  int64_t threadsPerBlock = 0; ///< 0: nothing is promised
  int64_t sharedBytes = 0;     ///< static + dynamic
  bool dynamicShared = false;
};

/// What the PTX of a configuration must contain, so that no silent slow path
/// survives: minimum counts of instruction prefixes ("ld.global.v4",
/// "st.shared", "fma.rn.f32", "bar.sync", "cp.async"), and prefixes that must
/// be absent ("st.local", "st.shared").
struct PtxPromise {
  std::string prefix;
  int64_t atLeast = 0;
  int64_t atMost = INT64_MAX;
  std::string why;
};

class Schedule {
public:
  virtual ~Schedule() = default;
  /// "matmul", "elementwise", ...: kebab-case, unique.
  virtual std::string_view name() const = 0;
  /// SHA-256 (hex) of the text of a schedule that was read from a file, which
  /// workers and records cannot know by name; "" for a built-in one.
  virtual std::string sourceHash() const { return ""; }
  /// Whether it can run `w`; "" if it can, else the reason.
  virtual std::string mismatch(const Workload &w) const = 0;
  virtual Space space(const Workload &w, const TargetSpec &t) const = 0;
  /// The fixed default of this op kind, the same on every GPU, cut down only
  /// to fit limits. The base of every speed-up.
  virtual Config generic(const Workload &w, const TargetSpec &t) const = 0;
  virtual LaunchShape shape(const Workload &w, const TargetSpec &t,
                            const Config &c) const = 0;
  virtual KernelFeatures features(const Workload &w, const TargetSpec &t,
                                  const Config &c) const = 0;
  /// `features` for many configurations of one workload and target: what
  /// depends on these two alone is found once. Pure; it owns what it needs.
  virtual std::function<KernelFeatures(const Config &)>
  boundFeatures(const Workload &w, const TargetSpec &t) const;
  /// A module with `@__transform_main`: takes a module holding one function
  /// with one linalg op on memrefs that carries the unit attribute
  /// `hwtune.op`, leaves one `gpu.launch` in its place, vectorised.
  virtual std::string script(const Workload &w, const TargetSpec &t,
                             const Config &c) const = 0;
  /// What one block computes of each loop, 0 for a loop that stays inside a
  /// block, where the grid is row-major in such tiles, as by
  /// `transform.hwtune.tile_to_grid`. Empty where it is laid out otherwise: a
  /// check then has to run every block.
  virtual std::vector<int64_t> gridTiles(const Workload &, const TargetSpec &,
                                         const Config &) const {
    return {};
  }
  virtual std::vector<PtxPromise>
  promises(const Workload &w, const TargetSpec &t, const Config &c) const = 0;
};

/// All schedules, the most specific first; the first match is used. The
/// generic schedule is last and matches every linalg op.
const std::vector<std::unique_ptr<Schedule>> &allSchedules();
const Schedule *findSchedule(std::string_view name);
const Schedule *scheduleFor(const Workload &w);

/// `w` with nothing promised of its launch.
Workload withoutPromises(Workload w);
/// Whether `Workload::wholeRows` holds for these extents of the shaped
/// operands, in order; where there are none, for those known.
bool hasWholeRows(const Workload &w,
                  std::span<const std::vector<int64_t>> shapes);
/// Whether `c` is legal, or made what it is, only because of `w.wholeRows`:
/// only then the kernel relies on it, and the host must test it.
bool needsWholeRows(const Schedule &schedule, const Workload &w,
                    const TargetSpec &t, const Config &c);

} // namespace hwtune

#endif // HWTUNE_SCHEDULE_SCHEDULE_H
