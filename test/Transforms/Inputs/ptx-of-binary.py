"""Prints the PTX of the only gpu.binary in a module."""
import re
import sys

text = open(sys.argv[1]).read()
escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text).group(1)
plain = re.sub(r"\\([0-9A-Fa-f]{2}|.)",
               lambda m: chr(int(m.group(1), 16)) if len(m.group(1)) == 2 else m.group(1),
               escaped)
sys.stdout.write(plain)
