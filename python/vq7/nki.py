"""A stand-in for ``nki.isa.tensor_tensor``: a kernel's elementwise steps, checked to the bit without a device.

It follows the public documentation of ``nki.isa.tensor_tensor``: which engine takes the call, what that engine does
with 32-bit integers, and what it refuses. Each sentence of it is mapped to the rule behind it in docs/nki.md. Arrays
are NumPy arrays; one that lies in PSUM is a :class:`Tile`.

>>> import numpy as np, vq7.nki as nki
>>> a, b = np.full((128, 4), 2**24, np.int32), np.ones((128, 4), np.int32)
>>> dst = np.empty_like(a)
>>> nki.tensor_tensor(dst, a, b, nki.add)
<Dispatch add_int on gpsimd: all tiles are int32 or uint32, and GpSimd adds, subtracts and multiplies those exactly>
>>> int(dst[0, 0])
16777217
"""

from __future__ import annotations

import difflib
import enum
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Union

import numpy as np
import numpy.typing as npt

from . import Instruction, Policy, StateBuffer, check
from . import tensor_tensor as _tensor_tensor

__all__ = ["Buffer", "Dispatch", "OPERATORS", "Operator", "Tile", "engine", "ndarray", "psum", "sbuf", "tensor_tensor"]


class engine(enum.Enum):  # the name that it has in nki.isa
    """The engines that ``engine=`` may name. ``unknown`` leaves the choice to the rules of :func:`tensor_tensor`."""

    unknown = "unknown"
    vector = "vector"
    gpsimd = "gpsimd"


class Buffer(enum.Enum):
    """The memory that a tile lies in."""

    sbuf = "sbuf"
    psum = "psum"


sbuf: Final = Buffer.sbuf
psum: Final = Buffer.psum


@dataclass(frozen=True)
class Operator:
    """A binary operator of ``nki.language`` that ``nki.isa.tensor_tensor`` takes.

    ``kind`` is ``arith`` (through float32) or ``bitvec`` (bit patterns), ``engine`` the one that runs it unless the
    integer path takes it, ``exact`` the op of the integer band that GpSimd runs when all tiles are int32 or uint32.
    """

    name: str
    kind: Literal["arith", "bitvec"]
    engine: engine = engine.vector
    exact: str | None = None


#: Every operator, by name. Source: the operator table of "NKI ISA API Common Fields" and "nki.isa.tensor_tensor".
OPERATORS: Final[dict[str, Operator]] = {
    row.name: row
    for row in (
        Operator("add", "arith", exact="add_int"),
        Operator("subtract", "arith", exact="subtract_int"),
        Operator("multiply", "arith", exact="mult_int"),
        *(Operator(name, "arith") for name in ("maximum", "minimum", "equal", "not_equal", "greater", "greater_equal")),
        *(Operator(name, "arith") for name in ("less", "less_equal", "logical_and", "logical_or", "logical_xor")),
        *(Operator(name, "arith") for name in ("abs_max", "abs_min")),
        Operator("power", "arith", engine=engine.gpsimd),
        *(
            Operator(name, "bitvec")
            for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
        ),
    )
}

add: Final = "add"
subtract: Final = "subtract"
multiply: Final = "multiply"
maximum: Final = "maximum"
minimum: Final = "minimum"
equal: Final = "equal"
not_equal: Final = "not_equal"
greater: Final = "greater"
greater_equal: Final = "greater_equal"
less: Final = "less"
less_equal: Final = "less_equal"
logical_and: Final = "logical_and"
logical_or: Final = "logical_or"
logical_xor: Final = "logical_xor"
abs_max: Final = "abs_max"
abs_min: Final = "abs_min"
power: Final = "power"
bitwise_and: Final = "bitwise_and"
bitwise_or: Final = "bitwise_or"
bitwise_xor: Final = "bitwise_xor"
left_shift: Final = "left_shift"
right_shift: Final = "right_shift"

_UNARY = ("abs", "invert", "reciprocal", "relu", "rsqrt", "square")
_INTEGER32 = ("int32", "uint32")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
_DTYPES = (*_INTEGERS, "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32")
_PARTITIONS = 128
# docs/spec/generations.md: where PSUM begins, what of it a partition has, and the most that one count of a word holds.
_PSUM_BASE = 0x2000000
_PSUM_BYTES = 16 * 1024
_MOST = 65535


class Tile:
    """An array and the memory it lies in. Its first axis is the partition axis, the rest is free.

    ``numpy.asarray(tile)`` is the array itself, not a copy.
    """

    __slots__ = ("array", "buffer")

    def __init__(self, array: npt.NDArray[Any], buffer: Buffer | str = sbuf) -> None:
        """Raises TypeError for what is no NumPy array, ValueError for a buffer that is neither sbuf nor psum."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"a tile holds a NumPy array, not {type(array).__name__}: convert it with numpy.asarray")
        self.array: npt.NDArray[Any] = array
        self.buffer = Buffer(getattr(buffer, "name", buffer))

    @property
    def shape(self) -> tuple[int, ...]:
        """Partitions first."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        return self.array.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return self.array if dtype is None and not copy else np.array(self.array, dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        part = self.array[key]
        return Tile(part, self.buffer) if isinstance(part, np.ndarray) else part

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value.array if isinstance(value, Tile) else value

    def __repr__(self) -> str:
        return f"<Tile {self.dtype.name}{list(self.shape)} in {self.buffer.value}>"


AnyTile = Union["Tile", npt.NDArray[Any]]


def ndarray(shape: Sequence[int], dtype: npt.DTypeLike, buffer: Buffer | str = sbuf) -> Tile:
    """A new tile, filled with zeros: a device's would hold whatever was there. ``dtype`` is NumPy's or ml_dtypes'."""
    return Tile(np.zeros(tuple(shape), dtype), buffer)


@dataclass(frozen=True)
class Dispatch:
    """What became of a call: who ran which op, and why.

    ``engine`` is ``"gpsimd"`` or ``"vector"``, ``op`` the name that :func:`vq7.tensor_tensor` has for it, ``exact``
    whether it is exact integer arithmetic, or bits, and not float32. ``word`` is an instruction word of these dtypes,
    counts and memories: the first, if the tile needs several.
    """

    engine: Literal["gpsimd", "vector"]
    op: str
    exact: bool
    reason: str
    word: Instruction = field(repr=False)

    def __repr__(self) -> str:
        return f"<Dispatch {self.op} on {self.engine}: {self.reason}>"


def _operator(op: Any) -> Operator:
    name = op if isinstance(op, str) else getattr(op, "__name__", None)
    if name in OPERATORS:
        return OPERATORS[name]
    if not isinstance(name, str):
        raise TypeError(f"op is {type(op).__name__}: give a name of nki.language, such as 'add', or numpy.add")
    if name in _UNARY:
        raise ValueError(f"`{name}` takes one operand: nki.isa.tensor_tensor takes binary operators")
    close = difflib.get_close_matches(name, OPERATORS, 3)
    hint = f"; closest: {', '.join(close)}" if close else f"; it takes {', '.join(OPERATORS)}"
    raise ValueError(
        f"`{name}` is no binary operator of nki.language{hint}. Ops that only the instruction set has go through "
        "vq7.tensor_tensor"
    )


def _engine_of(wanted: Any) -> engine:
    name = wanted if isinstance(wanted, str) else getattr(wanted, "name", "unknown" if wanted is None else repr(wanted))
    aliases = {"any": "unknown", "pool": "gpsimd", "dve": "vector"}
    name = str(name).removesuffix("_engine")
    try:
        return engine(aliases.get(name, name))
    except ValueError:
        raise ValueError(f"engine is {name}: tensor_tensor runs on engine.vector or engine.gpsimd") from None


def _tile(name: str, given: AnyTile) -> Tile:
    tile = given if isinstance(given, Tile) else Tile(given)
    dtype = tile.dtype.name
    if dtype not in _DTYPES:
        why = "NKI has no 64-bit integer" if dtype in ("int64", "uint64") else "no tile of NKI holds it"
        raise TypeError(
            f"{name} is {dtype}: {why}; tensor_tensor takes {', '.join(_DTYPES)}. The engine itself takes more: "
            "vq7.tensor_tensor"
        )
    if tile.array.ndim < 1 or tile.array.size == 0:
        raise ValueError(f"{name} has the shape {tile.shape}: a tile has a partition axis and at least one element")
    if tile.shape[0] > _PARTITIONS:
        raise ValueError(
            f"{name} has {tile.shape[0]} partitions, more than {_PARTITIONS}: split its first axis into tiles"
        )
    return tile


def _choose(op: Operator, wanted: engine, tiles: Sequence[Tile]) -> tuple[engine, str, str]:
    """Engine, op and reason."""
    whole = op.exact is not None and all(tile.dtype.name in _INTEGER32 for tile in tiles)
    in_psum = any(tile.buffer is psum for tile in tiles)
    exactly = "GpSimd adds, subtracts and multiplies those exactly"
    if wanted is engine.gpsimd:
        if whole and op.exact:
            return wanted, op.exact, f"asked for; all tiles are int32 or uint32, and {exactly}"
        return wanted, op.name, "asked for"
    if wanted is engine.vector:
        return wanted, op.name, "asked for" + ("; its integers go through float32" if whole else "")
    if whole and op.exact and not in_psum:
        return engine.gpsimd, op.exact, f"all tiles are int32 or uint32, and {exactly}"
    if whole:
        return (
            engine.vector,
            op.name,
            "a tile lies in PSUM, which GpSimd cannot reach; Vector's integers go through float32",
        )
    if op.engine is engine.gpsimd:
        return op.engine, op.name, f"`{op.name}` runs on GpSimd only"
    if op.kind == "bitvec":
        return op.engine, op.name, "bit patterns, on Vector"
    return op.engine, op.name, "arithmetic in float32, on Vector"


@functools.lru_cache(maxsize=8)
def _sbuf_bytes(target: str | None) -> int:
    return StateBuffer(target).bytes_per_partition


def _word(op: Operator, code: str, tiles: Sequence[Tile], target: str | None) -> Instruction:
    """A word of these tiles: each memory is filled from the start of partition 0, the same array lying at the same place."""
    room = {sbuf: _sbuf_bytes(target), psum: _PSUM_BYTES}
    used = {sbuf: 0, psum: 0}
    places: dict[tuple[int, str, Buffer], int] = {}
    for tile in tiles:
        key = (tile.array.__array_interface__["data"][0], tile.dtype.name, tile.buffer)
        if key not in places:
            places[key] = used[tile.buffer]
            size = tile.array.size // tile.shape[0] * tile.dtype.itemsize
            used[tile.buffer] += -(-size // 64) * 64
    for buffer, taken in used.items():
        if taken > room[buffer]:
            raise ValueError(
                f"the tiles take {taken} bytes per partition of {buffer.value}, which has {room[buffer]}: split their free axis"
            )

    def operand(tile: Tile) -> str:
        count = min(tile.array.size // tile.shape[0], _MOST)
        key = (tile.array.__array_interface__["data"][0], tile.dtype.name, tile.buffer)
        address = places[key] + (_PSUM_BASE if tile.buffer is psum else 0)
        name = "float8_e4m3" if tile.dtype.name == "float8_e4m3fn" else tile.dtype.name
        return f"{name}@{address:#x}[1,1,1][{count},1,1]"

    dst, data1, data2 = tiles
    return Instruction(
        f"TENSOR_TENSOR_{'BITVEC' if op.kind == 'bitvec' else 'ARITH'}_OP op={code} src0={operand(data1)} "
        f"src1={operand(data2)} dst={operand(dst)} channels={dst.shape[0]};"
    )


def tensor_tensor(
    dst: AnyTile,
    data1: AnyTile,
    data2: AnyTile,
    op: Any,
    engine: Any = engine.unknown,
    name: str | None = None,
    *,
    target: str | None = None,
    executor: Literal["fast", "reference", "iss"] = "fast",
    policy: Policy | None = None,
) -> Dispatch:
    """``dst = data1 <op> data2`` element by element, as ``nki.isa.tensor_tensor`` does it. Gives back who ran what, and why.

    Shapes: ``(partitions, free..)`` with at most 128 partitions, the same for all three, and the same number of
    elements per partition; nothing is broadcast. The dtype of ``dst`` is that of the result. ``op`` is a name of
    ``nki.language``, as a string, as a constant of this module, or as a function of that name, such as ``numpy.add``.
    ``engine`` is one of :class:`engine`, its name, or an object that has that name, such as ``nki.isa.engine.vector``.
    ``name`` is taken and not used.

    The engine, unless it is given:

    * ``add``, ``subtract`` and ``multiply`` run on GpSimd, as exact integers that wrap, when all three tiles are int32
      or uint32 and none lies in PSUM.
    * ``power`` runs on GpSimd.
    * Everything else runs on Vector: bitwise operators on bit patterns, arithmetic ones through float32, integers too.

    Raises IllegalInstruction, with the rule, for what the engine does not take: a PSUM tile on GpSimd, ``power`` on
    Vector, both inputs in PSUM, bitwise operators on floats. Raises ValueError for shapes, operators and engines,
    TypeError for arrays and dtypes that NKI does not have. Warns with LossyIntegerWarning where float32 loses bits of
    32-bit integers.

    Source: the pages "nki.isa.tensor_tensor" and "NKI ISA API Common Fields" of the Neuron documentation; docs/nki.md.
    """
    operator = _operator(op)
    tiles = tuple(_tile(label, tile) for label, tile in (("dst", dst), ("data1", data1), ("data2", data2)))
    out, first, second = tiles
    if not out.array.flags.writeable:
        raise ValueError("dst is read-only: give an array that can be written, such as numpy.empty_like(data1)")
    shapes = {(tile.shape[0], tile.array.size) for tile in tiles}
    if len(shapes) > 1:
        raise ValueError(
            f"dst, data1 and data2 have the shapes {out.shape}, {first.shape} and {second.shape}: they need the same partition "
            "axis and the same number of elements per partition; NKI broadcasts nothing here"
        )
    chosen, code, reason = _choose(operator, _engine_of(engine), tiles)
    taken: Literal["gpsimd", "vector"] = "gpsimd" if chosen.value == "gpsimd" else "vector"
    word = _word(operator, code, tiles, target)
    check(word, target, taken, policy=policy).raise_for_failure()
    rows = (out.shape[0], -1)
    result = _tensor_tensor(
        np.ascontiguousarray(first.array).reshape(rows),
        np.ascontiguousarray(second.array).reshape(rows),
        code,
        out_dtype=out.dtype,
        target=target,
        engine=taken,
        executor=executor,
        policy=policy,
    )
    out.array[...] = result.reshape(out.shape)
    return Dispatch(taken, code, code == operator.exact or operator.kind == "bitvec", reason, word)
