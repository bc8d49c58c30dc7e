"""The docs are a book: every page is in it, every link leads somewhere, every `python` and `console` block runs.

`VQ7_BLESS=1` rewrites the shown output of console blocks and the API page.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name != "SUMMARY.md")
BLESS = bool(os.environ.get("VQ7_BLESS"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks(page, language):
    """Line number and text of each block of a language."""
    text = page.read_text()
    return [(text.count("\n", 0, found.start(2)), found[2]) for found in FENCE.finditer(text) if found[1] == language]


def name_of(page):
    return str(page.relative_to(DOCS))


def test_every_page_is_in_the_summary_once():
    listed = re.findall(r"\]\(([^)]+\.md)\)", (DOCS / "SUMMARY.md").read_text())
    assert sorted(listed) == sorted(map(name_of, PAGES))


@pytest.mark.parametrize("page", [*PAGES, DOCS / "SUMMARY.md"], ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    # A `|` in a table's code is no link, and a source's own address is not followed.
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", page.read_text())):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where blocks run: a folder with what they name."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEURON_PLATFORM_TARGET_OVERRIDE", raising=False)
    return tmp_path


def environment():
    """The program under test and this Python come first."""
    binary = os.environ.get("VQ7")
    if not binary:
        pytest.skip("VQ7 names no program")
    places = [str(Path(binary).resolve().parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(places), "COLUMNS": "120", "NO_COLOR": "1"}


PYTHON_PAGES = [page for page in PAGES if blocks(page, "python")]


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=name_of)
def test_python_blocks_run(page, folder):
    """Blocks with `>>>` as doctests, the others as they are, in one namespace per page."""
    if page.name == "conformance.md":
        environment_ = environment()
        kit = "vq7 conform generate --target trn2 --level 1 --filter op=add_int --shard 0/64 -o kit"
        subprocess.run(kit.split(), check=True, capture_output=True, env=environment_)
        os.chdir(next(Path("kit").glob("shard-*")))
        before = "import numpy as np\n"
    else:
        before = ""
    names = {}
    exec(before, names)
    with warnings.catch_warnings():
        for line, text in blocks(page, "python"):
            where = f"docs/{name_of(page)}"
            if ">>> " not in text:
                exec(compile("\n" * line + text, where, "exec"), names)
                for name in [name for name in names if name.startswith("test_")]:
                    pytest_runs(names.pop(name))
                continue
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            test = doctest.DocTestParser().get_doctest(text, names, where, where, line)
            output = []
            runner = doctest.DocTestRunner(optionflags=flags)
            runner.run(test, out=output.append, clear_globs=False)
            names.update(test.globs)
            assert runner.summarize(verbose=False).failed == 0, "".join(output)


def pytest_runs(function):
    """A test that a page shows, with the fixture it asks for."""
    from vq7.pytest_plugin import Engine

    function(vq7_engine=Engine("trn2", "fast"))


CONSOLE_PAGES = [page for page in PAGES if blocks(page, "console")]


def matches(shown, real):
    """Whether the real lines are the shown ones, `...` standing for any."""
    if not shown:
        return not real
    if shown[0] == "...":
        return any(matches(shown[1:], real[skip:]) for skip in range(len(real) + 1))
    return bool(real) and shown[0].rstrip() == real[0].rstrip() and matches(shown[1:], real[1:])


@pytest.mark.parametrize("page", CONSOLE_PAGES, ids=name_of)
def test_console_blocks_give_what_they_show(page, folder):
    wrong, blessed = [], page.read_text()
    for _, text in blocks(page, "console"):
        rewritten = ""
        for command in re.findall(r"^\$ .*\n(?:(?!\$ ).*\n)*", text, re.M):
            line, *shown = command.splitlines()
            ran = subprocess.run(
                ["sh", "-c", f"{{ {line[2:]}\n}} 2>&1"], cwd=folder, env=environment(), capture_output=True, text=True
            )
            real = ran.stdout.splitlines()
            if not matches(shown, real):
                wrong.append(f"{line}\n--- shown\n" + "\n".join(shown) + "\n--- real\n" + "\n".join(real))
            rewritten += "\n".join([line, *(shown if "..." in shown else real)]) + "\n"
        blessed = blessed.replace(f"```console\n{text}```", f"```console\n{rewritten}```")
    if BLESS:
        page.write_text(blessed)
        return
    assert not wrong, "\n\n".join(wrong) + "\n(VQ7_BLESS=1 rewrites the shown output)"


def test_the_api_page_is_what_the_docstrings_say():
    script = ROOT / "python" / "tools" / "api_reference.py"
    ran = subprocess.run([sys.executable, script, *([] if BLESS else ["--check"])], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_docstrings_with_examples_run():
    import vq7
    import vq7.nki
    import vq7.testing

    for module in (vq7, vq7.nki, vq7.testing):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        assert done.attempted and not done.failed, module.__name__


def test_a_wrong_output_is_seen():
    """The machinery above finds what it is for."""
    test = doctest.DocTestParser().get_doctest(textwrap.dedent(">>> 1 + 1\n3\n"), {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == 1
    assert matches(["a", "...", "c"], ["a", "b", "c"]) and not matches(["a"], ["b"]) and not matches([], ["b"])
