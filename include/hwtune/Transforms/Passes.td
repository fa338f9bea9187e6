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
           "id for a machine without a GPU; empty: an error">
  ];
  let dependentDialects = ["::hwtune::HWTuneDialect"];
}

#endif // HWTUNE_TRANSFORMS_PASSES_TD
