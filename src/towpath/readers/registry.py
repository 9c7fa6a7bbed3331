"""Finds the reader function for a media type."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from towpath.model.content import Extraction
from towpath.model.media_type_parameters import WEB_PAGES
from towpath.model.plugin_reader import OwnReader
from towpath.plugins import own_reader

if TYPE_CHECKING:
    from towpath.readers.ocr.batched_ocr import RecognizedBatch

_OFFICE = "application/vnd.openxmlformats-officedocument"
# Values are ``module:function`` under ``towpath.readers``, imported on first use: a child process that
# reads text does not load the PDF libraries.
_OCR_READERS: Mapping[str, str] = {
    "application/pdf": "pdf.reader:read_pdf",
    **{
        f"image/{kind}": "images.reader:read_image"
        for kind in ("png", "jpeg", "tiff", "webp", "gif", "bmp", "heic")
    },
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
    "application/mbox": "mail.mbox_reader:read_mbox",
    "application/zip": "archive.zip_reader:read_zip",
    "application/x-mimearchive": "mail.mhtml_reader:read_mhtml",
    "application/vnd.ms-outlook": "mail.msg_reader:read_msg",
    "application/vnd.oasis.opendocument.text": "opendocument.reader:read_odt",
    "application/vnd.oasis.opendocument.presentation": "opendocument.reader:read_odp",
    "application/vnd.oasis.opendocument.spreadsheet": "office.ods_xls_reader:read_ods",
    "application/vnd.ms-excel": "office.ods_xls_reader:read_xls",
    "application/msword": "office.doc.reader:read_doc",
    "application/vnd.ms-powerpoint": "office.ppt.reader:read_ppt",
    "application/x-ole-storage": "office.reject_ole:read_ole",
    "application/rtf": "rtf.reader:read_rtf",
    "application/x-fictionbook+xml": "fb2.reader:read_fb2",
    "application/json": "structured_text.reader:read_json",
    "application/x-ipynb+json": "structured_text.reader:read_notebook",
    "application/xml": "structured_text.reader:read_xml",
    "application/yaml": "structured_text.reader:read_yaml",
    "text/x-tex": "latex.reader:read_latex",
    "application/x-subrip": "subtitles.reader:read_subtitles",
    "text/vtt": "subtitles.reader:read_subtitles",
}


def has_full_text(media_type: str) -> bool:
    """True if the reader of this type chooses the main content unless it is called with ``full_text``."""
    return media_type in WEB_PAGES


def uses_ocr(media_type: str) -> bool:
    """True if the reader of this type takes OCR settings as the keyword argument ``ocr``."""
    return media_type in _OCR_READERS


def find_reader(media_type: str) -> Callable[..., Extraction] | None:
    """The reader function of this type, called with the path and a progress callback; None if unsupported."""
    target = _READERS.get(media_type)
    if target is not None:
        return _load(target)
    own = own_reader(media_type)
    return None if own is None else partial(_read_with, own)


def is_shipped(media_type: str) -> bool:
    """True if Towpath reads this type itself."""
    return media_type in _READERS


def _read_with(own: OwnReader, path: Path, progress: Callable[[int, int], None]) -> Extraction:
    read = own.function(path, progress)
    if isinstance(read, Extraction):
        return read
    if isinstance(read, str):  # pyright: ignore[reportUnnecessaryIsInstance]  (packages need not be type-checked)
        return Extraction(read, f"{own.package} {own.version}".strip())
    raise TypeError(
        f"The reader of {own.media_type} ({own.package}) returned {type(read).__name__}, not markdown."
    )


def find_page_recognizer(media_type: str) -> Callable[..., RecognizedBatch]:
    """The function that recognizes one batch of pages of a type that `uses_ocr`."""
    return _load(_PAGE_RECOGNIZERS[_OCR_READERS[media_type]])


def _load(target: str) -> Any:
    module, function = target.split(":")
    return getattr(importlib.import_module(f"towpath.readers.{module}"), function)
