#!/usr/bin/env python3
"""Compiles drawn configurations of our schedules, for bench-register-estimate.

usage: schedule_kernels.py BIN OUT [--target a100-sxm4-80gb] [--each 40] [--seed 1]

BIN holds hwtune-opt and hwtune-compile. Draws legal configurations of every
schedule by seed, compiles them and asks ptxas. Writes PTX and OUT/manifest.json.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

from programs import run_main

OPS = {  # name: schedule, arguments, operation
    "matmul-f32": ("matmul", ["1024x1024xf32", "1024x1024xf32", "1024x1024xf32"],
                   "linalg.matmul {hwtune.op} ins(%0, %1 : T0, T1) outs(%2 : T2)"),
    "matmul-f16": ("matmul", ["1024x1024xf16", "1024x1024xf16", "1024x1024xf32"],
                   "linalg.matmul {hwtune.op} ins(%0, %1 : T0, T1) outs(%2 : T2)"),
    "matmul-f64": ("matmul", ["512x512xf64", "512x512xf64", "512x512xf64"],
                   "linalg.matmul {hwtune.op} ins(%0, %1 : T0, T1) outs(%2 : T2)"),
    "matmul-tails": ("matmul", ["1000x777xf32", "777x500xf32", "1000x500xf32"],
                     "linalg.matmul {hwtune.op} ins(%0, %1 : T0, T1) outs(%2 : T2)"),
    "add": ("elementwise", ["4096x1024xf32", "4096x1024xf32", "4096x1024xf32"],
            "linalg.add {hwtune.op} ins(%0, %1 : T0, T1) outs(%2 : T2)"),
    "exp": ("elementwise", ["4096x1024xf32", "4096x1024xf32"],
            "linalg.exp {hwtune.op} ins(%0 : T0) outs(%1 : T1)"),
    "sum": ("reduction", ["4096x1024xf32", "4096xf32"],
            "linalg.reduce ins(%0 : T0) outs(%1 : T1) dimensions = [1] {hwtune.op}\n"
            "    (%x: f32, %y: f32) { %z = arith.addf %x, %y : f32 linalg.yield %z : f32 }"),
    "transpose": ("transpose", ["2048x1024xf32", "1024x2048xf32"],
                  "linalg.transpose {hwtune.op} ins(%0 : T0) outs(%1 : T1) permutation = [1, 0]"),
    "conv-2d": ("window", ["1x57x57x16xf32", "3x3x16x32xf32", "1x28x28x32xf32"],
                "linalg.conv_2d_nhwc_hwcf {hwtune.op, strides = dense<2> : vector<2xi64>}"
                " ins(%0, %1 : T0, T1) outs(%2 : T2)"),
}


def module(arguments, operation):
    signature = ", ".join(f"%{i}: memref<{a}>" for i, a in enumerate(arguments))
    for i, a in enumerate(arguments):
        operation = operation.replace(f"T{i}", f"memref<{a}>")
    return f"func.func @kernel({signature}) {{\n  {operation}\n  return\n}}\n"


def legal(args, source):
    passes = f"builtin.module(hw-attach-target{{target={args.target}}},hw-enumerate{{list=10000000}})"
    done = subprocess.run([os.path.join(args.bin, "hwtune-opt"), source,
                           f"--pass-pipeline={passes}"], capture_output=True, text=True, check=True)
    return re.findall(r"note: (\{.*\})$", done.stderr, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin")
    parser.add_argument("out")
    parser.add_argument("--target", default="a100-sxm4-80gb")
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    ptxas = shutil.which("ptxas")
    if not ptxas:
        sys.exit("ptxas: not found in PATH")
    manifest = []
    for op, (schedule, arguments, operation) in OPS.items():
        folder = os.path.join(args.out, op)
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "op.mlir")
        with open(source, "w") as file:
            file.write(module(arguments, operation))
        configs = legal(args, source)
        drawn = random.Random(args.seed).sample(configs, min(args.each, len(configs)))
        print(f"{op}: {len(drawn)} of {len(configs)}", flush=True)
        for number, config in enumerate(drawn):
            out = os.path.join(folder, str(number))
            os.makedirs(out, exist_ok=True)
            command = [os.path.join(args.bin, "hwtune-compile"), f"--schedule={schedule}",
                       source, "-o", out, f"--config={config}", f"--target={args.target}"]
            done = [subprocess.run(command + asked, capture_output=True, text=True)
                    for asked in ([], [f"--ptxas={ptxas}"])]
            if any(d.returncode for d in done):
                print(f"{op}: {config}: {done[-1].stderr.strip()}", flush=True)
                continue
            estimate, asked = [int(re.search(r"(\d+) registers", d.stdout).group(1)) for d in done]
            spills = int(re.search(r"(\d+) spill bytes", done[1].stdout).group(1))
            manifest.append({"name": f"{op} {config}", "ptx": os.path.join(out, "kernel.ptx"),
                             "regs": asked, "spill_ld": spills, "schedule_regs": estimate})
    with open(os.path.join(args.out, "manifest.json"), "w") as file:
        json.dump(manifest, file, indent=0)
    print(f"{len(manifest)} kernels in {args.out}/manifest.json")


if __name__ == "__main__":
    run_main(main)
