"""same-numbers.py A B: the matrices that printMemrefF32 wrote are equal.

Up to 1e-5 of the largest number. Matrices of one repeated number show nothing
and are refused.
"""
import re
import sys


def numbers(path):
    with open(path) as file:
        text = file.read()
    return [float(n) for n in re.findall(r"[-+.\w]+", text[text.index("[["):])]


a, b = numbers(sys.argv[1]), numbers(sys.argv[2])
if len(a) != len(b) or len(set(a)) < 10:
    sys.exit(f"{len(a)} numbers, {len(set(a))} of them distinct, against {len(b)}")
largest = max(abs(x) for x in a)
for i, (x, y) in enumerate(zip(a, b)):
    if not abs(x - y) <= 1e-5 * largest:
        sys.exit(f"number {i}: {x} against {y}")
print(f"{len(a)} numbers are the same")
