"""The integer band judged by NumPy, whose integers wrap."""

import numpy as np
import pytest

WRAPPING = {"add_int": np.add, "subtract_int": np.subtract, "mult_int": np.multiply}


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("op", WRAPPING)
def test_every_pair_of_8_bit_integers(vq7, op, dtype):
    numbers = np.arange(256, dtype=np.uint8)
    a, b = np.repeat(numbers, 256), np.tile(numbers, 256)
    expected = WRAPPING[op](a.view(dtype), b.view(dtype))
    got = vq7.tt(op, [dtype] * 3, a, b).bits
    np.testing.assert_array_equal(got.view(dtype), expected)
