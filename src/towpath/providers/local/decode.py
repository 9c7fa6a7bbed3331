"""Turns bytes of unknown encoding into text.

A byte order mark is believed first, then UTF-8 is tried, then what is declared; else it is guessed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from towpath.providers.local import markdown

_SAMPLE = 1 << 14
_MOST_GARBLED = 0.05
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
# Encodings of names, not of texts; some take time that grows with the square of the length.
_NOT_OF_TEXT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")
# What browsers take these names to mean: the Windows code page contains the ISO one.
_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str
    warning: str | None = None
    is_garbled: bool = False


def decode(content: bytes, declared: str | None = None) -> Decoded:
    """The text, free of control characters; a warning when some bytes could not be understood."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _decoded(content[len(bom) :], encoding)
    wide = _unmarked_utf16(content)
    if wide:
        return _decoded(content, wide)
    named = _known(declared)
    for encoding in ("utf-8", named):
        try:
            if encoding is not None:
                return _cleaned(content.decode(encoding), encoding)
        except (UnicodeDecodeError, ValueError):
            continue
    return _decoded(content, _guessed(content))


def declared_encoding(head: bytes) -> str | None:
    """The encoding that an HTML or XML head names, if any."""
    found = _DECLARED.search(head[:4096])
    return found[1].decode("ascii") if found else None


def _decoded(content: bytes, encoding: str) -> Decoded:
    return _cleaned(content.decode(encoding, "replace"), encoding)


def _cleaned(text: str, encoding: str) -> Decoded:
    cleaned = markdown.clean(text)
    lost = cleaned.count("\ufffd")
    warning = f"{lost} characters could not be read as {encoding} text." if lost else None
    # Line ends shrink too, so a text is garbled only when more is gone than they can explain.
    gone = len(text) - len(cleaned) - text.count("\r") + lost
    return Decoded(cleaned, encoding, warning, gone > len(text) * _MOST_GARBLED)


def _known(name: str | None) -> str | None:
    if not name:
        return None
    try:
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, ValueError):
        return None
    return None if found.replace("-", "_") in _NOT_OF_TEXT else _WIDER.get(found, found)


def _unmarked_utf16(content: bytes) -> str | None:
    """UTF-16 without a mark: its spaces and stops have a zero beside them, always on the same side."""
    sample = content[: _SAMPLE // 2 * 2]
    if 0 not in sample:
        return None
    pairs = list(zip(sample[0::2], sample[1::2], strict=False))
    little = sum(low and not high for low, high in pairs)
    big = sum(high and not low for low, high in pairs)
    zeros = sum(not low and not high for low, high in pairs)
    if (
        zeros * 100 > len(pairs)
        or max(little, big) * 12 < len(pairs)
        or min(little, big) * 4 > max(little, big)
    ):
        return None
    return "utf-16-le" if little > big else "utf-16-be"


def _guessed(content: bytes) -> str:
    # Imported here: its tables take over 50 ms to load and most files never need a guess.
    from charset_normalizer import from_bytes

    if _mostly_utf8(content):
        return "utf-8"
    best = from_bytes(_sample(content)).best()
    return _known(best.encoding if best else None) or "cp1252"


def _mostly_utf8(content: bytes) -> bool:
    """UTF-8 with a few broken bytes, such as a log cut in the middle of a letter."""
    sample = content[:_SAMPLE].decode("utf-8", "replace")
    good = sum(character > "\x7f" and character != "\ufffd" for character in sample)
    return good > 10 * sample.count("\ufffd")


def _sample(content: bytes) -> bytes:
    """A stretch around the first letters beyond ASCII, which are what tells encodings apart."""
    if len(content) <= _SAMPLE:
        return content
    first = next((found.start() for found in re.finditer(rb"[\x80-\xff]", content)), 0)
    start = max(0, first - _SAMPLE // 4)
    return content[start : start + _SAMPLE]
