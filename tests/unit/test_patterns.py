"""No regular expression of the package takes more than linear time, whatever text it is given."""

from __future__ import annotations

import re

import pytest

from tests.support.hostile_strings import growth
from tests.support.package_patterns import package_patterns

LENGTH = 800
#: A text four times as long takes about 4 times as long if the time is linear, and 16 times if it is quadratic.
MAX_GROWTH = 9.0


@pytest.mark.slow
def test_every_pattern_of_the_package_is_linear() -> None:
    patterns = package_patterns()
    assert len(patterns) > 150
    slow: list[str] = []
    for found in patterns:
        factor, text = growth(found.pattern, scans=found.scans, length=LENGTH, limit=MAX_GROWTH)
        if factor > MAX_GROWTH:
            slow.append(f"{found.where} {found.pattern.pattern!r}: {factor:.0f} times for {text!r}…")
    assert not slow, "\n".join(slow)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [r"(\d+)x", r"\s+$", r"(?:a|aa)+b", r"\[[^\]]+\]\(", r'"[^"]*"|«[^»]*»', r"^\s*--.*$", r"(?:\s*\n)*-"],
)
def test_the_measurement_finds_patterns_that_are_not(pattern: str) -> None:
    assert (
        growth(re.compile(pattern, re.MULTILINE), scans=True, length=LENGTH, limit=MAX_GROWTH)[0] > MAX_GROWTH
    )


@pytest.mark.parametrize(
    "pattern", [r"\d{1,9}x", r"[a-z]+", r"(?:[ab]{1,4}-){1,3}c", r"\[[^\[\]]{1,300}\]\("]
)
def test_the_measurement_accepts_linear_patterns(pattern: str) -> None:
    assert growth(re.compile(pattern), scans=True, length=LENGTH, limit=MAX_GROWTH)[0] <= MAX_GROWTH
