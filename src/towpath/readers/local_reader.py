"""Reads documents on this machine in a child process: the local implementation of the reader capability."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from towpath.errors import Rejected
from towpath.model.codec import EncodedExtraction, encode_extraction
from towpath.model.document import ContainedFile
from towpath.model.media_type_parameters import FULL_TEXT
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.plugins import own_reader
from towpath.process_runner import (
    ChildAborted,
    ChildOutOfMemory,
    ChildTimeout,
    Continuation,
    InputFile,
    OutputFile,
    ProcessRunner,
    Progress,
)
from towpath.readers.contained_files import has_members, write_members
from towpath.readers.ocr.settings import (
    OcrEngines,
    OcrSettings,
    find_engines,
    ocr_unavailable,
    unavailable_reason,
)
from towpath.readers.reading_limits import budget_of, reject_unreadable, rejection_of
from towpath.readers.registry import find_page_recognizer, find_reader, has_full_text, uses_ocr

T = TypeVar("T")

log = logging.getLogger(__name__)

#: Increase it when the same bytes are read differently, so that cached answers are not reused.
VERSION = "5"


@dataclass(frozen=True, slots=True)
class LocalReader:
    """Reads a file in a child process with limits of memory and time."""

    runner: ProcessRunner
    ocr: OcrSettings
    #: Longest time without progress: OCR of one page takes seconds, and each page is reported.
    seconds: float = 120.0
    #: CPU seconds for one page.
    page_cpu_seconds: float = 15.0
    provider: str = "local"
    model: str = f"reader-{VERSION}"

    def parameters(self, media_type: str) -> Mapping[str, str]:
        """The inputs besides the file that decide the result; part of the cache key."""
        if (own := own_reader(media_type)) is not None:
            return {"media_type": media_type, "package": own.package, "version": str(own.version)}
        if not uses_ocr(media_type):
            return {"media_type": media_type}
        return {"media_type": media_type, "ocr": f"{self.ocr.engine} {self.ocr.languages}"}

    async def read_and_continue(
        self, path: Path, media_type: str, then: Continuation | None, on_progress: Progress
    ) -> tuple[EncodedExtraction | PagePlan, object]:
        """The extraction, and what ``then`` makes of it; for a long scan the plan of its batches, and None."""
        reading, continued = await self._run(
            read_and_continue, path, media_type, then, on_progress=on_progress
        )
        return reading if isinstance(reading, PagePlan) else EncodedExtraction(*reading), continued

    async def recognize(
        self, path: Path, media_type: str, batch: PageBatch, previous: bytes | None, on_progress: Progress
    ) -> bytes:
        """The recognized pages of one batch; ``previous`` is the answer for the batch before it."""
        return await self._run(recognize_batch, path, media_type, batch, previous, on_progress=on_progress)

    async def assemble(
        self, path: Path, media_type: str, batches: Sequence[bytes], on_progress: Progress
    ) -> EncodedExtraction:
        """The extraction of a long scan whose batches are recognized."""
        return await self._run(assemble, path, media_type, list(batches), on_progress=on_progress)

    def has_members(self, media_type: str) -> bool:
        """True for mails, mailboxes and archives, which may contain other files."""
        return has_members(media_type)

    async def write_members(
        self, path: Path, media_type: str, target: Path, max_count: int, on_progress: Progress
    ) -> list[ContainedFile]:
        """Write the files inside this file to ``target``, one after the other; more than ``max_count`` reject it."""
        try:
            return await self.runner.run(
                write_members,
                InputFile(path),
                media_type,
                OutputFile(target),
                max_count,
                seconds=self.seconds,
                on_progress=on_progress,
                budget=budget_of(path, self.page_cpu_seconds),
            )
        except (ChildTimeout, ChildOutOfMemory, ChildAborted) as error:
            raise rejection_of(error) or error from error

    async def _run(
        self,
        function: Callable[..., T],
        path: Path,
        media_type: str,
        *arguments: object,
        on_progress: Progress,
    ) -> T:
        try:
            return await self.runner.run(
                function,
                InputFile(path),
                media_type,
                self.ocr,
                *arguments,
                seconds=self.seconds,
                on_progress=on_progress,
                budget=budget_of(path, self.page_cpu_seconds, ocr_pages=uses_ocr(media_type)),
            )
        except (ChildTimeout, ChildOutOfMemory, ChildAborted) as error:
            raise rejection_of(error) or error from error


def read_file(
    path: str, media_type: str, ocr: OcrSettings, progress: Progress, **options: object
) -> EncodedExtraction:
    """The extraction of one file as JSON, read in one pass. Runs in a child process, as all functions below."""
    media_type, _, parameter = media_type.partition(";")
    reader = find_reader(media_type)
    if reader is None:
        raise Rejected("unsupported", f"Files of the type {media_type} cannot be read.")
    reader_options: dict[str, object] = {"ocr": ocr, **options} if uses_ocr(media_type) else {}
    if parameter == FULL_TEXT and has_full_text(media_type):
        reader_options["full_text"] = True
    return encode_extraction(reader(Path(path), progress, **reader_options))


@reject_unreadable
def read_or_plan(
    path: str, media_type: str, ocr: OcrSettings, progress: Progress
) -> EncodedExtraction | PagePlan:
    """The extraction of one file; if many pages need OCR, the plan of their batches."""
    if not uses_ocr(media_type):
        return read_file(path, media_type, ocr, progress)
    # A child process that reads text does not load the PDF libraries.
    from towpath.readers.ocr.batched_ocr import BatchesNeeded, PlanningOcr

    try:
        return read_file(path, media_type, ocr, progress, recognizer=PlanningOcr)
    except BatchesNeeded as needed:
        return needed.plan


def read_and_continue(
    path: str, media_type: str, ocr: OcrSettings, then: Continuation | None, progress: Progress
) -> tuple[tuple[bytes, bytes] | PagePlan, object]:
    """The extraction of one file and the result of ``then``, as plain values: the parent decodes these faster."""
    reading = read_or_plan(path, media_type, ocr, progress)
    if isinstance(reading, PagePlan):
        return reading, None
    if then is None:
        return (reading.extraction, reading.markdown), None
    try:
        continued = then(reading)
    except Exception:
        # The file was read. The stage that needs the result computes it again, and its error is the one that counts.
        log.warning("%s failed", then.name, exc_info=True)
        continued = None
    return (reading.extraction, reading.markdown), continued


@reject_unreadable
def recognize_batch(
    path: str,
    media_type: str,
    ocr: OcrSettings,
    batch: PageBatch,
    previous: bytes | None,
    progress: Progress,
) -> bytes:
    """The recognized pages of one batch as JSON."""
    from towpath.readers.ocr.batched_ocr import decode_batch, encode_batch
    from towpath.readers.ocr.state import OcrState

    engines = find_engines(ocr)
    if engines is None:
        raise ocr_unavailable("file", unavailable_reason(ocr))
    state = OcrState() if previous is None else decode_batch(previous).state
    recognize = find_page_recognizer(media_type)
    return encode_batch(recognize(Path(path), progress, batch, engines, state))


@reject_unreadable
def assemble(
    path: str, media_type: str, ocr: OcrSettings, batches: list[bytes], progress: Progress
) -> EncodedExtraction:
    """The extraction of a long scan: the same as in one pass, with the recognized pages of ``batches``."""
    from towpath.readers.ocr.batched_ocr import RecognizedPages

    recognized = RecognizedPages(batches)

    def recognizer(_: OcrEngines) -> RecognizedPages:
        return recognized

    return read_file(path, media_type, ocr, progress, recognizer=recognizer)
