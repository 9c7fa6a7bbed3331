"""Compares the texts of two versions line by line, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

#: Lines of both texts that are compared, after equal lines at the beginning and at the end are left out.
MAX_COMPARED_LINES = 20_000
#: Characters of a diff; the rest is left out.
MAX_DIFF_LENGTH = 500_000
_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A unified diff without its file names; ``truncated`` if lines were left out."""

    diff: str
    added: int
    removed: int
    truncated: bool


def diff_texts(old: str, new: str) -> TextDiff:
    """The difference of two texts. Of very different long texts only the first lines are compared."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    start = _common(old_lines, new_lines)
    end = _common(old_lines[start:][::-1], new_lines[start:][::-1])
    # The lines around a change are shown with it.
    start, end = max(0, start - _CONTEXT), max(0, end - _CONTEXT)
    old_part, new_part = old_lines[start : len(old_lines) - end], new_lines[start : len(new_lines) - end]
    truncated = len(old_part) + len(new_part) > MAX_COMPARED_LINES
    limit = MAX_COMPARED_LINES // 2
    lines: list[str] = []
    length = added = removed = 0
    for line in _changes(
        old_part[:limit] if truncated else old_part, new_part[:limit] if truncated else new_part, start
    ):
        added += line.startswith("+")
        removed += line.startswith("-")
        length += len(line) + 1
        if length > MAX_DIFF_LENGTH:
            truncated = True
            break
        lines.append(line)
    return TextDiff("\n".join(lines), added, removed, truncated)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal lines at the beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _changes(old: Sequence[str], new: Sequence[str], offset: int) -> list[str]:
    """The hunks of a unified diff; the first line of both texts has the number ``offset`` + 1."""
    lines: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        lines.append(
            f"@@ -{first[1] + 1 + offset},{last[2] - first[1]} +{first[3] + 1 + offset},{last[4] - first[3]} @@"
        )
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[old_start:old_end]]
                continue
            lines += [f"-{line}" for line in old[old_start:old_end]]
            lines += [f"+{line}" for line in new[new_start:new_end]]
    return lines
