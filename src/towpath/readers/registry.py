"""Table of reader functions by media type."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from towpath.model.content import Extraction

if TYPE_CHECKING:
    from towpath.readers.ocr.recognizers import RecognizedBatch

_OFFICE = "application/vnd.openxmlformats-officedocument"
# Values are ``module:function`` under ``towpath.readers``, imported on first use: a child process that
# reads text does not load the PDF libraries.
_OCR_READERS: Mapping[str, str] = {
    "application/pdf": "pdf.reader:read_pdf",
    **{f"image/{kind}": "images.reader:read_image" for kind in ("png", "jpeg", "tiff", "webp", "gif", "bmp")},
}
# Functions that recognize one batch of scanned pages, by the reader of the file.
_PAGE_RECOGNIZERS: Mapping[str, str] = {
    "pdf.reader:read_pdf": "pdf.reader:recognize_pdf_pages",
    "images.reader:read_image": "images.reader:recognize_frames",
}
_READERS: Mapping[str, str] = {
    **_OCR_READERS,
    "application/epub+zip": "epub.reader:read_epub",
    f"{_OFFICE}.wordprocessingml.document": "office.docx.reader:read_docx",
    f"{_OFFICE}.presentationml.presentation": "office.pptx.reader:read_pptx",
    f"{_OFFICE}.spreadsheetml.sheet": "office.xlsx.reader:read_xlsx",
    "text/html": "html.reader:read_html",
    "text/markdown": "text.reader:read_markdown",
    "text/plain": "text.reader:read_text",
    "text/csv": "text.csv_reader:read_csv",
    "text/tab-separated-values": "text.csv_reader:read_csv",
    "message/rfc822": "mail.reader:read_mail",
    "application/x-ole-storage": "office.ole:read_ole",
}


def uses_ocr(media_type: str) -> bool:
    """True if the reader of this type takes OCR settings as the keyword argument ``ocr``."""
    return media_type in _OCR_READERS


def find_reader(media_type: str) -> Callable[..., Extraction] | None:
    """The reader function of this type, called with the path and a progress callback; None if unsupported."""
    target = _READERS.get(media_type)
    return None if target is None else _load(target)


def find_page_recognizer(media_type: str) -> Callable[..., RecognizedBatch]:
    """The function that recognizes one batch of pages of a type that `uses_ocr`."""
    return _load(_PAGE_RECOGNIZERS[_OCR_READERS[media_type]])


def _load(target: str) -> Any:
    module, function = target.split(":")
    return getattr(importlib.import_module(f"towpath.readers.{module}"), function)
