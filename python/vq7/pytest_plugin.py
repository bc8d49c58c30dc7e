"""The pytest plugin: the fixture ``vq7_engine`` and its options.

``--vq7-target`` and ``--vq7-executor`` say what the cases of a test suite run on. ``--vq7-device`` is the place where
they would run on a device; it is not implemented and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import vq7

from . import testing

_EXECUTORS = ("fast", "reference", "iss")


@dataclass(frozen=True)
class Engine:
    """What a test asks for results, with the target and the executor of the command line filled in.

    The fixture ``vq7_engine`` is one. Its answers come from vq7; on a device they would come through the same methods.
    """

    target: str
    executor: str
    policy: vq7.Policy | None = None

    def tensor_tensor(self, a: Any, b: Any, op: str, **options: Any) -> Any:
        """:func:`vq7.tensor_tensor` on this target and executor. ``options`` are its others: out_dtype, out, engine, policy."""
        filled = {"target": self.target, "executor": self.executor, "policy": self.policy, **options}
        return vq7.tensor_tensor(a, b, op, **filled)

    def check(self, a: Any, b: Any, op: str, desired: Any, **options: Any) -> None:
        """Computes, and fails unless the result has the bits of ``desired``."""
        message = f"{op} on {self.target}, executor {self.executor}"
        testing.assert_bits_equal(self.tensor_tensor(a, b, op, **options), desired, message=message)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("vq7", "the tensor-tensor engine that tests with the fixture vq7_engine run on")
    group.addoption(
        "--vq7-target", default=None, metavar="TARGET", help="trn1, trn2, trn3, mariana_plus or gen5 (trn2)"
    )
    group.addoption("--vq7-executor", default="fast", choices=_EXECUTORS, help="who computes the results (fast)")
    group.addoption("--vq7-device", default=None, metavar="DEVICE", help="run on a device: not implemented")


def _target(config: pytest.Config) -> str:
    try:
        return vq7.StateBuffer(config.getoption("--vq7-target")).target
    except ValueError as error:
        raise pytest.UsageError(f"--vq7-target: {error}") from None


def pytest_configure(config: pytest.Config) -> None:
    device = config.getoption("--vq7-device")
    if device is not None:
        raise pytest.UsageError(
            f"--vq7-device {device}: running on a device is not implemented; the tests run on vq7's model without this option"
        )
    if config.getoption("--vq7-target") is not None:
        _target(config)


@pytest.fixture(scope="session")
def vq7_engine(request: pytest.FixtureRequest) -> Engine:
    """The engine model on the target and executor that the command line names."""
    return Engine(_target(request.config), request.config.getoption("--vq7-executor"))
