"""An append-only file with every provider call that was really made; no crash can remove a line."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from towpath.process_runner import plain_arguments
from towpath.providers.local.embeddings.fast import embed_fast
from towpath.stages.embed import BRIEF_TEXTS
from towpath.worker.process_pool import ProcessPool, report_from_thread

T = TypeVar("T")


class CallLog:
    """Appends one line per provider call to a file."""

    def __init__(self, file: Path) -> None:
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        """Log the call if the function is one of a provider or a reader.

        A few texts are embedded by the call that reads their document, unless another process continues with it.
        It depends on time whether they are a call of their own, so that is not logged; it costs nothing.
        """
        if function is embed_fast and len(cast("Sequence[str]", arguments[0])) <= BRIEF_TEXTS:
            return
        if function.__module__.startswith(("towpath.providers.", "towpath.readers.")):
            # One write for each line: whole or not at all, even under SIGKILL.
            line = {"call": function.__name__, "content": _digest(arguments), "pid": os.getpid()}
            os.write(self._handle, json.dumps(line).encode() + b"\n")


class OwnCallLog:
    """Logs the calls of own stages: those inside of `Context.once`, and stages that make calls outside of it."""

    def __init__(self, call_log: Path, unremembered_log: Path) -> None:
        self._calls = os.open(call_log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._unremembered = os.open(unremembered_log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def call_made(self, call: str, key: str) -> None:
        line = {"call": call, "content": key, "pid": os.getpid()}
        os.write(self._calls, json.dumps(line).encode() + b"\n")

    def unremembered_call(self, stage: str, document_id: str) -> None:
        line = {"call": stage, "content": document_id, "pid": os.getpid()}
        os.write(self._unremembered, json.dumps(line).encode() + b"\n")


class LoggingProcessPool(ProcessPool):
    """Writes every provider call to the log before it runs in a child process as usual."""

    def __init__(self, size: int, file: Path, *, memory_bytes: int) -> None:
        super().__init__(size, memory_bytes=memory_bytes)
        self._log = CallLog(file)

    async def run(self, function: Callable[..., T], *arguments: object, **limits: Any) -> T:
        self._log.write(function, arguments)
        return await super().run(function, *arguments, **limits)


class InThreadPool(ProcessPool):
    """Runs the work in a thread of the worker: such a worker starts in milliseconds instead of seconds.

    For trusted sample documents only. A random pause before each call lets faults hit the middle of the work.
    """

    def __init__(self, size: int, file: Path, *, pause: tuple[float, float]) -> None:
        super().__init__(size)
        self._log = CallLog(file)
        self._pause = pause

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        on_progress: Callable[[int, int], None] | None = None,
        **_limits: Any,
    ) -> T:
        self._log.write(function, arguments)
        keywords: dict[str, Any] = {}
        if on_progress is not None:
            keywords["progress"] = report_from_thread(asyncio.get_running_loop(), on_progress)
        await asyncio.to_thread(time.sleep, random.uniform(*self._pause))
        return await asyncio.to_thread(function, *plain_arguments(arguments), **keywords)


def count_calls(file: Path) -> Counter[tuple[str, str]]:
    """How often each provider function was called for each content."""
    if not file.exists():
        return Counter()
    lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return Counter((line["call"], line["content"]) for line in lines)


def _digest(arguments: tuple[object, ...]) -> str:
    """A digest of the arguments. A file counts by its bytes: each instance stores it at another path."""
    digest = hashlib.sha256()
    for argument in plain_arguments(arguments):
        is_file = isinstance(argument, str) and argument.startswith("/") and Path(argument).is_file()
        digest.update(
            Path(str(argument)).read_bytes() if is_file else repr(argument).encode("utf-8", "replace")
        )
    return digest.hexdigest()[:32]
