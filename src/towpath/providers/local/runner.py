"""Where the slow work of local providers is done: in a child process, under caps of memory and of silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], None]


class Runner(Protocol):
    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        on_progress: Progress | None = None,
    ) -> T: ...
