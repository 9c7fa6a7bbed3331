"""The log of provider calls: the same documents always leave the same calls in it."""

from __future__ import annotations

from pathlib import Path

from towpath.drill.provider_call_log import CallLog, count_calls
from towpath.providers.local.embeddings.fast import embed_fast
from towpath.stages.embed import BRIEF_TEXTS


def test_a_few_texts_are_not_logged_because_the_reading_may_have_embedded_them(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "calls.jsonl")
    log.write(embed_fast, (["a lock"] * BRIEF_TEXTS,))
    assert count_calls(tmp_path / "calls.jsonl").total() == 0
    log.write(embed_fast, (["a lock"] * (BRIEF_TEXTS + 1),))
    log.write(embed_fast, (["a lock"] * (BRIEF_TEXTS + 1),))
    [(call, times)] = count_calls(tmp_path / "calls.jsonl").items()
    assert (call[0], times) == ("embed_fast", 2)
