"""The difference of two texts as a unified diff."""

from __future__ import annotations

import difflib

import pytest

from towpath.server import text_diff
from towpath.server.text_diff import diff_texts


def _lines(*changed: int, count: int = 100) -> str:
    return "\n".join(f"line {number}{' changed' if number in changed else ''}" for number in range(count))


def test_equal_texts_have_no_difference() -> None:
    assert diff_texts(_lines(), _lines()) == text_diff.TextDiff("", 0, 0, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_lines(), _lines(0)),
        (_lines(), _lines(99)),
        (_lines(), _lines(3, 50, 51, 98)),
        ("", _lines(count=3)),
        (_lines(count=3), ""),
        ("same\n" * 20, "same\n" * 21),
    ],
)
def test_the_difference_is_that_of_the_whole_texts(old: str, new: str) -> None:
    """Leaving out equal lines at both ends changes neither the hunks nor their line numbers."""
    diff = diff_texts(old, new)
    expected = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3))[2:]
    changes = [line for line in diff.diff.split("\n") if line[:1] in "+-"]
    assert len(changes) == len([line for line in expected if line[:1] in "+-"])
    assert (diff.added, diff.removed) == (
        sum(line.startswith("+") for line in expected),
        sum(line.startswith("-") for line in expected),
    )
    assert not diff.truncated


def test_hunks_have_the_line_numbers_of_the_texts() -> None:
    diff = diff_texts(_lines(), _lines(50))
    assert diff.diff.split("\n")[0] == "@@ -48,7 +48,7 @@"
    assert "-line 50" in diff.diff
    assert "+line 50 changed" in diff.diff


def test_long_differences_are_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_diff, "MAX_DIFF_LENGTH", 200)
    diff = diff_texts("", _lines())
    assert diff.truncated
    assert len(diff.diff) <= 200
    monkeypatch.setattr(text_diff, "MAX_DIFF_LENGTH", 100_000)
    monkeypatch.setattr(text_diff, "MAX_COMPARED_LINES", 40)
    assert diff_texts(_lines(), _lines(*range(100))).truncated
    assert not diff_texts(_lines(), _lines(7)).truncated, "equal lines at both ends are not compared"
