"""What is wrong with a call is an exception that says what to do."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import vq7

A = np.arange(1, 7, dtype=np.int32).reshape(2, 3)


def refused(exception, *words, **keywords):
    arguments = {"a": A, "b": A, "op": "add_int", **keywords}
    with pytest.raises(exception) as raised:
        vq7.tensor_tensor(arguments.pop("a"), arguments.pop("b"), arguments.pop("op"), **arguments)
    for word in words:
        assert word in str(raised.value)
    return raised.value


@pytest.mark.parametrize(
    ("array", "remedy"),
    [
        (A.astype(np.float64), "float32"),
        (A.astype(np.complex64), ".real"),
        (A.astype(object), "astype"),
        (A.astype(str), "strings"),
        (A.astype(bytes), "strings"),
        (A.astype("m8[s]"), "view(np.int64)"),
        (np.zeros((2, 3), "V4"), "view"),
        (np.zeros((2, 3), [("x", "i4")]), "view"),
        (A.astype(np.longdouble), "float32"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_dtypes_that_the_engine_lacks(array, remedy):
    refused(TypeError, "no dtype", "which a is", remedy, a=array)
    refused(TypeError, "which b is", remedy, b=array)
    refused(TypeError, "which out is", remedy, out=array)


def test_big_endian():
    refused(TypeError, "a is big-endian", "newbyteorder", a=A.astype(">i4"))
    swapped = A.astype(">i4")
    native = swapped.astype(swapped.dtype.newbyteorder("="))
    assert np.array_equal(vq7.tensor_tensor(native, A, "add_int"), A + A)


def test_out_that_is_read_only():
    out = np.empty_like(A)
    out.flags.writeable = False
    refused(ValueError, "read-only", out=out)


def test_out_that_is_not_contiguous():
    refused(ValueError, "not C-contiguous", "np.empty", out=np.empty((2, 6), np.int32)[:, ::2])
    refused(ValueError, "not C-contiguous", out=np.empty((3, 2), np.int32).T)


def test_shapes_that_do_not_fit():
    refused(ValueError, "[2, 3] and [2, 2] do not broadcast", b=A[:, :2])
    refused(ValueError, "out has shape [3, 2]", "[2, 3]", out=np.empty((3, 2), np.int32))


def test_out_that_overlaps_an_input():
    room = np.zeros(20, np.int32)
    a, b = room[:6].reshape(2, 3), room[7:13].reshape(2, 3)
    for name, out in [("a", a), ("a", room[3:9].reshape(2, 3)), ("b", b), ("b", room[12:18].reshape(2, 3))]:
        refused(ValueError, f"out shares memory with {name}", "own", a=a, b=b, out=out)
    assert np.array_equal(vq7.tensor_tensor(a, b, "add_int", out=room[14:20].reshape(2, 3)), a + b)


def test_empty_arrays():
    refused(ValueError, "a of shape [0, 3] has no elements", a=A[:0])
    refused(ValueError, "b of shape [0] has no elements", b=np.array([], np.int32))


def test_0_d_arrays_and_scalars():
    refused(ValueError, "b is 0-d", "reshape(1)", b=np.array(3, np.int32))
    refused(TypeError, "single int", "np.array([3], dtype)", b=3)
    refused(TypeError, "single int32", b=np.int32(3))
    refused(TypeError, "b is list", "np.asarray", b=[1, 2, 3])
    refused(TypeError, "b is NoneType", b=None)


def test_unknown_names():
    refused(ValueError, "no op is named `ad`", "`add`", op="ad")
    refused(ValueError, "no dtype is named", out_dtype="int33")
    refused(TypeError, "float64", "float32", out_dtype="float64")
    refused(TypeError, "float64", out_dtype=np.float64)
    refused(ValueError, "trn9", target="trn9")
    refused(ValueError, "engine=`gpu`", "pool", engine="gpu")
    refused(ValueError, "executor=`slow`", "reference", executor="slow")
    with pytest.raises(ValueError, match="the knobs are base_int"):
        vq7.Policy(rounding="zero")
    with pytest.raises(ValueError, match="use nearest_even or zero"):
        vq7.Policy(round="even")
    with pytest.raises(AttributeError, match="no knob"):
        vq7.Policy().rounding
    with pytest.raises(TypeError):
        vq7.tensor_tensor(A, A, 3)


def test_an_op_that_the_target_refuses():
    error = refused(vq7.IllegalInstruction, "s3s3d3_tt_valid_op", op="divide")
    assert error.rule == "s3s3d3_tt_valid_op"
    assert error.verdict.failed_rule.name == error.rule and not error.verdict
    wide = A.astype(np.int64)
    assert refused(vq7.IllegalInstruction, a=wide, b=wide, target="trn1").rule
    assert refused(vq7.IllegalInstruction, a=wide, b=wide, op="power", engine="dve").rule
    error = refused(vq7.UnspecifiedResult, "add_int", a=wide, b=wide, op="add")
    assert error.verdict.verdict == "unspecified"


def test_dtypes_of_which_the_result_is_open():
    refused(TypeError, "a is int32 and b is int16", "give out_dtype", b=A.astype(np.int16))
    refused(TypeError, "out is int32, and out_dtype says int16", out=np.empty_like(A), out_dtype="int16")


def test_64_bits_are_never_cut():
    big = np.array([2**40, -(2**40)], np.int64)
    result = vq7.tensor_tensor(big, big, "add_int")
    assert result.dtype == np.int64 and np.array_equal(result, big + big)


def test_float8_e4m3fn_only_under_the_policy_that_says_so():
    x = np.array([1, 448], ml_dtypes.float8_e4m3fn)
    refused(TypeError, "float8_e4m3fn", 'Policy(e4m3="fn")', a=x, b=x, op="add")
    policy = vq7.Policy(e4m3="fn")
    result = vq7.tensor_tensor(x, x, "add", policy=policy)
    assert result.dtype == ml_dtypes.float8_e4m3fn
    assert result.view(np.uint8).tolist() == [0x40, 0x7F]
    ieee = x.astype(ml_dtypes.float8_e4m3)
    refused(TypeError, "float8_e4m3", "float8_e4m3fn", a=ieee, b=ieee, op="add", policy=policy)
    refused(TypeError, "float8_e4m3fn", a=ieee, b=ieee, op="add", out_dtype="float8_e4m3fn")


def test_a_division_that_traps_is_an_exception_with_its_place():
    b = A.copy()
    b[1, 2] = 0
    policy = vq7.Policy(int_div_zero="trap")
    out = np.full_like(A, 7)
    error = refused(ZeroDivisionError, "[1, 2]", b=b, op="divide_int", policy=policy, out=out)
    assert "int_div_zero=trap" in str(error) and (out == 7).all()


def test_words_that_are_none():
    for words, text in [(b"", "no words"), (b"abc", "left over"), ("zz", "hexadecimal")]:
        with pytest.raises(ValueError, match=text):
            vq7.check(words)
    with pytest.raises(ValueError, match="64 bytes, not 3"):
        vq7.Instruction.from_bytes(b"abc")
    with pytest.raises(ValueError):
        vq7.Instruction("TENSOR_TENSOR nonsense")
    word = vq7.Instruction.from_bytes(vq7.judge("add", "float32", "float32").hex)
    with pytest.raises(AttributeError, match="no field `colour`; it has opcode"):
        word.colour


def test_programs_that_are_wrong():
    with pytest.raises(ValueError, match=r"mine:2:1: .*\n.*mine:3:"):
        vq7.Program("target trn2\nfoo bar\nbar foo\n", name="mine")
    with pytest.raises(TypeError, match="text"):
        vq7.Program(3)
    text = "input a: int32[2, 4]\nb = add_int(a, a)\noutput b\n"
    program = vq7.Program(text)
    with pytest.raises(ValueError, match="input `a` has no data"):
        program.run()
    with pytest.raises(ValueError, match="no input `c`"):
        program.run({"a": np.zeros((2, 4), np.int32), "c": A})
    with pytest.raises(ValueError, match="input `a` is int32"):
        program.run({"a": np.zeros((2, 5), np.int32)})
    with pytest.raises(ValueError, match="state is that of trn1"):
        program.run({"a": np.zeros((2, 4), np.int32)}, state=vq7.StateBuffer("trn1"))


def test_words_that_fail_are_exceptions_of_their_kind():
    def run(line, **keywords):
        return vq7.Program(vq7.Instruction(line).to_bytes()).run(**keywords)

    def word(src0="int32@0x0[1,1,1][4,1,1]", op="add_int"):
        return (
            f"TENSOR_TENSOR_ARITH_OP op={op} src0={src0} src1=int32@0x100[1,1,1][4,1,1] "
            "dst=int32@0x200[1,1,1][4,1,1] channels=2;"
        )

    with pytest.raises(vq7.UninitializedRead, match="src0 reads a byte that nothing wrote"):
        run(word())
    assert run(word(), allow_uninit=True).executed == 1
    with pytest.raises(vq7.OutOfBounds, match="src0 leaves"):
        run(word(src0="int32@0x37ffc[1,1,1][4,1,1]"), allow_uninit=True)
    with pytest.raises(vq7.IllegalInstruction) as raised:
        run(word(op="divide"))
    assert raised.value.rule == "s3s3d3_tt_valid_op" and raised.value.verdict.verdict == "illegal"
    assert run(word(op="divide"), keep_going=True).failed == 1


def test_no_process_exit_and_no_panic():
    """The worst shapes and strides, in a process of their own."""
    code = """
import numpy as np, vq7
from numpy.lib.stride_tricks import as_strided
one = np.ones(1, np.int32)
for shape in [(1,) * 20, (2,) * 20, (1, 2**20), (2**20, 1), (129, 3), (3, 129, 1, 2)]:
    wide = as_strided(one, shape, (0,) * len(shape))
    assert (vq7.tensor_tensor(wide, one, "add_int") == 2).all()
try:
    vq7.tensor_tensor(as_strided(one, (2**40, 1), (0, 0)), as_strided(one, (1, 2**30), (0, 0)), "add_int")
except (ValueError, MemoryError) as error:
    print("refused")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "refused\n"), ran.stderr
