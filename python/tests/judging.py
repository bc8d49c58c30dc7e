"""How results are held against a judge, and the operands that are judged."""

import os
from collections import Counter

import numpy as np

SEED = int(os.environ.get("VQ7_SEED", "20240607"))

# What comparisons left open, by (judge, mask): cases. conftest.py prints it.
left_open = Counter()
judged = Counter()
# Every (op, src0, src1, result, judge) that was judged under some policy.
cells = set()


class Format:
    """A float format by its bits."""

    def __init__(self, name, exponent_bits, fraction_bits, flavour="ieee"):
        self.name = name
        self.exponent_bits, self.fraction_bits, self.flavour = exponent_bits, fraction_bits, flavour
        self.width = 1 + exponent_bits + fraction_bits
        self.uint = np.dtype(f"u{self.width // 8}")
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.infinity = ((1 << exponent_bits) - 1) << fraction_bits

    def is_nan(self, bits):
        magnitude = bits & ((1 << (self.width - 1)) - 1)
        if self.flavour == "fn":
            return magnitude == (1 << (self.width - 1)) - 1
        return magnitude > self.infinity

    def values(self):
        """Every pattern of 8 bits; of wider formats, edge exponents with edge fractions, and random ones, both signs."""
        if self.width == 8:
            return np.arange(256, dtype=np.uint8)
        top, digits = (1 << self.exponent_bits) - 1, self.fraction_bits
        exponents = {0, 1, 2, digits, self.bias - digits - 1, self.bias - digits, self.bias - 1, self.bias,
                     self.bias + 1, self.bias + digits, self.bias + 31, self.bias // 2, top - 2, top - 1, top}  # fmt: skip
        ones = (1 << digits) - 1
        random = np.random.default_rng(SEED).integers(0, ones, 3).tolist()
        fractions = {0, 1, ones, ones - 1, ones >> 1, 1 << (digits - 1), (1 << (digits - 1)) | 1, *random}
        values = [
            sign << (self.width - 1) | exponent << digits | fraction
            for sign in (0, 1)
            for exponent in sorted(exponents)
            if exponent <= top
            for fraction in sorted(fractions)
        ]
        return np.array(values, dtype=self.uint)


E3M4 = Format("float8_e3m4", 3, 4)
E4M3 = Format("float8_e4m3", 4, 3)
E4M3FN = Format("float8_e4m3", 4, 3, "fn")
E5M2 = Format("float8_e5m2", 5, 2)
F16 = Format("float16", 5, 10)
BF16 = Format("bfloat16", 8, 7)
F32 = Format("float32", 8, 23)


def integers(width):
    """Every pattern of 8 bits; of wider integers, around powers of two and their negatives, ends, counts, random ones."""
    if width == 8:
        return np.arange(256, dtype=np.uint8)
    around = [(1 << bit) + near for bit in range(width) for near in (-1, 0, 1)]
    random = np.random.default_rng(SEED).integers(0, 1 << 63, 40).tolist()
    both = {sign * value % (1 << width) for value in [*around, *random] for sign in (1, -1)}
    return np.array(sorted(both), dtype=f"u{width // 8}")


def pairs(a, b, limit=1 << 16):
    """All pairs of two lists; when they are more than `limit`, that many of them, chosen by the seed."""
    if len(a) * len(b) <= limit:
        return np.repeat(a, len(b)), np.tile(b, len(a))
    random = np.random.default_rng(SEED + len(a))
    return random.choice(a, limit), random.choice(b, limit)


def agree(judge, call, got, expected, a, b, nan=None, open_where=None):
    """Fails at the first difference, with the command that shows it. `call` is (op, types, policy).

    `nan` tells NaNs, whose bits are left open; `open_where` names further masks and the cases that each leaves open. Only
    cases that differ count as left open.
    """
    assert got.shape == expected.shape and got.dtype == expected.dtype, (got.dtype, expected.dtype)
    op, types, policy = call
    judged[judge] += got.size
    cells.add((op, *types, judge.replace(" ", "_")))
    differs = got != expected
    masks = {"nan_bits": nan(got) & nan(expected)} if nan else {}
    for mask, where in {**masks, **(open_where or {})}.items():
        needed = differs & where
        left_open[judge, mask] += int(needed.sum())
        differs &= ~where
    if not differs.any():
        return
    first = int(np.flatnonzero(differs)[0])
    knobs = "".join(f" --policy {knob}" for knob in policy)
    raise AssertionError(
        f"{int(differs.sum())} of {got.size} differ from {judge}; the first: {judge} gives {int(expected[first]):#x}, "
        f"vq7 {int(got[first]):#x}\n"
        f"vq7 explain --op {op} --types {','.join(types)} --a {int(a[first]):#x} --b {int(b[first]):#x}{knobs}"
    )
