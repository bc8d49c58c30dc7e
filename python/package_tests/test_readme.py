"""The Python blocks of the README give what they show."""

import doctest
import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def test_the_readme():
    text = README.read_text()
    found = list(BLOCK.finditer(text))
    assert len(found) > 2
    names = {}
    for block in found:
        line = text.count("\n", 0, block.start(1))
        test = doctest.DocTestParser().get_doctest(block[1], names, "README.md", str(README), line)
        assert test.examples
        runner = doctest.DocTestRunner()
        report = []
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
        assert not runner.failures, "".join(report)
