"""A second reader of the conformance kit: NumPy alone, from docs/conformance.md and the layout of the words.

`VQ7` is the path of the binary. Integer cells and a few float32 ones are computed again and must be the kit's to the bit.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = np.dtype(
    [("case", "<u4"), ("cell", "<u4"), ("image", "<u8"), ("image_bytes", "<u4"), ("coefficients", "<u4"),
     ("opcode", "u1"), ("op", "u1"), ("types", "u1", 3), ("shape", "u1"), ("engines", "u1"), ("channels", "u1"),
     ("partition", "<u2", 2), ("rows", "<u2", 2), ("offset", "<u4", 2), ("bytes", "<u4", 2),
     ("elements", "<u4"), ("zero", "<u4")]
)
PATTERN = np.dtype([("start", "<u4"), ("step", "<i2", 3), ("num", "<u2", 3)])
WORD = np.dtype([("header", "u1", 12), ("sources", "u1"), ("out", "u1"), ("op", "u1"), ("channels", "u1"),
                 ("patterns", PATTERN, 3)])
INTEGERS = {1: np.uint64, 2: np.int8, 3: np.uint8, 4: np.int16, 5: np.uint16, 8: np.int32, 9: np.uint32, 12: np.int64}
FLOAT32 = 10
STRIDE = 0x40000
NAMES = {"add_int": 0xC4, "mult_int": 0xC5, "subtract_int": 0xC6, "is_equal_int": 0xC9, "max_int": 0xCF, "min_int": 0xD0,
         "is_gt_int": 0xD1, "max_uint": 0xD5, "is_lt_uint": 0xDA, "mult_uint": 0xDB, "divide_uint": 0xDC, "mod_int": 0xC8,
         "divide_int": 0xC7, "mod_uint": 0xDD, "abs_diff_int": 0xCD, "bitwise_not": 0x01, "bitwise_and": 0x0A,
         "bitwise_or": 0x0B, "bitwise_xor": 0x0C, "logical_shift_left": 0x10, "logical_shift_right": 0x11,
         "arith_shift_right": 0x03}


def vq7(*arguments):
    binary = os.environ.get("VQ7")
    if not binary:
        pytest.fail("set VQ7 to the path of the vq7 binary")
    return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """Every cell of the ops that NumPy knows, and float32."""
    folder = tmp_path_factory.mktemp("conformance") / "kit"
    ops = ",".join(f"op={name}" for name in [*NAMES, "add", "subtract", "mult", "max", "is_lt"])
    ran = vq7("conform", "generate", "--target", "trn2", "-o", str(folder), "--filter", ops, "--shard", "0/3")
    assert ran.returncode == 0, ran.stderr
    return folder


class Shard:
    def __init__(self, folder):
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.cases = np.fromfile(folder / "cases.bin", RECORD)
        self.words = np.fromfile(folder / "words.bin", "u1").reshape(-1, 64)
        self.inputs = np.fromfile(folder / "inputs.bin", "u1")
        self.expected = np.fromfile(folder / "expected.bin", "u1")
        self.negatives = json.loads((folder / "negative.json").read_text())
        self.negative_words = np.fromfile(folder / "negative.bin", "u1").reshape(-1, 64)


@pytest.fixture(scope="module")
def shard(kit):
    (folder,) = kit.glob("shard-*")
    return Shard(folder)


def walk(pattern, size, channels):
    """Partition and byte offset of each element: channels x elements."""
    k, j, i = np.meshgrid(*(np.arange(n) for n in pattern["num"][::-1]), indexing="ij")
    steps = pattern["step"].astype(np.int64)
    offsets = (i * steps[0] + j * steps[1] + k * steps[2]).ravel() * size + int(pattern["start"]) % STRIDE
    partitions = int(pattern["start"]) // STRIDE + np.arange(channels)[:, None]
    return partitions + 0 * offsets, 0 * partitions + offsets


def places(record, partitions, offsets):
    """Byte of the image for a byte of the State Buffer."""
    found, before = np.full(offsets.shape, -1, np.int64), 0
    for partition, rows, offset, width in zip(*(record[name].astype(np.int64) for name in
                                                ("partition", "rows", "offset", "bytes"))):
        row, column = partitions - partition, offsets - offset
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < width)
        found = np.where(inside, before + row * width + column, found)
        before += rows * width
    assert (found >= 0).all(), "an element outside the windows"
    return found


def operands(record, word):
    fields = word.view(WORD)[0]
    for pattern, code in zip(fields["patterns"], record["types"]):
        dtype = np.dtype(np.float32) if code == FLOAT32 else np.dtype(INTEGERS[int(code)])
        start = places(record, *walk(pattern, dtype.itemsize, int(record["channels"])))
        yield start[..., None] + np.arange(dtype.itemsize), dtype


def exact(values):
    """Python integers: no width, no wrap."""
    return values.astype(object)


def truncated(a, b):
    """Quotient toward zero and remainder of the dividend's sign; by zero all ones and the dividend."""
    quotient = np.frompyfunc(lambda x, y: -1 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), 2, 1)
    remainder = np.frompyfunc(lambda x, y: x if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1), 2, 1)
    return quotient(a, b), remainder(a, b)


def integer(op, a, b, bits):
    name = {code: name for name, code in NAMES.items()}[op]
    shift = np.frompyfunc(lambda x, n: x << min(int(n), 64), 2, 1)
    if name in ("divide_int", "divide_uint", "mod_int", "mod_uint"):
        return truncated(a, b)[name.startswith("mod")]
    return {
        "add_int": lambda: a + b, "subtract_int": lambda: a - b,
        "mult_int": lambda: a * b, "mult_uint": lambda: a * b,
        "is_equal_int": lambda: (a == b) * 1, "is_gt_int": lambda: (a > b) * 1, "is_lt_uint": lambda: (a < b) * 1,
        "max_int": lambda: np.maximum(a, b), "max_uint": lambda: np.maximum(a, b), "min_int": lambda: np.minimum(a, b),
        "abs_diff_int": lambda: np.abs(a - b),
        "bitwise_not": lambda: ~a, "bitwise_and": lambda: a & b, "bitwise_or": lambda: a | b, "bitwise_xor": lambda: a ^ b,
        "logical_shift_left": lambda: shift(a, b),
        "logical_shift_right": lambda: (a % (1 << bits)) >> np.minimum(b % (1 << 64), 64),
        "arith_shift_right": lambda: ((a + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)) >> np.minimum(b % (1 << 64), 64),
    }[name]()


def low_bits(values, dtype):
    unsigned = np.dtype(f"u{dtype.itemsize}")
    return (exact(np.asarray(values)) % (1 << 8 * dtype.itemsize)).astype(unsigned).view(dtype)


def images(shard, record):
    part = slice(int(record["image"]), int(record["image"]) + int(record["image_bytes"]))
    return shard.inputs[part], shard.expected[part]


def test_the_manifest_is_true(shard):
    counts = shard.manifest["counts"]
    assert shard.manifest["schema_version"] == 1 and shard.manifest["kind"] == "vq7-conformance-kit"
    assert len(shard.cases) == len(shard.words) == counts["cases"]
    assert len(np.unique(shard.cases["cell"])) == counts["cells"]
    assert shard.cases["elements"].sum() == counts["elements"] and shard.cases["elements"].min() >= 512
    assert shard.inputs.size == shard.expected.size == shard.cases["image_bytes"].sum()
    assert (np.cumsum(shard.cases["image_bytes"])[:-1] == shard.cases["image"][1:]).all()
    assert len(shard.negatives) == len(shard.negative_words) == counts["negatives"] > 0
    assert (shard.words[:, 0] == shard.cases["opcode"]).all()


def test_integer_cells_are_what_python_integers_give(shard):
    seen, elements = set(), 0
    for record, word in zip(shard.cases, shard.words):
        types = [int(code) for code in record["types"]]
        if record["opcode"] not in (0x41, 0x51) or int(record["op"]) not in NAMES.values():
            continue
        before, expected = images(shard, record)
        (at_a, type_a), (at_b, type_b), (at, out) = operands(record, word)
        a, b = exact(before[at_a].view(type_a)[..., 0]), exact(before[at_b].view(type_b)[..., 0])
        if int(record["op"]) in (0x02, 0x03, 0x10, 0x11):
            b = b % (1 << 8 * type_b.itemsize)  # a count is unsigned
        result = low_bits(integer(int(record["op"]), a, b, 8 * type_a.itemsize), out)
        after = before.copy()
        after[at] = np.ascontiguousarray(result)[..., None].view(np.uint8)
        assert (after == expected).all(), (int(record["case"]), hex(record["op"]), types, shard.manifest["shapes"][record["shape"]])
        seen.add(int(record["op"]))
        elements += int(record["elements"])
    assert seen == set(NAMES.values()) and elements > 200_000


@pytest.mark.parametrize("name, op, function", [
    ("add", 0x04, np.add), ("subtract", 0x05, np.subtract), ("mult", 0x06, np.multiply), ("is_lt", 0x16, np.less),
])
def test_float32_cells_are_what_the_host_gives(kit, tmp_path, name, op, function):
    folder = tmp_path / "kit"
    filters = f"op={name},dtype=float32"
    assert vq7("conform", "generate", "--target", "trn2", "-o", str(folder), "--filter", filters).returncode == 0
    shard = Shard(next(folder.glob("shard-*")))
    cells = [i for i, record in enumerate(shard.cases)
             if record["op"] == op and record["opcode"] == 0x41 and (record["types"] == FLOAT32).all()]
    assert cells
    for i in cells:
        record = shard.cases[i]
        before, expected = images(shard, record)
        (at_a, type_a), (at_b, type_b), (at, out) = operands(record, shard.words[i])
        with np.errstate(all="ignore"):
            result = function(before[at_a].view(type_a)[..., 0], before[at_b].view(type_b)[..., 0]).astype(np.float32)
        wanted = expected[at].view(np.float32)[..., 0]
        # Which NaN it is, is a policy of its own.
        same = (result.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(result) & np.isnan(wanted))
        assert same.all()


def test_the_example_client_passes_the_integer_part_and_fails_on_the_rest(kit, tmp_path):
    client = f"{sys.executable} {ROOT / 'examples' / 'conform_client.py'}"
    integers = "op=add_int,op=mult_uint,op=bitwise_xor,op=is_gt_int,op=max_uint"
    ran = vq7("conform", "run", str(kit), "--cmd", client, "-o", str(tmp_path / "a"), "--filter", integers)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "are equal" in ran.stdout and "numpy example client" in ran.stdout
    ran = vq7("conform", "run", str(kit), "--cmd", client, "-o", str(tmp_path / "b"), "--json")
    answer = json.loads(ran.stdout)
    assert ran.returncode == 1 and answer["status"] == "mismatch"
    assert answer["total"]["unsupported"] > 0 and answer["negatives"]["words"] == 0
    wrong = {cell["op"] for cell in answer["cells_differing"]}
    assert wrong and wrong <= {"add", "subtract", "mult"}
    assert all(difference["rests_on"] for difference in answer["differences"])
