"""Arrays by their bits."""

from pathlib import Path

import ml_dtypes  # noqa: F401  (its dtypes are registered with NumPy)
import numpy as np

import vq7

VECTORS = Path(__file__).parents[2] / "vectors"


def of_bits(bits, dtype, policy=None):
    """An array of a dtype of the engine with these bits."""
    dtype = vq7.dtype(dtype, policy=policy)
    return np.array(bits, dtype=f"u{dtype.itemsize}").view(dtype.numpy)


def to_bits(array):
    """The bits of an array's elements."""
    return array.view(f"u{array.dtype.itemsize}")
