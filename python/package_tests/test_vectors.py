"""Every row of values.csv, words.csv and legality.csv, and workloads.csv, through Python."""

import csv
import warnings

import numpy as np
import pytest
from bits import VECTORS, of_bits, to_bits

import vq7


def rows(name):
    with open(VECTORS / name, newline="") as file:
        return list(csv.DictReader(file))


VALUES, WORDS, LEGALITY, WORKLOADS = map(rows, ["values.csv", "words.csv", "legality.csv", "workloads.csv"])
NAMES = {"LSL": "logical_shift_left", "LSR": "logical_shift_right", "ASR": "arith_shift_right"}


@pytest.mark.parametrize("executor", ["fast", "reference"])
@pytest.mark.parametrize("row", VALUES, ids=lambda row: row["id"])
def test_values(row, executor):
    a, b, out = row["types"].split("/")
    op = NAMES.get(row["op"], row["op"].lower())
    arrays = [of_bits([int(row[name], 16)], dtype) for name, dtype in (("in0", a), ("in1", b))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = vq7.tensor_tensor(*arrays, op, out_dtype=out, executor=executor)
    assert hex(to_bits(result)[0]) == hex(int(row["out_bits"], 16))
    assert result.dtype == vq7.dtype(out).numpy
    # Where the notes speak of a lossy twin, and only there, integers were lost: the mask and the warning say so.
    lost = vq7.lossy(op, *arrays, out_dtype=out)
    assert lost.shape == result.shape
    wide = {"i32", "u32"} & {a, b, out}
    assert len(caught) == bool(lost[0] and wide), [str(warning.message) for warning in caught]


@pytest.mark.parametrize("row", WORDS, ids=lambda row: row["row"])
def test_words(row):
    checked = vq7.check(row["hex"], row["target"], row["engine"])
    [verdict] = checked
    assert (verdict.verdict, verdict.first_failed or "") == (row["verdict"], row["first_failed"])
    assert checked.ok == (row["verdict"] == "legal")
    if not checked.ok:
        wanted = {"illegal": vq7.IllegalInstruction, "unspecified": vq7.UnspecifiedResult}[row["verdict"]]
        with pytest.raises(wanted) as raised:
            checked.raise_for_failure()
        assert raised.value.verdict == verdict
        if wanted is vq7.IllegalInstruction:
            assert raised.value.rule == row["first_failed"]
    word = vq7.Instruction.from_bytes(row["hex"])
    assert word.opcode == word.to_bytes()[0] and word.hex == row["hex"].lower()
    assert vq7.Instruction(word.text) == word
    assert vq7.assemble(vq7.disassemble(word)[0], target=row["target"]) == word.to_bytes()
    assert vq7.explain(word, target=row["target"], engine=row["engine"]).verdict == verdict


def test_every_row_of_legality_has_words():
    """legality.csv says in words what words.csv says in bytes; its rule is the one that Python names."""
    named = {row["row"] for row in WORDS}
    for row in LEGALITY:
        if row["instruction"] == "float64 input":
            with pytest.raises(TypeError, match="no dtype float64"):
                vq7.tensor_tensor(np.ones(2), np.ones(2), "add")
            continue
        assert row["id"] in named
        failed = {word["first_failed"] for word in WORDS if word["row"] == row["id"] and word["first_failed"]}
        # Some rows describe their rule in words.
        if row["verdict"] == "illegal":
            assert failed == {row["rule"]} if row["rule"].isidentifier() else failed, row


PSUM = 0x0200_0000


@pytest.mark.parametrize("row", WORKLOADS, ids=lambda row: row["id"])
def test_workloads(row):
    dtypes = [row["dtype0"], row["dtype1"], row["dtype_out"]]
    op = row["nki_op"]
    if row["pool"] == "pool_int":
        op = {"add": "add_int", "multiply": "mult_int", "subtract": "subtract_int"}[op]
    shapes = [tuple(map(int, row[name].split("x"))) for name in ("shape0", "shape1")]
    # 1.0 and its neighbours, in any dtype that is a float; small numbers elsewhere.
    a, b = (
        (np.arange(np.prod(shape)) % 16 + 1).astype(np.float32).astype(vq7.dtype(dtype).numpy).reshape(shape)
        for shape, dtype in zip(shapes, dtypes)
    )
    if row["pool"] != "not_pool":
        result = vq7.tensor_tensor(a, b, op, out_dtype=dtypes[2], engine="pool")
        words = vq7.tensor_tensor(a, b, op, out_dtype=dtypes[2], engine="pool", executor="reference")
        assert result.shape == np.broadcast_shapes(*shapes)
        assert np.array_equal(to_bits(result), to_bits(words))
        return
    if "psum" not in (row["memory0"], row["memory1"]):
        with pytest.raises(vq7.IllegalInstruction) as raised:
            vq7.tensor_tensor(a, b, op, out_dtype=dtypes[2], engine="pool")
        assert raised.value.rule == row["pool_refuses_by"]
    else:
        line = vq7.Instruction.from_bytes(vq7.judge(op, *dtypes).hex).text
        for name, memory in (("src0", row["memory0"]), ("src1", row["memory1"])):
            if memory == "psum":
                head, rest = line.split(f"{name}=", 1)
                dtype, place = rest.split("@", 1)
                line = f"{head}{name}={dtype}@{PSUM:#x}[{place.split('[', 1)[1]}"
        [verdict] = vq7.check(vq7.Instruction(line), engine="pool")
        assert verdict.first_failed == row["pool_refuses_by"]
        assert verdict.engines["dve"]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vq7.tensor_tensor(a, b, op, out_dtype=dtypes[2], engine="dve")
