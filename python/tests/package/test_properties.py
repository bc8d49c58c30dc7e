"""Any shapes and values, against NumPy's integers and ml_dtypes' floats."""

import ml_dtypes
import numpy as np
import pytest
import vq7
from vq7.testing import assert_bits_equal

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st
from hypothesis.extra import numpy as hn  # noqa: E402

settings.register_profile("vq7", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("vq7")

INTEGERS = [np.int32, np.uint32, np.int64, np.uint64]
EXACT = {"add_int": np.add, "subtract_int": np.subtract, "mult_int": np.multiply, "is_equal_int": np.equal,
         "is_ne_int": np.not_equal}  # fmt: skip
SIGNED = {"max_int": np.maximum, "min_int": np.minimum, "is_gt_int": np.greater, "is_le_int": np.less_equal}
UNSIGNED = {"max_uint": np.maximum, "min_uint": np.minimum, "is_gt_uint": np.greater, "mult_uint": np.multiply}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
FLOATS = [
    np.float32,
    np.float16,
    ml_dtypes.bfloat16,
    ml_dtypes.float8_e4m3,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e3m4,
]


@st.composite
def pairs(draw, dtypes):
    """Two arrays that broadcast together, of one dtype, of any values; some of the elements are at the edges."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shapes = draw(hn.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, min_side=1, max_side=9, max_dims=4))
    unsigned = f"u{dtype.itemsize}"
    arrays = [draw(hn.arrays(unsigned, shape)) for shape in shapes.input_shapes]
    return [array.view(dtype) for array in arrays]


@given(pairs(INTEGERS), st.data())
def test_integer_ops_are_numpys(arrays, data):
    a, b = arrays
    table = EXACT | BITS | (SIGNED if a.dtype.kind == "i" else UNSIGNED)
    op = data.draw(st.sampled_from(sorted(table)))
    with np.errstate(over="ignore"):
        expected = np.asarray(table[op](a, b)).astype(a.dtype)
    assert_bits_equal(vq7.tensor_tensor(a, b, op), expected, message=op)


@given(pairs(FLOATS), st.sampled_from(["add", "subtract", "mult"]))
def test_float_ops_are_float32s_cast_once(arrays, op):
    a, b = arrays
    operation = {"add": np.add, "subtract": np.subtract, "mult": np.multiply}[op]
    with np.errstate(all="ignore"):
        expected = np.asarray(operation(a.astype(np.float32), b.astype(np.float32))).astype(a.dtype)
        nan = np.isnan(expected.astype(np.float32))
    result = vq7.tensor_tensor(a, b, op)
    assert result.dtype == a.dtype and result.shape == expected.shape
    # Which NaN comes out is settled in docs/spec/policy.md, differently from the host: it is compared as a class.
    assert (np.isnan(np.asarray(result).astype(np.float32)) == nan).all()
    assert_bits_equal(np.asarray(result)[~nan], expected[~nan], message=op)


@given(pairs([np.int32, np.uint32]), st.sampled_from(["add", "subtract", "mult"]))
@pytest.mark.filterwarnings("ignore::vq7.LossyIntegerWarning")
def test_lossy_marks_the_elements_that_differ(arrays, op):
    a, b = arrays
    exact = vq7.tensor_tensor(a, b, {"add": "add_int", "subtract": "subtract_int", "mult": "mult_int"}[op])
    mask = vq7.lossy(op, a, b)
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, vq7.tensor_tensor(a, b, op) != exact)


@given(pairs([np.int32, np.int64, np.float32, ml_dtypes.bfloat16]), st.integers(0, 3))
def test_memory_order_makes_no_difference(arrays, turn):
    a, b = arrays
    op = "bitwise_xor" if a.dtype.kind == "i" else "mult"
    plain = vq7.tensor_tensor(a, b, op)
    fortran = np.asfortranarray(a) if turn % 2 else a[..., ::-1][..., ::-1] if a.ndim else a
    assert_bits_equal(vq7.tensor_tensor(fortran, b, op), plain)
