"""The scalar forms judged by NumPy: bit ops on its wrapping integers, arithmetic on its float32, a scan by a plain loop."""

import itertools

import numpy as np
import pytest
from judging import integers

LIMIT = 16  # elements per partition
SHAPE = (128, LIMIT)
ORDERS = ["none", "first", "second", "both"]
BITS = {
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "logical_shift_left": lambda a, b: np.where(b < width(a), a << np.minimum(b, width(a) - 1), 0),
    "logical_shift_right": lambda a, b: np.where(b < width(a), a >> np.minimum(b, width(a) - 1), 0),
}
FLOATS = {
    "add": np.add,
    "subtract": np.subtract,
    "mult": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "is_gt": lambda a, b: (a > b).astype(np.float32),
    "is_eq": lambda a, b: (a == b).astype(np.float32),
    "absolute_diff": lambda a, b: np.abs(a - b),
}


def width(a):
    return np.asarray(a).dtype.itemsize * 8


def composed(ops, order, tensor, scalar, second):
    """`(tensor op0 scalar) op1 second` in one of the four orders."""
    first = ops[0](scalar, tensor) if order in ("first", "both") else ops[0](tensor, scalar)
    return ops[1](second, first) if order in ("second", "both") else ops[1](first, second)


def run(vq7, lines, inputs, dtype, shape=SHAPE):
    """Runs word lines on arrays that lie at the given offsets; the result lies at 0x8000."""
    program = ["target trn2", "engine dve"]
    arguments = []
    for name, (offset, array) in inputs.items():
        path = vq7.folder / f"{name}.npy"
        np.save(path, array)
        program.append(f"input {name}: {array.dtype}[{', '.join(map(str, array.shape))}] at {offset:#x}")
        arguments += ["--in", f"{name}={path}"]
    out = vq7.folder / "out.npy"
    program += [f"tensor result: {dtype}[{shape[0]}, {shape[1]}] at 0x8000", *lines, "output result"]
    path = vq7.folder / "program.vq7"
    path.write_text("\n".join(program) + "\n")
    results = []
    for executor in ("reference", "fast"):
        vq7.run("run", path, *arguments, "--out", f"result={out}", "--executor", executor)
        results.append(np.load(out))
        out.unlink()
    assert results[0].tobytes() == results[1].tobytes(), f"reference and fast differ: {lines}"
    return results[0]


def spread(values, dtype):
    """Values, repeated until they fill the shape."""
    return np.resize(np.asarray(values), SHAPE).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_two_bit_ops_and_two_scalars(vq7, dtype):
    bits = np.dtype(dtype).itemsize * 8
    x = spread(integers(bits).view(f"u{bits // 8}"), dtype)
    for number, ((op0, f0), (op1, f1)) in enumerate(itertools.product(BITS.items(), BITS.items())):
        if bits < 32 and op0.endswith("left") and op1.endswith("right"):
            continue  # a rule refuses it
        order = ORDERS[number % 4]
        s0, s1 = (np.array(v, dtype) for v in ((3, 5), (bits - 1, 1), (0x5A, 0x0F))[number % 3])
        expected = composed((f0, f1), order, x, s0, s1).astype(dtype)
        line = (
            f"TENSOR_SCALAR_BITVEC_OP op0={op0} op1={op1} src={dtype}@0x0[1,1,1][{LIMIT},1,1] "
            f"dst={dtype}@0x8000[1,1,1][{LIMIT},1,1] imm0={int(s0):#x} imm1={int(s1):#x} reverse={order} channels=128;"
        )
        assert np.array_equal(run(vq7, [line], {"x": (0, x)}, dtype), expected), line


def test_two_bit_ops_a_scalar_by_partition_and_a_tensor(vq7):
    x, y = spread(integers(32).view("u4"), "uint32"), spread(integers(32).view("u4")[::-1], "uint32")
    counts = np.arange(128, dtype="uint32").reshape(128, 1) % 40
    for number, ((op0, f0), (op1, f1)) in enumerate(itertools.product(BITS.items(), BITS.items())):
        order = ORDERS[number % 4]
        expected = composed((f0, f1), order, x, counts, y).astype("uint32")
        line = (
            f"SCALAR_TENSOR_TENSOR_BITVEC op0={op0} op1={op1} src0=uint32@0x0[1,1][{LIMIT},1] "
            f"src1=uint32@0x1000[1,1][{LIMIT},1] dst=uint32@0x8000[1,1][{LIMIT},1] imm0=0x2000 imm0_dtype=uint32 "
            f"imm0_src=pointer reverse={order} channels=128;"
        )
        inputs = {"x": (0, x), "y": (0x1000, y), "s": (0x2000, counts)}
        assert np.array_equal(run(vq7, [line], inputs, "uint32"), expected), line


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "uint8"])
def test_two_arithmetic_ops(vq7, dtype):
    """Through float32, whatever the dtype of the source; the result stays float32."""
    random = np.random.default_rng(5)
    values = random.normal(0, 50, SHAPE).astype(np.float32)
    x = (np.abs(values) if dtype == "uint8" else values).astype(dtype)
    hub, scalars = x.astype(np.float32), np.array([1.5, -0.3], np.float32)
    bits = [int(v) for v in scalars.view("u4")]
    for number, ((op0, f0), (op1, f1)) in enumerate(itertools.product(FLOATS.items(), FLOATS.items())):
        order = ORDERS[number % 4]
        expected = composed((f0, f1), order, hub, *scalars)
        line = (
            f"TENSOR_SCALAR_ARITH_OP op0={op0} op1={op1} src={dtype}@0x0[1,1,1][{LIMIT},1,1] "
            f"dst=float32@0x8000[1,1,1][{LIMIT},1,1] imm0={bits[0]:#x} imm1={bits[1]:#x} reverse={order} channels=128;"
        )
        have = run(vq7, [line], {"x": (0, x)}, "float32")
        assert np.array_equal(have.view("u4"), expected.astype(np.float32).view("u4")), line


def test_scan(vq7):
    random = np.random.default_rng(6)
    x, y = (random.normal(0, 1, SHAPE).astype(np.float32) for _ in range(2))
    for number, ((op0, f0), (op1, f1)) in enumerate(itertools.product(list(FLOATS.items())[:5], repeat=2)):
        order = ORDERS[number % 4]
        state, columns = np.full(128, 0.75, np.float32), []
        for i in range(LIMIT):
            state = composed((f0, f1), order, x[:, i], state, y[:, i]).astype(np.float32)
            columns.append(state)
        line = (
            f"TENSOR_TENSOR_SCAN_ARITH op0={op0} op1={op1} src0=float32@0x0[1,1][{LIMIT},1] "
            f"src1=float32@0x1000[1,1][{LIMIT},1] dst=float32@0x8000[1,1][{LIMIT},1] imm0=0x3f400000 imm0_dtype=float32 "
            f"reverse={order} channels=128;"
        )
        have = run(vq7, [line], {"x": (0, x), "y": (0x1000, y)}, "float32")
        assert np.array_equal(have.view("u4"), np.stack(columns, 1).view("u4")), line


def test_copy_transposes_and_cast_converts(vq7):
    x = spread(np.arange(16), "int32") + np.arange(128, dtype="int32").reshape(128, 1)
    line = "COPY op=bypass src=int32@0x0[4,1,1,1][4,2,2,1] dst=int32@0x8000[1,1,1,1][16,1,1,1] channels=128;"
    index = [4 * i0 + i1 + i2 for i2 in range(2) for i1 in range(2) for i0 in range(4)]
    assert np.array_equal(run(vq7, [line], {"x": (0, x)}, "int32"), x[:, index])
    line = "CAST op=bypass src=int32@0x0[1,1,1,1][16,1,1,1] dst=float16@0x8000[1,1,1,1][16,1,1,1] channels=128;"
    assert np.array_equal(run(vq7, [line], {"x": (0, x)}, "float16"), x.astype("float16"))
