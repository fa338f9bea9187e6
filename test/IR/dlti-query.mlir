// RUN: hwtune-opt %s --pass-pipeline='builtin.module(transform-interpreter)' \
// RUN:   --split-input-file --verify-diagnostics -o /dev/null

// A field of the table form, and one that replaces it.
// expected-remark @below {{associated attr 65536 : i64}}
// expected-remark @below {{associated attr 54 : i64}}
// expected-remark @below {{associated attr "sm_80"}}
module attributes {transform.with_named_sequence,
                   hwtune.target = #hwtune.target<"a100-sxm4-80gb", {sm_count = 54}>} {
  func.func private @f()
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %regs = transform.dlti.query ["registers_per_sm"] at %root : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %regs, "associated attr" at %root : !transform.any_param, !transform.any_op
    %sms = transform.dlti.query ["sm_count"] at %root : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %sms, "associated attr" at %root : !transform.any_param, !transform.any_op
    %arch = transform.dlti.query ["arch"] at %root : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %arch, "associated attr" at %root : !transform.any_param, !transform.any_op
    transform.yield
  }
}

// -----

// No such field.
// expected-error @below {{target op of failed DLTI query}}
// expected-note @below {{key "warp_speed" has no DLTI-mapping per attr: #hwtune.target<"t4">}}
module attributes {transform.with_named_sequence,
                   hwtune.target = #hwtune.target<"t4">} {
  func.func private @f()
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{'transform.dlti.query' op failed to apply}}
    %v = transform.dlti.query ["warp_speed"] at %root : (!transform.any_op) -> !transform.any_param
    transform.yield
  }
}
