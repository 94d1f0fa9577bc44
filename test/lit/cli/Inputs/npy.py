"""npy.py FILE DESCR SHAPE [truncated]: writes a .npy file, such as
`npy.py x.npy '<f4' 2,3`, whose values count 0, 1, 2, ... in small steps (of
integers, from -2 on; of booleans, each third is true).
"""

import struct
import sys

path, descr, shape = sys.argv[1:4]
extents = tuple(int(part) for part in shape.split(",") if part)
count = 1
for extent in extents:
    count *= extent
if descr == "<u2":  # bf16: the upper half of an f32
    data = b"".join(
        struct.pack("<f", i / 8 % 4 - 2)[2:] for i in range(count)
    )
elif descr[1] in "iub":
    width = int(descr[2:])
    numbers = [int(i % 3 == 2) if descr[1] == "b" else i - 2 for i in range(count)]
    data = b"".join((n % 2 ** (8 * width)).to_bytes(width, "little") for n in numbers)
else:
    letter = {"<f4": "f", "<f8": "d", "<f2": "e"}[descr]
    data = struct.pack(f"<{count}{letter}", *(i / 8 % 4 - 2 for i in range(count)))
header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {extents}, }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
if sys.argv[4:] == ["truncated"]:
    data = data[:-1]
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode() + data)
