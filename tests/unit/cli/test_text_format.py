"""Tables, ages, sizes and the remaining time of `towpath submit`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from towpath.cli import submit_progress
from towpath.cli.submit_progress import SubmitProgress
from towpath.cli.text_format import age, shortened, size_text, table_lines


def test_columns_are_aligned() -> None:
    assert table_lines(("ID", "NAME"), [("1", "lock"), ("234", "")]) == ["ID   NAME", "1    lock", "234"]


@pytest.mark.parametrize(
    ("timestamp", "text"),
    [
        ("2026-01-02T11:59:57Z", "3 s"),
        ("2026-01-02T11:55:00Z", "5 min"),
        ("2026-01-02T10:00:00Z", "2 h"),
        ("2026-01-01T11:00:00Z", "1 day"),
        ("2025-12-29T11:00:00Z", "4 days"),
        ("2026-01-02T12:00:05Z", "0 s"),
    ],
)
def test_ages(timestamp: str, text: str) -> None:
    assert age(timestamp, datetime(2026, 1, 2, 12, tzinfo=UTC)) == text


@pytest.mark.parametrize(
    ("size", "text"), [(512, "512 bytes"), (3_400, "3.4 kB"), (12_000_000, "12 MB"), (5e12, "5000 GB")]
)
def test_sizes(size: float, text: str) -> None:
    assert size_text(size) == text


def test_long_texts_are_cut_and_put_on_one_line() -> None:
    assert shortened("a\n b", 10) == "a b"
    assert shortened("abcdef", 4) == "abc…"


def test_the_remaining_time_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(submit_progress.time, "monotonic", lambda: clock[0])
    with SubmitProgress(quiet=True) as display:
        display.begin("processed", 60)
        assert display.summary() == "0 of 60"
        for _ in range(30):
            clock[0] += 4
            display.advance()
        assert display.summary() == "30 of 60, about 2 min"
        for _ in range(30):
            display.advance()
        assert display.summary() == "60 of 60"
