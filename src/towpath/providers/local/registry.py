"""Which local reader reads which type, and the reader that stages are given."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.model.encode import dump_extraction
from towpath.providers.contract import Answer
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.runner import Progress, Runner

#: Raised whenever the same bytes would be read differently: old answers are then not reused.
VERSION = "1"

_OFFICE = "application/vnd.openxmlformats-officedocument"
_WITH_OCR: Mapping[str, str] = {
    "application/pdf": "pdf.read:read_pdf",
    **{f"image/{kind}": "images:read_image" for kind in ("png", "jpeg", "tiff", "webp", "gif", "bmp")},
}
_PLAIN: Mapping[str, str] = {
    "application/epub+zip": "epub.reader:read_epub",
    f"{_OFFICE}.wordprocessingml.document": "docx.reader:read_docx",
    f"{_OFFICE}.presentationml.presentation": "pptx.reader:read_pptx",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx.reader:read_xlsx",
    "text/html": "html:read_html",
    "text/markdown": "text:read_markdown",
    "text/plain": "text:read_text",
    "text/csv": "csv:read_csv",
    "text/tab-separated-values": "csv:read_csv",
    "message/rfc822": "mail.reader:read_mail",
    "application/x-ole-storage": "ole:read_ole",
}


@dataclass(frozen=True, slots=True)
class LocalReader:
    """Reads on this machine, in a child process with caps of memory and time."""

    runner: Runner
    ocr: OcrSettings
    #: Longest silence: a page by OCR takes seconds, and every page is reported.
    seconds: float = 120.0
    provider: str = "local"
    model: str = f"reader-{VERSION}"

    def parameters(self, media_type: str) -> Mapping[str, str]:
        if media_type not in _WITH_OCR:
            return {"media_type": media_type}
        return {"media_type": media_type, "ocr": f"{self.ocr.enabled} {self.ocr.languages}"}

    async def read(self, path: Path, media_type: str, on_progress: Progress) -> Answer:
        body = await self.runner.run(
            read_file, str(path), media_type, self.ocr, seconds=self.seconds, on_progress=on_progress
        )
        return Answer(body, {"bytes": float(len(body))})


def read_file(path: str, media_type: str, ocr: OcrSettings, progress: Progress) -> bytes:
    """Runs in a child: the JSON of the Extraction of one file."""
    if media_type in _WITH_OCR:
        return dump_extraction(_reader(_WITH_OCR[media_type])(Path(path), progress, ocr=ocr))
    if media_type in _PLAIN:
        return dump_extraction(_reader(_PLAIN[media_type])(Path(path), progress))
    raise Rejected("unsupported", f"Files of the type {media_type} cannot be read.")


def _reader(place: str) -> Callable[..., Extraction]:
    module, name = place.split(":")
    return getattr(importlib.import_module(f"towpath.providers.local.{module}"), name)
