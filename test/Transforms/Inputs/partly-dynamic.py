#!/usr/bin/env python3
"""Prints a module with one batched product for each choice of known sizes.

The known ones are smaller than most tiles, so that what is rounded up, what is
guarded and what is asked at run time meet in every combination.
"""
import itertools

SIZES = {"b": 3, "m": 8, "n": 5, "k": 20}


def shape(letters, known):
    return "memref<" + "x".join(str(SIZES[l]) if l in known else "?" for l in letters) + "xf32>"


for count in range(len(SIZES) + 1):
    for known in itertools.combinations(SIZES, count):
        a, b, c = (shape(letters, known) for letters in ("bmk", "bkn", "bmn"))
        name = "known_" + "".join(known)
        print(f"func.func @{name}(%a: {a}, %b: {b}, %c: {c}) {{")
        print(f"  linalg.batch_matmul ins(%a, %b : {a}, {b}) outs(%c : {c})")
        print("  return\n}")
