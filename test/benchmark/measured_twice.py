#!/usr/bin/env python3
"""How well a second measurement ranks the kernels of a manifest: the ceiling of a model.

usage: measured_twice.py {convolution|coulomb|sgemm} MANIFEST.json OTHER.json.gz
       [--where NAME=VALUE] [--blind NAME]

MANIFEST is one of measured_kernels.py, OTHER a results file with the same kernels,
of another tuner or GPU. Prints the rank correlation of both times over all
kernels, and within the tenth that is fastest by the manifest. --where takes the
rows of OTHER with that value of a parameter that the manifest's kernel does not
have, as USE_PADDING=0 of Kernel Tuner's convolution. With --blind the
times of OTHER that differ in that parameter alone become their geometric mean:
with the manifest's own results file, what a model reaches that knows every time
but not this difference.
"""
import argparse
import math

from measured_kernels import PROBLEMS, load, read
from programs import parse_json, run_main


def ranks(values):
    """1 for the least; equal values share the mean of their ranks."""
    return [sum(v < value for v in values) + (values.count(value) + 1) / 2 for value in values]


def spearman(first, second):
    x, y = ranks(first), ranks(second)
    mean = (len(x) + 1) / 2
    spread = math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))
    return sum((a - mean) * (b - mean) for a, b in zip(x, y)) / spread


def other_times(problem, path, where, blind):
    """Times by the kernel's name."""
    keys, _, _, _, launch = PROBLEMS[problem]
    alike = {}  # logarithms of the times of kernels that count as one
    names = {}
    name, _, value = where.partition("=")
    for time, config, _, _ in load(path, launch):
        if name and str(config[name]) != value:
            continue
        group = tuple(config[key] for key in keys if key != blind)
        names["_".join(str(config[key]) for key in keys)] = group
        alike.setdefault(group, []).append(math.log(time))
    return {kernel: math.exp(sum(alike[group]) / len(alike[group]))
            for kernel, group in names.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", choices=PROBLEMS)
    parser.add_argument("manifest")
    parser.add_argument("other")
    parser.add_argument("--where", default="")
    parser.add_argument("--blind")
    args = parser.parse_args()
    other = other_times(args.problem, args.other, args.where, args.blind)
    pairs = sorted((kernel["time_us"], other[kernel["name"]])
                   for kernel in parse_json(read(args.manifest), args.manifest) if kernel["name"] in other)
    tenth = pairs[:max(3, len(pairs) // 10)]
    print(f"{len(pairs)} kernels, Spearman {spearman(*zip(*pairs)):.3f}, "
          f"within the fastest {len(tenth)} {spearman(*zip(*tenth)):.3f}")


if __name__ == "__main__":
    run_main(main)
