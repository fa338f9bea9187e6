//===- Mapping.h - what a data set's parameters mean -------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapping file says in JSON which columns are parameters, which kernels are
// the same under different names, which cannot run, and what the model should
// know of each: the fields of `KernelFeatures` as expressions. The format is
// described in docs/search.md.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_MAPPING_H
#define HWTUNE_REPLAY_MAPPING_H

#include "Dataset.h"
#include "Expression.h"

#include "hwtune/Model/KernelFeatures.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Target/TargetSpec.h"
#include "hwtune/Workload/Workload.h"

#include <functional>
#include <map>
#include <optional>

namespace hwtune::replay {

struct Parameter {
  std::string name;
  bool categorical = false;
  std::string inertIf; ///< expression; "" = never
};

/// Text of one field of the features, or of a stream.
struct FieldText {
  std::string field, text;
};

struct StreamText {
  std::string condition; ///< "" = always
  std::vector<FieldText> fields;
};

/// The data set's kernel is a workload of ours: its parameters are the knobs of
/// the schedule that matches it.
struct KnobMapping {
  Workload workload;
  std::vector<FieldText> knobs; ///< knob -> expression; others by their name
};

struct Mapping {
  std::string file, name;
  std::vector<Parameter> parameters;
  std::vector<std::string> groupBy; ///< columns; one problem per combination
  std::string keepIf;               ///< expression on a row; "" = all
  std::vector<FieldText> constants; ///< text is a number
  std::vector<FieldText> lets;
  std::vector<FieldText> valid; ///< field is the reason
  std::vector<FieldText> features;
  std::vector<StreamText> streams;
  std::optional<KnobMapping> knobs; ///< instead of `features` and `streams`
  std::string defaultTarget;        ///< id or JSON text
  std::map<std::string, std::string> targets; ///< device name -> the same

  /// The target of `device`, by the table of devices, else the default.
  Expected<TargetSpec> target(const std::string &device) const;
  bool hasModel() const { return !features.empty() || knobs; }
  /// Null where `features` does not name it.
  const FieldText *feature(std::string_view name) const;
};

/// The workloads of the linalg operations of an MLIR file, in order. Who links
/// no MLIR gives none, and a mapping that needs one is an error.
using WorkloadReader =
    std::function<Expected<std::vector<Workload>>(const std::string &path)>;
Expected<Mapping> readMapping(const std::string &path,
                              const WorkloadReader &reader = {});
/// An id, or a JSON object with `base` and fields that differ from it.
Expected<TargetSpec> targetFromText(const std::string &text,
                                    const std::string &where);

/// The mapping's expressions bound to the columns of a data set.
class BoundMapping {
public:
  static Expected<BoundMapping>
  bind(const Mapping &mapping, const Dataset &data, const TargetSpec &target);

  /// Variables of a row: columns, constants, lets. The error names the row.
  Expected<std::vector<double>> variables(const Row &row, size_t index) const;
  bool keep(const std::vector<double> &variables) const;
  /// Why a configuration is ruled out: a reason of `valid`, or the kind of
  /// constraint that its knobs' values break on the target. "" if it is not.
  Expected<std::string> whyRuledOut(const std::vector<double> &variables,
                                    size_t index) const;
  Expected<KernelFeatures> features(const std::vector<double> &variables,
                                    size_t index) const;
  /// Parameter values; 0 for those that are inert in this configuration.
  Expected<std::vector<double>> classKey(const std::vector<double> &variables,
                                         size_t index) const;
  std::vector<double> parameters(const std::vector<double> &variables) const;
  std::vector<double> group(const std::vector<double> &variables) const;

private:
  class Binder;
  struct Field {
    void (*set)(KernelFeatures &, AccessStream &, double);
    std::string name;
    Expression expression;
  };
  struct Stream {
    std::optional<Expression> condition;
    std::vector<Field> fields;
  };
  /// One value per knob; not every value need be legal.
  Expected<Config> config(const std::vector<double> &variables,
                          size_t index) const;
  /// Sets one field of a row's features, or says what is wrong with it.
  Status set(const Field &field, const std::vector<double> &variables,
             size_t index, KernelFeatures &features,
             AccessStream &stream) const;
  Expected<double> number(const Expression &expression,
                          const std::vector<double> &variables,
                          std::string_view what, size_t index) const;
  Expected<bool> holds(const Expression &condition,
                       const std::vector<double> &variables,
                       std::string_view what, size_t index) const;

  const Mapping *mapping = nullptr;
  std::shared_ptr<const Texts> texts;
  std::string dataFile;
  /// "row 1 of FILE" for index 0, for errors.
  std::string rowName(size_t index) const;
  std::vector<double> constantValues;
  std::vector<Expression> lets, valid;
  std::optional<Expression> keepExpression;
  std::vector<Field> featureFields;
  std::vector<Stream> streams;
  Space space; ///< of the workload, where the mapping gives one
  std::vector<Expression> knobValues;
  std::function<KernelFeatures(const Config &)> knobFeatures;
  std::vector<size_t> parameterIndex, groupIndex;
  std::vector<std::optional<Expression>> inert;
};

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_MAPPING_H
