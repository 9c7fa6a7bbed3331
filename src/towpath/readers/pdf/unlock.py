"""Opens PDFs that need a password. Its functions run in a child process."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from towpath import rejections
from towpath.process_runner import (
    ChildAborted,
    ChildOutOfMemory,
    ChildTimeout,
    InputFile,
    OutputFile,
    ProcessRunner,
)
from towpath.readers.reading_limits import budget_of, reject_unreadable, rejection_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PikepdfUnlocker:
    """Implements `PdfUnlocker` with qpdf, which reports missing passwords reliably."""

    runner: ProcessRunner
    scratch: Path
    page_cpu_seconds: float = 15.0
    seconds: float = 120.0

    async def is_locked(self, path: Path) -> bool:
        return await self._run(is_locked, path)

    @asynccontextmanager
    async def unlocked_copy(self, path: Path, password: str) -> AsyncGenerator[Path | None]:
        with TemporaryDirectory(dir=self.scratch, prefix="unlocked-") as folder:
            copy = Path(folder) / "unlocked.pdf"
            yield copy if await self._run(unlock, path, OutputFile(copy), password) else None

    async def _run(self, function: Callable[..., T], path: Path, *arguments: object) -> T:
        try:
            return await self.runner.run(
                function,
                InputFile(path),
                *arguments,
                seconds=self.seconds,
                budget=budget_of(path, self.page_cpu_seconds),
            )
        except (ChildTimeout, ChildOutOfMemory, ChildAborted) as error:
            raise rejection_of(error) or error from error


@reject_unreadable
def is_locked(path: str) -> bool:
    """Whether the PDF does not open without a password."""
    import pikepdf

    try:
        with warnings.catch_warnings(action="ignore"), pikepdf.open(path):
            return False
    except pikepdf.PasswordError:
        return True
    except pikepdf.PdfError:
        return False


@reject_unreadable
def unlock(path: str, target: str, password: str) -> bool:
    """Write the PDF without its password to ``target``; False if it opens without one or is damaged."""
    import pikepdf

    if not is_locked(path):
        return False
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            pikepdf.open(path, password=password) as document,
            # Opened here: given a path, pikepdf writes a temporary file beside it, which the sandbox refuses.
            open(target, "wb") as copy,
        ):
            document.save(copy, encryption=False)
    except pikepdf.PasswordError:
        # Without the cause: its text is not ours, and nothing about the password belongs into an error.
        raise rejections.wrong_password() from None
    except pikepdf.PdfError:
        return False
    return True
