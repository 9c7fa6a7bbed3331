"""Splits a rich text file into groups, control words, bytes and characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["open", "close", "word", "bytes"]

_TOKEN = re.compile(
    rb"([{}])|\\([a-zA-Z]{1,40})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z0-9])|[\r\n]+|([^\\{}\r\n]+)|."
)
#: Symbols that stand for bytes or control words.
_SYMBOLS = {b"~": b"\xa0", b"{": b"{", b"}": b"}", b"\\": b"\\"}
_WORDS = {b"\n": "par", b"\r": "par", b"*": "*", b"_": "_", b"-": "-"}


class Token(NamedTuple):
    """``name`` and ``number`` of a control word, or the ``content`` of bytes; ``is_escaped`` for a byte in hex."""

    kind: Kind
    name: str = ""
    number: int | None = None
    content: bytes = b""
    is_escaped: bool = False


def read_tokens(content: bytes) -> Iterator[Token]:
    offset = 0
    while match := _TOKEN.match(content, offset):
        offset = match.end()
        brace, word, number, code, symbol, text = match.groups()
        if text is not None:
            yield Token("bytes", content=text)
        elif word is not None:
            value = int(number) if number else None
            if word == b"bin":
                # Binary data, which may contain braces, follows.
                offset += max(0, value or 0)
            else:
                yield Token("word", word.decode("ascii"), value)
        elif brace is not None:
            yield Token("open" if brace == b"{" else "close")
        elif code is not None:
            yield Token("bytes", content=bytes([int(code, 16)]), is_escaped=True)
        elif symbol in _SYMBOLS:
            yield Token("bytes", content=_SYMBOLS[symbol], is_escaped=True)
        elif symbol in _WORDS:
            yield Token("word", _WORDS[symbol])
