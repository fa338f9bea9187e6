#!/usr/bin/env python3
"""Random linalg programs, tuned for the simulated GPU and compared with the CPU.

usage: random-programs.py BIN LIB LLVM FOLDER [--seed=S] [--count=N] [--target=ID]

Each program has a function of one to three random operations (contractions with
permuted operands, elementwise, reductions, windows, long reductions to few
results; several element types, static and dynamic sizes, memrefs or tensors) and a main that fills the
arguments with small whole numbers, so that every result is exact whatever the
order of its sums, and prints what the function left. The tuned program must
print the same under mlir-runner, and no candidate may have been wrong. The
program's seed is printed with each failure; its files stay in FOLDER.
"""
import argparse
import os
import random
import re
import subprocess
import sys

SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 40, 64, 65, 100, 129]


class Argument:
    def __init__(self, shape, element, dynamic, output):
        self.shape, self.element, self.dynamic, self.output = shape, element, dynamic, output

    def type(self, kind, static=False):
        sizes = ["?" if d and not static else str(s) for s, d in zip(self.shape, self.dynamic)]
        return f"{kind}<{'x'.join(sizes + [self.element])}>"


class Program:
    """Arguments and the text of the operations of one function."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kind = self.random.choice(["memref", "tensor"])
        self.dynamic = self.random.choice([0.0, 0.0, 0.3, 1.0])
        self.arguments, self.lines = [], []
        self.value = {}  # argument -> the SSA name of what it holds now
        for _ in range(self.random.randint(1, 3)):
            self.random.choice([self.contraction, self.elementwise, self.reduction, self.window, self.named, self.long_reduction])()

    # ---- pieces
    def size(self):
        return self.random.choice(SIZES)

    def sizes(self, count, most):
        """Extents with a product of at most `most`."""
        while True:
            found = [self.size() for _ in range(count)]
            product = 1
            for s in found:
                product *= s
            if product <= most:
                return found

    def argument(self, shape, element, output=False):
        dynamic = [self.random.random() < self.dynamic for _ in shape]
        self.arguments.append(Argument(shape, element, dynamic, output))
        name = f"%a{len(self.arguments) - 1}"
        self.value[name] = name
        return name

    def typed(self, names):
        return ", ".join(self.arguments[int(n[2:])].type(self.kind) for n in names)

    def types(self):
        """Element types of operands and result."""
        return self.random.choice([("f32", "f32")] * 5 + [("f64", "f64"), ("i32", "i32"), ("f16", "f32"), ("bf16", "f32"), ("i8", "i32")])

    def operation(self, head, inputs, output, tail=""):
        ins = ", ".join(self.value[n] for n in inputs)
        text = f"{head} ins({ins} : {self.typed(inputs)}) outs({self.value[output]} : {self.typed([output])}){tail}"
        if self.kind == "tensor":
            result = f"%r{len(self.lines)}"
            text = f"{result} = {text} -> {self.typed([output])}"
            self.value[output] = result
        self.lines.append("  " + text)

    def permuted(self, dims):
        dims = list(dims)
        self.random.shuffle(dims)
        return dims

    def generic(self, extents, kinds, operands, output, body):
        """operands: (name, map results, element); the last is the output."""
        names = ", ".join(f"d{i}" for i in range(len(extents)))
        maps = ", ".join(f"affine_map<({names}) -> ({', '.join(m)})>" for _, m, _ in operands)
        iterators = ", ".join(f'"{k}"' for k in kinds)
        block = ", ".join(f"%x{i}: {e}" for i, (_, _, e) in enumerate(operands))
        head = f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}"
        tail = f" {{\n  ^bb0({block}):\n    {body}\n  }}"
        self.operation(head, [n for n, _, _ in operands[:-1]], output, tail)

    @staticmethod
    def widen(name, source, target, result):
        if source == target:
            return "", name
        op = "arith.extf" if target.startswith("f") else "arith.extsi"
        return f"{result} = {op} {name} : {source} to {target}\n    ", result

    # ---- kinds of operations
    def contraction(self):
        source, target = self.types()
        b, m, n, k = self.random.randint(0, 1), self.random.randint(1, 2), self.random.randint(0, 2), self.random.randint(1, 2)
        extents = self.sizes(b + m + n + k, 300000)
        ids = iter(range(len(extents)))
        groups = [[next(ids) for _ in range(count)] for count in (b, m, n, k)]
        maps = [self.permuted(groups[0] + groups[1] + groups[3]), self.permuted(groups[0] + groups[3] + groups[2]), self.permuted(groups[0] + groups[1] + groups[2])]
        shape = lambda dims: [extents[d] for d in dims]
        left, right = self.argument(shape(maps[0]), source), self.argument(shape(maps[1]), source)
        out = self.argument(shape(maps[2]), target, True)
        suffix = "f" if target.startswith("f") else "i"
        w0, x0 = self.widen("%x0", source, target, "%w0")
        w1, x1 = self.widen("%x1", source, target, "%w1")
        body = f"{w0}{w1}%p = arith.mul{suffix} {x0}, {x1} : {target}\n    %s = arith.add{suffix} %x2, %p : {target}\n    linalg.yield %s : {target}"
        kinds = ["reduction" if i in groups[3] else "parallel" for i in range(len(extents))]
        named = lambda dims: [f"d{d}" for d in dims]
        self.generic(extents, kinds, [(left, named(maps[0]), source), (right, named(maps[1]), source), (out, named(maps[2]), target)], out, body)

    def elementwise(self):
        element = self.random.choice(["f32", "f32", "f64", "i32", "f16"])
        extents = self.sizes(self.random.randint(1, 4), 30000)
        everything = [f"d{i}" for i in range(len(extents))]
        operands = []
        for _ in range(self.random.randint(1, 3)):
            dims = self.permuted(d for d in range(len(extents)) if self.random.random() < 0.8)
            operands.append((self.argument([extents[d] for d in dims], element), [f"d{d}" for d in dims], element))
        out = self.argument(extents, element, True)
        operands.append((out, everything, element))
        suffix, signed = ("f", "imumf") if element.startswith("f") else ("i", "si")
        last, body = "%x0", ""
        for i in range(1, len(operands)):
            op = self.random.choice([f"arith.add{suffix}", f"arith.sub{suffix}", f"arith.mul{suffix}", f"arith.max{signed}", f"arith.min{signed}"])
            body += f"%v{i} = {op} {last}, %x{i} : {element}\n    "
            last = f"%v{i}"
        self.generic(extents, ["parallel"] * len(extents), operands, out, body + f"linalg.yield {last} : {element}")

    def reduction(self):
        element = self.random.choice(["f32", "f32", "f64", "i32"])
        extents = self.sizes(self.random.randint(1, 4), 100000)
        reduced = [self.random.random() < 0.5 for _ in extents]
        if not any(reduced):
            reduced[self.random.randrange(len(reduced))] = True
        dims, kept = self.permuted(range(len(extents))), self.permuted(d for d, r in enumerate(reduced) if not r)
        source = self.argument([extents[d] for d in dims], element)
        out = self.argument([extents[d] for d in kept], element, True)
        suffix, signed = ("f", "imumf") if element.startswith("f") else ("i", "si")
        op = self.random.choice([f"arith.add{suffix}", f"arith.max{signed}", f"arith.min{signed}"])
        body = f"%s = {op} %x1, %x0 : {element}\n    linalg.yield %s : {element}"
        named = lambda dims: [f"d{d}" for d in dims]
        self.generic(extents, ["reduction" if r else "parallel" for r in reduced], [(source, named(dims), element), (out, named(kept), element)], out, body)

    def long_reduction(self):
        """What may become several operations; also with a body that reads its position, and maps that are no loops."""
        r = self.random
        element, way = r.choice(["f32", "i32"]), r.choice(["plain", "plain", "position", "constant", "group"])
        extents = [r.choice([1, 2, 5])] + r.choice([[131072], [131101], [40, 4000], [7, 20000], [200, 701]])
        named = [f"d{i}" for i in range(len(extents))]
        before, self.dynamic = self.dynamic, 0.0  # the sizes decide what becomes of it
        if way == "constant":
            operands = [(self.argument([extents[0], 3] + extents[1:], element), [named[0], "1"] + named[1:], element)]
        else:
            operands = [(self.argument(extents, element), named, element)]
        if way == "group":
            operands.append((self.argument([(extents[-1] + 63) // 64], element), [f"{named[-1]} floordiv 64"], element))
        out = self.argument(extents[:1], element, True)
        self.dynamic = before
        operands.append((out, named[:1], element))
        suffix, body, term = element[0], "", "%x0"
        if way == "position":
            body = f"%i = linalg.index {len(extents) - 1} : index\n    %seven = arith.constant 7 : index\n    %low = arith.andi %i, %seven : index\n    %n = arith.index_cast %low : index to i32\n    "
            if element == "f32":
                body += "%q = arith.sitofp %n : i32 to f32\n    "
            body += f"%t = arith.mul{suffix} %x0, {'%q' if element == 'f32' else '%n'} : {element}\n    "
            term = "%t"
        elif way == "group":
            body, term = f"%t = arith.mul{suffix} %x0, %x1 : {element}\n    ", "%t"
        body += f"%s = arith.add{suffix} %x{len(operands) - 1}, {term} : {element}\n    linalg.yield %s : {element}"
        self.generic(extents, ["parallel"] + ["reduction"] * (len(extents) - 1), operands, out, body)

    def window(self):
        name, spatial = self.random.choice([
            ("conv_2d_nhwc_hwcf", 2), ("conv_2d_nchw_fchw", 2), ("conv_1d_nwc_wcf", 1), ("depthwise_conv_2d_nhwc_hwc", 2),
            ("pooling_nhwc_sum", 2), ("pooling_nhwc_max", 2), ("pooling_nchw_max", 2), ("conv_3d_ndhwc_dhwcf", 3)])
        r = self.random
        n, c, f = r.choice([1, 2, 3]), r.choice([1, 3, 4, 8, 17]), r.choice([1, 4, 8, 19])
        kernel = [r.choice([1, 2, 3]) for _ in range(spatial)]
        out = [r.choice([1, 4, 5, 9, 12]) if spatial > 1 else self.size() for _ in range(spatial)]
        stride, dilation = [r.choice([1, 1, 2, 3]) for _ in range(spatial)], [r.choice([1, 1, 2]) for _ in range(spatial)]
        inner = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(out, stride, kernel, dilation)]
        if r.random() < 0.5:  # windows need not cover the picture
            inner = [i + r.choice([0, 1, 2]) for i in inner]
        last = not ("nchw" in name)
        place = lambda channel, sizes: [n] + (sizes + [channel] if last else [channel] + sizes)
        source = self.argument(place(c, inner), "f32")
        if name.startswith("pooling"):
            filt, result = self.argument(kernel, "f32"), place(c, out)
        elif name.startswith("depthwise"):
            filt, result = self.argument(kernel + [c], "f32"), place(c, out)
        else:
            filt = self.argument(kernel + [c, f] if last else [f, c] + kernel, "f32")
            result = place(f, out)
        target = self.argument(result, "f32", True)
        attribute = lambda values: f"dense<[{', '.join(map(str, values))}]> : vector<{spatial}xi64>"
        self.operation(f"linalg.{name} {{strides = {attribute(stride)}, dilations = {attribute(dilation)}}}", [source, filt], target)

    def named(self):
        r = self.random
        m, n, k, b = self.size(), self.size(), self.size(), r.choice([1, 2, 5])
        source, target = self.types()
        name, shapes = r.choice([
            ("matmul", ([m, k], [k, n], [m, n])), ("batch_matmul", ([b, m, k], [b, k, n], [b, m, n])), ("matvec", ([m, k], [k], [m])),
            ("vecmat", ([k], [k, n], [n])), ("dot", ([k], [k], [])), ("batch_reduce_matmul", ([b, m, k], [b, k, n], [m, n])), ("batch_matvec", ([b, m, k], [b, k], [b, m]))])
        inputs = [self.argument(s, source) for s in shapes[:2]]
        self.operation(f"linalg.{name}", inputs, self.argument(shapes[2], target, True))

    # ---- text
    def function(self):
        parameters = ", ".join(f"%a{i}: {a.type(self.kind)}" for i, a in enumerate(self.arguments))
        if self.kind == "memref":
            return [f"func.func @f({parameters}) {{", *self.lines, "  return", "}"]
        outputs = [f"%a{i}" for i, a in enumerate(self.arguments) if a.output]
        types = self.typed(outputs)
        return [f"func.func @f({parameters}) -> ({types}) {{", *self.lines, f"  return {', '.join(self.value[o] for o in outputs)} : {types}", "}"]

    def text(self):
        lines = ["func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}", *self.function()]
        lines += ["func.func @main() {", "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index", "  %c3 = arith.constant 3 : index", "  %c5 = arith.constant 5 : index"]
        for i, a in enumerate(self.arguments):
            lines += [f"  %m{i} = memref.alloc() : {a.type('memref', True)}", *self.fill(i, a)]
        lines += self.call()
        for i, a in enumerate(self.arguments):
            if a.output:
                lines += self.show(i, a)
        return "\n".join(lines + ["  return", "}", ""])

    def loops(self, tag, shape, body):
        """The body, in one loop per dimension; the indices are %TAG0, %TAG1, …"""
        lines, indent = [], "  "
        for d, s in enumerate(shape):
            lines += [f"{indent}%{tag}s{d} = arith.constant {s} : index", f"{indent}scf.for %{tag}{d} = %c0 to %{tag}s{d} step %c1 {{"]
            indent += "  "
        lines += [indent + line for line in body]
        for _ in shape:
            indent = indent[2:]
            lines.append(indent + "}")
        return lines

    def fill(self, i, a):
        """-2 .. 2, by the indices: the same whatever the type."""
        t = f"i{i}_"
        body = [f"%{t}v0 = arith.addi %c0, %c{1 if i % 2 else 3} : index"]
        for d in range(len(a.shape)):
            body += [f"%{t}w{d} = arith.muli %{t}v{d}, %c3 : index", f"%{t}v{d + 1} = arith.addi %{t}w{d}, %{t}{d} : index"]
        last = len(a.shape)
        body += [f"%{t}q = arith.muli %{t}v{last}, %{t}v{last} : index", f"%{t}h = arith.shrui %{t}q, %c1 : index", f"%{t}r = arith.remui %{t}h, %c5 : index", f"%{t}n = arith.index_cast %{t}r : index to i32",
                 f"%{t}two = arith.constant 2 : i32", f"%{t}z = arith.subi %{t}n, %{t}two : i32"]
        cast = {"i32": None, "i8": "arith.trunci", "f32": "arith.sitofp", "f64": "arith.sitofp", "f16": "arith.sitofp", "bf16": "arith.sitofp"}[a.element]
        value = f"%{t}z"
        if cast:
            body.append(f"%{t}c = {cast} %{t}z : i32 to {a.element}")
            value = f"%{t}c"
        indices = ", ".join(f"%{t}{d}" for d in range(last))
        body.append(f"memref.store {value}, %m{i}[{indices}] : {a.type('memref', True)}")
        return self.loops(t, a.shape, body)

    def call(self):
        lines = []
        for i, a in enumerate(self.arguments):
            static, wanted = a.type("memref", True), a.type("memref")
            lines.append(f"  %d{i} = memref.cast %m{i} : {static} to {wanted}")
            if self.kind == "tensor":
                lines.append(f"  %t{i} = bufferization.to_tensor %d{i} restrict writable : {wanted} to {a.type('tensor')}")
        letter = "t" if self.kind == "tensor" else "d"
        operands = ", ".join(f"%{letter}{i}" for i in range(len(self.arguments)))
        types = ", ".join(a.type(self.kind) for a in self.arguments)
        outputs = [i for i, a in enumerate(self.arguments) if a.output]
        if self.kind == "memref":
            return lines + [f"  call @f({operands}) : ({types}) -> ()"]
        results = ", ".join(self.arguments[i].type("tensor") for i in outputs)
        lines.append(f"  %o:{len(outputs)} = call @f({operands}) : ({types}) -> ({results})")
        for place, i in enumerate(outputs):
            a = self.arguments[i]
            lines.append(f"  bufferization.materialize_in_destination %o#{place} in restrict writable %d{i} : ({a.type('tensor')}, {a.type('memref')}) -> ()")
        return lines

    def show(self, i, a):
        t, wide = f"p{i}_", Argument(a.shape, "f64", [False] * len(a.shape), True).type("memref", True)
        indices = ", ".join(f"%{t}{d}" for d in range(len(a.shape)))
        body = [f"%{t}x = memref.load %m{i}[{indices}] : {a.type('memref', True)}"]
        cast = {"i32": "arith.sitofp", "f32": "arith.extf", "f16": "arith.extf", "f64": None}[a.element]
        value = f"%{t}x"
        if cast:
            body.append(f"%{t}y = {cast} %{t}x : {a.element} to f64")
            value = f"%{t}y"
        body.append(f"memref.store {value}, %w{i}[{indices}] : {wide}")
        return [f"  %w{i} = memref.alloc() : {wide}", *self.loops(t, a.shape, body), f"  %u{i} = memref.cast %w{i} : {wide} to memref<*xf64>", f"  call @printMemrefF64(%u{i}) : (memref<*xf64>) -> ()"]


CPU = "builtin.module(one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=1},func.func(convert-linalg-to-loops),convert-scf-to-cf,expand-strided-metadata,lower-affine,arith-expand{include-bf16=1},convert-to-llvm,reconcile-unrealized-casts)"
HOST = "builtin.module(func.func(gpu-async-region),func.func(convert-linalg-to-loops),convert-scf-to-cf,expand-strided-metadata,lower-affine,gpu-to-llvm{use-bare-pointers-for-kernels=1},arith-expand{include-bf16=1},convert-to-llvm,reconcile-unrealized-casts)"


def run(command, **extra):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **extra)


def numbers(text):
    """The matrices that printMemrefF64 wrote. The CPU is careless of the sign of 0."""
    return [[float(n) for n in re.findall(r"[-+]?[\w.]+", part.split("data =", 1)[1])] for part in text.split("Unranked")[1:]]


class Failure(Exception):
    pass


def must(result, what):
    if result.returncode:
        raise Failure(f"{what}: {result.stderr[-600:]}")
    return result


def check(arguments, seed):
    """The words for one program that works; raises Failure else."""
    path = os.path.join(arguments.folder, f"program-{seed}")
    program = Program(seed)
    with open(path + ".mlir", "w") as file:
        file.write(program.text())
    libraries = f"--shared-libs={arguments.llvm}/lib/libmlir_c_runner_utils.so,{arguments.llvm}/lib/libmlir_runner_utils.so"
    mlir_opt, runner = arguments.llvm + "/bin/mlir-opt", arguments.llvm + "/bin/mlir-runner"
    must(run([mlir_opt, path + ".mlir", "--pass-pipeline=" + CPU, "-o", path + ".cpu.mlir"]), "cpu pipeline")
    expected = must(run([runner, path + ".cpu.mlir", "--entry-point-result=void", libraries]), "cpu run").stdout
    options = f"target={arguments.target} device=sim:{arguments.target} trials={arguments.trials} strategy={arguments.strategy} seed={seed} db=none emit=binary"
    tuned = must(run([arguments.bin + "/hwtune-opt", f"--hw-aware-tune={options}", path + ".mlir", "-o", path + ".gpu.mlir"]), "hwtune-opt")
    with open(path + ".err", "w") as file:
        file.write(tuned.stderr)
    # What the space lets through compiles, runs and is right.
    failed = re.search(r"\d+ tried[^;\n]*failed:.*", tuned.stderr) or re.search(r".*\b\d+ (wrong|sticky|compile)\b.*", tuned.stderr)
    if failed:
        raise Failure("a candidate failed: " + failed.group(0)[:600])
    with open(path + ".gpu.mlir") as file:
        launches = file.read().count("gpu.launch_func")
    if not launches:
        raise Failure("nothing runs on the GPU: " + tuned.stderr[-600:])
    must(run([mlir_opt, path + ".gpu.mlir", "--pass-pipeline=" + HOST, "-o", path + ".llvm.mlir"]), "host pipeline")
    environment = dict(os.environ, HWTUNE_SIM_TARGET=arguments.target)
    got = must(run([runner, path + ".llvm.mlir", "--entry-point-result=void", libraries + f",{arguments.lib}/libhwtune-gpu-runtime.so"], env=environment), "gpu run").stdout
    if numbers(expected) != numbers(got):
        raise Failure(f"other numbers than on the CPU ({path}.mlir)")
    return f"{launches} launches, {sum(len(n) for n in numbers(got))} numbers"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("bin", "lib", "llvm", "folder"):
        parser.add_argument(name)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--target", default="t4")
    parser.add_argument("--strategy", default="random")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    failures = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            print(f"seed {seed}: {check(arguments, seed)}", flush=True)
        except (Failure, subprocess.TimeoutExpired) as error:
            failures += 1
            print(f"seed {seed}: FAILED: {error}", flush=True)
    print(f"{arguments.count - failures} of {arguments.count} programs are right")
    sys.exit(failures != 0)


main()
