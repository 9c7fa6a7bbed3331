"""Joins the parts of one listing: liteparse divides it at blank lines, and where its columns look like a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Box
from towpath.readers.pdf.classify_tables import fenced_code
from towpath.readers.pdf.page_model import PageBlock

# Space between two parts of one listing, in heights of a line: more than one blank line ends it.
_MAX_SPACE = 1.7
_BLANK_LINE = 0.7


def join_code(blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks with whole listings; lines of brackets alone belong to the code around them."""
    return list(_joined(_brackets_as_code(blocks)))


def _brackets_as_code(blocks: Sequence[PageBlock]) -> list[PageBlock]:
    marked = list(blocks)
    for index in range(1, len(blocks) - 1):
        block = blocks[index]
        is_between = all(_is_code(blocks[other]) for other in (index - 1, index + 1))
        if block.kind == "paragraph" and is_between and not any(map(str.isalnum, block.text)):
            marked[index] = replace(
                block, kind="code", text=fenced_code([block.text.strip()]), is_monospace=True, bold=False
            )
    return marked


def _joined(blocks: Sequence[PageBlock]) -> Iterator[PageBlock]:
    previous: PageBlock | None = None
    for block in blocks:
        joined = _join(previous, block) if previous is not None else None
        if joined is not None:
            previous = joined
            continue
        if previous is not None:
            yield previous
        previous = block
    if previous is not None:
        yield previous


def _join(first: PageBlock, second: PageBlock) -> PageBlock | None:
    """Both parts as one block; None if they do not belong together."""
    if not (_is_code(first) and _is_code(second)) or first.box is None or second.box is None:
        return None
    upper, lower = first.text.split("\n")[1:-1], second.text.split("\n")[1:-1]
    if not upper or not lower:
        return None
    height = min((first.box.y1 - first.box.y0) / len(upper), (second.box.y1 - second.box.y0) / len(lower))
    space = second.box.y0 - first.box.y1
    if not -0.5 * height < space < _MAX_SPACE * height:
        return None
    left = min(first.box.x0, second.box.x0)
    step = max(_step(first.box, upper), _step(second.box, lower))
    lines = [
        *_indented(upper, first.box.x0 - left, step),
        *([""] if space > _BLANK_LINE * height else []),
        *_indented(lower, second.box.x0 - left, step),
    ]
    return replace(first, text=fenced_code(lines), box=_around(first.box, second.box))


def _is_code(block: PageBlock) -> bool:
    return block.kind == "code" and block.is_monospace


def _step(box: Box, lines: Sequence[str]) -> float:
    """The width of a character."""
    return (box.x1 - box.x0) / max(1, max(map(len, lines)))


def _indented(lines: Sequence[str], distance: float, step: float) -> list[str]:
    indent = " " * round(distance / step) if step > 0 else ""
    return [indent + line if line else line for line in lines]


def _around(first: Box, second: Box) -> Box:
    return Box(
        min(first.x0, second.x0), min(first.y0, second.y0), max(first.x1, second.x1), max(first.y1, second.y1)
    )
