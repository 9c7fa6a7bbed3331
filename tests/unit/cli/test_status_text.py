"""Sentences that commands print: why a job waits, and how far it is."""

from __future__ import annotations

import pytest

from towpath.cli.status_text import anchor_text, progress_text, waiting_sentence
from towpath.model.job import WaitingReason


@pytest.mark.parametrize("reason", WaitingReason)
def test_every_waiting_reason_has_a_sentence(reason: WaitingReason) -> None:
    answer = {
        "waiting_reason": reason.value,
        "waiting_provider": "openai",
        "waiting_until": None,
        "waiting_run_id": "the-earlier-run",
        "waiting_detail": None,
    }
    sentence = waiting_sentence(answer)
    assert sentence is not None
    assert sentence != f"Waiting ({reason.value})."


@pytest.mark.parametrize(
    ("done", "total", "unit", "text"),
    [
        (76, 1406, "chunk", "chunk 76 of 1,406"),
        (31, 30, "page", "page 30 of 30"),
        (80, 300, "second", "1 min 20 s of 5 min"),
        (2_000_000, 8_000_000, "byte", "2.0 MB of 8.0 MB"),
        (3, 0, "page", ""),
    ],
)
def test_progress_is_written_as_on_the_page(done: int, total: int, unit: str, text: str) -> None:
    assert progress_text({"done": done, "total": total, "unit": unit}) == text


def test_no_progress_is_empty() -> None:
    assert progress_text(None) == ""


@pytest.mark.parametrize(
    ("anchor", "text"),
    [
        ({"page": 3}, "page 3"),
        ({"page": 3, "unit": "chapter"}, "chapter 3"),
        ({"page": 92, "unit": "chapter", "heading_path": ["6. Scripts", "6.3. Control"]}, "6.3. Control"),
        ({"page": 2, "unit": "sheet"}, "sheet 2"),
        ({"seconds_start": 62.4}, "at 1:02"),
        ({"heading_path": ["A"]}, ""),
    ],
)
def test_an_anchor_is_named_by_the_unit_of_its_pages(anchor: dict[str, object], text: str) -> None:
    assert anchor_text(anchor) == text
