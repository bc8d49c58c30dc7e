"""Comparing arrays to the bit, in anyone's tests.

>>> import numpy as np
>>> from vq7.testing import assert_bits_equal
>>> assert_bits_equal(np.float32([1, 2]), np.float32([1, 2.0000002]))
Traceback (most recent call last):
AssertionError: float32[2]: 1 of 2 elements differ
first at [1]: actual 2 (0x40000000), desired 2.0000002 (0x40000001), 1 ULP apart
largest distance 1 ULP, at [1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["assert_bits_equal", "assert_ulp", "ulps"]

_Array = npt.NDArray[Any]
#: The distance to or from a NaN: none.
NO_DISTANCE = np.uint64(2**64 - 1)
_NAN_AT_LEAST = {
    # The smallest magnitude that is a NaN. docs/spec/dtypes.md
    "float16": 0x7C01,
    "bfloat16": 0x7F81,
    "float32": 0x7F800001,
    "float8_e3m4": 0x71,
    "float8_e4m3": 0x79,
    "float8_e4m3fn": 0x7F,
    "float8_e5m2": 0x7D,
}


def _plain(given: Any, label: str) -> tuple[_Array, str]:
    """The array and the name of its dtype. Tensors of torch, of whatever dtype, come as their bits."""
    if hasattr(given, "detach") and hasattr(given, "view") and not isinstance(given, np.ndarray):
        tensor = given.detach().cpu().contiguous()
        name = str(tensor.dtype).rpartition(".")[2]
        try:
            return np.asarray(tensor.numpy()), name
        except TypeError:  # bfloat16 and float8, which NumPy does not have
            import torch  # type: ignore[import-not-found, unused-ignore]

            width = tensor.element_size()
            return np.asarray(tensor.view({1: torch.uint8, 2: torch.int16}[width]).numpy()), name
    array = np.asarray(given)
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.dtype.kind not in "iu" and array.dtype.name not in _NAN_AT_LEAST:
        raise TypeError(f"{label} is {array.dtype}: compare integers, or {', '.join(_NAN_AT_LEAST)}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array, array.dtype.name


def _bits(array: _Array) -> _Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def _steps(array: _Array, name: str) -> tuple[_Array, npt.NDArray[np.bool_]]:
    """Each value as a uint64 that counts the values of its dtype from below, both zeros alike, and which are NaNs."""
    bits = _bits(array).astype(np.uint64)
    width = 8 * array.dtype.itemsize
    middle = np.uint64(1 << (width - 1))
    if name not in _NAN_AT_LEAST:
        return (bits ^ middle if name.startswith("int") else bits), np.zeros(bits.shape, np.bool_)
    magnitude = bits & (middle - np.uint64(1))
    counted = np.where(bits & middle != 0, middle - magnitude, middle + magnitude)
    return counted, magnitude >= np.uint64(_NAN_AT_LEAST[name])


def ulps(actual: Any, desired: Any) -> npt.NDArray[np.uint64]:
    """How many values of the dtype lie between each pair of elements.

    Two arrays of one dtype and one shape give a uint64 array of that shape. Both zeros are one value, infinity is one past the
    largest finite value, the distance to a NaN is 2^64 - 1 unless both are NaNs, whose distance is 0. Of integers it is the
    difference.
    """
    one, two, name = _pair(actual, desired)
    (a, a_nan), (b, b_nan) = _steps(one, name), _steps(two, name)
    with np.errstate(over="ignore"):  # the side that is not taken wraps
        apart = np.where(a > b, a - b, b - a)
    apart = np.where(a_nan | b_nan, NO_DISTANCE, apart)
    result: npt.NDArray[np.uint64] = np.where(a_nan & b_nan, np.uint64(0), apart)
    return result


def _pair(actual: Any, desired: Any) -> tuple[_Array, _Array, str]:
    (one, one_name), (two, two_name) = _plain(actual, "actual"), _plain(desired, "desired")
    if one_name != two_name:
        raise AssertionError(f"the dtypes differ: actual is {one_name}, desired {two_name}")
    if one.shape != two.shape:
        raise AssertionError(f"the shapes differ: actual is {one.shape}, desired {two.shape}")
    return one, two, one_name


def _value(array: _Array, index: tuple[int, ...], name: str) -> str:
    element = array[index]
    shown = f"{int(_bits(element)):#0{2 + 2 * array.dtype.itemsize}x}"
    if array.dtype.name != name:  # bits of a dtype that NumPy does not have
        return shown
    return f"{element.item() if array.dtype.kind in 'iu' else _shortest(element, name)} ({shown})"


def _shortest(element: Any, name: str) -> str:
    return np.format_float_positional(element, trim="-") if name in ("float32", "float16") else f"{float(element):g}"


def _distance(apart: np.uint64, name: str) -> str:
    nan = apart == NO_DISTANCE and name in _NAN_AT_LEAST
    return "no distance, one is a NaN" if nan else f"{int(apart)} ULP apart"


def _at(index: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, index)) + "]"


def _fail(one: _Array, two: _Array, name: str, wrong: npt.NDArray[np.bool_], message: str, what: str) -> None:
    apart = ulps(one, two) if one.dtype.name == name else None
    first = tuple(int(axis[0]) for axis in np.nonzero(wrong)) if wrong.ndim else ()
    lines = [message] if message else []
    lines.append(f"{name}{list(one.shape)}: {int(wrong.sum())} of {wrong.size} elements {what}")
    line = f"first at {_at(first)}: actual {_value(one, first, name)}, desired {_value(two, first, name)}"
    if apart is None:
        raise AssertionError("\n".join([*lines, line]))
    lines.append(f"{line}, {_distance(apart[first], name)}")
    finite = np.where(apart == NO_DISTANCE, np.uint64(0), apart) if name in _NAN_AT_LEAST else apart
    furthest = tuple(int(axis) for axis in np.unravel_index(int(np.argmax(finite)), apart.shape))
    if finite[furthest]:
        lines.append(f"largest distance {int(finite[furthest])} ULP, at {_at(furthest)}")
    elif apart[first] == 0:
        lines.append("the values are equal: the bits are those of another zero or another NaN")
    raise AssertionError("\n".join(lines))


def assert_bits_equal(actual: Any, desired: Any, *, message: str = "") -> None:
    """Fails unless both have the same dtype, the same shape and the same bits: -0 is not +0, and the payload of a NaN counts.

    Takes NumPy and ml_dtypes arrays, torch tensors, and what ``numpy.asarray`` takes. The AssertionError says how many
    elements differ, and of the first where it is, its bits, its values and its distance in ULP. Complex, float64 and
    object arrays are a TypeError.
    """
    one, two, name = _pair(actual, desired)
    wrong = np.asarray(_bits(one) != _bits(two))
    if wrong.any():
        _fail(one, two, name, wrong, message, "differ")


def assert_ulp(actual: Any, desired: Any, maximum: int = 1, *, message: str = "") -> None:
    """Fails unless every element is at most ``maximum`` values of its dtype away, as :func:`ulps` counts: a NaN only
    matches a NaN, whatever its payload, and -0 matches +0.
    """
    if maximum < 0:
        raise ValueError(f"maximum is {maximum}: a distance is 0 or more")
    one, two, name = _pair(actual, desired)
    if one.dtype.name != name:
        raise TypeError(f"distances of {name} tensors are not known here: convert them to ml_dtypes arrays")
    wrong = np.asarray(ulps(one, two) > np.uint64(maximum))
    if wrong.any():
        _fail(one, two, name, wrong, message, f"are more than {maximum} ULP apart")
