"""Provider calls as the outside world sees them: a file that only grows, which no crash can take back."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from towpath.worker.children import Children, threadsafe

T = TypeVar("T")


class Tolled(Children):
    """Notes every call to a provider before it is made; the work itself is done as ever, in a child process."""

    def __init__(self, most: int, file: Path, *, memory_bytes: int) -> None:
        super().__init__(most, memory_bytes=memory_bytes)
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        memory_bytes: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> T:
        if function.__module__.startswith("towpath.providers."):
            # One write for each line: whole or not at all, even under SIGKILL.
            line = {"call": function.__name__, "content": _digest(arguments), "pid": os.getpid()}
            os.write(self._handle, json.dumps(line).encode() + b"\n")
        return await self._work(function, arguments, seconds, memory_bytes, on_progress)

    async def _work(
        self,
        function: Callable[..., T],
        arguments: tuple[object, ...],
        seconds: float,
        memory_bytes: int | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> T:
        return await super().run(
            function, *arguments, seconds=seconds, memory_bytes=memory_bytes, on_progress=on_progress
        )


class InThread(Tolled):
    """Does the work in a thread of the worker itself: starting a worker takes milliseconds instead of seconds.

    For texts the drill wrote itself. It takes its time over each piece, so that blows fall into the midst of it.
    """

    def __init__(self, most: int, file: Path, *, memory_bytes: int, pause: tuple[float, float]) -> None:
        super().__init__(most, file, memory_bytes=memory_bytes)
        self._pause = pause

    async def _work(
        self,
        function: Callable[..., T],
        arguments: tuple[object, ...],
        seconds: float,
        memory_bytes: int | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> T:
        report = None if on_progress is None else threadsafe(asyncio.get_running_loop(), on_progress)
        given = {} if report is None else {"progress": report}
        await asyncio.to_thread(time.sleep, random.uniform(*self._pause))
        return await asyncio.to_thread(function, *arguments, **given)


def calls_in(file: Path) -> Counter[tuple[str, str]]:
    """How often each provider function was asked about each content."""
    if not file.exists():
        return Counter()
    lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return Counter((line["call"], line["content"]) for line in lines)


def _digest(arguments: tuple[object, ...]) -> str:
    """What was asked about: a file by its bytes, for the two copies keep theirs at different places."""
    told = hashlib.sha256()
    for argument in arguments:
        is_file = isinstance(argument, str) and argument.startswith("/") and Path(argument).is_file()
        told.update(
            Path(str(argument)).read_bytes() if is_file else repr(argument).encode("utf-8", "replace")
        )
    return told.hexdigest()[:32]
