"""The examples in Python: published vectors, hashlib, the conformance kit; and their types."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))

import philox  # noqa: E402
import sha2  # noqa: E402
import threefry  # noqa: E402
from lanes import Lanes  # noqa: E402

SEED = int(os.environ.get("VQ7_SEED", random.SystemRandom().getrandbits(32)))
REPRODUCE = f"VQ7_SEED={SEED} python -m pytest {Path(__file__).name}"


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize(
    "generator, function, keys", [(philox, philox.philox4x32, 2), (threefry, threefry.threefry4x32, 4)]
)
def test_published_vectors_of_the_generators(generator, function, keys, width):
    lanes = Lanes(width)
    counter = [np.array([known[0][i] for known in generator.KNOWN], lanes.dtype) for i in range(4)]
    key = [np.array([known[1][i] for known in generator.KNOWN], lanes.dtype) for i in range(keys)]
    words = function(lanes, counter, key)
    assert all(word.dtype == lanes.dtype for word in words)
    got = [tuple(int(word[i]) for word in words) for i in range(len(generator.KNOWN))]
    assert got == [known[2] for known in generator.KNOWN]


@pytest.mark.parametrize(
    "generator, function, keys", [(philox, philox.philox4x32, 2), (threefry, threefry.threefry4x32, 4)]
)
def test_both_widths_and_all_executors_agree_on_random_counters(generator, function, keys):
    values = np.random.default_rng(SEED).integers(0, 2**32, (4 + keys, 100), np.uint32)
    results = []
    for width, executor in ((32, "fast"), (64, "fast"), (32, "reference"), (64, "reference")):
        lanes = Lanes(width, executor=executor)
        given = list(values.astype(lanes.dtype))
        results.append(np.stack(function(lanes, given[:4], given[4:])).astype(np.uint64))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0], err_msg=REPRODUCE)


@pytest.mark.parametrize("variant", [sha2.SHA256, sha2.SHA512], ids=lambda variant: variant.name)
def test_sha2_is_hashlibs(variant):
    source = random.Random(SEED)
    block = variant.width * 2
    lengths = [0, 1, block - 1, block, block - variant.width // 4 - 1, block - variant.width // 4, 3 * block]
    messages = [source.randbytes(length) for length in [*lengths, *(source.randrange(400) for _ in range(40))]]
    lanes = Lanes(variant.width)
    got = sha2.digests(variant, messages, lanes)
    assert lanes.steps > variant.rounds * 20, "the rounds went around the engine"
    assert got == [hashlib.new(variant.name, message).digest() for message in messages], REPRODUCE


def test_sha2_constants_are_the_published_ones():
    assert sha2.SHA256.constants()[:2] == [0x428A2F98, 0x71374491] and sha2.SHA256.start()[0] == 0x6A09E667
    assert sha2.SHA512.constants()[-1] == 0x6C44198C4A475817 and sha2.SHA512.start()[7] == 0x5BE0CD19137E2179


@pytest.mark.parametrize("width", [32, 64])
def test_lanes_refuse_another_width(width):
    assert Lanes(width).const(-1).tolist() == [2**width - 1]
    with pytest.raises(ValueError, match="32 or 64"):
        Lanes(width + 1)


@pytest.mark.parametrize("name", ["philox", "threefry", "sha2"])
def test_the_scripts_run(name):
    ran = subprocess.run([sys.executable, f"{name}.py"], cwd=EXAMPLES, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == 2


def binary():
    path = os.environ.get("VQ7")
    return path or pytest.skip("VQ7 names no program: the kit is made by it")


def conform(*arguments, code=0):
    ran = subprocess.run([binary(), "conform", *map(str, arguments)], capture_output=True, text=True)
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout


def test_the_reader_answers_a_kit(tmp_path):
    kit, results = tmp_path / "kit", tmp_path / "answers"
    conform("generate", "--target", "trn2", "--level", "1", "--shard", "3/64", "-o", kit)
    reader = [sys.executable, EXAMPLES / "conform_reader.py", kit, results]
    ran = subprocess.run(reader, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(conform("check", kit, "--results", results, "--json", code=1))
    total = answer["total"]
    assert (total["mismatching"], total["stray_writes"], total["refused"], total["missing"]) == (0, 0, 0, 0)
    assert total["cases"] > 600 and total["elements"] > 300_000, total
    # Batch norm takes coefficients beside the word, which the reader does not hand over.
    assert {row["op"] for row in answer["table"] if row["unsupported"]} == {"batch_norm_back_prop"}
    assert answer["negatives"]["words"] == answer["negatives"]["refused"] > 0
    # One bit of one answer, and the check sees it.
    data = bytearray((results / "results.bin").read_bytes())
    expected = next(kit.glob("shard-*/expected.bin")).read_bytes()
    assert len(data) == len(expected)
    place = next(
        i for i, (a, b) in enumerate(zip(expected, next(kit.glob("shard-*/inputs.bin")).read_bytes())) if a != b
    )
    data[place] ^= 1
    (results / "results.bin").write_bytes(data)
    assert json.loads(conform("check", kit, "--results", results, "--json", code=1))["total"]["mismatching"] == 1


def test_the_examples_and_the_package_are_typed():
    pytest.importorskip("mypy")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *sorted(map(str, EXAMPLES.glob("*.py")))],
        capture_output=True, text=True, cwd=EXAMPLES,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
