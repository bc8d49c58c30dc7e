"""The integer band, bitwise ops and shifts judged by NumPy, whose integers wrap, and by GMP on exact numbers."""

import gmpy2
import numpy as np
import pytest
from judging import agree, integers, pairs

WIDTHS = [8, 16, 32, 64]
SIGNED = {True: "int", False: "uint"}
WRAPPING = {"add_int": np.add, "subtract_int": np.subtract, "mult_int": np.multiply}
COMPARES = {"gt": np.greater, "ge": np.greater_equal, "le": np.less_equal, "lt": np.less}
BITWISE = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
every_dtype = pytest.mark.parametrize("dtype", [f"{kind}{width}" for kind in SIGNED.values() for width in WIDTHS])


def operands(dtype):
    values = integers(np.dtype(dtype).itemsize * 8)
    return pairs(values, values)


def against_numpy(vq7, op, dtype, a, b, expected):
    call = (op, [dtype] * 3, ())
    expected = expected.astype(dtype).view(a.dtype)
    agree("numpy integers", call, vq7.tt(*call[:2], a, b).bits, expected, a, b)


@every_dtype
def test_wrapping_and_bitwise(vq7, dtype):
    a, b = operands(dtype)
    for op, function in {**WRAPPING, **BITWISE}.items():
        against_numpy(vq7, op, dtype, a, b, function(a.view(dtype), b.view(dtype)))


@every_dtype
def test_order(vq7, dtype):
    a, b = operands(dtype)
    x, y = a.view(dtype), b.view(dtype)
    suffix = "uint" if dtype.startswith("u") else "int"
    for name, function in COMPARES.items():
        against_numpy(vq7, f"is_{name}_{suffix}", dtype, a, b, function(x, y))
    against_numpy(vq7, "is_equal_int", dtype, a, b, x == y)
    against_numpy(vq7, "is_ne_int", dtype, a, b, x != y)
    against_numpy(vq7, f"max_{suffix}", dtype, a, b, np.maximum(x, y))
    against_numpy(vq7, f"min_{suffix}", dtype, a, b, np.minimum(x, y))


@every_dtype
def test_shifts_by_less_than_the_width_and_by_more(vq7, dtype):
    """NumPy takes a count as a number of the operand's dtype; from the width on, it shifts everything out."""
    width = np.dtype(dtype).itemsize * 8
    a = integers(width)
    counts = np.array([0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100], dtype=a.dtype)
    a, b = pairs(a, counts)
    unsigned, signed = a, a.view(f"i{width // 8}")
    for op, expected in {
        "logical_shift_left": unsigned << b,
        "arith_shift_left": unsigned << b,
        "logical_shift_right": unsigned >> b,
        "arith_shift_right": signed >> b.view(signed.dtype),
    }.items():
        against_numpy(vq7, op, dtype, a, b, expected.view(a.dtype).view(dtype))


@every_dtype
def test_products_quotients_and_remainders_of_exact_numbers(vq7, dtype):
    """Quotients are cut toward zero, the remainder has the sign of the dividend; MOD has that of the divisor."""
    width, is_signed = np.dtype(dtype).itemsize * 8, not dtype.startswith("u")
    values = integers(width)
    a, b = pairs(values, values, 1 << 14)
    a, b = a[b != 0], b[b != 0]
    numbers = [(gmpy2.mpz(int(x)), gmpy2.mpz(int(y))) for x, y in zip(a.view(dtype), b.view(dtype))]
    ops = {"mult_int": lambda x, y: x * y, "divide_int": gmpy2.t_div, "mod_int": gmpy2.t_mod, "mod": gmpy2.f_mod}
    if not is_signed:
        ops |= {"mult_uint": ops["mult_int"], "divide_uint": gmpy2.t_div, "mod_uint": gmpy2.t_mod}
    if width < 32:
        # MOD is legal on 32- and 64-bit integers.
        del ops["mod"]
    for op, function in ops.items():
        cut = [int(gmpy2.f_mod_2exp(function(x, y), width)) for x, y in numbers]
        call = (op, [dtype] * 3, ())
        agree("gmp", call, vq7.tt(*call[:2], a, b).bits, np.array(cut, dtype=a.dtype), a, b)
