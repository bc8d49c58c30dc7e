"""Progress of long runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Union


class Bar(Protocol):
    """A progress bar such as ``tqdm.tqdm()``: it has a total, and is told how much more is done."""

    total: Any

    def update(self, n: int, /) -> Any: ...


#: A bar, or a function that is told how much is done and how much there is.
Progress = Union[Bar, Callable[[int, int], object]]


def follower(progress: Progress) -> Callable[[int, int], object]:
    """What to call with (done, total)."""
    update = getattr(progress, "update", None)
    if update is None:
        if not callable(progress):
            raise TypeError(
                f"progress is {type(progress).__name__}: give a function of (done, total), or a bar like tqdm.tqdm()"
            )
        return progress
    last = 0

    def follow(done: int, total: int) -> None:
        nonlocal last
        if progress.total is None:  # type: ignore[union-attr]
            progress.total = total  # type: ignore[union-attr]
        update(done - last)
        last = done

    return follow
