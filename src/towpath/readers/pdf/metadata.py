"""Reads title, authors and dates of a PDF from its info dictionary, or from its XMP packet."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from towpath.readers.pdf.page_model import normalize_text

_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?'?)?.*", re.DOTALL
)
# Placeholders that programs write if there is no title or author.
_PLACEHOLDERS = {"untitled", "anonymous", "unspecified", "unknown", "(anonymous)", "(unspecified)"}
_TEXT_FIELDS = {"Title": "title", "Author": "authors", "Producer": "producer"}
_DATE_FIELDS = {"CreationDate": "created", "ModDate": "modified"}
_XMP_FIELDS = {
    "title": "dc:title",
    "authors": "dc:creator",
    "producer": "pdf:Producer",
    "created": "xmp:CreateDate",
    "modified": "xmp:ModifyDate",
}
_MAX_VALUE_LENGTH = 1000
_MAX_SCANNED_BYTES = 200_000_000


def read_metadata(info: Mapping[str, str], path: Path, page_count: int) -> dict[str, str]:
    """The metadata of the file, and its number of pages."""
    values = {name: _clean_value(info.get(key, "")) for key, name in _TEXT_FIELDS.items()}
    values |= {name: iso_date(info.get(key, "")) for key, name in _DATE_FIELDS.items()}
    if not values["title"] or not values["authors"]:
        for name, value in _read_xmp(path).items():
            values[name] = values[name] or value
    return {name: value for name, value in values.items() if value} | {"page_count": str(page_count)}


def _clean_value(text: str) -> str:
    text = " ".join(normalize_text(text).split())[:_MAX_VALUE_LENGTH]
    return "" if text.casefold() in _PLACEHOLDERS else text


def iso_date(text: str) -> str:
    """A PDF date such as ``D:20221217024144-00'00'`` as ISO 8601 with the same precision."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return ""
    year, month, day, hour, minute, second, zulu, sign, zone_hour, zone_minute = match.groups()
    if not (1 <= int(month or 1) <= 12 and 1 <= int(day or 1) <= 31 and int(hour or 0) < 25):
        return ""
    date = "-".join(part for part in (year, month, day) if part)
    if day is None or hour is None:
        return date
    zone = "Z" if zulu else f"{sign}{zone_hour}:{zone_minute or '00'}" if sign else ""
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{zone}"


def _read_xmp(path: Path) -> dict[str, str]:
    if not _has_xmp_title(path):
        return {}
    import pikepdf

    try:
        # Without recovery: if qpdf cannot open a file that PDFium opened, its XMP is ignored.
        with pikepdf.open(path, attempt_recovery=False, suppress_warnings=True) as document:
            xmp = document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False, strict=True)
            packet = cast(Mapping[str, object], xmp)
            return {name: _xmp_text(packet.get(key)) for name, key in _XMP_FIELDS.items()}
    except Exception:  # a malformed packet must not stop the reading of the document
        return {}


def _has_xmp_title(path: Path) -> bool:
    """True if an XMP packet in the file has a title or author. Packets are plain text, so a scan is enough."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if len(content) > _MAX_SCANNED_BYTES:
            return False
        return content.find(b"<dc:title") >= 0 or content.find(b"<dc:creator") >= 0


def _xmp_text(value: object) -> str:
    if isinstance(value, list | set):
        value = ", ".join(map(str, cast(Iterable[object], value)))
    return _clean_value(value) if isinstance(value, str) else ""
