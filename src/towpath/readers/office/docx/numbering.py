"""Computes list numbers as Word prints them: 3., (b), iv), 2.1.4, or a bullet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common.safe_xml import Element, parse_int
from towpath.readers.office.docx.styles import MAX_LIST_DEPTH, namespace, property_value

_CHECKBOXES = {"☐": "[ ] ", "□": "[ ] ", "☒": "[x] ", "☑": "[x] ", "✓": "[x] ", "✔": "[x] "}
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    """The format of one list level, such as kind ``decimal`` and pattern ``%1.%2``."""

    kind: str
    pattern: str
    start: int


@dataclass(frozen=True, slots=True)
class Label:
    """The label of an item. ``text`` is empty for bullets; ``is_plain`` labels (``3.``) are valid markdown."""

    text: str
    is_plain: bool
    #: The item's position in its list, from 1; 0 for bullets.
    number: int = 0
    #: The list definition that counts this item.
    family: str = ""
    #: "[ ] " or "[x] " if the bullet is a box to tick.
    checkbox: str = ""
    #: A bullet without a character: a further paragraph of the item above.
    is_continuation: bool = False


@dataclass(slots=True)
class Numbering:
    """The lists of a document and their current counts."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    _family_by_list: dict[str, str] = field(default_factory=dict[str, str])
    _restarts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _counts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])

    def next_label(self, list_id: str, depth: int) -> Label | None:
        """Count one item and return its label; None if the paragraph has no list."""
        levels = self.levels.get(list_id)
        if levels is None:
            return None
        family = self._family_by_list[list_id]
        counts = self._counts.setdefault(family, {})
        counts.update(self._restarts.pop(list_id, {}))
        level = levels.get(depth, Level("bullet", "", 1))
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.kind == "bullet":
            character = level.pattern.strip()
            is_continuation = bool(level.pattern) and not character
            return Label(
                "", False, 0, family, _CHECKBOXES.get(character, ""), is_continuation=is_continuation
            )
        if level.kind == "none":
            return None
        text = _PLACEHOLDER.sub(
            lambda match: self._format_count(levels, counts, int(match[1]) - 1), level.pattern
        )
        is_plain = level.kind == "decimal" and level.pattern in (f"%{depth + 1}.", f"%{depth + 1})")
        return Label(text.strip(), is_plain, counts[depth], family)

    def _format_count(self, levels: dict[int, Level], counts: dict[int, int], depth: int) -> str:
        level = levels.get(depth, Level("decimal", "", 1))
        return format_number(counts.get(depth, level.start), level.kind)

    def add_list(self, list_id: str, family: str, levels: dict[int, Level], restarts: dict[int, int]) -> None:
        self.levels[list_id] = levels
        self._family_by_list[list_id] = family
        self._restarts[list_id] = {depth: start - 1 for depth, start in restarts.items()}


def read_numbering(root: Element | None) -> Numbering:
    """Parse the numbering part; None gives no lists."""
    numbering = Numbering()
    if root is None:
        return numbering
    ns = namespace(root)
    families = {
        family.get(f"{ns}abstractNumId") or "": _levels(family, ns)
        for family in root.iter(f"{ns}abstractNum")
    }
    for element in root.iter(f"{ns}num"):
        family = property_value(element.find(f"{ns}abstractNumId"), ns) or ""
        levels = dict(families.get(family, {}))
        restarts: dict[int, int] = {}
        for override in element.iter(f"{ns}lvlOverride"):
            levels.update(_levels(override, ns))
            start = parse_int(property_value(override.find(f"{ns}startOverride"), ns), -1)
            if start >= 0:
                restarts[_depth(override, ns)] = start
        numbering.add_list(element.get(f"{ns}numId") or "", family, levels, restarts)
    return numbering


def _levels(element: Element, ns: str) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for level in element.iterchildren(f"{ns}lvl"):
        start = parse_int(property_value(level.find(f"{ns}start"), ns), 1)
        kind = property_value(level.find(f"{ns}numFmt"), ns) or "decimal"
        pattern = property_value(level.find(f"{ns}lvlText"), ns) or ""
        levels[_depth(level, ns)] = Level(kind, pattern, start)
    return levels


def _depth(element: Element, ns: str) -> int:
    return min(parse_int(element.get(f"{ns}ilvl"), 0), MAX_LIST_DEPTH)


def format_number(number: int, kind: str) -> str:
    """A number in the format of its level; rare formats are shown as digits."""
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min(1 + (number - 1) // 26, 20)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for value, numeral in _ROMAN:
            roman += numeral * (number // value)
            number %= value
        return roman.upper() if kind == "upperRoman" else roman
    return f"{number:02d}" if kind == "decimalZero" else str(number)
