"""Arrays that are not NumPy's own: tensors of torch, subclasses, and what is no array at all."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core

#: dtypes of torch that NumPy does not have: the integer of the same size, and the name in ml_dtypes.
_BY_BITS = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
}


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    return isinstance(tensor, type) and isinstance(value, tensor)


def _dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _of_tensor(tensor: Any, what: str) -> Any:
    """The array that shares a tensor's memory."""
    device = str(getattr(tensor, "device", "cpu"))
    if device != "cpu":
        raise TypeError(f"{what} is on {device}: bring it over with {what}.cpu()")
    if getattr(tensor, "requires_grad", False):
        tensor = tensor.detach()
    name = _dtype_name(tensor)
    if name not in _BY_BITS:
        return tensor.numpy()
    import ml_dtypes

    torch = sys.modules["torch"]
    bits = tensor.view(getattr(torch, _BY_BITS[name])).numpy()
    return bits.view(getattr(ml_dtypes, name))


def _to_tensor(array: Any) -> Any:
    """The tensor that shares an array's memory."""
    torch: Any = sys.modules["torch"]
    name = array.dtype.name
    if name not in _BY_BITS:
        if array.dtype.kind == "V" or not hasattr(torch, name):
            raise TypeError(f"torch has no dtype {name}, which the result is; give another out_dtype, or arrays of NumPy")
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(_BY_BITS[name])).view(getattr(torch, name))


def as_array(value: Any, what: str = "the argument") -> Any:
    """An array of NumPy's own class with a value's elements, not copied.

    Raises TypeError for what is no array: nothing is converted silently.
    """
    if _is_tensor(value):
        return _of_tensor(value, what)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{what} is masked, and the engine has no masks: give {what}.filled(..), and mask the result")
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, (int, float, complex, np.generic)):
        raise TypeError(
            f"{what} is a single {type(value).__name__}, whose dtype would be a guess: give np.array([{value}], dtype), "
            "which broadcasts"
        )
    raise TypeError(f"{what} is {type(value).__name__}: give a NumPy array, such as np.asarray({what}, np.int32)")


def tensor_tensor(a: Any, b: Any, op: str, *, out: Any = None, **keywords: Any) -> Any:
    """As ``vq7.tensor_tensor``, for arguments of which some are no plain array."""
    tensors = [_is_tensor(value) for value in (a, b, out)]
    out_array = None if out is None else as_array(out, "out")
    if out_array is not None and not isinstance(out, np.ndarray) and not np.shares_memory(out_array, as_array(out, "out")):
        raise TypeError(f"out is {type(out).__name__}, which gives no memory to write to: give an array of NumPy")
    result = _core.tensor_tensor(as_array(a, "a"), as_array(b, "b"), op, out=out_array, **keywords)
    if out is not None:
        return out
    return _to_tensor(result) if any(tensors) else result
