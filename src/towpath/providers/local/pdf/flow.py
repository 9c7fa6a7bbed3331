"""Gives lines that were taken for code, for a few words in typewriter letters, back to their paragraph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Box
from towpath.providers.local.pdf.pages import Piece

_MOST_LINES = 3
# 5 points on an ordinary page: less than any space that sets code apart.
_NO_GAP = 0.0062
_ENDS_SENTENCE = (".", ":", "!", "?", ";")


def without_false_code(pieces: Iterable[Piece]) -> list[Piece]:
    """Of code that begins or ends in the middle of a sentence, make text again."""
    return list(_joined(list(pieces)))


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    held: Piece | None = None
    open_end = False
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        lines = piece.text.split("\n")[1:-1] if piece.kind == "code" else []
        prose = 0 < len(lines) <= _MOST_LINES and (
            _leads_on(held, piece) or _is_continued(piece, lines, following)
        )
        if prose:
            piece = replace(piece, kind="paragraph", text=" ".join(line.strip() for line in lines))
        if held is not None and (prose or open_end) and piece.kind == "paragraph" and _leads_on(held, piece):
            held = replace(held, text=f"{held.text} {piece.text}", box=_around(held.box, piece.box))
        else:
            if held is not None:
                yield held
            held = piece
        open_end = prose
    if held is not None:
        yield held


def _leads_on(held: Piece | None, piece: Piece) -> bool:
    """The text before breaks off in the line just above."""
    if (
        held is None
        or held.kind not in ("paragraph", "list")
        or held.text.rstrip("*`").endswith(_ENDS_SENTENCE)
    ):
        return False
    return _touch(held.box, piece.box)


def _is_continued(piece: Piece, lines: Sequence[str], following: Piece | None) -> bool:
    """The text after goes on in lower case in the line just below."""
    if following is None or following.kind != "paragraph" or lines[-1].rstrip().endswith(_ENDS_SENTENCE):
        return False
    return following.text[:1].islower() and _touch(piece.box, following.box)


def _touch(above: Box | None, below: Box | None) -> bool:
    return above is not None and below is not None and abs(below.y0 - above.y1) < _NO_GAP


def _around(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return one or other
    return Box(min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1))
