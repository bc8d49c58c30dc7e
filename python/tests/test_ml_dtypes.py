"""The base band on 8-bit floats and bfloat16 judged by ml_dtypes, on float16 and float32 by NumPy itself."""

import ml_dtypes
import numpy as np
import pytest
from judging import BF16, E3M4, E4M3, E4M3FN, E5M2, F16, F32, agree, pairs

FORMATS = {
    "e3m4": (E3M4, ml_dtypes.float8_e3m4, ()),
    "e4m3": (E4M3, ml_dtypes.float8_e4m3, ()),
    "e4m3fn": (E4M3FN, ml_dtypes.float8_e4m3fn, ("e4m3=fn",)),
    "e5m2": (E5M2, ml_dtypes.float8_e5m2, ()),
    "bf16": (BF16, ml_dtypes.bfloat16, ()),
    "f16": (F16, np.float16, ()),
    "f32": (F32, np.float32, ()),
}
ARITHMETIC = {"add": np.add, "subtract": np.subtract, "mult": np.multiply}
COMPARES = {
    "is_eq": np.equal,
    "is_ne": np.not_equal,
    "is_lt": np.less,
    "is_le": np.less_equal,
    "is_gt": np.greater,
    "is_ge": np.greater_equal,
}
every_format = pytest.mark.parametrize("name", FORMATS)


def judge_of(name):
    return "numpy" if name in ("f16", "f32") else "ml_dtypes"


def quiet():
    return np.errstate(all="ignore")


@every_format
@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic(vq7, name, op):
    form, dtype, policy = FORMATS[name]
    a, b = pairs(form.values(), form.values())
    with quiet():
        expected = ARITHMETIC[op](a.view(dtype), b.view(dtype))
    assert expected.dtype == dtype
    call = (op, [form.name] * 3, policy)
    agree(judge_of(name), call, vq7.tt(*call[:2], a, b, policy).bits, expected.view(form.uint), a, b, form.is_nan)


@every_format
@pytest.mark.parametrize("op", COMPARES)
def test_compares(vq7, name, op):
    form, dtype, policy = FORMATS[name]
    a, b = pairs(form.values(), form.values())
    with quiet():
        expected = COMPARES[op](a.view(dtype), b.view(dtype)).astype(np.uint8)
    call = (op, [form.name, form.name, "uint8"], policy)
    agree(judge_of(name), call, vq7.tt(*call[:2], a, b, policy).bits, expected, a, b)


@every_format
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes(vq7, name, op):
    """NumPy's maximum lets a NaN through, as minmax_nan=propagate; which zero of a tie it gives is not settled."""
    form, dtype, policy = FORMATS[name]
    policy = (*policy, "minmax_nan=propagate")
    a, b = pairs(form.values(), form.values())
    with quiet():
        expected = {"max": np.maximum, "min": np.minimum}[op](a.view(dtype), b.view(dtype)).view(form.uint)
        zeros = (a.view(dtype) == 0) & (b.view(dtype) == 0)
    call = (op, [form.name] * 3, policy)
    got = vq7.tt(*call[:2], a, b, policy).bits
    agree(judge_of(name), call, got, expected, a, b, form.is_nan, {"zero_of_a_tie": zeros})


@every_format
def test_float32_to_the_format_and_back(vq7, name):
    """One rounding from float32, at edges, at ties between neighbours and next to them; widening is exact."""
    form, dtype, policy = FORMATS[name]
    with quiet():
        values = np.sort(form.values().view(dtype).astype(np.float32))
        values = values[np.isfinite(values)]
        ties = (values[:-1].astype(np.float64) + values[1:]) / 2
        exact = np.concatenate([values, ties.astype(np.float32)])
        near = [exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))]
        a = np.concatenate([*near, F32.values().view(np.float32)])
        expected = a.astype(dtype)
    a = a.view(np.uint32)
    b = np.zeros_like(a)
    call = ("bypass", ["float32", "float32", form.name], policy)
    agree(judge_of(name), call, vq7.tt(*call[:2], a, b, policy).bits, expected.view(form.uint), a, b, form.is_nan)
    a = form.values()
    call = ("bypass", [form.name, form.name, "float32"], policy)
    with quiet():
        wide = a.view(dtype).astype(np.float32).view(np.uint32)
    agree(judge_of(name), call, vq7.tt(*call[:2], a, a, policy).bits, wide, a, a, F32.is_nan)


@pytest.mark.parametrize("name", ["e3m4", "e4m3", "e5m2", "bf16", "f16", "f32"])
def test_files_of_the_judge_are_read_and_files_of_vq7_are_read_by_it(vq7, tmp_path, name):
    """Arrays go through files as NumPy writes and reads them, dtype included; vq7 itself compares with the judge's result."""
    form, dtype, _ = FORMATS[name]
    finite = form.values()[~form.is_nan(form.values())]
    a, b = (x.view(dtype) for x in pairs(finite, finite, 1 << 12))
    with quiet():
        expected = a + b
    # Inf - Inf is the one NaN here.
    numbers = ~form.is_nan(expected.view(form.uint))
    a, b, expected = a[numbers], b[numbers], expected[numbers]
    paths = [tmp_path / f"{what}.npy" for what in ("a", "b", "expected", "sum", "same")]
    for path, array in zip(paths, (a, b, expected)):
        np.save(path, array)
    names = ["--a-dtype", form.name, "--b-dtype", form.name]
    vq7.run("tt", "--op", "add", "--a", paths[0], "--b", paths[1], "--out", paths[3], *names)
    assert (np.load(paths[3]).view(dtype) == expected).all()
    same = ["--op", "is_eq", "--a", paths[3], "--b", paths[2], "--out", paths[4], "--out-dtype", "uint8"]
    vq7.run("tt", *same, *names)
    assert np.load(paths[4]).all()
    # The comparison can fail.
    broken = expected.view(form.uint).copy()
    broken[7] ^= 1
    np.save(paths[2], broken.view(dtype))
    vq7.run("tt", *same, *names)
    assert (~np.load(paths[4]).astype(bool)).sum() == 1
