#!/usr/bin/env python3
"""An implementation of the integer ops in NumPy, driven by `vq7 conform run KIT --cmd "python3 examples/conform_client.py"`.

Integer ops are exact and pass. Base-band add, subtract and mult go through the host's float32 and NumPy's conversions, which is
right into float32 and shows where it is not: NumPy cuts fractions off where the engine rounds, and wraps where it saturates.
Everything else is answered with "unsupported". The protocol is described in docs/conformance.md.
"""
import json, struct, sys
import numpy as np

DTYPES = {2: "i1", 3: "u1", 4: "<i2", 5: "<u2", 8: "<i4", 9: "<u4", 12: "<i8", 1: "<u8", 7: "<f2", 10: "<f4"}
OPS = {0xC4: np.add, 0xC6: np.subtract, 0xC5: np.multiply, 0xDB: np.multiply, 0xCF: np.maximum, 0xD0: np.minimum,
       0xD5: np.maximum, 0xD6: np.minimum, 0xC9: np.equal, 0xCA: np.not_equal, 0xD1: np.greater, 0xD2: np.greater_equal,
       0xD3: np.less_equal, 0xD4: np.less, 0xD7: np.greater, 0xD8: np.greater_equal, 0xD9: np.less_equal, 0xDA: np.less,
       0x0A: np.bitwise_and, 0x0B: np.bitwise_or, 0x0C: np.bitwise_xor, 0x01: lambda a, b: ~a}
FLOAT_OPS = {0x04: np.add, 0x05: np.subtract, 0x06: np.multiply}


def places(address, steps, counts, size, stride, channels, record):
    """Index into the image of the first byte of each element, by channel and walk order."""
    walk = np.zeros(1, np.int64)
    for step, count in zip(steps, counts):
        walk = (np.arange(count)[:, None] * step * size + walk).ravel()
    rows = address // stride + np.arange(channels)[:, None]
    offsets = np.broadcast_to(address % stride + walk, (channels, walk.size))
    partition, window_rows, offset, width = record[32:36], record[36:40], record[40:48], record[48:56]
    (p0, p1), (r0, _), (o0, o1), (w0, w1) = (struct.unpack(f, b) for f, b in (
        ("<2H", partition), ("<2H", window_rows), ("<2I", offset), ("<2I", width)))
    first = (rows >= p0) & (rows < p0 + r0) & (offsets >= o0) & (offsets < o0 + w0)
    return np.where(first, (rows - p0) * w0 + offsets - o0, r0 * w0 + (rows - p1) * w1 + offsets - o1)


def case(record, word, image, stride):
    """The image after the word, or None for what is not implemented here."""
    opcode, op, types = record[24], record[25], list(record[26:29])
    known = opcode in (0x41, 0x51) and all(code in DTYPES for code in types)
    if not known or op not in OPS and op not in FLOAT_OPS:
        return None
    operands = []
    for at, code in zip((16, 32, 48), types):
        address, *walk = struct.unpack("<I3h3H", word[at : at + 16])
        size = np.dtype(DTYPES[code]).itemsize
        where = places(address, walk[:3], walk[3:], size, stride, record[31], record)
        operands.append((where[..., None] + np.arange(size), np.dtype(DTYPES[code])))
    wide = "f4" if op in FLOAT_OPS else ("i8" if operands[2][1].kind == "i" else "u8")  # low bits of 64 are exact
    a, b = (np.ascontiguousarray(image[where]).view(dtype)[..., 0].astype(wide) for where, dtype in operands[:2])
    with np.errstate(all="ignore"):
        result = (OPS | FLOAT_OPS)[op](a, b).astype(operands[2][1])
    image[operands[2][0]] = result[..., None].view(np.uint8)
    return image.tobytes()


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    hello = json.loads(stdin.readline())
    stdout.write(b'{"protocol": "vq7-conform", "version": 1, "producer": "numpy example client"}\n')
    stdout.flush()
    while True:
        kind, number, rows, length = struct.unpack("<4I", stdin.read(16))
        body, answer = stdin.read(length), None
        if kind == 0:
            return
        if kind == 1:
            image = np.frombuffer(body, np.uint8, offset=128 + 20 * rows).copy()
            answer = case(body[:64], body[64:128], image, hello["partition_stride"])
        stdout.write(struct.pack("<3I", number, 2 if answer is None else 0, len(answer or b"")) + (answer or b""))
        stdout.flush()


if __name__ == "__main__":
    main()
