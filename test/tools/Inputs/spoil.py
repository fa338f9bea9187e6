"""Makes a launch of a sampled check one of the whole grid, right or wrong.

usage: spoil.py FOLDER [VALUE]

Removes the sample of blocks from FOLDER/launch.json, as if every block ran.
With VALUE, a second kernel adds that to one element of the output, one that no
list of single elements in expected.bin holds; prints which.
"""
import json
import struct
import sys

KERNEL = """
.visible .entry spoil(.param .u64 out)
{{
  .reg .b64 %a;
  .reg .f32 %v;
  ld.param.u64 %a, [out];
  cvta.to.global.u64 %a, %a;
  ld.global.f32 %v, [%a+{offset}];
  add.rn.f32 %v, %v, 0f{bits:08X};
  st.global.f32 [%a+{offset}], %v;
  ret;
}}
"""


def main():
    folder = sys.argv[1]
    path = f"{folder}/launch.json"
    launch = json.load(open(path))
    launch["sample_blocks"] = []
    if len(sys.argv) > 2:
        data = open(f"{folder}/{launch['expected_file']}", "rb").read()
        listed = set()
        for section in launch["expected"]:
            if section["partial"]:
                listed.update(struct.unpack_from(f"<{section['count']}Q", data, section["offset"]))
        output = launch["expected"][0]["buffer"]
        element = launch["buffers"][output]["shape"][-1] * 100  # somewhere in the middle
        while element in listed:
            element += 1
        bits = struct.unpack("<I", struct.pack("<f", float(sys.argv[2])))[0]
        with open(f"{folder}/{launch['ptx_file']}", "a") as ptx:
            ptx.write(KERNEL.format(offset=4 * element, bits=bits))
        launch["kernels"].append(
            {
                "entry": "spoil",
                "grid": [1, 1, 1],
                "block": [1, 1, 1],
                "dynamic_shared_bytes": 0,
                "args": [{"buffer": output}],
            }
        )
        print(f"element {element}")
    json.dump(launch, open(path, "w"))


main()
