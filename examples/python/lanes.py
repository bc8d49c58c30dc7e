"""The handful of steps that integer algorithms need, each one call of `vq7.tensor_tensor` on the POOL engine.

A `Lanes` fixes the width: every value is an array of uint32, or of uint64, one lane per element. All of its operators are
words that POOL takes. The 32-bit and 64-bit ops wrap at their width; nothing goes through float32.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import vq7

Array: TypeAlias = npt.NDArray[Any]
Executor: TypeAlias = Literal["fast", "reference", "iss"]


class Lanes:
    """Exact integer steps on arrays of one dtype. `steps` counts the calls of `vq7.tensor_tensor`."""

    def __init__(self, width: int, target: str = "trn2", executor: Executor = "fast") -> None:
        if width not in (32, 64):
            raise ValueError(f"lanes are 32 or 64 bits wide, not {width}")
        self.width = width
        self.dtype: np.dtype[Any] = np.dtype(f"uint{width}")
        self.target = target
        self.executor = executor
        self.steps = 0

    def op(self, name: str, a: Array, b: Array) -> Array:
        """One op of the engine."""
        self.steps += 1
        return vq7.tensor_tensor(
            a, b, name, out_dtype=self.dtype, target=self.target, engine="pool", executor=self.executor
        )

    def const(self, value: int) -> Array:
        """A constant: one element, which the engine reads with a step of 0."""
        return np.array([value & ((1 << self.width) - 1)], self.dtype)

    def count(self, amount: int) -> Array:
        """A shift count. The engine takes a uint32 count for 64-bit values too."""
        return np.array([amount], np.uint32)

    def add(self, a: Array, *others: Array) -> Array:
        """The sum, modulo two to the width."""
        for other in others:
            a = self.op("add_int", a, other)
        return a

    def multiply(self, a: Array, b: Array) -> Array:
        """The low bits of the product."""
        return self.op("mult_uint", a, b)

    def xor(self, a: Array, *others: Array) -> Array:
        """Exclusive or of all."""
        for other in others:
            a = self.op("bitwise_xor", a, other)
        return a

    def both(self, a: Array, b: Array) -> Array:
        """Bits set in both."""
        return self.op("bitwise_and", a, b)

    def either(self, a: Array, b: Array) -> Array:
        """Bits set in one of them."""
        return self.op("bitwise_or", a, b)

    def inverted(self, a: Array) -> Array:
        """Every bit turned over."""
        return self.op("bitwise_not", a, a)

    def left(self, a: Array, amount: int) -> Array:
        """Shift to the left."""
        return self.op("logical_shift_left", a, self.count(amount))

    def right(self, a: Array, amount: int) -> Array:
        """Shift to the right, zeros come in."""
        return self.op("logical_shift_right", a, self.count(amount))

    def rotated_right(self, a: Array, amount: int) -> Array:
        """Rotation over the whole width: the engine has no rotate, so two shifts and an or."""
        return self.either(self.right(a, amount), self.left(a, self.width - amount))
