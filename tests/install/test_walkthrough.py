"""The walk-through of the documentation shows what the commands print."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.support.recordings import word_error_rate, words
from tests.support.walkthrough import PAGE, outputs, run_commands

#: What differs from run to run: dates with times, times, ages and durations, confidences.
_VARIABLE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\b\d+(\.\d+)? (s|min|h)\b|\b\d+%")


def masked(output: str) -> Counter[str]:
    """The lines without what differs from run to run; documents that were uploaded together have no order."""
    return Counter(" ".join(_VARIABLE.sub("…", line).split()) for line in output.splitlines())


def test_each_command_prints_what_the_page_says(tmp_path: Path) -> None:
    expected = outputs(PAGE.read_text("utf-8"))
    transcript = "towpath transcript call.wav"

    printed = run_commands(list(expected), tmp_path)

    assert len(expected) >= 9
    assert word_error_rate(words(expected.pop(transcript)), words(printed.pop(transcript))) < 0.3
    for command, output in expected.items():
        assert masked(printed[command]) == masked(output), (
            f"{command}: run `python -m tests.support.walkthrough` if the change is intended"
        )
