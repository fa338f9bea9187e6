#!/usr/bin/env python3
"""Compiles matrix products in Triton that were measured, for bench-simulator-accuracy.

usage: triton_kernels.py MEASURED.csv.xz M K N OUT [--sample 40] [--seed 1]

MEASURED is PyTorch's AutoHeuristic data of an A100: products of M x K and K x N
halves by Triton's template, by tile, stages and warps. Compiles the same product for
as many configurations as asked for and writes PTX and OUT/manifest.json. Needs
Triton, which needs no GPU to compile: pip install triton. Registers are left to the
simulator: run the benchmark with --no-ptxas.
"""
import argparse
import csv
import json
import lzma
import os
import random
import re
import sys

from programs import missing, run_main

try:
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as error:
    sys.exit(missing(error, "pip install triton"))

FIELDS = ["BLOCK-M", "BLOCK-N", "BLOCK-K", "numstages", "numwarps"]


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Eight rows of tiles at a time, so that their columns stay in L2.
    columns = (N + BN - 1) // BN
    group = tl.program_id(0) // (8 * columns)
    height = min((M + BM - 1) // BM - group * 8, 8)
    row = group * 8 + tl.program_id(0) % height
    column = tl.program_id(0) % (8 * columns) // height
    rows, cols, inner = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    safe_rows = tl.max_contiguous(tl.multiple_of(rows % M, BM), BM)
    safe_cols = tl.max_contiguous(tl.multiple_of(cols % N, BN), BN)
    left = a + safe_rows[:, None] * K + inner[None, :]
    right = b + inner[:, None] * N + safe_cols[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        sums += tl.dot(tl.load(left), tl.load(right))
        left += BK
        right += BK * N
    tl.store(c + rows[:, None] * N + cols[None, :], sums.to(tl.float16),
             mask=(rows[:, None] < M) & (cols[None, :] < N))


def measured(path, shape):
    """Milliseconds by configuration; of those that were measured twice the first."""
    times = {}
    with lzma.open(path, "rt") as file:
        next(file)  # the format's version
        for row in csv.DictReader(file):
            config = dict(re.findall(r"(BLOCK-[MNK]|numstages|numwarps)=(\d+)", row["choice"]))
            wanted = {"m": shape[0], "k": shape[1], "n": shape[2], "mat1_stride_0": shape[1],
                      "mat2_stride_0": shape[2]}
            if (config and row["feedback"] != "inf" and row["mat1_dtype"] == "torch.float16"
                    and all(int(row[k]) == v for k, v in wanted.items())):
                key = tuple(int(config[field]) for field in FIELDS)
                times.setdefault(key, float(row["feedback"]))
    return times


def build(config, shape, out):
    """The manifest's entry of one configuration, but for its time."""
    tile_m, tile_n, tile_k, stages, warps = config
    m, k, n = shape
    values = dict(M=m, N=n, K=k, BM=tile_m, BN=tile_n, BK=tile_k)
    pointers = dict.fromkeys("abc", "*fp16")
    source = ASTSource(
        fn=product, signature={**pointers, **dict.fromkeys(values, "constexpr")},
        constexprs={(product.arg_names.index(name),): value for name, value in values.items()},
        attrs={(i,): [["tt.divisibility", 16]] for i in range(3)})
    kernel = triton.compile(source, target=GPUTarget("cuda", 80, 32),
                            options={"num_warps": warps, "num_stages": stages})
    name = "_".join(map(str, config))
    path = os.path.join(out, name + ".ptx")
    with open(path, "w") as file:
        file.write(kernel.asm["ptx"])
    blocks = -(-m // tile_m) * -(-n // tile_n)
    return {"name": name, "ptx": os.path.abspath(path), "grid": [blocks, 1, 1],
            "block": [32 * warps, 1, 1], "shared": kernel.metadata.shared,
            "args": [{"bytes": 2 * size} for size in (m * k, k * n, m * n)], "counters": {}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measured")
    parser.add_argument("shape", nargs=3, type=int, metavar=("M", "K", "N"))
    parser.add_argument("out")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    times = measured(args.measured, args.shape)
    configs = sorted(times)
    random.Random(args.seed).shuffle(configs)
    kernels = []
    for config in configs[:args.sample]:
        entry = build(config, args.shape, args.out)
        kernels.append({**entry, "time_us": times[config] * 1e3})
    with open(os.path.join(args.out, "manifest.json"), "w") as file:
        json.dump(kernels, file, indent=1)
    print(f"{len(kernels)} of {len(configs)} configurations")


if __name__ == "__main__":
    run_main(main)
