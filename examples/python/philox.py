"""Philox4x32-10 on the exact integer ops of the GpSimd engine, in uint64 lanes and in uint32 lanes.

Per round the generator needs both halves of two 32 x 32 bit products. In uint64 lanes a product is one `mult_uint`. In uint32
lanes only the low half comes out of `mult_uint`, and the high half is put together from four products of 16-bit halves.

Algorithm and known answers: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), and the
known-answer file of its library Random123.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lanes import Array, Lanes

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
ONES = 0xFFFFFFFF

# counter, key, and the published answer.
KNOWN = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


def product32(lanes: Lanes, a: Array, b: Array) -> tuple[Array, Array]:
    """High and low half of a 32 x 32 bit product in uint32 lanes, carries and all."""
    half = lanes.const(0xFFFF)
    a_low, a_high = lanes.both(a, half), lanes.right(a, 16)
    b_low, b_high = lanes.both(b, half), lanes.right(b, 16)
    # a_high * b_low + the carry out of the low product: at most 0xFFFE0001 + 0xFFFE, which fits.
    middle = lanes.add(lanes.multiply(a_high, b_low), lanes.right(lanes.multiply(a_low, b_low), 16))
    other = lanes.add(lanes.multiply(a_low, b_high), lanes.both(middle, half))
    high = lanes.add(lanes.multiply(a_high, b_high), lanes.right(middle, 16), lanes.right(other, 16))
    return high, lanes.multiply(a, b)


def product64(lanes: Lanes, a: Array, b: Array) -> tuple[Array, Array]:
    """High and low half of a 32 x 32 bit product in uint64 lanes."""
    whole = lanes.multiply(a, b)
    return lanes.right(whole, 32), lanes.both(whole, lanes.const(ONES))


def philox4x32(lanes: Lanes, counter: Sequence[Array], key: Sequence[Array], rounds: int = ROUNDS) -> list[Array]:
    """Four words of random bits for each lane: `counter` is four arrays, `key` two, of `lanes.dtype`, values below 2^32."""
    product = product32 if lanes.width == 32 else product64
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for number in range(rounds):
        if number:
            k0, k1 = lanes.add(k0, lanes.const(WEYL[0])), lanes.add(k1, lanes.const(WEYL[1]))
            if lanes.width == 64:  # a 64-bit sum does not wrap at 32 bits by itself
                k0, k1 = lanes.both(k0, lanes.const(ONES)), lanes.both(k1, lanes.const(ONES))
        high0, low0 = product(lanes, c0, lanes.const(MULTIPLIERS[0]))
        high1, low1 = product(lanes, c2, lanes.const(MULTIPLIERS[1]))
        c0, c1, c2, c3 = lanes.xor(high1, c1, k0), low1, lanes.xor(high0, c3, k1), low0
    return [c0, c1, c2, c3]


def main() -> None:
    """The published answers, on both widths, all counters at once."""
    for width in (32, 64):
        lanes = Lanes(width)
        counter = [np.array([known[0][i] for known in KNOWN], lanes.dtype) for i in range(4)]
        key = [np.array([known[1][i] for known in KNOWN], lanes.dtype) for i in range(2)]
        words = philox4x32(lanes, counter, key)
        for number, (_, _, answer) in enumerate(KNOWN):
            got = tuple(int(word[number]) for word in words)
            if got != answer:
                raise SystemExit(f"Philox4x32-10 in uint{width} lanes, vector {number}: {got} is not {answer}")
        print(
            f"Philox4x32-10 in uint{width} lanes: {len(KNOWN)} published vectors hold, {lanes.steps} tensor-tensor calls"
        )


if __name__ == "__main__":
    main()
