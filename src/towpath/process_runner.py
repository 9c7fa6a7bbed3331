"""ProcessRunner: the contract for running one function in a child process with limits on time and memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], None]


class ProcessRunner(Protocol):
    """Runs a module-level function in a child process. `worker/process_pool.py` implements it."""

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        on_progress: Progress | None = None,
    ) -> T:
        """Call ``function(*arguments)``. The child is killed if it sends nothing for ``seconds`` seconds."""
        ...
