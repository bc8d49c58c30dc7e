"""`vq7.testing` and the pytest plugin."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from vq7.testing import assert_bits_equal, assert_ulp, ulps

FLOATS = (ml_dtypes.float8_e3m4, ml_dtypes.float8_e4m3, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)


@pytest.mark.parametrize("dtype", [*FLOATS, np.float16, ml_dtypes.bfloat16])
def test_ulps_count_the_values_between(dtype):
    """Against the values in order: the distance is the difference of their places."""
    width = np.dtype(dtype).itemsize * 8
    every = np.arange(1 << width, dtype=f"u{width // 8}").view(dtype)
    numbers = every[~np.isnan(every.astype(np.float32))]
    values = np.unique(numbers.astype(np.float32))  # both zeros are one value
    rng = np.random.default_rng(7)
    pick = rng.integers(0, len(numbers), (2, 2000))
    a, b = numbers[pick[0]], numbers[pick[1]]
    places = [np.searchsorted(values, x.astype(np.float32)).astype(np.int64) for x in (a, b)]
    np.testing.assert_array_equal(ulps(a, b), np.abs(places[0] - places[1]).astype(np.uint64))
    nans = every[np.isnan(every.astype(np.float32))]
    assert nans.size
    assert (ulps(nans, np.broadcast_to(numbers[:1], nans.shape)) == 2**64 - 1).all()
    assert (ulps(nans, nans[::-1]) == 0).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_ulps_of_integers_are_differences(dtype):
    info = np.iinfo(dtype)
    a = np.random.default_rng(8).integers(info.min, info.max, 1000, dtype, endpoint=True)
    a[:2] = info.min, info.max
    got = ulps(a, a[::-1])
    assert [int(x) for x in got] == [abs(int(x) - int(y)) for x, y in zip(a, a[::-1])]


def failure(actual, desired, check=assert_bits_equal, **options):
    with pytest.raises(AssertionError) as raised:
        check(actual, desired, **options)
    return str(raised.value)


def test_the_report_names_the_first_difference():
    a = np.zeros((3, 4), np.float32)
    b = a.copy()
    b[1, 2], b[2, 3] = np.float32(1e-45), 1
    text = failure(b, a, message="step 3")
    assert text.startswith("step 3\nfloat32[3, 4]: 2 of 12 elements differ\n")
    assert "first at [1, 2]: actual 0." in text and "(0x00000001), desired 0 (0x00000000), 1 ULP apart" in text
    assert f"largest distance {0x3F800000} ULP, at [2, 3]" in text


def test_bits_count_where_values_do_not():
    zeros = np.float16([0.0]), np.float16([-0.0])
    assert "0 ULP apart" in failure(*zeros) and "another zero" in failure(*zeros)
    nans = np.array([0x7FC00000], np.uint32).view(np.float32), np.array([0x7FC00001], np.uint32).view(np.float32)
    failure(*nans)
    assert_ulp(*nans, maximum=0)
    assert_ulp(*zeros, maximum=0)


def test_a_nan_against_a_number_is_no_distance():
    nan, one = np.array([np.nan], ml_dtypes.float8_e4m3), np.array([1], ml_dtypes.float8_e4m3)
    assert "no distance" in failure(nan, one)
    assert "more than 200 ULP" in failure(nan, one, assert_ulp, maximum=200)


def test_equal_arrays_pass():
    for dtype in (np.int64, np.uint8, np.float32, ml_dtypes.bfloat16, np.bool_):
        assert_bits_equal(np.ones((2, 3), dtype), np.ones((2, 3), dtype))
    assert_bits_equal(np.float32(1), np.float32(1))
    assert_bits_equal(np.empty((0, 3), np.int8), np.empty((0, 3), np.int8))
    assert_bits_equal(np.ones((4, 4), np.int32)[:, ::2], np.ones((4, 2), ">i4"))


def test_assert_ulp_allows_what_it_says():
    one = np.float32([1, 1])
    near = np.array([0x3F800003, 0x3F800000], np.uint32).view(np.float32)
    assert_ulp(one, near, 3)
    assert "1 of 2 elements are more than 2 ULP apart" in failure(one, near, assert_ulp, maximum=2)
    with pytest.raises(ValueError, match="0 or more"):
        assert_ulp(one, near, -1)


def test_other_dtypes_and_shapes_are_told_apart():
    assert "dtypes differ" in failure(np.int32([1]), np.uint32([1]))
    assert "shapes differ" in failure(np.int32([1]), np.int32([[1]]))
    for bad in (np.ones(1), np.ones(1, np.complex64), np.array(["a"])):
        with pytest.raises(TypeError, match="compare integers"):
            assert_bits_equal(bad, bad)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float8_e5m2, torch.int64):
        assert_bits_equal(torch.ones(3).to(dtype), torch.ones(3).to(dtype))
        failure(torch.ones(3).to(dtype), torch.zeros(3).to(dtype))


CASES = """
import numpy as np

def test_case(vq7_engine):
    a, b = np.array([2**24], np.int32), np.array([1], np.int32)
    vq7_engine.check(a, b, "add_int", np.array([2**24 + 1], np.int32))
    print(f"ran on {vq7_engine.target} {vq7_engine.executor}")

def test_wrong(vq7_engine):
    a = np.array([1], np.int32)
    vq7_engine.check(a, a, "add_int", np.array([3], np.int32))
"""


def run_pytest(folder, *options):
    (folder / "test_cases.py").write_text(CASES)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(folder), *options]
    return subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=folder)


def test_the_fixture_takes_target_and_executor_from_the_command_line(tmp_path):
    ran = run_pytest(tmp_path, "--vq7-target", "gen4", "--vq7-executor", "reference")
    assert "ran on trn3 reference" in ran.stdout, ran.stdout + ran.stderr
    assert "add_int on trn3, executor reference" in ran.stdout and "1 ULP apart" in ran.stdout
    assert "1 failed, 1 passed" in ran.stdout


def test_a_device_is_refused(tmp_path):
    ran = run_pytest(tmp_path, "--vq7-device", "nc0")
    assert ran.returncode == 4 and "not implemented" in ran.stderr


def test_an_unknown_target_is_refused(tmp_path):
    ran = run_pytest(tmp_path, "--vq7-target", "trn9")
    assert ran.returncode == 4 and "trn2" in ran.stderr


def test_the_fixture_here(vq7_engine):
    assert vq7_engine.target in {"trn1", "trn2", "trn3", "mariana_plus", "gen5"}
    assert vq7_engine.tensor_tensor(np.int32([6]), np.int32([7]), "mult_int").tolist() == [42]
