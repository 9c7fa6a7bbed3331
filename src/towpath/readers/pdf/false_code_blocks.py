"""Merges false code blocks back into their paragraph: prose lines with some words in a monospace font."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Box
from towpath.readers.pdf.page_model import PageBlock

_MAX_LINES = 3
# 5 points on an ordinary page: less than the space around a real code block.
_MAX_GAP = 0.0062
# 15 and 3 points on an ordinary page.
_BULLET_WIDTH, _SAME_MARGIN = 0.025, 0.005
_ENDS_SENTENCE = (".", ":", "!", "?", ";")


def merge_false_code(blocks: Iterable[PageBlock]) -> list[PageBlock]:
    """Turn code blocks that begin or end in the middle of a sentence into paragraphs."""
    return list(_merged(list(blocks)))


def _merged(blocks: Sequence[PageBlock]) -> Iterator[PageBlock]:
    previous: PageBlock | None = None
    previous_was_code = False
    for index, block in enumerate(blocks):
        next_block = blocks[index + 1] if index + 1 < len(blocks) else None
        lines = block.text.split("\n")[1:-1] if block.kind == "code" else []
        is_prose = (
            (not block.is_monospace or (len(lines) == 1 and _is_flush(previous, block)))
            and 0 < len(lines) <= _MAX_LINES
            and (_continues_previous(previous, block) or _continues_in_next(block, lines, next_block))
        )
        if is_prose:
            block = replace(block, kind="paragraph", text=" ".join(line.strip() for line in lines))
        if (
            previous is not None
            and (is_prose or previous_was_code)
            and block.kind == "paragraph"
            and _continues_previous(previous, block)
        ):
            previous = replace(
                previous, text=f"{previous.text} {block.text}", box=_bounding_box(previous.box, block.box)
            )
        else:
            if previous is not None:
                yield previous
            previous = block
        previous_was_code = is_prose
    if previous is not None:
        yield previous


def _is_flush(previous: PageBlock | None, block: PageBlock) -> bool:
    """True if the block begins where the text above begins: behind its bullet, or at its margin."""
    if previous is None or previous.box is None or block.box is None:
        return False
    indent = _BULLET_WIDTH if previous.kind == "list" else _SAME_MARGIN
    return block.box.x0 - previous.box.x0 < indent and _continues_previous(previous, block)


def _continues_previous(previous: PageBlock | None, block: PageBlock) -> bool:
    """True if the previous block ends in the line just above without ending its sentence."""
    if (
        previous is None
        or previous.kind not in ("paragraph", "list")
        or previous.text.rstrip("*`").endswith(_ENDS_SENTENCE)
    ):
        return False
    return _are_adjacent(previous.box, block.box)


def _continues_in_next(block: PageBlock, lines: Sequence[str], next_block: PageBlock | None) -> bool:
    """True if the next block continues in lower case in the line just below."""
    if next_block is None or next_block.kind != "paragraph" or lines[-1].rstrip().endswith(_ENDS_SENTENCE):
        return False
    return next_block.text[:1].islower() and _are_adjacent(block.box, next_block.box)


def _are_adjacent(above: Box | None, below: Box | None) -> bool:
    return above is not None and below is not None and abs(below.y0 - above.y1) < _MAX_GAP


def _bounding_box(first: Box | None, second: Box | None) -> Box | None:
    if first is None or second is None:
        return first or second
    return Box(
        min(first.x0, second.x0), min(first.y0, second.y0), max(first.x1, second.x1), max(first.y1, second.y1)
    )
