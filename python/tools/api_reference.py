"""Writes docs/python-api.md from the docstrings and the stubs.

    python python/tools/api_reference.py           # writes the page
    python python/tools/api_reference.py --check   # fails if it is not what it would write

Signatures of what is compiled come from `_core.pyi`, those of the rest from the sources: the text of both, so that the
page is the same on every version of Python.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import vq7
import vq7._answers
import vq7._core
import vq7.nki
import vq7.pytest_plugin
import vq7.testing

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-api.md"
HEAD = """# Python API

Written by `python/tools/api_reference.py` from the docstrings of the package; a test compares. Names and defaults are
those of the command line. Where there is a `target`, it takes any name of a generation; without it
`NEURON_PLATFORM_TARGET_OVERRIDE` decides, else it is trn2.
"""
SECTIONS = (
    ("vq7", vq7, "The engine on arrays, and words, verdicts and programs as objects."),
    (
        "Answers",
        vq7._answers,
        "What the functions give: the fields of the command line's `--json`, and its text as `str`.",
    ),
    ("vq7.nki", vq7.nki, None),
    ("vq7.testing", vq7.testing, None),
    ("The pytest plugin", vq7.pytest_plugin, None),
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def definitions(source: str) -> dict[str, list[ast.stmt]]:
    """Classes and functions of a source by name, overloads together."""
    found: dict[str, list[ast.stmt]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
    return found


def source_of(module: ModuleType) -> dict[str, list[ast.stmt]]:
    stub = Path(vq7.__file__).parent / "_core.pyi"
    return definitions((stub if module is vq7._core else Path(inspect.getfile(module))).read_text())


def parameters(arguments: ast.arguments, skip_self: bool) -> list[str]:
    """Each parameter as it is written, with `*` and `/` among them."""

    def one(argument: ast.arg, default: ast.expr | None = None) -> str:
        kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
        equals = " = " if kind else "="
        return argument.arg + kind + (f"{equals}{ast.unparse(default)}" if default else "")

    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    parts = [one(argument, default) for argument, default in zip(plain, defaults)]
    if arguments.posonlyargs:
        parts.insert(len(arguments.posonlyargs), "/")
    if skip_self:
        parts = parts[1:]
    if arguments.vararg:
        parts.append(f"*{one(arguments.vararg)}")
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += [one(argument, default) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return parts + ([f"**{one(arguments.kwarg)}"] if arguments.kwarg else [])


def signature(name: str, node: ast.stmt, skip_self: bool = False) -> str:
    """A definition as one line or, if that is long, one parameter per line."""
    assert isinstance(node, FUNCTIONS)
    parts = parameters(node.args, skip_self)
    makes = node.name in ("__init__", "__new__")
    result = f" -> {ast.unparse(node.returns)}" if node.returns and not makes else ""
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= 110:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def text(documentation: str | None) -> str:
    """A docstring as Markdown: literals and references in single quotes of code, examples as blocks."""
    if not documentation:
        return ""
    clean = inspect.cleandoc(documentation)
    clean = re.sub(r":\w+:`([^`]+)`", r"`\1`", clean).replace("``", "`")
    clean = re.sub(r"\n\n+(>>> .*?)(?=\n\n|\Z)", r"\n\n```python\n\1\n\n```", clean, flags=re.S)
    return re.sub(r"\A(>>> .*?)(?=\n\n|\Z)", r"```python\n\1\n\n```", clean, flags=re.S)


def is_property(node: ast.stmt) -> bool:
    return isinstance(node, FUNCTIONS) and any(ast.unparse(mark) == "property" for mark in node.decorator_list)


def of_class(name: str, node: ast.ClassDef, actual: Any) -> list[str]:
    """A class with its public methods and properties."""
    makers = [item for item in node.body if isinstance(item, FUNCTIONS) and item.name in ("__init__", "__new__")]
    lines = [f"### {name}", ""]
    if makers and not issubclass(actual, BaseException):
        lines += ["```text", signature(name, makers[0], skip_self=True), "```", ""]
    lines += [text(inspect.getdoc(actual) or ast.get_docstring(node)), ""]
    if makers and (of_maker := ast.get_docstring(makers[0])):
        lines += [text(of_maker), ""]
    rows = []
    seen = set()
    for item in sorted(node.body, key=lambda item: not is_property(item)):
        if not isinstance(item, FUNCTIONS) or item.name.startswith("_") or item.name in seen:
            continue
        seen.add(item.name)
        marks = {ast.unparse(mark) for mark in getattr(item, "decorator_list", ())}
        said = text(inspect.getdoc(getattr(actual, item.name, None)) or ast.get_docstring(item))
        if "property" in marks:
            rows.append(f"* `{item.name}`: {said}" if said else f"* `{item.name}`")
            continue
        if rows and rows[-1].startswith("*"):
            rows.append("")
        rows += [
            f"#### {name}.{item.name}",
            "",
            "```text",
            signature(item.name, item, "staticmethod" not in marks),
            "```",
            "",
            said,
            "",
        ]
    return [*lines, *rows, ""]


def entry(name: str, nodes: list[ast.stmt], actual: Any) -> list[str]:
    first = nodes[0]
    if isinstance(first, ast.ClassDef):
        return of_class(name, first, actual)
    return [f"### {name}", "", "```text", signature(name, first), "```", "", text(inspect.getdoc(actual)), ""]


def page() -> str:
    """The page."""
    compiled = source_of(vq7._core)
    lines = [HEAD]
    for title, module, about in SECTIONS:
        lines += [f"## {title}", "", about or text(module.__doc__), ""]
        own = source_of(module)
        names = getattr(module, "__all__", None) or sorted(
            name for name in own if not name.startswith(("_", "pytest_"))
        )
        for name in sorted(names, key=str.lower):
            actual = getattr(module, name)
            home = inspect.getmodule(actual) if callable(actual) else None
            nodes = own.get(name) or compiled.get(name)
            if nodes is None and home is not None and home is not module:
                nodes = source_of(home).get(name)
            if nodes is not None:
                lines += entry(name, nodes, actual)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def main() -> None:
    """Writes or compares."""
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != page():
            raise SystemExit(f"{PAGE} is not what the docstrings say: run python {Path(__file__).relative_to(ROOT)}")
        return
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
