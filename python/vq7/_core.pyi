"""The compiled part of vq7."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from ._progress import Progress

class _Tensor(Protocol):
    """What is asked of a tensor of another library, such as torch."""

    @property
    def shape(self) -> Sequence[int]: ...
    def numpy(self) -> Any: ...

_Array = npt.NDArray[Any]
_DtypeLike = str | dtype | np.dtype[Any] | type[Any]
_Engine = Literal["any", "pool", "gpsimd", "dve", "vector"]
_Executor = Literal["fast", "reference", "iss"]

__version__: str

@overload
def tensor_tensor(
    a: _Array,
    b: _Array,
    op: str,
    *,
    out_dtype: _DtypeLike | None = None,
    out: _Array | None = None,
    target: str | None = None,
    engine: _Engine = "any",
    executor: _Executor = "fast",
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> _Array: ...
@overload
def tensor_tensor(
    a: _Tensor,
    b: _Tensor | _Array,
    op: str,
    *,
    out_dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
    target: str | None = None,
    engine: _Engine = "any",
    executor: _Executor = "fast",
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Any: ...
def lossy(
    op: str,
    a: _Array,
    b: _Array,
    *,
    out_dtype: _DtypeLike | None = None,
    target: str | None = None,
    policy: Policy | None = None,
) -> npt.NDArray[np.bool_]: ...

@final
class dtype:
    """A dtype of the engine, by any of its names: ``vq7.dtype("bfloat16")``, ``vq7.dtype(np.int32)``."""

    def __new__(cls, name: _DtypeLike, *, policy: Policy | None = None) -> dtype: ...
    @property
    def name(self) -> str: ...
    @property
    def code(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def numpy(self) -> np.dtype[Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Policy:
    """Answers to the open questions, one per knob: ``vq7.Policy(round="zero")``."""

    def __new__(
        cls,
        *,
        base_int: Literal["fp32_hub", "native32"] = ...,
        round: Literal["nearest_even", "zero", "up", "down"] = ...,
        float_to_int: Literal["nearest_saturate", "trunc_saturate", "raw"] = ...,
        nan_to_int: Literal["max", "zero", "min"] = ...,
        fp8_overflow: Literal["inf", "saturate"] = ...,
        e4m3: Literal["ieee", "fn"] = ...,
        fp32r: Literal["rne13", "trunc13", "passthrough"] = ...,
        int_div_zero: Literal["ones", "zero", "trap"] = ...,
        mod_sign: Literal["divisor", "dividend"] = ...,
        shift_over: Literal["flush", "mod32", "ivp_signed"] = ...,
        minmax_nan: Literal["select_second", "number_wins", "propagate"] = ...,
        abs_minmax: Literal["signed_original", "magnitude"] = ...,
        abs_minmax_int: Literal["magnitude", "signed_original"] = ...,
        int_narrow: Literal["low_bits", "saturate"] = ...,
        start_partition: Literal["quadrant", "off"] = ...,
        pow_int: Literal["fp32_hub", "native32"] = ...,
    ) -> Policy: ...
    def __getattribute__(self, knob: str, /) -> Any: ...
    def changed(self) -> list[str]: ...
    def knobs(self) -> dict[str, str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class StateBuffer:
    """SBUF and PSUM of one generation; what was never written is known."""

    def __new__(cls, target: str | None = None) -> StateBuffer: ...
    @property
    def target(self) -> str: ...
    @property
    def partitions(self) -> int: ...
    @property
    def bytes_per_partition(self) -> int: ...
    def view(
        self,
        partition: int,
        dtype: _DtypeLike | None = None,
        *,
        offset: int = 0,
        count: int | None = None,
        memory: Literal["sbuf", "psum"] = "sbuf",
        writable: bool = False,
    ) -> _Array: ...
    def write(
        self, partition: int, data: _Array, *, offset: int = 0, memory: Literal["sbuf", "psum"] = "sbuf"
    ) -> None: ...
    def is_written(
        self, partition: int, *, offset: int = 0, count: int = 1, memory: Literal["sbuf", "psum"] = "sbuf"
    ) -> bool: ...
    def __getitem__(self, partition: int, /) -> _Array: ...
    def __setitem__(self, place: int | tuple[int, int | slice], data: _Array, /) -> None: ...
    def __len__(self) -> int: ...

@disjoint_base
class Program:
    """A program text, or words, ready to run."""

    def __new__(
        cls,
        source: str | bytes,
        *,
        name: str = "program",
        target: str | None = None,
        policy: Policy | None = None,
    ) -> Program: ...
    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def inputs(self) -> dict[str, tuple[str, tuple[int, ...]]]: ...
    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]: ...
    def to_bytes(self) -> bytes: ...
    def __len__(self) -> int: ...
    def _run(
        self,
        inputs: Mapping[str, Any],
        state: StateBuffer | None,
        engine: str | None,
        executor: str,
        allow_uninit: bool,
        keep_going: bool,
        semaphores: Mapping[int | str, int],
        registers: Mapping[int | str, Any],
        progress: Progress | None,
    ) -> tuple[str, str, dict[str, _Array]]: ...

def _judge(
    op: str,
    a: _DtypeLike,
    b: _DtypeLike,
    out: _DtypeLike | None,
    target: str | None,
    engine: str,
    policy: Policy | None,
) -> tuple[str, str]: ...
def _check(
    words: bytes, target: str | None, engine: str, policy: Policy | None, progress: Progress | None
) -> tuple[str, str]: ...
def _cost(
    words: bytes, target: str | None, engine: str, policy: Policy | None, progress: Progress | None
) -> tuple[str, str]: ...
def _word_of_op(
    op: str,
    types: tuple[_DtypeLike, _DtypeLike, _DtypeLike],
    shape: tuple[int, int],
    target: str | None,
    engine: str,
    policy: Policy | None,
) -> bytes: ...
def _explain_word(word: bytes, target: str | None, engine: str, policy: Policy | None) -> tuple[str, str]: ...
def _explain_op(
    op: str,
    types: tuple[_DtypeLike, _DtypeLike, _DtypeLike],
    a: str,
    b: str,
    target: str | None,
    engine: str,
    policy: Policy | None,
) -> tuple[str, str]: ...
def _ops(target: str | None, policy: Policy | None) -> tuple[str, str]: ...
def _word_of_line(line: str, policy: Policy | None) -> bytes: ...
def _disassemble(words: bytes) -> list[str]: ...
def _after_fork() -> None: ...
