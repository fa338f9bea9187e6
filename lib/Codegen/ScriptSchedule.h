//===- ScriptSchedule.h - a named sequence as a schedule --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_SCRIPTSCHEDULE_H
#define HWTUNE_LIB_CODEGEN_SCRIPTSCHEDULE_H

#include "hwtune/Schedule/Schedule.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace hwtune {

/// The file, shared by its schedules.
using Library = std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>>;

/// An open choice of a script.
struct ScriptKnob {
  Knob knob;
  /// What each value of `knob` stands for: an option, or a region's number.
  std::vector<mlir::Attribute> options;
  /// A region of the alternatives that are knob number `knob`.
  struct Inside {
    unsigned knob;
    int64_t region;
  };
  /// Where it stands: alternatives around it, once for each place.
  std::vector<std::vector<Inside>> places;
};

class ScriptSchedule final : public Schedule {
public:
  /// `matches`: what `hwtune.matches` says.
  static Expected<std::unique_ptr<ScriptSchedule>>
  create(Library library, mlir::transform::NamedSequenceOp sequence,
         mlir::Attribute matches);

  std::string_view name() const override { return ownName; }
  std::string sourceHash() const override { return hash; }
  /// A workload does not say; `takes` does.
  std::string mismatch(const Workload &) const override { return ""; }
  /// Whether `hwtune.matches` holds for `op`, a linalg op.
  bool takes(mlir::Operation *op) const;

  Space space(const Workload &w, const TargetSpec &t) const override;
  /// The first option of every knob.
  Config generic(const Workload &w, const TargetSpec &t) const override;
  /// Nothing is promised.
  LaunchShape shape(const Workload &, const TargetSpec &,
                    const Config &) const override {
    return {};
  }
  /// Those of the built-in generic schedule, without its registers: a script
  /// says nothing about tiles, so all configurations look alike.
  KernelFeatures features(const Workload &w, const TargetSpec &t,
                          const Config &c) const override;
  std::string script(const Workload &w, const TargetSpec &t,
                     const Config &c) const override;
  std::vector<PtxPromise> promises(const Workload &, const TargetSpec &,
                                   const Config &) const override {
    return {};
  }

private:
  ScriptSchedule() = default;
  Status collectKnobs();
  Status addKnob(mlir::Operation *op, llvm::StringRef name, ScriptKnob knob);
  Status checkReferences() const;
  /// The open choice of `op` by its value in `c`; null where it has none.
  mlir::Attribute chosen(llvm::StringRef knob, const Config &c) const;
  /// Writes `c` into the knobs and attributes of `root`.
  void resolve(mlir::Operation *root, const Config &c) const;
  std::optional<unsigned> indexOf(llvm::StringRef knob) const;
  std::string textOf(const llvm::SetVector<mlir::Operation *> &symbols,
                     const Config *c) const;

  Library library;
  mlir::Operation *sequence = nullptr;
  mlir::Type handleType; ///< of the sequence's argument
  mlir::Attribute matches;
  std::string ownName, hash;
  /// The sequence and what it refers to.
  llvm::SetVector<mlir::Operation *> symbols;
  std::vector<ScriptKnob> knobs;
};

} // namespace hwtune

#endif // HWTUNE_LIB_CODEGEN_SCRIPTSCHEDULE_H
