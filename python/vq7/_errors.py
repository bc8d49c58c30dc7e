"""What can go wrong with a word, each with its own exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._answers import Verdict


class Vq7Error(Exception):
    """A word or its run failed. What is wrong with a call is a ``ValueError`` or a ``TypeError``."""


class IllegalInstruction(Vq7Error):
    """A rule of the instruction set refuses the word.

    ``rule`` is the name of the first rule that failed, ``verdict`` everything that the rules say.
    """

    def __init__(self, message: str, rule: str | None = None, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.verdict = verdict


class UnspecifiedResult(Vq7Error):
    """The word is legal, but no source says what the device computes."""

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict


class OutOfBounds(Vq7Error):
    """An operand leaves its partition, or an address its memory."""


class UninitializedRead(Vq7Error):
    """A source reads bytes that nothing wrote."""


class NeedsRegisters(Vq7Error):
    """A word names a register, or coefficients, that nobody gave a value."""


class Unimplemented(Vq7Error):
    """vq7 does not do this."""


class Deadlock(Vq7Error):
    """A word waits for a signal that nothing can send."""


class ExpectationFailed(Vq7Error):
    """A program's own expectation does not hold."""


class LossyIntegerWarning(UserWarning):
    """A base-band op went through float32 and lost bits that an integer-band op keeps."""


_KINDS: dict[str, type[Vq7Error] | type[ZeroDivisionError]] = {
    "unspecified": UnspecifiedResult,
    "unimplemented": Unimplemented,
    "out_of_bounds": OutOfBounds,
    "invalid_address": OutOfBounds,
    "uninitialised": UninitializedRead,
    "needs_registers": NeedsRegisters,
    "needs_coefficients": NeedsRegisters,
    "divide_by_zero": ZeroDivisionError,
    "deadlock": Deadlock,
    "mismatch": ExpectationFailed,
}


def of_kind(kind: str, message: str, verdict: Verdict | None = None) -> Exception:
    """The exception of a kind of failure."""
    if kind == "illegal":
        return IllegalInstruction(message, verdict.first_failed if verdict is not None else None, verdict)
    if kind == "unspecified":
        return UnspecifiedResult(message, verdict)
    return _KINDS.get(kind, Vq7Error)(message)


def of_word(kind: str, message: str, verdict: tuple[str, str] | None) -> Exception:
    """The exception of a word that failed; its verdict comes as the compiled part gives it."""
    from ._answers import Verdict

    return of_kind(kind, message, Verdict._of(*verdict) if verdict is not None else None)
