"""SHA-256 in uint32 lanes and SHA-512 in uint64 lanes, every round on the exact integer ops of the GpSimd engine.

One lane hashes one message; messages of different lengths go through together, and a lane keeps its state once its message is
at its end. `hashlib` says what is right.

Algorithm and constants: FIPS 180-4.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
from lanes import Array, Lanes


def primes(count: int) -> list[int]:
    """The first prime numbers."""
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def cube_root(value: int) -> int:
    """The whole part of the cube root."""
    low, high = 0, 1 << (value.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= value else (low, middle)
    return low


@dataclass(frozen=True)
class Variant:
    """What differs between the two functions. Rotations of three amounts; of the small sigmas the third is a shift."""

    name: str
    width: int
    rounds: int
    big0: tuple[int, int, int]
    big1: tuple[int, int, int]
    small0: tuple[int, int, int]
    small1: tuple[int, int, int]

    def constants(self) -> list[int]:
        """Fractional bits of the cube roots of the first primes."""
        mask = (1 << self.width) - 1
        return [cube_root(prime << (3 * self.width)) & mask for prime in primes(self.rounds)]

    def start(self) -> list[int]:
        """Fractional bits of the square roots of the first eight primes."""
        mask = (1 << self.width) - 1
        return [isqrt(prime << (2 * self.width)) & mask for prime in primes(8)]


SHA256 = Variant("sha256", 32, 64, (2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10))
SHA512 = Variant("sha512", 64, 80, (28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6))


def padded(variant: Variant, message: bytes) -> bytes:
    """The message, a one bit, zeros, and its length in bits: whole blocks of 16 words."""
    block, length = variant.width * 2, variant.width // 4
    zeros = -(len(message) + 1 + length) % block
    return message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(length, "big")


def compress(variant: Variant, lanes: Lanes, state: Sequence[Array], block: Sequence[Array]) -> list[Array]:
    """The state after one block of 16 words per lane."""

    def big(x: Array, amounts: tuple[int, int, int]) -> Array:
        first, *rest = (lanes.rotated_right(x, amount) for amount in amounts)
        return lanes.xor(first, *rest)

    def small(x: Array, amounts: tuple[int, int, int]) -> Array:
        turned = (lanes.rotated_right(x, amount) for amount in amounts[:2])
        return lanes.xor(lanes.right(x, amounts[2]), *turned)

    words = list(block)
    for t in range(16, variant.rounds):
        words.append(
            lanes.add(
                small(words[t - 2], variant.small1), words[t - 7], small(words[t - 15], variant.small0), words[t - 16]
            )
        )
    a, b, c, d, e, f, g, h = state
    for word, constant in zip(words, variant.constants()):
        choice = lanes.xor(lanes.both(e, f), lanes.both(lanes.inverted(e), g))
        first = lanes.add(h, big(e, variant.big1), choice, lanes.const(constant), word)
        majority = lanes.xor(lanes.both(a, b), lanes.both(a, c), lanes.both(b, c))
        second = lanes.add(big(a, variant.big0), majority)
        a, b, c, d, e, f, g, h = lanes.add(first, second), a, b, c, lanes.add(d, first), e, f, g
    return [lanes.add(old, new) for old, new in zip(state, (a, b, c, d, e, f, g, h))]


def digests(variant: Variant, messages: Sequence[bytes], lanes: Lanes | None = None) -> list[bytes]:
    """The hash of each message. All messages are hashed side by side, one per lane."""
    lanes = lanes or Lanes(variant.width)
    if not messages:
        return []
    blocks = [
        np.frombuffer(padded(variant, message), lanes.dtype.newbyteorder(">")).astype(lanes.dtype)
        for message in messages
    ]
    state = [np.full(len(messages), word, lanes.dtype) for word in variant.start()]
    for start in range(0, max(map(len, blocks)), 16):
        alive = np.array([start < len(block) for block in blocks])
        rows = np.array(
            [block[start : start + 16] if live else np.zeros(16, lanes.dtype) for block, live in zip(blocks, alive)]
        )
        after = compress(variant, lanes, state, [np.ascontiguousarray(column) for column in rows.T])
        state = [np.where(alive, new, old) for old, new in zip(state, after)]
    table = np.stack(state, axis=1).astype(lanes.dtype.newbyteorder(">"))
    return [row.tobytes() for row in table]


def main() -> None:
    """Random messages against hashlib."""
    seed = random.SystemRandom().getrandbits(32)
    source = random.Random(seed)
    messages = [source.randbytes(source.randrange(300)) for _ in range(64)]
    for variant in (SHA256, SHA512):
        lanes = Lanes(variant.width)
        for message, digest in zip(messages, digests(variant, messages, lanes)):
            if digest != hashlib.new(variant.name, message).digest():
                raise SystemExit(f"{variant.name} of {message.hex()} (seed {seed}) is not {digest.hex()}")
        print(f"{variant.name}: {len(messages)} random messages agree with hashlib, {lanes.steps} tensor-tensor calls")


if __name__ == "__main__":
    main()
