#!/usr/bin/env python3
"""Stands in for ptxas: knows sm_80, reports what the environment says."""
import os
import sys

if "--version" in sys.argv:
    print("ptxas: Ptx optimizing assembler\nrelease 99.1, V99.1.7")
elif "--help" in sys.argv:
    print("--gpu-name <gpu name>\n Allowed values: 'sm_80','sm_80a'.")
elif os.environ.get("FAKE_REFUSES"):
    sys.exit("ptxas fatal   : out of luck")
else:
    spills = os.environ.get("FAKE_SPILLS", "0")
    print(
        f"ptxas info    : 0 bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
        f"ptxas info    : Used {os.environ['FAKE_REGISTERS']} registers, used 1 barriers, 400 bytes cmem[0]"
    )
