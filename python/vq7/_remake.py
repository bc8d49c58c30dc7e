"""What pickles call."""

from __future__ import annotations

from typing import Any

from ._core import Policy


def policy(knobs: dict[str, Any]) -> Policy:
    """The policy of these knobs."""
    return Policy(**knobs)
