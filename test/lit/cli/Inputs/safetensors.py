"""safetensors.py FILE NAME:DTYPE:SHAPE...: writes a safetensors file, such as
`safetensors.py w.safetensors a.w:BF16:2,3`, whose values count as those of
npy.py do. `safetensors.py FILE --raw TEXT` writes a header of that text and no
data; `safetensors.py FILE --show` prints name, dtype, shape and the bytes of
each tensor."""

import json
import struct
import sys

LETTERS = {"F32": "f", "F64": "d", "F16": "e"}


def values(dtype, count):
    if dtype in LETTERS:
        return struct.pack(
            f"<{count}{LETTERS[dtype]}", *(i / 8 % 4 - 2 for i in range(count))
        )
    if dtype == "BF16":
        return b"".join(struct.pack("<f", i / 8 % 4 - 2)[2:] for i in range(count))
    if dtype == "BOOL":
        return bytes(int(i % 3 == 2) for i in range(count))
    if dtype.startswith("F8"):  # 1, 2, 4 and -1
        one = {"F8_E4M3": 0x38, "F8_E5M2": 0x3C}[dtype]
        step = {"F8_E4M3": 8, "F8_E5M2": 4}[dtype]
        return bytes([one, one + step, one + 2 * step, one | 128][i % 4]
                     for i in range(count))
    width = int(dtype[1:]) // 8
    return b"".join(
        ((i - 2) % 2 ** (8 * width)).to_bytes(width, "little") for i in range(count)
    )


def show(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        print(name, entry["dtype"], entry["shape"], data[begin:end].hex())


path = sys.argv[1]
if sys.argv[2] == "--show":
    show(path)
    sys.exit()
header, data = {}, b""
for text in sys.argv[2:] if sys.argv[2] != "--raw" else []:
    name, dtype, shape = text.split(":")
    extents = [int(part) for part in shape.split(",") if part]
    count = 1
    for extent in extents:
        count *= extent
    begin = len(data)
    data += values(dtype, count)
    header[name] = {
        "dtype": dtype,
        "shape": extents,
        "data_offsets": [begin, len(data)],
    }
text = sys.argv[3] if sys.argv[2] == "--raw" else json.dumps(header)
with open(path, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text.encode() + data)
