"""vq7: the tensor-tensor engine of Vision-Q7 cores, bit for bit, on NumPy arrays.

>>> import numpy as np, vq7
>>> vq7.tensor_tensor(np.array([2**24], np.int32), np.array([1], np.int32), "add_int")
array([16777217], dtype=int32)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from ._core import Policy, StateBuffer, __version__, dtype, lossy, tensor_tensor
from ._errors import (
    Deadlock,
    ExpectationFailed,
    IllegalInstruction,
    LossyIntegerWarning,
    NeedsRegisters,
    OutOfBounds,
    Unimplemented,
    UninitializedRead,
    UnspecifiedResult,
    Vq7Error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._answers import Checked, Cost, ExplainedOp, ExplainedWord, OpRow, RunResult, Verdict
    from ._progress import Progress

__all__ = [
    "Deadlock",
    "ExpectationFailed",
    "IllegalInstruction",
    "Instruction",
    "LossyIntegerWarning",
    "NeedsRegisters",
    "OutOfBounds",
    "Policy",
    "Program",
    "StateBuffer",
    "Unimplemented",
    "UninitializedRead",
    "UnspecifiedResult",
    "Vq7Error",
    "__version__",
    "assemble",
    "check",
    "cost",
    "disassemble",
    "dtype",
    "explain",
    "judge",
    "lossy",
    "ops",
    "tensor_tensor",
]

#: What words can be given as: bytes of 64 each, hex, an Instruction, or several of these.
Words = Union[bytes, str, "Instruction", Iterable[Union[bytes, str, "Instruction"]]]


def _bytes_of(words: Words) -> bytes:
    if isinstance(words, Instruction):
        return words.to_bytes()
    if isinstance(words, str):
        digits = "".join(words.split()).replace("_", "")
        try:
            return bytes.fromhex(digits)
        except ValueError:
            raise ValueError(f"`{words[:40]}` is no hexadecimal word: write 128 digits per word") from None
    if isinstance(words, (bytes, bytearray, memoryview)):
        return bytes(words)
    if hasattr(words, "tobytes"):
        return bytes(words.tobytes())
    return b"".join(_bytes_of(word) for word in words)


class Instruction:
    """One 64-byte instruction word: its fields are attributes, ``text`` is its canonical line.

    Source: the wire structs, docs/spec/structs.md. Raises ValueError for what is no word.
    """

    __slots__ = ("_bytes", "_fields")
    _bytes: bytes
    _fields: dict[str, int] | None

    def __init__(self, text: str, *, policy: Policy | None = None) -> None:
        """The word of a canonical line, as :attr:`text` prints it."""
        self._bytes = _core._word_of_line(text, policy)
        self._fields = None

    @classmethod
    def from_bytes(cls, word: bytes | bytearray | memoryview | str) -> Instruction:
        """The word of 64 bytes, or of 128 hexadecimal digits."""
        data = _bytes_of(word) if isinstance(word, str) else bytes(word)
        if len(data) != 64:
            raise ValueError(f"a word has 64 bytes, not {len(data)}; vq7.disassemble takes streams of them")
        self = cls.__new__(cls)
        self._bytes = data
        self._fields = None
        return self

    def to_bytes(self) -> bytes:
        """The 64 bytes."""
        return self._bytes

    @property
    def hex(self) -> str:
        """The 64 bytes as hexadecimal digits."""
        return self._bytes.hex()

    @property
    def text(self) -> str:
        """The canonical line; ``Instruction(line)`` gives the same bytes."""
        return _core._disassemble(self._bytes)[0]

    @property
    def fields(self) -> dict[str, int]:
        """Every field by name, in the order of the bytes."""
        if self._fields is None:
            self._fields = {field["name"]: int(field["value"], 16) for field in explain(self).fields}
        return self._fields

    def __getattr__(self, name: str) -> int:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            have = ", ".join(self.fields)
            raise AttributeError(f"this word has no field `{name}`; it has {have}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return Instruction.from_bytes, (self._bytes,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __bytes__(self) -> bytes:
        return self._bytes

    def __repr__(self) -> str:
        return f"<Instruction {self.text}>"

    def _repr_html_(self) -> str:
        html: str = explain(self)._repr_html_()
        return html


class Program(_core.Program):
    """A program text, or the bytes of words, ready to run.

    Raises ValueError that lists every mistake with line, column and what to write instead.
    """

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        state: StateBuffer | None = None,
        engine: str | None = None,
        executor: str = "fast",
        allow_uninit: bool = False,
        keep_going: bool = False,
        semaphores: Mapping[int | str, int] | None = None,
        registers: Mapping[int | str, Any] | None = None,
        progress: Progress | None = None,
    ) -> RunResult:
        """Runs the words; the result holds ``outputs`` by name.

        ``state`` is the memory that the words run on and leave behind; without it, one that nobody wrote. Semaphores are
        by number, events by ``"e3"``; registers by number (address and value), ``"v3"`` (value), and shapes as tuples,
        innermost first. Raises the exception of the first word that failed unless ``keep_going``.
        """
        from ._answers import RunResult
        from ._errors import of_kind

        answer, text, outputs = self._run(
            inputs or {}, state, engine, executor, allow_uninit, keep_going, semaphores or {}, registers or {}, progress
        )
        result = RunResult._of(answer, text)
        result.outputs = outputs
        error = result.error
        if error is not None and not keep_going:
            verdict = None
            if error["kind"] in ("illegal", "unspecified"):
                failed = next(word["index"] for word in result.results if word["message"])
                data = self.to_bytes()[64 * failed : 64 * failed + 64]
                verdict = explain(data, target=self.target, engine=engine or self.engine).verdict
            raise of_kind(error["kind"], error["message"], verdict)
        return result

    def __repr__(self) -> str:
        return f"<Program {self.name}: {len(self)} words for {self.target}>"


def assemble(source: str, *, target: str | None = None, policy: Policy | None = None) -> bytes:
    """The words of a program text, 64 bytes each."""
    return Program(source, target=target, policy=policy).to_bytes()


def disassemble(words: Words) -> list[str]:
    """One canonical line per word; :func:`assemble` of the lines gives the same bytes."""
    return _core._disassemble(_bytes_of(words))


def check(
    words: Words,
    target: str | None = None,
    engine: str = "any",
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Checked:
    """The verdict on each word, rule by rule. Never raises for an illegal word: look at it, or ``raise_for_failure``."""
    from ._answers import Checked

    return Checked._of(*_core._check(_bytes_of(words), target, engine, policy, progress))


def judge(
    op: str,
    a: Any,
    b: Any,
    out: Any = None,
    *,
    target: str | None = None,
    engine: str = "any",
    policy: Policy | None = None,
) -> Verdict:
    """The verdict on the word that :func:`tensor_tensor` would make of these dtypes."""
    from ._answers import Verdict

    return Verdict._of(*_core._judge(op, a, b, out, target, engine, policy))


def explain(
    word_or_op: Any,
    types: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    target: str | None = None,
    engine: str = "any",
    policy: Policy | None = None,
) -> Any:
    """Explains a word, ``explain(word)``, or an op, ``explain("add", "int32", 2**24, 1)``.

    ``types`` is one dtype, or those of a, b and the result; values are numbers or bit patterns such as ``"0x3f800000"``.
    A word gives an ExplainedWord, an op an ExplainedOp; ``str`` of either is the page that the command line prints.
    """
    from ._answers import ExplainedOp, ExplainedWord

    if types is None:
        word = word_or_op if isinstance(word_or_op, Instruction) else Instruction.from_bytes(word_or_op)
        return ExplainedWord._of(*_core._explain_word(word.to_bytes(), target, engine, policy))
    if a is None:
        raise ValueError("an op is explained on two values: explain('add', 'int32', 1, 2)")
    second = 0 if b is None else b
    return ExplainedOp._of(
        *_core._explain_op(word_or_op, _three(types), str(a), str(second), target, engine, policy)
    )


def _three(types: Any) -> tuple[Any, Any, Any]:
    if not isinstance(types, (tuple, list)):
        return types, types, types
    if len(types) != 3:
        raise ValueError(f"types has {len(types)} dtypes: give one, or three for a, b and the result")
    return types[0], types[1], types[2]


def cost(
    words_or_op: Any,
    types: Any = None,
    shape: tuple[int, int] = (128, 512),
    *,
    target: str | None = None,
    engine: str = "any",
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Cost:
    """Cycles of words or of a program, ``cost(program)``, or of an op: ``cost("add_int", "int32", (128, 512))``.

    ``shape`` is partitions by elements of each. The answer has a low and a high end beside each figure, and says what it
    rests on and what is not counted; no figure was measured on a device.
    """
    from ._answers import Cost

    if types is not None:
        words = _core._word_of_op(words_or_op, _three(types), shape, target, engine, policy)
    elif isinstance(words_or_op, _core.Program):
        words, target = words_or_op.to_bytes(), words_or_op.target
    else:
        words = _bytes_of(words_or_op)
    return Cost._of(*_core._cost(words, target, engine, policy, progress))


def ops(target: str | None = None, *, policy: Policy | None = None) -> list[OpRow]:
    """Every ALU op, with the dtypes and engines that take it on the target."""
    import json

    from ._answers import OpRow

    answer, _ = _core._ops(target, policy)
    return [OpRow(row) for row in json.loads(answer)["ops"]]


def _watch_forks() -> None:
    import os

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_core._after_fork)


_watch_forks()
