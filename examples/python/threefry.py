"""Threefry4x32-20 on the exact integer ops of the GpSimd engine, in uint32 lanes and in uint64 lanes.

The generator needs sums modulo 2^32, rotations and exclusive or. In uint32 lanes the sums wrap by themselves; in uint64 lanes
every sum and every rotation is cut to 32 bits.

Algorithm and known answers: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), and the
known-answer file of its library Random123.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lanes import Array, Lanes

PARITY = 0x1BD11BDA
ROTATIONS = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))
ROUNDS = 20
ONES = 0xFFFFFFFF

# counter, key, and the published answer.
KNOWN = (
    ((0,) * 4, (0,) * 4, (0x9C6CA96A, 0xE17EAE66, 0xFC10ECD4, 0x5256A7D8)),
    ((ONES,) * 4, (ONES,) * 4, (0x2A881696, 0x57012287, 0xF6C7446E, 0xA16A6732)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89),
        (0x59CD1DBB, 0xB8879579, 0x86B5D00C, 0xAC8B6D84),
    ),
)


def add32(lanes: Lanes, a: Array, *others: Array) -> Array:
    """The sum modulo 2^32."""
    total = lanes.add(a, *others)
    return total if lanes.width == 32 else lanes.both(total, lanes.const(ONES))


def rotated_left32(lanes: Lanes, a: Array, amount: int) -> Array:
    """A 32-bit value rotated to the left."""
    turned = lanes.either(lanes.left(a, amount), lanes.right(a, 32 - amount))
    return turned if lanes.width == 32 else lanes.both(turned, lanes.const(ONES))


def threefry4x32(lanes: Lanes, counter: Sequence[Array], key: Sequence[Array], rounds: int = ROUNDS) -> list[Array]:
    """Four words of random bits for each lane: `counter` and `key` are four arrays each, of `lanes.dtype`, values below 2^32."""
    keys = [*key, lanes.xor(lanes.const(PARITY), *key)]
    x = [add32(lanes, counter[i], keys[i]) for i in range(4)]
    for number in range(rounds):
        # Even rounds mix (0, 1) and (2, 3), odd ones (0, 3) and (2, 1).
        pairs = ((0, 1), (2, 3)) if number % 2 == 0 else ((0, 3), (2, 1))
        for (first, second), amount in zip(pairs, ROTATIONS[number % 8]):
            x[first] = add32(lanes, x[first], x[second])
            x[second] = lanes.xor(rotated_left32(lanes, x[second], amount), x[first])
        if number % 4 == 3:
            turn = number // 4 + 1
            x = [add32(lanes, x[i], keys[(turn + i) % 5]) for i in range(4)]
            x[3] = add32(lanes, x[3], lanes.const(turn))
    return x


def main() -> None:
    """The published answers, on both widths, all counters at once."""
    for width in (32, 64):
        lanes = Lanes(width)
        counter = [np.array([known[0][i] for known in KNOWN], lanes.dtype) for i in range(4)]
        key = [np.array([known[1][i] for known in KNOWN], lanes.dtype) for i in range(4)]
        words = threefry4x32(lanes, counter, key)
        for number, (_, _, answer) in enumerate(KNOWN):
            got = tuple(int(word[number]) for word in words)
            if got != answer:
                raise SystemExit(f"Threefry4x32-20 in uint{width} lanes, vector {number}: {got} is not {answer}")
        print(
            f"Threefry4x32-20 in uint{width} lanes: {len(KNOWN)} published vectors hold, {lanes.steps} tensor-tensor calls"
        )


if __name__ == "__main__":
    main()
