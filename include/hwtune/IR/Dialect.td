//===- Dialect.td - the hwtune dialect ---------------------*- tablegen -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_DIALECT_TD
#define HWTUNE_IR_DIALECT_TD

include "mlir/IR/DialectBase.td"

def HWTune_Dialect : Dialect {
  let name = "hwtune";
  let cppNamespace = "::hwtune";
  let summary = "hardware descriptions, configurations and results in the IR";
  let description = [{
    Attributes only. `hwtune.target` on a module is the device its operations
    are tuned for; `hwtune.config` on an operation is the schedule and the knob
    values it gets; `hwtune.result` is what that was found to take, and how it
    was found; `hwtune.candidates` are the best-scored configurations. A person
    may write or edit each of them by hand.

    In a library of schedules, `hwtune.matches` makes a named sequence a
    schedule, and `hwtune.knobs` ties attributes of a transform operation to
    knobs.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// On a module: the device (`TargetAttr`).
    static constexpr ::llvm::StringLiteral kTargetAttrName = "hwtune.target";
    /// On an operation: the chosen configuration (`ConfigAttr`).
    static constexpr ::llvm::StringLiteral kConfigAttrName = "hwtune.config";
    /// On an operation: what the configuration takes (`ResultAttr`).
    static constexpr ::llvm::StringLiteral kResultAttrName = "hwtune.result";
    /// On an operation: the best-scored configurations, an array of
    /// `CandidateAttr`, the best first.
    static constexpr ::llvm::StringLiteral kCandidatesAttrName =
        "hwtune.candidates";
    /// On a `transform.named_sequence`: it is a schedule, for these operations.
    static constexpr ::llvm::StringLiteral kMatchesAttrName = "hwtune.matches";
    /// On a transform operation: attributes that get the value of a knob.
    static constexpr ::llvm::StringLiteral kKnobsAttrName = "hwtune.knobs";

  private:
    void registerAttributes();

  public:
  }];
}

#endif // HWTUNE_IR_DIALECT_TD
