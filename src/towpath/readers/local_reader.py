"""Reads documents on this machine in a child process: the local implementation of the reader capability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from towpath.errors import Rejected
from towpath.model.codec import EncodedExtraction, encode_extraction
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.process_runner import ProcessRunner, Progress
from towpath.readers.ocr.settings import (
    LanguageData,
    OcrSettings,
    find_language_data,
    ocr_unavailable,
    unavailable_reason,
)
from towpath.readers.registry import find_page_recognizer, find_reader, uses_ocr

T = TypeVar("T")

#: Increase it when the same bytes are read differently, so that cached answers are not reused.
VERSION = "1"


@dataclass(frozen=True, slots=True)
class LocalReader:
    """Reads a file in a child process with limits of memory and time."""

    runner: ProcessRunner
    ocr: OcrSettings
    #: Longest time without progress: OCR of one page takes seconds, and each page is reported.
    seconds: float = 120.0
    provider: str = "local"
    model: str = f"reader-{VERSION}"

    def parameters(self, media_type: str) -> Mapping[str, str]:
        """The inputs besides the file that decide the result; part of the cache key."""
        if not uses_ocr(media_type):
            return {"media_type": media_type}
        return {"media_type": media_type, "ocr": f"{self.ocr.enabled} {self.ocr.languages}"}

    async def read(self, path: Path, media_type: str, on_progress: Progress) -> EncodedExtraction | PagePlan:
        """The extraction of the file; for a long scan the plan of its batches."""
        return await self._run(read_or_plan, path, media_type, on_progress=on_progress)

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

    async def _run(
        self,
        function: Callable[..., T],
        path: Path,
        media_type: str,
        *arguments: object,
        on_progress: Progress,
    ) -> T:
        return await self.runner.run(
            function,
            str(path),
            media_type,
            self.ocr,
            *arguments,
            seconds=self.seconds,
            on_progress=on_progress,
        )


def read_file(
    path: str, media_type: str, ocr: OcrSettings, progress: Progress, **options: object
) -> EncodedExtraction:
    """The extraction of one file as JSON, read in one pass. Runs in a child process, as all functions below."""
    reader = find_reader(media_type)
    if reader is None:
        raise Rejected("unsupported", f"Files of the type {media_type} cannot be read.")
    ocr_options = {"ocr": ocr, **options} if uses_ocr(media_type) else {}
    return encode_extraction(reader(Path(path), progress, **ocr_options))


def read_or_plan(
    path: str, media_type: str, ocr: OcrSettings, progress: Progress
) -> EncodedExtraction | PagePlan:
    """The extraction of one file; if many pages need OCR, the plan of their batches."""
    if not uses_ocr(media_type):
        return read_file(path, media_type, ocr, progress)
    # A child process that reads text does not load the PDF libraries.
    from towpath.readers.ocr.recognizers import BatchesNeeded, PlanningOcr

    try:
        return read_file(path, media_type, ocr, progress, recognizer=PlanningOcr)
    except BatchesNeeded as needed:
        return needed.plan


def recognize_batch(
    path: str,
    media_type: str,
    ocr: OcrSettings,
    batch: PageBatch,
    previous: bytes | None,
    progress: Progress,
) -> bytes:
    """The recognized pages of one batch as JSON."""
    from towpath.readers.ocr.page_ocr import OcrState
    from towpath.readers.ocr.recognizers import decode_batch, encode_batch

    data = find_language_data(ocr)
    if data is None:
        raise ocr_unavailable("file", unavailable_reason(ocr))
    state = OcrState() if previous is None else decode_batch(previous).state
    recognize = find_page_recognizer(media_type)
    return encode_batch(recognize(Path(path), progress, batch, data, state))


def assemble(
    path: str, media_type: str, ocr: OcrSettings, batches: list[bytes], progress: Progress
) -> EncodedExtraction:
    """The extraction of a long scan: the same as in one pass, with the recognized pages of ``batches``."""
    from towpath.readers.ocr.recognizers import RecognizedPages

    recognized = RecognizedPages(batches)

    def recognizer(_: LanguageData) -> RecognizedPages:
        return recognized

    return read_file(path, media_type, ocr, progress, recognizer=recognizer)
