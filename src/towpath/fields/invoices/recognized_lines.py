"""Groups words that OCR recognized into lines, upright as they are read.

OCR gives the words segment by segment, in reading order. A segment is a cell of a form or a whole line. On a page that
was scanned sideways the words run up or down; on a crooked photograph the boxes of two lines overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from towpath.model.content import Box, Word

Direction = Literal["right", "left", "down", "up"]

#: Two segments with a larger common width, as a share of the narrower one, are on different lines.
_MAX_COMMON_WIDTH = 0.3
#: A segment belongs to one of the last lines, which are sorted by height.
_OPEN_LINES = 4


@dataclass(frozen=True, slots=True)
class _Segment:
    words: tuple[Word, ...]
    box: Box


def direction_of(words: Sequence[Word], ratio: float) -> Direction:
    """Where the text runs to on the page as shown: where most words have the next one.

    Only tall words run up or down: a line without blanks, as in Chinese, is one word with the next one below it.
    """
    boxes = [word.box for word in words if len(word.text) > 2]
    is_sideways = 2 * sum((box.y1 - box.y0) * ratio > box.x1 - box.x0 for box in boxes) > len(boxes)
    right = left = down = up = 0
    for first, second in pairwise(words):
        x = _center_x(second.box) - _center_x(first.box)
        y = _center_y(second.box) - _center_y(first.box)
        if not is_sideways and _is_beside(first.box, second.box):
            right, left = right + (x > 0), left + (x < 0)
        elif is_sideways and _is_above(first.box, second.box):
            down, up = down + (y > 0), up + (y < 0)
    counts: dict[Direction, int] = {"right": right, "left": left, "down": down, "up": up}
    return max(counts, key=lambda direction: counts[direction])


def upright(box: Box, direction: Direction) -> Box:
    """The box on the page after it was turned so that its text runs to the right."""
    if direction == "left":
        return Box(1 - box.x1, 1 - box.y1, 1 - box.x0, 1 - box.y0)
    if direction == "down":
        return Box(box.y0, 1 - box.x1, box.y1, 1 - box.x0)
    if direction == "up":
        return Box(1 - box.y1, box.x0, 1 - box.y0, box.x1)
    return box


def as_shown(box: Box, direction: Direction) -> Box:
    """The reverse of `upright`."""
    reverse: dict[Direction, Direction] = {"down": "up", "up": "down"}
    return upright(box, reverse.get(direction, direction))


def recognized_lines(words: Sequence[Word], ratio: float) -> list[list[Word]]:
    """The words of an upright page by line, from left to right. ``ratio`` is height by width of the page."""
    lines: list[list[_Segment]] = []
    for segment in sorted(_segments(words, ratio), key=lambda segment: _center_y(segment.box)):
        line = next((line for line in reversed(lines[-_OPEN_LINES:]) if _belongs(segment, line)), None)
        if line is None:
            lines.append([segment])
        else:
            line.append(segment)
    for line in lines:
        line.sort(key=lambda segment: segment.box.x0)
    lines.sort(key=lambda line: sum(_center_y(segment.box) for segment in line) / len(line))
    return [[word for segment in line for word in segment.words] for line in lines]


def turned(words: Sequence[Word], direction: Direction) -> list[Word]:
    """The words with upright boxes."""
    return [replace(word, box=upright(word.box, direction)) for word in words]


def _segments(words: Sequence[Word], ratio: float) -> list[_Segment]:
    """Neighbouring words that follow each other in the text."""
    segments: list[list[Word]] = []
    for word in words:
        if segments and _continues(segments[-1][-1].box, word.box, ratio):
            segments[-1].append(word)
        else:
            segments.append([word])
    return [_Segment(tuple(group), _around(group)) for group in segments]


def _continues(before: Box, box: Box, ratio: float) -> bool:
    height = min(before.y1 - before.y0, box.y1 - box.y0)
    gap = (box.x0 - before.x1) / ratio
    return abs(_center_y(before) - _center_y(box)) < 0.4 * height and -0.5 * height < gap < 0.9 * height


def _belongs(segment: _Segment, line: Sequence[_Segment]) -> bool:
    """True if the segment is beside the others of the line, and at the height of the nearest one."""
    nearest = min(line, key=lambda other: abs(other.box.x0 - segment.box.x0)).box
    common = min(nearest.y1, segment.box.y1) - max(nearest.y0, segment.box.y0)
    height = min(nearest.y1 - nearest.y0, segment.box.y1 - segment.box.y0)
    beside = all(_common_width(other.box, segment.box) < _MAX_COMMON_WIDTH for other in line)
    return beside and common > 0.5 * height


def _common_width(first: Box, second: Box) -> float:
    common = min(first.x1, second.x1) - max(first.x0, second.x0)
    return common / max(1e-6, min(first.x1 - first.x0, second.x1 - second.x0))


def _is_beside(first: Box, second: Box) -> bool:
    common = min(first.y1, second.y1) - max(first.y0, second.y0)
    return common > 0.5 * min(first.y1 - first.y0, second.y1 - second.y0)


def _is_above(first: Box, second: Box) -> bool:
    common = min(first.x1, second.x1) - max(first.x0, second.x0)
    return common > 0.5 * min(first.x1 - first.x0, second.x1 - second.x0)


def _center_x(box: Box) -> float:
    return (box.x0 + box.x1) / 2


def _center_y(box: Box) -> float:
    return (box.y0 + box.y1) / 2


def _around(words: Sequence[Word]) -> Box:
    return Box(
        min(word.box.x0 for word in words),
        min(word.box.y0 for word in words),
        max(word.box.x1 for word in words),
        max(word.box.y1 for word in words),
    )
