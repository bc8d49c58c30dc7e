"""Float32 arithmetic and powers judged by MPFR, in every rounding mode."""

import gmpy2
import numpy as np
import pytest
from judging import F32, SEED, agree, pairs

MODES = {
    "nearest_even": gmpy2.RoundToNearest,
    "zero": gmpy2.RoundToZero,
    "up": gmpy2.RoundUp,
    "down": gmpy2.RoundDown,
}


def context(mode):
    """float32: 24 bits, its exponents, gradual underflow."""
    rules = gmpy2.ieee(32)
    rules.round = MODES[mode]
    return rules


def judge(function, mode, a, b):
    """A function of two float32 in MPFR, as float32 bits. Every float32 is a Python float, and so is every result."""
    with gmpy2.context(context(mode)):
        rows = zip(a.view(np.float32).tolist(), b.view(np.float32).tolist())
        results = [float(function(gmpy2.mpfr(x), gmpy2.mpfr(y))) for x, y in rows]
    return np.array(results, dtype=np.float64).astype(np.float32).view(np.uint32)


def check(vq7, op, mode, function, a, b):
    with np.errstate(all="ignore"):
        expected = judge(function, mode, a, b)
    call = (op, ["float32"] * 3, (f"round={mode}",))
    agree("mpfr", call, vq7.tt(*call[:2], a, b, call[2]).bits, expected, a, b, F32.is_nan)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("op", ["add", "subtract", "mult"])
def test_arithmetic(vq7, op, mode):
    function = {"add": gmpy2.add, "subtract": gmpy2.sub, "mult": gmpy2.mul}[op]
    check(vq7, op, mode, function, *pairs(F32.values(), F32.values(), 1 << 14))


@pytest.mark.parametrize("mode", MODES)
def test_powers(vq7, mode):
    """Bases of every size; exponents at edges and those that keep the power in range, halves and integers among them."""
    random = np.random.default_rng(SEED)
    bases = random.integers(0, 0x7F80_0000, 6000, dtype=np.uint32)
    limit = 150 / np.maximum(np.abs(np.log2(np.maximum(bases.view(np.float32), np.float32(1e-45)))), 1e-3)
    exponents = (random.uniform(-1, 1, len(bases)) * limit).astype(np.float32)
    halves = random.integers(-40, 41, len(bases)).astype(np.float32) / 2
    edges = pairs(F32.values(), F32.values(), 1 << 12)
    signalling = F32.is_nan(edges[0]) & (edges[0] & 0x40_0000 == 0) | F32.is_nan(edges[1]) & (edges[1] & 0x40_0000 == 0)
    a = np.concatenate([bases, bases | 0x8000_0000, edges[0][~signalling]])
    b = np.concatenate([exponents.view(np.uint32), halves.view(np.uint32), edges[1][~signalling]])
    check(vq7, "pow", mode, lambda x, y: x**y, a, b)
