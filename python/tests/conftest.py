"""What the tests share: the program under test, and arrays that go through it."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest


@dataclass(frozen=True)
class Result:
    """What `vq7 tt` gave: the bits of the result, and its report."""

    bits: np.ndarray
    report: dict


class Vq7:
    """The program, by the path in the environment variable VQ7."""

    def __init__(self, folder: Path):
        self.path = os.environ.get("VQ7")
        if not self.path:
            raise RuntimeError("VQ7 names no program; run the tests with `cargo xtask test`")
        self.folder = folder
        self.calls = 0

    def run(self, *arguments, code=0):
        """One call; fails unless it exits with `code`."""
        environment = {key: value for key, value in os.environ.items() if key != "NEURON_PLATFORM_TARGET_OVERRIDE"}
        ran = subprocess.run(
            [self.path, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment
        )
        assert ran.returncode == code, f"vq7 {' '.join(map(str, arguments))}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout

    def tt(self, op, types, a, b, policy=()):
        """`op` on the bits of two arrays (unsigned integers), whose dtypes and that of the result `types` names."""
        self.calls += 1
        paths = [self.folder / f"{self.calls}-{name}.npy" for name in "abc"]
        # Raw unsigned bits: vq7 is told what they mean.
        np.save(paths[0], a)
        np.save(paths[1], b)
        knobs = [word for knob in policy for word in ("--policy", knob)]
        report = self.run(
            "tt", "--op", op, "--a", paths[0], "--b", paths[1], "--out", paths[2],
            "--a-dtype", types[0], "--b-dtype", types[1], "--out-dtype", types[2], "--json", *knobs,
        )  # fmt: skip
        result = np.load(paths[2])
        bits = result.view(f"u{result.dtype.itemsize}")
        for path in paths:
            path.unlink()
        return Result(bits, json.loads(report))


@pytest.fixture
def vq7(tmp_path):
    """The program under test, with a folder of its own."""
    return Vq7(tmp_path)
