"""Shows the progress of `towpath submit`: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn

from towpath.cli.status_text import progress_text
from towpath.cli.text_format import duration

#: Files whose stage is shown at the same time.
MAX_BARS = 12
#: Seconds between two lines when the output is not a terminal.
LINE_SECONDS = 10.0


class SubmitProgress:
    """The counts of uploaded and processed files, on stderr; ``quiet`` shows nothing."""

    def __init__(self, *, quiet: bool, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, quiet=quiet)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[note]}"),
            console=self._console,
            transient=True,
            # Elsewhere than on a terminal, lines are printed instead.
            disable=quiet or not self._console.is_terminal,
        )
        self._quiet = quiet
        self._bars: dict[str, TaskID] = {}
        self._overall: TaskID | None = None
        self._verb, self._done, self._total = "", 0, 0
        self._started = self._printed = time.monotonic()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def announce(self, line: str) -> None:
        """Print a line at once, before the library is open or the server has answered."""
        if not self._quiet:
            click.echo(line, err=True)

    def begin(self, verb: str, total: int) -> None:
        """Start to count files that are ``verb``: uploaded, or processed."""
        self._verb, self._done, self._total = verb, 0, total
        self._started = self._printed = time.monotonic()
        if self._overall is not None:
            self._progress.remove_task(self._overall)
        self._overall = self._progress.add_task(verb, total=total, note=self.summary())

    def advance(self) -> None:
        """Count one more file."""
        self._done += 1
        assert self._overall is not None
        self._progress.update(self._overall, completed=self._done, note=self.summary())
        now = time.monotonic()
        if self._progress.disable and not self._quiet and now - self._printed >= LINE_SECONDS:
            self._printed = now
            click.echo(f"{self._verb}: {self.summary()}", err=True)

    def summary(self) -> str:
        """`37 of 60, about 2 min`: the remaining time at the speed so far."""
        counts = f"{self._done} of {self._total}"
        if self._done == 0 or self._done == self._total:
            return counts
        elapsed = time.monotonic() - self._started
        return f"{counts}, about {duration(elapsed / self._done * (self._total - self._done))}"

    def show_stage(self, document_id: str, name: str, status: dict[str, Any]) -> None:
        """Show the stage of a file that is being processed; remove its bar when no stage is PROCESSING."""
        stage = next((stage for stage in status["stages"] if stage["status"] == "PROCESSING"), None)
        if stage is None:
            if (bar := self._bars.pop(document_id, None)) is not None:
                self._progress.remove_task(bar)
            return
        label, progress = f"  {name[:40]} · {stage['label']}", stage["progress"]
        if document_id not in self._bars:
            if len(self._bars) >= MAX_BARS:
                return
            self._bars[document_id] = self._progress.add_task(label, total=1, note="")
        done, total = (0, 1) if progress is None else (progress["done"], progress["total"] or 1)
        self._progress.update(
            self._bars[document_id],
            description=label,
            completed=done,
            total=total,
            note=progress_text(progress),
        )
