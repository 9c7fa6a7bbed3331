"""Divides blocks that the engine took for paragraphs at the bullets in front of their lines.

The engine knows few bullets: squares, arrows and check marks stay in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from towpath.readers.pdf.page_layout import Line, line_text
from towpath.readers.pdf.printed_lines import has_room

#: Characters that are a bullet at the beginning of a line.
BULLETS = "•▪■█‣➢➤➔❖✓✔◆◇◦○●►▶▸❑❏☐☑✗✘◼◾▫□⬥♦★☆"
_ANY = re.compile(f"[{BULLETS}]")
_BULLET = re.compile(rf"([{BULLETS}])(?:\s+|$)")
#: In font sizes: the text of an item begins this much right of its bullet; a deeper level, too.
_INDENT = 0.4


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines of an item with their bullet, or of a paragraph; ``level`` is the depth of an item."""

    lines: Sequence[Line]
    bullet: str = ""
    level: int = 0


def may_have_bullets(text: str) -> bool:
    """True if the text contains a character that may be a bullet."""
    return _ANY.search(text) is not None


def divide_at_bullets(lines: Sequence[Line], *, is_item: bool = False) -> list[TextPart] | None:
    """The items, and the paragraphs before and behind them; None if no line begins with a bullet.

    ``is_item``: the first line is known as an item, whatever its bullet is.
    """
    bullets = {
        index: match[1] for index, line in enumerate(lines) if (match := _BULLET.match(line_text(line)))
    }
    inner = [index for index in bullets if index > 0]
    if not bullets or (is_item and not inner) or not (is_item or _are_items(lines, bullets)):
        return None
    if is_item:
        bullets.setdefault(0, "")
    lefts = _levels([lines[index][0].x0 for index in bullets], lines[0][0].size)
    parts: list[TextPart] = []
    for index, line in enumerate(lines):
        if index in bullets:
            parts.append(TextPart([line], bullets[index], _level(line, lefts)))
        elif parts and (not parts[-1].bullet or _continues(line, parts[-1], lines)):
            parts[-1] = TextPart([*parts[-1].lines, line], parts[-1].bullet, parts[-1].level)
        elif parts and is_item and len(parts) == 1:
            parts[0] = TextPart([*parts[0].lines, line])
        else:
            parts.append(TextPart([line]))
    return parts


def item_text(line: str) -> str:
    """The text of a line without its bullet."""
    return _BULLET.sub("", line, count=1)


def _are_items(lines: Sequence[Line], bullets: dict[int, str]) -> bool:
    """True if these lines are items: two or more, or one behind a line that was ended or introduces it.

    A bullet between two words may come to the beginning of a line by chance.
    """
    if len(bullets) > 1 or 0 in bullets:
        return True
    (index,) = bullets
    before = lines[index - 1]
    return line_text(before).endswith(":") or has_room(
        before, lines[index], max(line[-1].x1 for line in lines)
    )


def _levels(lefts: Sequence[float], size: float) -> list[float]:
    """The left edges of the levels, from left to right."""
    levels: list[float] = []
    for left in sorted(lefts):
        if not levels or left - levels[-1] > _INDENT * size:
            levels.append(left)
    return levels


def _level(line: Line, lefts: Sequence[float]) -> int:
    return min(range(len(lefts)), key=lambda index: abs(lefts[index] - line[0].x0))


def _continues(line: Line, part: TextPart, lines: Sequence[Line]) -> bool:
    """True if the line belongs to the item: it is indented, or the line before is full."""
    first = part.lines[0][0]
    if line[0].x0 > first.x0 + _INDENT * first.size:
        return True
    is_outside = line[0].x0 < first.x0 - _INDENT * first.size
    return not is_outside and not has_room(part.lines[-1], line, max(other[-1].x1 for other in lines))
