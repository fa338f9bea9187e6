"""Prints a module with one function for each extreme configuration of an op.

extremes.py HWTUNE-OPT OP: reads `func.func @f(...) { ... ATTR ... }` from the
file OP. For the least and the greatest legal value of every knob, the first and
the last configuration that has it.
"""
import re
import subprocess
import sys

TARGET = '#hwtune.target<"a100-sxm4-80gb">'


def configurations(program, op):
    module = f"module attributes {{hwtune.target = {TARGET}}} {{\n{op}\n}}"
    passes = "builtin.module(hw-enumerate{list=80000})"
    run = subprocess.run(
        [program, f"--pass-pipeline={passes}"], input=module, capture_output=True, text=True, check=True
    )
    schedule = re.search(r"schedule '([\w-]+)'", run.stderr).group(1)
    configs = []
    for text in re.findall(r"note: (\{.*\})", run.stderr):
        configs.append({knob: int(value) for knob, value in re.findall(r"(\w+) = (-?\d+)", text)})
    return schedule, configs


def extremes(configs):
    chosen = []
    for knob in configs[0]:
        values = [config[knob] for config in configs]
        for extreme in (min(values), max(values)):
            having = [config for config in configs if config[knob] == extreme]
            for config in (having[0], having[-1]):
                if config not in chosen:
                    chosen.append(config)
    return chosen


def main():
    op = open(sys.argv[2]).read()
    schedule, configs = configurations(sys.argv[1], op.replace("ATTR", "{}"))
    print(f"module attributes {{hwtune.target = {TARGET}}} {{")
    for number, config in enumerate(extremes(configs)):
        knobs = ", ".join(f"{knob} = {value}" for knob, value in config.items())
        attribute = f'{{hwtune.config = #hwtune.config<schedule = "{schedule}", {{{knobs}}}>}}'
        print(op.replace("ATTR", attribute).replace("@f(", f"@f{number}("))
    print("}")


main()
