"""`vq7.nki`: each sentence of the public documentation, by the number that docs/nki.md gives it."""

import ml_dtypes
import numpy as np
import pytest
import vq7
import vq7.nki as nki

RNG = np.random.default_rng(20261201)
INTEGERS32 = (np.int32, np.uint32)


def tiles(dtype, shape=(128, 8)):
    """Random bits, so that float32 loses some of nearly every integer."""
    info = np.iinfo(dtype)
    return [RNG.integers(info.min, info.max, shape, dtype, endpoint=True) for _ in range(2)]


def through_float32(operation, a, b, dtype):
    """What Vector does: float32 in, float32 out, and into the dtype to nearest, held to its range."""
    result = operation(a.astype(np.float32), b.astype(np.float32)).astype(np.float64)
    info = np.iinfo(dtype)
    return np.clip(np.rint(result), info.min, info.max).astype(dtype)


@pytest.mark.parametrize("dtype", INTEGERS32)
@pytest.mark.parametrize(
    "op, exact, operation",
    [
        (nki.add, "add_int", np.add),
        (nki.subtract, "subtract_int", np.subtract),
        (nki.multiply, "mult_int", np.multiply),
    ],
)
def test_s5_integers_are_exact_on_gpsimd_by_default(dtype, op, exact, operation):
    a, b = tiles(dtype)
    dst = np.empty_like(a)
    dispatch = nki.tensor_tensor(dst, a, b, op)
    assert (dispatch.engine, dispatch.op, dispatch.exact) == ("gpsimd", exact, True)
    np.testing.assert_array_equal(dst, operation(a, b))
    assert vq7.check(dispatch.word, engine="gpsimd").ok


@pytest.mark.parametrize("dtype", INTEGERS32)
@pytest.mark.parametrize("op, operation", [(nki.add, np.add), (nki.subtract, np.subtract), (nki.multiply, np.multiply)])
def test_s6_vector_can_be_asked_for_and_goes_through_float32(dtype, op, operation):
    a, b = tiles(dtype)
    dst = np.empty_like(a)
    with pytest.warns(vq7.LossyIntegerWarning):
        dispatch = nki.tensor_tensor(dst, a, b, op, engine=nki.engine.vector)
    assert (dispatch.engine, dispatch.op, dispatch.exact) == ("vector", op, False)
    np.testing.assert_array_equal(dst, through_float32(operation, a, b, dtype))
    assert not np.array_equal(dst, operation(a, b)), "float32 lost nothing: the test shows nothing"


@pytest.mark.parametrize("which", range(3))
@pytest.mark.filterwarnings("ignore::vq7.LossyIntegerWarning")
def test_s8_integers_in_psum_fall_back_to_vector(which):
    a, b = tiles(np.int32)
    given = [np.empty_like(a), a, b]
    given[which] = nki.Tile(given[which], nki.psum)
    dispatch = nki.tensor_tensor(*given, nki.add)
    assert dispatch.engine == "vector" and "PSUM" in dispatch.reason
    np.testing.assert_array_equal(np.asarray(given[0]), through_float32(np.add, a, b, np.int32))


@pytest.mark.parametrize("which", range(3))
def test_s7_gpsimd_does_not_reach_psum(which):
    given = [np.ones((16, 4), np.float32) for _ in range(3)]
    given[which] = nki.Tile(given[which], nki.psum)
    for op, engine in ((nki.power, nki.engine.unknown), (nki.add, nki.engine.gpsimd)):
        with pytest.raises(vq7.IllegalInstruction) as raised:
            nki.tensor_tensor(*given, op, engine)
        assert raised.value.rule == "is_s3s3d3_tt_tensors_in_sbuf"


def test_s9_both_inputs_in_psum_are_refused():
    a, b = (nki.Tile(np.ones((16, 4), np.float32), nki.psum) for _ in range(2))
    with pytest.raises(vq7.IllegalInstruction) as raised:
        nki.tensor_tensor(np.empty((16, 4), np.float32), a, b, nki.add)
    assert raised.value.rule == "tt_valid_partitions"


def test_s2_power_runs_on_gpsimd_only():
    a, b = np.full((4, 4), 3, np.float32), np.full((4, 4), 4, np.float32)
    dst = np.empty_like(a)
    assert nki.tensor_tensor(dst, a, b, nki.power).engine == "gpsimd"
    assert (dst == 81).all()
    with pytest.raises(vq7.IllegalInstruction) as raised:
        nki.tensor_tensor(dst, a, b, nki.power, engine="vector")
    assert raised.value.rule == "is_valid_tensor_tensor_arith_dve"


@pytest.mark.parametrize("op", ["maximum", "equal", "logical_and"])
def test_s1_other_operators_run_on_vector(op):
    a, b = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    dst = np.empty_like(a)
    assert nki.tensor_tensor(dst, a, b, op).engine == "vector"
    with pytest.raises(vq7.IllegalInstruction) as raised:
        nki.tensor_tensor(dst, a, b, op, engine="gpsimd")
    assert raised.value.rule == "is_valid_tensor_tensor_arith_pool"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
@pytest.mark.parametrize("op", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_s3_bitwise_operators_see_bit_patterns(dtype, op):
    a, b = tiles(dtype)
    dst = np.empty_like(a)
    dispatch = nki.tensor_tensor(dst, a, b, getattr(np, op))
    assert (dispatch.engine, dispatch.exact) == ("vector", True)
    np.testing.assert_array_equal(dst, getattr(np, op)(a, b))


def test_s3_bitwise_operators_refuse_floats():
    a = np.ones((4, 4), np.float32)
    with pytest.raises(vq7.IllegalInstruction) as raised:
        nki.tensor_tensor(np.empty_like(a), a, a, nki.bitwise_and)
    assert raised.value.rule == "s3s3d3_tt_dtype"


def test_s4_floats_are_computed_in_float32_and_cast():
    a = RNG.standard_normal((128, 16)).astype(ml_dtypes.bfloat16)
    b = RNG.standard_normal((128, 16)).astype(np.float16)
    dst = np.empty((128, 16), ml_dtypes.float8_e5m2)
    nki.tensor_tensor(dst, a, b, nki.multiply)
    expected = (a.astype(np.float32) * b.astype(np.float32)).astype(ml_dtypes.float8_e5m2)
    np.testing.assert_array_equal(dst.view(np.uint8), expected.view(np.uint8))


def test_mixed_signs_are_refused_by_the_signedness_rule():
    a, b = np.ones((4, 4), np.int32), np.ones((4, 4), np.uint32)
    with pytest.raises(vq7.IllegalInstruction) as raised:
        nki.tensor_tensor(np.empty_like(a), a, b, nki.add)
    assert raised.value.rule == "s3s3d3_tt_valid_int_signness"


def test_an_integer_operand_among_floats_goes_through_float32():
    a = np.full((4, 4), 2**24 + 1, np.int32)
    dst = np.empty((4, 4), np.float32)
    dispatch = nki.tensor_tensor(dst, a, np.zeros((4, 4), np.float32), nki.add)
    assert dispatch.engine == "vector"
    assert (dst == 2**24).all()


def test_s0_shapes():
    a = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    dst = np.empty((4, 6), np.float32)
    nki.tensor_tensor(dst, a, a.reshape(4, 3, 2), nki.add)
    np.testing.assert_array_equal(dst, 2 * a.reshape(4, 6))
    with pytest.raises(ValueError, match="broadcasts nothing"):
        nki.tensor_tensor(dst, a, np.ones((4, 1), np.float32), nki.add)
    with pytest.raises(ValueError, match="more than 128: split"):
        nki.tensor_tensor(*[np.ones((129, 1), np.float32)] * 3, nki.add)
    with pytest.raises(ValueError, match="split their free axis"):
        nki.tensor_tensor(*[np.ones((1, 65536), np.float32) for _ in range(3)], nki.add)


def test_views_are_written_in_place():
    whole = np.zeros((8, 8), np.int32)
    one = np.ones((8, 4), np.int32)
    nki.tensor_tensor(whole[:, ::2], one, one, nki.add)
    assert (whole[:, ::2] == 2).all() and (whole[:, 1::2] == 0).all()


def test_more_elements_than_one_count_holds():
    a = np.full((1, 70000), 3, np.uint8)
    dst = np.empty_like(a)
    nki.tensor_tensor(dst, a, a, nki.bitwise_xor)
    assert not dst.any()


@pytest.mark.parametrize(
    "op, error, message",
    [("maximun", ValueError, "closest: maximum"), ("invert", ValueError, "takes one operand"), (3, TypeError, "numpy.add"),
     ("add_int", ValueError, "vq7.tensor_tensor")],
)  # fmt: skip
def test_operators_that_nki_does_not_have(op, error, message):
    a = np.ones((4, 4), np.int32)
    with pytest.raises(error, match=message):
        nki.tensor_tensor(np.empty_like(a), a, a, op)


@pytest.mark.parametrize("dtype, message", [(np.int64, "64-bit"), (np.uint64, "64-bit"), (np.float64, "no tile"),
                                            (np.complex64, "no tile"), (object, "no tile")])  # fmt: skip
def test_dtypes_that_nki_does_not_have(dtype, message):
    a = np.ones((4, 4), dtype)
    with pytest.raises(TypeError, match=message):
        nki.tensor_tensor(a.copy(), a, a, nki.add)


def test_read_only_dst_says_what_to_do():
    a = np.ones((4, 4), np.int32)
    dst = np.empty_like(a)
    dst.flags.writeable = False
    with pytest.raises(ValueError, match="numpy.empty_like"):
        nki.tensor_tensor(dst, a, a, nki.add)


def test_every_operator_of_the_table_is_an_op_of_the_engine_and_a_constant():
    names = {name for row in vq7.ops("trn3") for name in (row.name, *row.nki_names)}
    for name, row in nki.OPERATORS.items():
        assert name in names and getattr(nki, name) == name
        assert row.exact is None or row.exact in names


def test_every_operator_runs_where_the_table_says():
    for name, row in nki.OPERATORS.items():
        a = np.ones((2, 2), np.int16)
        dispatch = nki.tensor_tensor(np.empty_like(a), a, a, name, target="trn3")
        assert dispatch.engine == row.engine.value
        assert vq7.check(dispatch.word, "trn3", dispatch.engine).ok


def test_engines_by_any_name():
    class Foreign:
        name = "vector_engine"

    a = np.ones((2, 2), np.float32)
    for engine in (Foreign(), "vector", "dve", nki.engine.vector):
        assert nki.tensor_tensor(np.empty_like(a), a, a, nki.add, engine).engine == "vector"
    with pytest.raises(ValueError, match="engine.vector or engine.gpsimd"):
        nki.tensor_tensor(np.empty_like(a), a, a, nki.add, "scalar")
