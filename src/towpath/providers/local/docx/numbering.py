"""List numbers as Word would print them: 3., (b), iv), 2.1.4, or a bullet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.providers.local.docx.styles import DEEPEST_LIST, namespace, value
from towpath.providers.local.xml import Element, whole_number

_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    kind: str
    pattern: str
    start: int


@dataclass(frozen=True, slots=True)
class Label:
    """``text`` is empty for bullets. A plain label (``3.``) is one that markdown can write as a list."""

    text: str
    is_plain: bool


@dataclass(slots=True)
class Numbering:
    """The lists of a document, counting as their items come."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    _family: dict[str, str] = field(default_factory=dict[str, str])
    _restarts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _counts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])

    def next(self, list_id: str, depth: int) -> Label | None:
        """The label of the next item, or None when the paragraph was taken out of its list."""
        levels = self.levels.get(list_id)
        if levels is None:
            return None
        counts = self._counts.setdefault(self._family[list_id], {})
        counts.update(self._restarts.pop(list_id, {}))
        level = levels.get(depth, Level("bullet", "", 1))
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.kind == "bullet":
            return Label("", False)
        if level.kind == "none":
            return None
        text = _PLACE.sub(lambda place: self._number(levels, counts, int(place[1]) - 1), level.pattern)
        is_plain = level.kind == "decimal" and level.pattern in (f"%{depth + 1}.", f"%{depth + 1})")
        return Label(text.strip(), is_plain)

    def _number(self, levels: dict[int, Level], counts: dict[int, int], depth: int) -> str:
        level = levels.get(depth, Level("decimal", "", 1))
        return formatted(counts.get(depth, level.start), level.kind)

    def add(self, list_id: str, family: str, levels: dict[int, Level], restarts: dict[int, int]) -> None:
        self.levels[list_id] = levels
        self._family[list_id] = family
        self._restarts[list_id] = {depth: start - 1 for depth, start in restarts.items()}


def read_numbering(root: Element | None) -> Numbering:
    numbering = Numbering()
    if root is None:
        return numbering
    ns = namespace(root)
    families = {
        family.get(f"{ns}abstractNumId") or "": _levels(family, ns)
        for family in root.iter(f"{ns}abstractNum")
    }
    for element in root.iter(f"{ns}num"):
        family = value(element.find(f"{ns}abstractNumId"), ns) or ""
        levels = dict(families.get(family, {}))
        restarts: dict[int, int] = {}
        for override in element.iter(f"{ns}lvlOverride"):
            levels.update(_levels(override, ns))
            start = whole_number(value(override.find(f"{ns}startOverride"), ns), -1)
            if start >= 0:
                restarts[_depth(override, ns)] = start
        numbering.add(element.get(f"{ns}numId") or "", family, levels, restarts)
    return numbering


def _levels(element: Element, ns: str) -> dict[int, Level]:
    found: dict[int, Level] = {}
    for level in element.iterchildren(f"{ns}lvl"):
        start = whole_number(value(level.find(f"{ns}start"), ns), 1)
        kind = value(level.find(f"{ns}numFmt"), ns) or "decimal"
        pattern = value(level.find(f"{ns}lvlText"), ns) or ""
        found[_depth(level, ns)] = Level(kind, pattern, start)
    return found


def _depth(element: Element, ns: str) -> int:
    return min(whole_number(element.get(f"{ns}ilvl"), 0), DEEPEST_LIST)


def formatted(number: int, kind: str) -> str:
    """A number in the writing of its level; the rarer writings are shown in digits."""
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min(1 + (number - 1) // 26, 20)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for size, sign in _ROMAN:
            roman += sign * (number // size)
            number %= size
        return roman.upper() if kind == "upperRoman" else roman
    return f"{number:02d}" if kind == "decimalZero" else str(number)
