"""Arrays of any shape and layout, against NumPy's integers and ml_dtypes."""

import warnings

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import vq7
from bits import to_bits

INTS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2, ml_dtypes.float8_e3m4, np.float16, np.float32]
CASES = settings(max_examples=150, deadline=None, derandomize=True)


@st.composite
def layouts(draw, dtype):
    """Two arrays that broadcast, with any strides: transposed, reversed, with steps, unaligned."""
    rank = draw(st.integers(1, 5))
    shape = draw(st.tuples(*[st.integers(1, 6)] * rank))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))

    def array():
        own = list(shape[draw(st.integers(0, rank - 1)) :])
        own = [1 if draw(st.booleans()) and draw(st.booleans()) else extent for extent in own]
        steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in own]
        order = draw(st.permutations(range(len(own))))
        room = [own[axis] * abs(steps[axis]) for axis in order]
        size = np.dtype(dtype).itemsize
        skew = draw(st.integers(0, 3))
        data = random.integers(0, 256, int(np.prod(room)) * size + skew, np.uint8)
        wide = data[skew:].view(dtype).reshape(room).transpose(np.argsort(order))
        return wide[tuple(slice(None, None, step) for step in steps)]

    a, b = array(), array()
    assert all(extent <= len_ for extent, len_ in zip(a.shape, shape[rank - a.ndim :]))
    return a, b


def quiet(*arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vq7.LossyIntegerWarning)
        return vq7.tensor_tensor(*arguments, **keywords)


@pytest.mark.parametrize("dtype", INTS, ids=lambda dtype: dtype.__name__)
@CASES
@given(data=st.data())
def test_integers_are_numpy_s(dtype, data):
    a, b = data.draw(layouts(dtype))
    kind = "int" if np.issubdtype(dtype, np.signedinteger) else "uint"
    with np.errstate(all="ignore"):
        for op, theirs in [("add_int", np.add), ("subtract_int", np.subtract), (f"mult_{kind}", np.multiply)]:
            result = vq7.tensor_tensor(a, b, op)
            assert result.dtype == dtype
            assert np.array_equal(result, theirs(a, b)), op
    if kind == "uint":
        assert np.array_equal(vq7.tensor_tensor(a, b, "bitwise_xor"), a ^ b)
        assert np.array_equal(vq7.tensor_tensor(a, b, "bitwise_and"), a & b)
    assert np.array_equal(vq7.tensor_tensor(a, b, f"max_{kind}"), np.maximum(a, b))


def same(ours, theirs):
    """Bit for bit; a NaN is a NaN."""
    nan = np.isnan(theirs.astype(np.float32))
    assert np.array_equal(np.isnan(ours.astype(np.float32)), nan)
    assert np.array_equal(to_bits(ours)[~nan], to_bits(theirs)[~nan])


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.__name__)
@CASES
@given(data=st.data())
def test_floats_are_those_of_ml_dtypes(dtype, data):
    a, b = data.draw(layouts(dtype))
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
        for op, theirs in [("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply)]:
            result = vq7.tensor_tensor(a, b, op)
            assert result.dtype == dtype
            same(result, theirs(wide_a, wide_b).astype(dtype))
            wide = vq7.tensor_tensor(a, b, op, out_dtype="float32")
            same(wide, theirs(wide_a, wide_b))


@CASES
@given(data=st.data())
def test_the_paths_agree(data):
    """Where the arrays lie, word by word, and by the reference: the same bits, whatever the op and the policy."""
    dtype = data.draw(st.sampled_from(INTS + FLOATS))
    a, b = data.draw(layouts(dtype))
    ops = [row.name for row in vq7.ops() if row.in_target]
    op = data.draw(st.sampled_from(ops))
    policy = data.draw(
        st.sampled_from([None, vq7.Policy(round="zero"), vq7.Policy(base_int="native32"), vq7.Policy(int_div_zero="zero")])
    )
    out_dtype = data.draw(st.sampled_from([None, "int32", "float32", "bfloat16", "uint8"]))
    keywords = {"policy": policy, "out_dtype": out_dtype}
    try:
        result = quiet(a, b, op, **keywords)
    except (vq7.Vq7Error, TypeError) as error:
        with pytest.raises(type(error)):
            quiet(a, b, op, executor="reference", **keywords)
        return
    for other in ({"executor": "reference"}, {"progress": lambda done, total: None}):
        assert np.array_equal(to_bits(quiet(a, b, op, **keywords, **other)), to_bits(result)), (op, other)
    out = np.empty_like(result)
    assert quiet(a, b, op, out=out, **keywords) is out
    assert np.array_equal(to_bits(out), to_bits(result))


@CASES
@given(data=st.data())
def test_lossy_is_where_float32_differs_from_integers(data):
    dtype = data.draw(st.sampled_from([np.int32, np.uint32]))
    a, b = data.draw(layouts(dtype))
    shift = data.draw(st.integers(0, 12))
    a, b = a >> shift, b >> shift
    with np.errstate(all="ignore"):
        for op, exact in [("add", np.add), ("multiply", np.multiply), ("subtract", np.subtract)]:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = vq7.tensor_tensor(a, b, op)
            differs = result != exact(a, b)
            assert np.array_equal(vq7.lossy(op, a, b), differs)
            assert len(caught) == differs.any()
            if caught:
                first = tuple(np.argwhere(differs)[0])
                text = str(caught[0].message)
                assert f"{differs.sum()} of {differs.size} elements" in text
                assert f"at {list(map(int, first))}, is {result[first]} and exactly {exact(a, b)[first]}" in text


def test_large_arrays_of_every_layout():
    """Beyond what one thread and the caches take."""
    n = 1 << 21
    a, b = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)[::-1]
    assert np.array_equal(vq7.tensor_tensor(a, b, "add_int"), a + b)
    wide = a.reshape(128, -1)
    column, row = wide[:, :1].copy(), wide[:1].copy()
    assert np.array_equal(vq7.tensor_tensor(wide, column, "mult_int"), wide * column)
    assert np.array_equal(vq7.tensor_tensor(row, column, "add_int"), row + column)
    assert np.array_equal(vq7.tensor_tensor(wide.T, wide.T, "add_int"), wide.T * 2)
    deep = a.reshape(4, 8, 16, 32, 128).transpose(4, 2, 0, 3, 1)
    assert np.array_equal(vq7.tensor_tensor(deep, deep, "add_int"), deep * 2)
    one = as_strided(np.ones(1, np.int32), a.shape, (0,))
    assert np.array_equal(vq7.tensor_tensor(a, one, "add_int"), a + 1)
    x = (a & 0xFF).astype(ml_dtypes.bfloat16).reshape(128, -1)
    assert np.array_equal(vq7.tensor_tensor(x, x, "add").view(np.uint16), (x + x).view(np.uint16))


def test_verdicts_do_not_depend_on_shapes():
    """A call is judged once per kind: the words of any shape have the same verdict."""
    for shape_a, shape_b in [((1,), (1,)), ((1, 1), (1, 1)), ((129, 3), (3,)), ((128, 5000), (1, 1)), ((7, 3, 2), (2,))]:
        for dtype in (np.float32, np.int64, ml_dtypes.bfloat16):
            a, b = np.ones(shape_a, dtype), np.ones(shape_b, dtype)
            for row in vq7.ops():
                for engine in ("any", "pool", "dve"):
                    verdict = vq7.judge(row.name, dtype, dtype, engine=engine)
                    try:
                        # Word by word, each word is judged again on the machine.
                        quiet(a, b, row.name, engine=engine, progress=lambda done, total: None)
                        assert verdict.verdict == "legal", row
                    except vq7.IllegalInstruction as error:
                        assert verdict.first_failed == error.rule and verdict.verdict == "illegal", row
                    except vq7.UnspecifiedResult:
                        assert verdict.verdict == "unspecified", row
                    if engine != "any" or shape_a == (128, 5000):
                        break
