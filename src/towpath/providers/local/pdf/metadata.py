"""Title, authors and dates of a PDF, from its info dictionary or else from its XMP packet."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from towpath.providers.local.pdf.pages import clean

_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?'?)?.*", re.DOTALL
)
# What programs write when nobody gave a title or a name.
_NOTHING = {"untitled", "anonymous", "unspecified", "unknown", "(anonymous)", "(unspecified)"}
_NAMES = {"Title": "title", "Author": "authors", "Producer": "producer"}
_DATES = {"CreationDate": "created", "ModDate": "modified"}
_XMP = {
    "title": "dc:title",
    "authors": "dc:creator",
    "producer": "pdf:Producer",
    "created": "xmp:CreateDate",
    "modified": "xmp:ModifyDate",
}
_LONGEST = 1000
_LARGEST = 200_000_000


def metadata(info: Mapping[str, str], path: Path, pages: int) -> dict[str, str]:
    """What the file says of itself, and its number of pages."""
    found = {name: _told(info.get(key, "")) for key, name in _NAMES.items()}
    found |= {name: iso_date(info.get(key, "")) for key, name in _DATES.items()}
    if not found["title"] or not found["authors"]:
        for name, value in _xmp(path).items():
            found[name] = found[name] or value
    return {name: value for name, value in found.items() if value} | {"page_count": str(pages)}


def _told(text: str) -> str:
    text = " ".join(clean(text).split())[:_LONGEST]
    return "" if text.casefold() in _NOTHING else text


def iso_date(text: str) -> str:
    """A PDF date such as ``D:20221217024144-00'00'`` as ISO 8601, as exactly as it is given."""
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


def _xmp(path: Path) -> dict[str, str]:
    if not _may_name_itself(path):
        return {}
    import pikepdf

    try:
        # Not mended here: a file PDFium could open but qpdf cannot simply has no XMP for us.
        with pikepdf.open(path, attempt_recovery=False, suppress_warnings=True) as document:
            opened = document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False, strict=True)
            packet = cast(Mapping[str, object], opened)
            return {name: _xmp_text(packet.get(key)) for name, key in _XMP.items()}
    except Exception:  # a packet may be malformed in any way; the document is still read
        return {}


def _may_name_itself(path: Path) -> bool:
    """Packets are kept readable on purpose; where none names a title, opening the file again is spared."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if len(content) > _LARGEST:
            return False
        return content.find(b"<dc:title") >= 0 or content.find(b"<dc:creator") >= 0


def _xmp_text(value: object) -> str:
    if isinstance(value, list | set):
        value = ", ".join(map(str, cast(Iterable[object], value)))
    return _told(value) if isinstance(value, str) else ""
