"""Divides a block of text where its author ended a line: between two paragraphs, in an address, in a signature.

The engine joins all lines of a block with blanks. A line was ended by its author if the first word of the next line
had room behind it. Behind a sentence of several lines this is a new paragraph, elsewhere a line break.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.page_layout import (
    Line,
    PageLayout,
    Rectangle,
    line_text,
    runs_rectangle,
    text_lines,
)

LINE_BREAK = "  \n"
#: The height in points of two lines of small print.
_TWO_LINES = 15.0
#: The blank between two words and some tolerance, in font sizes.
_ROOM = 0.7
#: Room that is certainly not left by chance, as a share of the width: behind a sentence, and in one.
#: Nouns begin with capitals in German, and programs that wrap text by the number of its characters leave room.
_SENTENCE_SHARE, _SHARE = 0.05, 0.2
#: Text of so many lines may end without the end of a sentence, as a title does.
_MAX_TITLE_LINES = 3
#: With so many lines, the longest may stick out; the second longest is the right margin then.
_MIN_RAGGED_LINES = 4
#: A block of short lines, as an address: its number of lines, and its width as a share of the room that it has.
_MIN_SHORT_LINES, _MAX_SHORT_LINES, _SHORT_SHARE = 3, 8, 0.7
#: Lines of two paragraphs are this much farther apart than the lines of one: a factor, and points.
_SPACE, _MIN_SPACE = 1.25, 2.0
#: Above and below this share of the page are running headers and footers.
_MARGIN = 0.13
#: Lines this many heights apart have an empty line between them.
_APART = 1.8
#: A line of so many words is a sentence, if it ends as one.
_MIN_SENTENCE_WORDS = 7
_ADDRESS = re.compile(r"\S+@\S|www\.|https?:")
#: The number of an entry in a list of references.
_REFERENCE = re.compile(r"\[(\d{1,3})\]\s+[\"“(]?[^\W\d_]")
_WORD_END = re.compile(r"\s")
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’)\]*]*$")
# At the beginning of a line these make an item of a list in markdown.
_LIST_MARKER = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:\s|$)")


def divide_text(text: str, rectangle: Rectangle, layout: PageLayout) -> list[tuple[str, Rectangle]]:
    """The paragraphs of a block with their rectangles; their lines have a break where the author ended them."""
    x0, y0, x1, y1 = rectangle
    if y1 - y0 < _TWO_LINES or " " not in text:
        return [(text, rectangle)]
    lines = text_lines(layout.runs_inside(x0, y0, x1 - x0, y1 - y0))
    starts = _starts(lines, layout)
    parts = _divide(text, lines, starts) if len(starts) > 1 else None
    return [(text, rectangle)] if parts is None else _paragraphs(parts, _segments(lines, starts))


def divide_lines(lines: Sequence[Line], layout: PageLayout) -> list[tuple[str, Rectangle]]:
    """The paragraphs of lines of text, as ``divide_text`` makes them."""
    segments = _segments(lines, _starts(lines, layout))
    return _paragraphs([join_lines(list(map(line_text, segment))) for segment in segments], segments)


def _starts(lines: Sequence[Line], layout: PageLayout) -> list[int]:
    """The first line, and each line behind one that its author ended."""
    return [0, *(index + 1 for index in sorted(ended_lines(lines, layout)))]


def _segments(lines: Sequence[Line], starts: Sequence[int]) -> list[Sequence[Line]]:
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _paragraphs(parts: Sequence[str], segments: Sequence[Sequence[Line]]) -> list[tuple[str, Rectangle]]:
    """The text of the segments as paragraphs, with a line break between segments of one paragraph."""
    paragraphs: list[tuple[str, list[Line]]] = []
    for index, (part, segment) in enumerate(zip(parts, segments, strict=True)):
        if index and not _are_paragraphs(segments[index - 1], segment):
            before, before_lines = paragraphs[-1]
            paragraphs[-1] = (f"{before}{LINE_BREAK}{part}", [*before_lines, *segment])
        else:
            paragraphs.append((part, list(segment)))
    return [
        (paragraph, runs_rectangle([run for line in paragraph_lines for run in line]))
        for paragraph, paragraph_lines in paragraphs
    ]


def ended_lines(lines: Sequence[Line], layout: PageLayout) -> set[int]:
    """The indexes of the lines that their author ended; the last line is not among them."""
    if len(lines) < 2:
        return set()
    left = min(line[0].x0 for line in lines)
    rights = sorted(line[-1].x1 for line in lines)
    right = rights[-2] if len(lines) >= _MIN_RAGGED_LINES else rights[-1]
    ended = _before_space(lines) | _beside_margin(lines, layout.height)
    previous = -1
    for index, (line, following) in enumerate(pairwise(lines)):
        is_short = index - previous <= _MAX_TITLE_LINES
        if index in ended or _is_ended(line, following, left, right, is_short=is_short):
            ended.add(index)
            previous = index
    ended |= _before_references(lines)
    if len(ended) < len(lines) - 1 and _MIN_SHORT_LINES <= len(lines) <= _MAX_SHORT_LINES:
        is_short = rights[-1] - left < _SHORT_SHARE * (_right_limit(lines, layout) - left)
        if is_short and all(map(_begins_anew, lines)):
            return set(range(len(lines) - 1))
    return ended


def _before_space(lines: Sequence[Line]) -> set[int]:
    """The ends of sentences with more space below them than between the other lines."""
    middles = [(line[0].y0 + line[0].y1) / 2 for line in lines]
    distances = [below - above for above, below in pairwise(middles)]
    usual = sorted(distances)[len(distances) // 3]
    return {
        index
        for index, distance in enumerate(distances)
        if distance > _SPACE * usual
        and distance - usual > _MIN_SPACE
        and _begins_anew(lines[index + 1])
        and _SENTENCE_END.search(line_text(lines[index]))
    }


def _beside_margin(lines: Sequence[Line], height: float) -> set[int]:
    """The last line of a running header and the line above a running footer, with space between them and the text."""
    return {
        index
        for index, (line, following) in enumerate(pairwise(lines))
        if _is_apart(line, following)
        and (line[0].y1 < _MARGIN * height or following[0].y0 > (1 - _MARGIN) * height)
    }


def _is_apart(line: Line, following: Line) -> bool:
    """True if there is about one empty line between the two."""
    distance = (following[0].y0 + following[0].y1 - line[0].y0 - line[0].y1) / 2
    return distance > _APART * max(line[0].size, following[0].size)


def _before_references(lines: Sequence[Line]) -> set[int]:
    """The lines before the entries of a list of references; their numbers ascend."""
    entries = [
        (index, int(match[1]))
        for index, line in enumerate(lines)
        if line[0].text.startswith("[") and (match := _REFERENCE.match(line_text(line)))
    ]
    is_list = all(number + 1 == following for (_, number), (_, following) in pairwise(entries))
    return {index - 1 for index, _ in entries if index} if len(entries) > 1 and is_list else set()


def _is_ended(line: Line, following: Line, left: float, right: float, *, is_short: bool) -> bool:
    """``is_short``: the text before has few lines. Behind more lines, only a sentence ends."""
    if not (has_room(line, following, right) and _begins_anew(following)):
        return False
    is_sentence = _SENTENCE_END.search(line_text(line)) is not None
    share = _SENTENCE_SHARE if is_sentence else _SHARE
    return (is_sentence or is_short) and right - line[-1].x1 > share * (right - left)


def has_room(line: Line, following: Line, right: float) -> bool:
    """True if the first word of the following line had room behind this line, up to ``right``."""
    first = following[0]
    word = first.text.split(maxsplit=1)[0] if first.text.strip() else first.text
    width = (first.x1 - first.x0) * len(word) / max(1, len(first.text))
    return line[-1].x1 + _ROOM * first.size + width < right


def _begins_anew(line: Line) -> bool:
    """True if the line does not begin in small letters, as the second line of a sentence does, or as a list."""
    text = line_text(line)
    if _LIST_MARKER.match(text):
        return False
    return not text[:1].islower() or _ADDRESS.match(text) is not None


def _right_limit(lines: Sequence[Line], layout: PageLayout) -> float:
    """Where the text to the right of the lines begins; without any, the right margin of the page's text."""
    runs = layout.runs
    right = max(line[-1].x1 for line in lines)
    top, bottom = lines[0][0].y0, lines[-1][0].y1
    beside = [run.x0 for run in runs if run.x0 > right and run.y0 < bottom and run.y1 > top]
    return min(beside) if beside else max(run.x1 for run in runs)


def _are_paragraphs(first: Sequence[Line], second: Sequence[Line]) -> bool:
    """True if one of the two is prose of several lines, or both are sentences, and the first is complete."""
    if _is_apart(first[-1], second[0]):
        return True
    ends = _SENTENCE_END.search(line_text(first[-1])) is not None
    if len(first) == 1 and len(second) == 1:
        return ends and all(
            len(line_text(line[0]).split()) >= _MIN_SENTENCE_WORDS for line in (first, second)
        )
    return ends


def _divide(text: str, lines: Sequence[Line], starts: Sequence[int]) -> list[str] | None:
    """The text divided before these lines; None if its letters are not theirs, or a bold passage would be cut."""
    letters = [_letters("".join([run.text for run in line])) for line in lines]
    places = [offset for offset, character in enumerate(text) if character.isalnum()]
    printed = "".join(letters)
    if len(places) != len(printed) or "".join([text[place] for place in places]) != printed:
        return None
    parts: list[str] = []
    part_start = count = 0
    for first, last in pairwise(starts):
        count += sum(map(len, letters[first:last]))
        if not count:
            return None
        end = _WORD_END.search(text, places[count - 1] + 1)
        if end is None or (count < len(places) and places[count] < end.start()):
            return None
        parts.append(text[part_start : end.start()].strip())
        part_start = end.end()
    parts.append(text[part_start:].strip())
    return parts if all(part and part.count("**") % 2 == 0 for part in parts) else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
