"""Arithmetic in every rounding mode judged by apytypes, which rounds by rules of its own on any exponent and fraction."""

import numpy as np
import pytest
from apytypes import APyFloatArray, APyFloatQuantizationContext, QuantizationMode
from judging import BF16, E3M4, E4M3, E5M2, F16, F32, agree, pairs

MODES = {
    "nearest_even": QuantizationMode.TIES_EVEN,
    "zero": QuantizationMode.TO_ZERO,
    "up": QuantizationMode.TO_POS,
    "down": QuantizationMode.TO_NEG,
}
OPS = {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "mult": lambda x, y: x * y}
FORMATS = {"e3m4": E3M4, "e4m3": E4M3, "e5m2": E5M2, "bf16": BF16, "f16": F16, "f32": F32}


def array(form, bits):
    return APyFloatArray.from_bits(bits, form.exponent_bits, form.fraction_bits, form.bias)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("name", FORMATS)
def test_arithmetic(vq7, name, op, mode):
    form, policy = FORMATS[name], (f"round={mode}",)
    a, b = pairs(form.values(), form.values())
    with APyFloatQuantizationContext(MODES[mode]):
        expected = OPS[op](array(form, a), array(form, b)).to_bits(numpy=True).astype(form.uint)
    call = (op, [form.name] * 3, policy)
    agree("apytypes", call, vq7.tt(*call[:2], a, b, policy).bits, expected, a, b, form.is_nan)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FORMATS)
def test_float32_to_the_format(vq7, name, mode):
    form, policy = FORMATS[name], (f"round={mode}",)
    random = np.random.default_rng(7).integers(0, 1 << 32, 1 << 15, dtype=np.uint32)
    # Exponents near 1, where every format has its numbers.
    near = random & 0x80FF_FFFF | (112 + (random >> 24) % 32) << 23
    a = np.concatenate([F32.values(), random, near.astype(np.uint32)])
    expected = array(F32, a).cast(form.exponent_bits, form.fraction_bits, form.bias, MODES[mode])
    expected = expected.to_bits(numpy=True).astype(form.uint)
    call = ("bypass", ["float32", "float32", form.name], policy)
    agree("apytypes", call, vq7.tt(*call[:2], a, a, policy).bits, expected, a, a, form.is_nan)
