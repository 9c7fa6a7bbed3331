"""The contract for running one function in a child process with limits on time and memory."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from towpath.errors import TowpathError

T = TypeVar("T")
Progress = Callable[[int, int], None]


class ChildCrashed(TowpathError):
    """The child process died during a job."""


class ChildAborted(ChildCrashed):
    """A library in the child process gave up (SIGABRT), mostly because it got no memory."""


class ChildKilled(TowpathError):
    """The child process was killed from outside, and not because memory ran out: the job is not at fault."""


class ChildTimeout(TowpathError):
    """The child process exceeded its time limit and was killed."""


class ChildOverBudget(ChildTimeout):
    """The child process used more CPU time than the job may use."""


class ChildOutOfMemory(TowpathError):
    """The child process exceeded its limit of memory, or of the size of its answer."""


@dataclass(frozen=True, slots=True)
class CpuBudget:
    """CPU seconds of a job: between two reports of progress, and in total. Waiting costs nothing."""

    step_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True)
class WorkOrigin:
    """The document that work is done for. One that has failed before may not use the last child process."""

    document_id: str
    has_failed: bool = False


#: The document of the current task; the executor of a job sets it.
work_origin: ContextVar[WorkOrigin | None] = ContextVar("work_origin", default=None)


@dataclass(frozen=True, slots=True)
class InputFile:
    """An argument that the child gets as an open file: the function receives a path that reads it, as text."""

    path: Path


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that the child writes. It appears at ``path`` when the function has returned."""

    path: Path


@dataclass(frozen=True, slots=True)
class Continuation:
    """A module-level function that a child process calls with the result of another one, and its other arguments."""

    module: str
    name: str
    arguments: tuple[object, ...]

    @classmethod
    def of(cls, function: Callable[..., object], *arguments: object) -> Continuation:
        return cls(function.__module__, function.__qualname__, arguments)

    def __call__(self, result: object) -> object:
        return getattr(importlib.import_module(self.module), self.name)(result, *self.arguments)


def plain_arguments(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The arguments for a function that runs in this process: files as their paths."""
    return tuple(
        str(argument.path) if isinstance(argument, InputFile | OutputFile) else argument
        for argument in arguments
    )


class ProcessRunner(Protocol):
    """Runs a module-level function in a child process. `worker/process_pool.py` implements it."""

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        on_progress: Progress | None = None,
        budget: CpuBudget | None = None,
    ) -> T:
        """Call ``function(*arguments)``. The child is killed if it sends nothing for ``seconds`` seconds, or if it
        uses more CPU time than its ``budget``.
        """
        ...
