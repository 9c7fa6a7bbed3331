"""Decodes bytes of unknown encoding.

Order: byte order mark, UTF-16 without a mark, UTF-8, the declared encoding, a guess by charset-normalizer.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from towpath.readers.common import markdown_writer

_SAMPLE_BYTES = 1 << 14
_MAX_GARBLED_SHARE = 0.05
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODING_DECLARATION = re.compile(
    rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE
)
# Codecs for names and literals, not for text; some take quadratic time.
_NON_TEXT_CODECS = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")
# As browsers read these names: the wider code page contains the named one.
_WIDER_CODEC = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Decoded text without control characters. ``is_garbled``: over 5 % of the characters were lost."""

    text: str
    encoding: str
    warning: str | None = None
    is_garbled: bool = False


def decode(content: bytes, declared: str | None = None) -> DecodedText:
    """Decode and remove control characters; the result has a warning if some bytes were undecodable."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _decode_lossy(content[len(bom) :], encoding)
    utf16 = _detect_unmarked_utf16(content)
    if utf16:
        return _decode_lossy(content, utf16)
    declared_codec = _text_codec(declared)
    for encoding in ("utf-8", declared_codec):
        try:
            if encoding is not None:
                return _clean_decoded(content.decode(encoding), encoding)
        except (UnicodeDecodeError, ValueError):
            continue
    return _decode_lossy(content, _guess_encoding(content))


def declared_encoding(head: bytes) -> str | None:
    """The encoding named in the first 4 KB of an HTML or XML file, if any."""
    match = _ENCODING_DECLARATION.search(head[:4096])
    return match[1].decode("ascii") if match else None


def _decode_lossy(content: bytes, encoding: str) -> DecodedText:
    return _clean_decoded(content.decode(encoding, "replace"), encoding)


def _clean_decoded(text: str, encoding: str) -> DecodedText:
    cleaned = markdown_writer.remove_control_characters(text)
    undecodable = cleaned.count("\ufffd")
    warning = f"{undecodable} characters could not be decoded as {encoding}." if undecodable else None
    # Normalized line ends also shorten the text, so they are not counted as lost characters.
    lost = len(text) - len(cleaned) - text.count("\r") + undecodable
    return DecodedText(cleaned, encoding, warning, lost > len(text) * _MAX_GARBLED_SHARE)


def _text_codec(name: str | None) -> str | None:
    """Python's name of the codec to use for a declared encoding; None if there is none for text."""
    if not name:
        return None
    try:
        codec = codecs.lookup(name).name
        "".encode(codec)
    except (LookupError, ValueError):
        return None
    return None if codec.replace("-", "_") in _NON_TEXT_CODECS else _WIDER_CODEC.get(codec, codec)


def _detect_unmarked_utf16(content: bytes) -> str | None:
    """Detects UTF-16 without a byte order mark: ASCII characters have a zero byte always on the same side."""
    sample = content[: _SAMPLE_BYTES // 2 * 2]
    if 0 not in sample:
        return None
    pairs = list(zip(sample[0::2], sample[1::2], strict=False))
    little_endian = sum(low and not high for low, high in pairs)
    big_endian = sum(high and not low for low, high in pairs)
    zeros = sum(not low and not high for low, high in pairs)
    if (
        zeros * 100 > len(pairs)
        or max(little_endian, big_endian) * 12 < len(pairs)
        or min(little_endian, big_endian) * 4 > max(little_endian, big_endian)
    ):
        return None
    return "utf-16-le" if little_endian > big_endian else "utf-16-be"


def _guess_encoding(content: bytes) -> str:
    # Imported late: its tables take over 50 ms to load and most files need no guess.
    from charset_normalizer import from_bytes

    if _is_mostly_utf8(content):
        return "utf-8"
    best_match = from_bytes(_sample_around_non_ascii(content)).best()
    return _text_codec(best_match.encoding if best_match else None) or "cp1252"


def _is_mostly_utf8(content: bytes) -> bool:
    """True for UTF-8 with a few broken bytes, such as a log cut in the middle of a character."""
    sample = content[:_SAMPLE_BYTES].decode("utf-8", "replace")
    decoded = sum(character > "\x7f" and character != "\ufffd" for character in sample)
    return decoded > 10 * sample.count("\ufffd")


def _sample_around_non_ascii(content: bytes) -> bytes:
    """Bytes around the first non-ASCII byte: only non-ASCII bytes distinguish encodings."""
    if len(content) <= _SAMPLE_BYTES:
        return content
    first = next((match.start() for match in re.finditer(rb"[\x80-\xff]", content)), 0)
    start = max(0, first - _SAMPLE_BYTES // 4)
    return content[start : start + _SAMPLE_BYTES]
