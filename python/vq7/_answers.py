"""Answers as objects: verdicts, explanations, tables. They hold what ``--json`` of the command line prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any, TypeVar

from . import _errors

_A = TypeVar("_A", bound="Answer")


class Answer:
    """An answer: its fields are attributes, ``data`` all of them, and ``str`` is the text of the command line."""

    __slots__ = ("_text", "data")
    data: dict[str, Any]

    def __init__(self, data: dict[str, Any], text: str = "") -> None:
        self.data = data
        self._text = text

    @classmethod
    def _of(cls: type[_A], answer: str, text: str) -> _A:
        return cls(json.loads(answer), text)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no `{name}`; it has {', '.join(self.data)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any], str]]:
        return type(self), (self.data, self._text)

    def __str__(self) -> str:
        return self._text or repr(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _table(heads: list[str], rows: list[list[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(str(cell))}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Rule(Answer):
    """One rule as it was applied: ``name``, ``passed``, ``saw``."""

    __slots__ = ()
    name: str
    passed: bool
    saw: str

    def __repr__(self) -> str:
        return f"<Rule {self.name} {'passed' if self.passed else 'failed'}: {self.saw}>"


class Verdict(Answer):
    """What the rules say of one word: ``verdict``, ``first_failed``, ``engines``, ``rules``, ``text``, ``hex``."""

    __slots__ = ()
    index: int
    hex: str
    opcode: int
    name: str | None
    text: str
    verdict: str
    first_failed: str | None
    engines: dict[str, bool]
    note: str | None
    help: str | None

    @property
    def rules(self) -> list[Rule]:
        """Every rule that was applied, in order."""
        return [Rule(rule) for rule in self.data["rules"]]

    @property
    def legal(self) -> bool:
        """Whether the word may run: it is legal, or of a struct that is not modelled."""
        return self.verdict in ("legal", "not_judged")

    @property
    def is_legal(self) -> bool:
        """Whether every rule passed."""
        return self.verdict == "legal"

    @property
    def failed_rule(self) -> Rule | None:
        """The first failing rule."""
        return next((rule for rule in self.rules if not rule.passed), None)

    def __bool__(self) -> bool:
        return self.legal

    def __repr__(self) -> str:
        why = f" ({self.first_failed})" if self.first_failed else ""
        taken = [engine for engine, takes in self.engines.items() if takes]
        return f"<Verdict {self.verdict}{why}, taken by {' and '.join(taken) or 'no engine'}: {self.name}>"

    def _repr_html_(self) -> str:
        colour = {"legal": "#1a7f37", "not_judged": "#9a6700"}.get(self.verdict, "#cf222e")
        rows = [["✓" if rule.passed else "✗", rule.name, rule.saw] for rule in self.rules]
        line = f'<b style="color:{colour}">{escape(self.verdict)}</b> <code>{escape(self.text)}</code>'
        note = "".join(f"<div>{escape(text)}</div>" for text in (self.note, self.help) if text)
        return f"<div>{line}{note}{_table(['', 'rule', 'saw'], rows)}</div>"


class Checked(Answer):
    """The verdicts on a stream of words: a sequence of :class:`Verdict`, with ``summary`` beside it."""

    __slots__ = ()

    @property
    def words(self) -> list[Verdict]:
        """One verdict per word."""
        return [Verdict(word) for word in self.data["words"]]

    @property
    def ok(self) -> bool:
        """Whether no word failed."""
        return all(self.words)

    def __len__(self) -> int:
        return len(self.data["words"])

    def __getitem__(self, index: int) -> Verdict:
        return Verdict(self.data["words"][index])

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.words)

    def __bool__(self) -> bool:
        return self.ok

    def raise_for_failure(self) -> None:
        """Raises :class:`IllegalInstruction` or :class:`UnspecifiedResult` of the first word that failed."""
        for word in self.words:
            if not word:
                why = word.failed_rule
                text = f"{why.name}: {why.saw}" if why else word.note or word.verdict
                raise _errors.of_kind(word.verdict, f"word {word.index}: {text}", word)

    def __repr__(self) -> str:
        failed = sum(not word for word in self.words)
        return f"<Checked {len(self)} {'word' if len(self) == 1 else 'words'}, {failed} failed, target {self.target}>"

    def _repr_html_(self) -> str:
        rows = [[word.index, word.verdict, word.first_failed or "", word.text] for word in self.words[:200]]
        return _table(["word", "verdict", "first failed rule", "text"], rows)


class ExplainedWord(Answer):
    """One word with its fields, its verdict everywhere, and where its operands lie."""

    __slots__ = ()
    fields: list[dict[str, Any]]
    waits: str
    signals: str

    @property
    def verdict(self) -> Verdict:
        """What the rules say of it."""
        return Verdict(self.data["word"])

    def __repr__(self) -> str:
        return f"<ExplainedWord {self.verdict.verdict}: {self.verdict.text}>"

    def _repr_html_(self) -> str:
        rows = [[field["offset"], field["name"], field["value"], field["meaning"]] for field in self.fields]
        return _table(["byte", "field", "holds", "meaning"], rows) + self.verdict._repr_html_()


class ExplainedOp(Answer):
    """One op on two elements: its result, what float32 lost, and what the result rests on."""

    __slots__ = ()
    types: list[str]
    a: dict[str, str]
    b: dict[str, str]
    result: dict[str, str] | None
    twin: dict[str, Any] | None
    flags: list[str]
    meaning: str

    @property
    def verdict(self) -> Verdict:
        """What the rules say of the word that holds the op."""
        return Verdict(self.data["judged"]) if "judged" in self.data else Verdict(self.data)

    def __repr__(self) -> str:
        name = self.data["op"]
        name = name["name"] if isinstance(name, dict) else name
        result = self.result["value"] if self.result else "no result"
        return f"<ExplainedOp {name}({self.a['value']}, {self.b['value']}) = {result}>"


class Cost(Answer):
    """Cycles of words: ``words`` one by one, the total, and what the figures rest on."""

    __slots__ = ()
    words: list[dict[str, Any]]
    cycles: int
    cycles_low: int
    cycles_high: int
    counted: int

    def __repr__(self) -> str:
        count = len(self.data["words"])
        return f"<Cost {self.cycles} cycles ({self.cycles_low} to {self.cycles_high}) of {count} {'word' if count == 1 else 'words'} on {self.target}>"

    def _repr_html_(self) -> str:
        rows = [
            [word["index"], word["engine"], word["cycles"], word["cycles_low"], word["cycles_high"], word["text"]]
            for word in self.data["words"][:200]
        ]
        return _table(["word", "engine", "cycles", "at least", "at most", "text"], rows)


class OpRow(Answer):
    """One ALU op: ``name``, ``code``, ``band``, ``nki_names``, and where it is legal."""

    __slots__ = ()
    name: str
    code: int
    header_name: str
    nki_names: list[str]
    band: str
    meaning: str
    confidence: str
    in_target: bool

    def __repr__(self) -> str:
        return f"<OpRow {self.name} ({self.code:#04x}, {self.band}): {self.meaning}>"


class RunResult(Answer):
    """What became of a run: ``outputs`` by name, ``executed``, ``flags``, ``results`` word by word."""

    __slots__ = ("outputs",)
    outputs: dict[str, Any]
    words: int
    executed: int
    failed: int
    flags: list[str]

    def __getitem__(self, name: str) -> Any:
        return self.outputs[name]

    def __repr__(self) -> str:
        shown = ", ".join(self.outputs) or "none"
        return f"<RunResult {self.executed} of {self.words} words ran on {self.data['executor']}, outputs: {shown}>"
