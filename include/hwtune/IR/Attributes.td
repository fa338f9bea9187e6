//===- Attributes.td - attributes of the hwtune dialect ----*- tablegen -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_ATTRIBUTES_TD
#define HWTUNE_IR_ATTRIBUTES_TD

include "hwtune/IR/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/DataLayoutInterfaces.td"

class HWTune_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<HWTune_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def HWTune_TargetAttr
    : HWTune_Attr<"Target", "target",
                  [DeclareAttrInterfaceMethods<DLTIQueryInterface>]> {
  let summary = "one device: its limits, rates, latencies and sizes";
  let description = [{
    The mirror of `hwtune::TargetSpec`. With the id of a known device alone it
    stands for that entry of the table; fields that follow replace the table's:

    ```mlir
    #hwtune.target<"a100-sxm4-80gb">
    #hwtune.target<"a100-sxm4-80gb", {sm_count = 54, l2_bytes = 20971520}>
    ```

    With `arch` among the fields they are the whole description: all that a
    device must have is then required, and what is optional and not given is
    not known.

    ```mlir
    #hwtune.target<"my-gpu", {arch = "sm_80", vendor = "nvidia", sm_count = 16,
                              clock_mhz = 1200.0, ...}>
    ```

    The fields are the members of the JSON text form of a target, one to one
    (`include/hwtune/Target/TargetSpec.h` has each with unit and meaning). In
    place of a value there may be a dictionary that says where it comes from:
    `{value = 290.0, basis = "measured", note = "pointer chase"}`. The attribute
    answers DLTI queries by field name, for the table form too.
  }];
  let parameters = (ins
    StringRefParameter<"id of the device, kebab-case">:$id,
    AttrParameter<"::mlir::DictionaryAttr",
      "fields by name: integers (counts, bytes), floats (rates, cycles, watts), "
      "strings, lists of integers (bytes); may be empty">:$fields
  );
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$id), [{
    return $_get($_ctxt, id, ::mlir::DictionaryAttr::get($_ctxt));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The description itself. Fails only for attributes that the verifier
    /// would refuse.
    ::llvm::FailureOr<TargetSpec> toSpec() const;
    /// `spec` as the shortest attribute that means it: the id alone where the
    /// table has exactly this entry, else id and fields.
    static TargetAttr fromSpec(::mlir::MLIRContext *context,
                               const TargetSpec &spec);
  }];
}

def HWTune_ConfigAttr : HWTune_Attr<"Config", "config"> {
  let summary = "a schedule and its knob values";
  let description = [{
    Everything that decides how an operation is rewritten, as text that a person
    can read, edit and check in:

    ```mlir
    #hwtune.config<schedule = "matmul", {block_m = 128, block_n = 64, vector = 4}>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of the schedule">:$schedule,
    AttrParameter<"::mlir::DictionaryAttr",
                  "knob name to value, an i64 each">:$knobs
  );
  let assemblyFormat = [{
    `<` `schedule` `=` $schedule `,` custom<Numbers>($knobs) `>`
  }];
  let genVerifyDecl = 1;
}

def HWTune_TimeLabel : I32Enum<"TimeLabel", "how a time was obtained", [
  I32EnumCase<"Predicted", 0, "predicted">,
  I32EnumCase<"Simulated", 1, "simulated">,
  I32EnumCase<"Replayed", 2, "replayed">,
  I32EnumCase<"Measured", 3, "measured">
]> {
  let cppNamespace = "::hwtune";
}

def HWTune_ResultAttr : HWTune_Attr<"Result", "result"> {
  let summary = "what a configuration takes, and how that was found";
  let description = [{
    ```mlir
    #hwtune.result<simulated on "sim:a100-sxm4-80gb",
                   {generic_us = 61.5, speedup = 2.1, time_us = 29.3, trials = 48}>
    ```

    `time_us` is required. Times are microseconds; `speedup` is against the
    generic schedule under the same rules and label. `registers_ptxas` of a
    thread are what the assembler allocates, `registers_estimate` what the
    schedule expects; `spill_bytes` of a thread are known with the former alone.
  }];
  let parameters = (ins
    EnumParameter<HWTune_TimeLabel>:$label,
    StringRefParameter<"device: `cuda:N`, `sim:<id>`, `replay:<file>` or `model`">:$device,
    AttrParameter<"::mlir::DictionaryAttr",
      "numbers by name: time_us, generic_us, heuristic_us (microseconds), "
      "speedup (ratio), registers_ptxas or registers_estimate, spill_bytes "
      "(of a thread), shared_bytes (of a block)">:$numbers
  );
  let assemblyFormat = [{
    `<` $label `on` $device `,` custom<Numbers>($numbers) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number called `name`, if it is there.
    std::optional<double> get(::llvm::StringRef name) const;
  }];
}

def HWTune_CandidateAttr : HWTune_Attr<"Candidate", "candidate"> {
  let summary = "a configuration with every term of its score";
  let description = [{
    ```mlir
    #hwtune.candidate<#hwtune.config<schedule = "matmul", {block_m = 128}>,
                      {fit = 1.0, par = 1.0, time_us = 31.0}>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::hwtune::ConfigAttr", "the configuration">:$config,
    AttrParameter<"::mlir::DictionaryAttr",
                  "terms of the score by name, units in the name">:$terms
  );
  let assemblyFormat = [{
    `<` qualified($config) `,` custom<Numbers>($terms) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // HWTUNE_IR_ATTRIBUTES_TD
