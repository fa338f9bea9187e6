// RUN: hwtune-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown target `a100-sxm`, did you mean one of: a100-sxm4-40gb, a100-sxm4-80gb}}
module attributes {hwtune.target = #hwtune.target<"a100-sxm">} {}

// -----

// expected-error@+1 {{field `sm_count`: value 0 is out of range, expected 1 to 1000000 (SMs: SMs of the chip)}}
module attributes {hwtune.target = #hwtune.target<"t4", {sm_count = 0}>} {}

// -----

// expected-error@+1 {{'peak' is 0x7FF0000000000000 : f64, expected a finite number}}
module attributes {hwtune.target = #hwtune.target<"t4", {peak = 1.0e999}>} {}

// -----

// expected-error@+1 {{unknown field `sm_cuont`; did you mean 'sm_count'?}}
module attributes {hwtune.target = #hwtune.target<"t4", {sm_cuont = 8}>} {}

// -----

// expected-error@+1 {{field `sm_count`: value unit, expected a number, a string, a list of integers, or a dictionary of value, basis and note}}
module attributes {hwtune.target = #hwtune.target<"t4", {sm_count = unit}>} {}

// -----

// expected-error@+1 {{field `id`: given twice, expected before the fields only}}
module attributes {hwtune.target = #hwtune.target<"t4", {id = "t5"}>} {}

// -----

// An inline description must be complete.
// expected-error@+1 {{field `}}
module attributes {hwtune.target = #hwtune.target<"mine", {arch = "sm_80", vendor = "nvidia"}>} {}

// -----

// expected-error@+1 {{'sm_count' is given twice}}
module attributes {hwtune.target = #hwtune.target<"t4", {sm_count = 8, sm_count = 9}>} {}

// -----

// expected-error@+1 {{attribute 'hwtune.target' is "t4", expected #hwtune.target<...>}}
module attributes {hwtune.target = "t4"} {}

// -----

// expected-error@+1 {{attribute 'hwtune.target' belongs on a 'builtin.module', not on 'func.func'}}
func.func private @f() attributes {hwtune.target = #hwtune.target<"t4">}

// -----

// expected-error@+1 {{attribute 'hwtune.config' is 1 : i64, expected #hwtune.config<...>}}
func.func private @f() attributes {hwtune.config = 1}

// -----

// expected-error@+1 {{attribute 'hwtune.result' is 1 : i64, expected #hwtune.result<...>}}
func.func private @f() attributes {hwtune.result = 1}

// -----

// expected-error@+1 {{attribute 'hwtune.candidates' is [1], expected an array of #hwtune.candidate<...>}}
func.func private @f() attributes {hwtune.candidates = [1]}

// -----

// expected-error@+1 {{schedule is empty, expected the name of a schedule such as "matmul"}}
func.func private @f() attributes {hwtune.config = #hwtune.config<schedule = "", {a = 1}>}

// -----

// expected-error@+1 {{knob 'a' is 1.000000e+00 : f64, expected an integer (i64)}}
func.func private @f() attributes {hwtune.config = #hwtune.config<schedule = "matmul", {a = 1.0}>}

// -----

// expected-error@+1 {{number 'time_us' is "fast", expected a number (i64 or f64)}}
func.func private @f() attributes {hwtune.result = #hwtune.result<measured on "cuda:0", {time_us = "fast"}>}

// -----

// expected-error@+1 {{'time_us' is missing, expected microseconds}}
func.func private @f() attributes {hwtune.result = #hwtune.result<measured on "cuda:0", {speedup = 1.0}>}

// -----

// expected-error@+1 {{number 'time_us' is -1.000000e+00, expected 0 or more}}
func.func private @f() attributes {hwtune.result = #hwtune.result<measured on "cuda:0", {time_us = -1}>}

// -----

// expected-error@+1 {{device is empty, expected `cuda:N`, `sim:<id>`, `replay:<file>` or `model`}}
func.func private @f() attributes {hwtune.result = #hwtune.result<measured on "", {time_us = 1}>}

// -----

// expected-error@+1 {{term 'par' is "x", expected a number (i64 or f64)}}
func.func private @f() attributes {hwtune.candidates = [#hwtune.candidate<#hwtune.config<schedule = "a", {b = 1}>, {par = "x"}>]}
