"""values.py FILE SHAPE INDEX=VALUE...: writes a .npy file of f32 zeros, except
for the elements at these flat indices, such as `values.py x.npy 1,256 0=1`.
"""

import math
import struct
import sys

path, shape = sys.argv[1:3]
extents = tuple(int(part) for part in shape.split(","))
values = [0.0] * math.prod(extents)
for given in sys.argv[3:]:
    index, value = given.split("=")
    values[int(index)] = float(value)
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {extents}, }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode() + struct.pack(f"<{len(values)}f", *values))
