//===- Passes.td - the passes of hwtune --------------------*- tablegen -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_PASSES_TD
#define HWTUNE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def HWAttachTarget : Pass<"hw-attach-target", "::mlir::ModuleOp"> {
  let summary = "Attach the description of a GPU to the module";
  let description = [{
    Sets `hwtune.target` on the module. With `target=` it is the known device of
    that id, or what the file of that name describes, and replaces what was
    there. Without, a target that is there stays; else the GPU of this machine
    is asked for (through the CUDA driver, `cuda:0` or `device=cuda:N`); else it
    is the id in `fallback=`, and a remark says so.

    Fails, and changes nothing, for an id that is not known (the nearest ids are
    named), for a file that cannot be read or describes no device, and for a
    `device=` that does not answer.

    ```mlir
    module { ... }
    // hw-attach-target{target=a100-sxm4-80gb}
    module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} { ... }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "id of a known device, or a file that describes one (default: none)">,
    Option<"device", "device", "std::string", /*default=*/"",
           "`cuda:N`: describe this GPU (default: the first that answers)">,
    Option<"fallback", "fallback", "std::string", /*default=*/"\"a100-sxm4-80gb\"",
           "id for a machine without a GPU; empty: an error (default: "
           "a100-sxm4-80gb)">
  ];
  let dependentDialects = ["::hwtune::HWTuneDialect"];
}

defvar HWSchedulesOption =
  Option<"schedules", "schedules", "std::string", /*default=*/"",
         "transform-dialect library of schedules with knobs, used before the "
         "built-in ones; the sequences with `hwtune.matches` (default: none)">;

def HWEnumerate : Pass<"hw-enumerate", "::mlir::ModuleOp"> {
  let summary = "Count the legal configurations of every linalg operation";
  let description = [{
    Emits one remark at each linalg operation: its kind, the schedule that
    matches, how many configurations there are and how many are legal, and how
    many were rejected for which reason. With `list=N` a note for each of the
    first N legal configurations follows. An operation that cannot be tuned gets
    a remark with the reason.

    Needs `hwtune.target` on the module. Changes nothing.

    ```
    matmul.mlir:3:8: remark: contraction, schedule 'matmul': 5184 configurations, 1204 legal
    matmul.mlir:3:8: note: rejected 3012 by 'shared-memory'
    matmul.mlir:3:8: note: {block_m = 16, block_n = 16, ...}
    ```
  }];
  let options = [
    Option<"list", "list", "unsigned", /*default=*/"0",
           "legal configurations to print for each operation (count, default: 0)">,
    Option<"countOnly", "count-only", "bool", /*default=*/"false",
           "print the totals alone, without reasons (default: false)">,
    HWSchedulesOption
  ];
}

def HWScore : Pass<"hw-score", "::mlir::ModuleOp"> {
  let summary = "Annotate the best-scored configurations of every linalg operation";
  let description = [{
    Scores every legal configuration with the hardware model and sets
    `hwtune.candidates` to the `top` with the least predicted time, the best
    first, each with every term of its score. Nothing is compiled or measured.
    With `explain` a remark says why the best is predicted faster than the
    generic schedule; with `compare="A vs B"` one says it of any two
    configurations. Each is `best`, `generic`, the place among the legal ones
    (from 0, in the order of `hw-enumerate`), or knobs as `hw-enumerate` prints
    them: `compare="{threads = 256, vector = 4, per_thread = 1} vs best"`.

    Needs `hwtune.target` on the module. Operations that cannot be tuned are
    left alone, with a remark.

    ```mlir
    linalg.matmul ...
    // hw-score{top=1}
    linalg.matmul {hwtune.candidates = [
      #hwtune.candidate<#hwtune.config<schedule = "matmul", {block_m = 128, ...}>,
                        {fit = 1.0, par = 1.0, time_us = 29.1, ...}>]} ...
    ```
  }];
  let options = [
    Option<"top", "top", "unsigned", /*default=*/"5",
           "candidates to keep for each operation (count, default: 5)">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "say why the best is predicted faster than the generic schedule "
           "(default: false)">,
    Option<"compare", "compare", "std::string", /*default=*/"",
           "`A vs B`: say why one configuration is predicted faster than "
           "another; each is `best`, `generic`, a place among the legal ones, "
           "or knobs in braces">,
    HWSchedulesOption
  ];
}

defvar HWToolDirOption =
  Option<"toolDir", "tool-dir", "std::string", /*default=*/"",
         "folder of hwtune-compile and hwtune-run (default: beside this "
         "library)">;

defvar HWPtxasOption =
  Option<"ptxas", "ptxas", "std::string", /*default=*/"",
         "assembler that registers, spills and shared memory of what is "
         "measured are read from; `none` or empty: they are estimates (hwtune-opt "
         "puts the CUDA toolkit's, if there is one, where nothing is said)">;

/// Options that `hw-tune` and `hw-aware-tune` share.
defvar HWTuneOptions = [
  ListOption<"targets", "targets", "std::string",
             "further targets (ids, or files that describe one) to tune copies "
             "of the module for; a table shows each winner on each target">,
  Option<"device", "device", "std::string", /*default=*/"",
         "what takes the times: `cuda:N`, `sim:<id>`, `replay:<file>` or "
         "`model` (default: a GPU of the target, else `sim:` of it)">,
  Option<"trials", "trials", "unsigned", /*default=*/"48",
         "configurations to measure for each operation (count; 0: no limit; "
         "default: 48)">,
  Option<"seconds", "seconds", "double", /*default=*/"0.0",
         "time to spend on each operation (seconds; 0: no limit; default: 0)">,
  Option<"patience", "patience", "unsigned", /*default=*/"0",
         "trials in a row without a gain of 1 % after which the search of an "
         "operation has converged (count; 0: never; default: 0)">,
  Option<"seed", "seed", "uint64_t", /*default=*/"0",
         "seed of everything random (default: 0)">,
  Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
         "search strategy (default: auto): `model`, `random`, `exhaustive`, "
         "`annealing`, `genetic`, `bayes` or `auto`">,
  Option<"objective", "objective", "std::string", /*default=*/"\"latency\"",
         "what is made small: `latency` (one launch from idle, caches cold), "
         "`throughput` (time of a launch, back to back), `energy`, `power`, "
         "`energy-delay`, or `pareto` (time and energy by `weight`; prints the "
         "front) (default: latency)">,
  Option<"weight", "weight", "double", /*default=*/"0.5",
         "of the time against the energy, 0 to 1, with `objective=pareto` "
         "(default: 0.5)">,
  Option<"db", "db", "std::string", /*default=*/"",
         "file of the tuning database; `none` or empty: no database (hwtune-opt "
         "puts `$XDG_CACHE_HOME/hwtune/records.db` or the same under `~/.cache` "
         "where nothing is said)">,
  Option<"requireHit", "require-hit", "bool", /*default=*/"false",
         "measure nothing: an operation without a record in the database is an "
         "error (default: false)">,
  HWToolDirOption,
  HWPtxasOption,
  Option<"allowOtherGpu", "allow-other-gpu", "bool", /*default=*/"false",
         "measure on a device that is not the module's target (default: false)">
];

def HWTunePass : Pass<"hw-tune", "::mlir::ModuleOp"> {
  let summary = "Search for the fastest configuration of every linalg operation";
  let description = [{
    Sets `hwtune.config` to the winner and `hwtune.result` to what it takes,
    with a label that says how the time was obtained: measured, simulated,
    replayed or predicted. Operations with the same workload are tuned once. An
    operation that has a `hwtune.config` keeps it and is not tuned. A table goes
    to stderr.

    With `targets` the module is tuned for its own target and copies of it for
    each of these; what each finds is in the database, if there is one. A second
    table shows each target's winner on every target, relative to that one's own
    winner. `device` is where the module's own target is timed; the others are
    where they would be without it, or on `model` with `device=model`.

    Needs `hwtune.target` on the module. Operations that cannot be tuned are
    left alone, with a remark; a module without any that can gets a warning.

    ```mlir
    linalg.matmul ...
    // hw-tune{device=model}
    linalg.matmul {
      hwtune.config = #hwtune.config<schedule = "matmul", {block_m = 128, ...}>,
      hwtune.result = #hwtune.result<predicted on "model", {time_us = 29.1, ...}>
    } ...
    ```
  }];
  let options = HWTuneOptions # [HWSchedulesOption];
}

defvar HWApplyOptions = [
  Option<"emit", "emit", "std::string", /*default=*/"\"gpu\"",
         "form of the result: `config`, `loops`, `gpu`, `binary` or `runner` "
         "(default: gpu)">,
  Option<"memory", "memory", "std::string", /*default=*/"\"copy\"",
         "`copy`: arguments are host memory; `device`: device pointers (default: "
         "copy)">,
  Option<"runnerDir", "runner-dir", "std::string", /*default=*/"",
         "folder that `emit=runner` writes (default: none, it must be set)">
];

def HWApply : Pass<"hw-apply", "::mlir::ModuleOp"> {
  let summary = "Rewrite annotated operations with their configuration";
  let description = [{
    Rewrites each function that has an operation with `hwtune.config`. The
    module is bufferised (one-shot, function boundaries, identity layout) and
    every linalg operation of such a function becomes one GPU kernel, those
    without `hwtune.config` by the generic schedule. The annotation may have
    been written or edited by hand.

    `emit=` says how far:

    * `config`: nothing is rewritten.
    * `loops`: block and thread loops as `scf.forall` with gpu mappings.
    * `gpu`: `gpu.launch_func` and one `gpu.module` a kernel, each with the
      `#nvvm.target` of the module's target. The lowering that gives the PTX
      that was tuned is recorded as a string, `hw.lowering`, on the module.
    * `binary`: the same with `gpu.binary`s that hold the PTX.
    * `runner`: `binary`, and `runner-dir` gets the PTX, the launch description
      and a program that runs, checks and times it.

    With `gpu`, `binary` and `runner` nothing of the hwtune dialect is left.
    `memory=copy` copies the arguments of a function to the device once, and
    what was written back once: each has a copy of its own, and a `cf.assert`
    on the host ends the program where one that is written shares memory with
    another. `memory=device` passes them on; functions
    that code of this module calls stay on the host then. What a kernel
    assumes of its arguments is checked on the host; where it does not hold, a
    guarded kernel runs. Kernels take bare pointers: host code is lowered with
    `gpu-to-llvm{use-bare-pointers-for-kernels=1}`.

    A function that cannot be rewritten stays on the host, with the operations
    and buffers that the rewrite starts from, and with a warning that
    gives the reason. A module without any annotated operation gets a warning
    and is left unchanged. An annotation that names no known schedule, or knob
    values outside the space, is an error.

    ```mlir
    func.func @f(%a: memref<1024xf32>, %b: memref<1024xf32>) {
      linalg.map { math.absf } ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
          {hwtune.config = #hwtune.config<schedule = "elementwise", {...}>}
      return
    }
    // hw-apply{memory=device}
    gpu.module @f_kernel [#nvvm.target<chip = "sm_80">] { gpu.func @f_kernel ... }
    func.func @f(%a: memref<1024xf32>, %b: memref<1024xf32>) {
      gpu.launch_func @f_kernel::@f_kernel blocks in (...) threads in (...) args(...)
      return
    }
    ```
  }];
  let options = HWApplyOptions # [HWSchedulesOption, HWToolDirOption];
}

def HWLowerKernels : Pass<"hw-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile the kernels of the module to PTX";
  let description = [{
    Replaces each `gpu.module` that has an `#nvvm.target` by a `gpu.binary` with
    its PTX: what `hw-apply` with `emit=binary` would have given in place of
    `emit=gpu`. Needs no CUDA toolkit, and does not use one that is there: math
    is expanded, not linked from libdevice.

    Fails, and changes nothing, where a kernel cannot be compiled or its
    `#nvvm.target` is missing.

    ```mlir
    gpu.module @k [#nvvm.target<chip = "sm_80">] { gpu.func @f() kernel { ... } }
    // hw-lower-kernels
    gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "...">]
    ```
  }];
}

def HWExportSchedule : Pass<"hw-export-schedule", "::mlir::ModuleOp"> {
  let summary = "Write the winning schedules as a transform-dialect library";
  let description = [{
    Writes one file with a `transform.named_sequence` for each different
    `hwtune.config` of the module, and a `@__transform_main` that finds the
    operations by their annotation, so that `--transform-interpreter` replays
    the result on the bufferised module. A comment at each sequence names the
    steps that need the plugin. Replaying needs one annotated operation a
    function: a schedule simplifies the whole function around its operation.

    Changes nothing in the module. Fails where the file cannot be written, and
    for a module without `hwtune.config`.
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"",
           "file to write (must be set)">,
    HWSchedulesOption
  ];
}

def HWAwareTune : Pass<"hw-aware-tune", "::mlir::ModuleOp"> {
  let summary = "Tune every linalg operation for one GPU and rewrite the module";
  let description = [{
    `hw-attach-target`, `hw-tune` and `hw-apply`, in this order, on a module
    in which every operation has the form that schedules take: aggregate
    operations such as `linalg.softmax`, `linalg.pack` and `linalg.unpack` are
    decomposed where they are on tensors, numbers that a body uses from outside
    become operands, a long reduction to few results becomes one to partial
    results and one of these, windows of one element and one window of a whole
    picture are no loops any more, and an operation with a loop of 0 iterations
    is removed. A module with nothing to tune gets a warning and is left
    unchanged.

    ```
    hwtune-opt --hw-aware-tune input.mlir
    hwtune-opt --hw-aware-tune="target=h100-sxm trials=96 emit=binary" input.mlir
    hwtune-opt --hw-aware-tune="targets=a100-sxm4-80gb,h100-sxm,t4" input.mlir
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "id of a known device, or a file that describes one (default: the "
           "module's, else the first of `targets`, else the GPU of this "
           "machine, else a100-sxm4-80gb)">
  ] # HWTuneOptions # HWApplyOptions # [HWSchedulesOption];
}

#endif // HWTUNE_TRANSFORMS_PASSES_TD
