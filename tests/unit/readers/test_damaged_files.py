"""Randomly damaged files: every reader returns an extraction or raises ``Rejected``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.readers import assert_sound, quiet
from tests.support.samples import READERS, save_sample, variants
from towpath.errors import Rejected

CODES = {"corrupt", "empty", "encrypted", "unsupported", "too_large"}


@pytest.mark.parametrize("kind", READERS)
def test_the_undamaged_sample_is_read_deterministically(tmp_path: Path, kind: str) -> None:
    path = save_sample(kind, tmp_path / f"a.{kind}")

    extraction = READERS[kind](path, quiet)

    assert_sound(extraction)
    assert READERS[kind](path, quiet) == extraction


@pytest.mark.parametrize("kind", READERS)
def test_damaged_files_are_read_or_rejected(tmp_path: Path, kind: str) -> None:
    path = save_sample(kind, tmp_path / f"a.{kind}")
    answers: Counter[str] = Counter()

    for content in variants(kind, path.read_bytes(), count=120):
        path.write_bytes(content)
        answers[answer(kind, path)] += 1

    assert set(answers) <= {"read", *CODES}
    assert answers["read"] > 10


def answer(kind: str, path: Path) -> str:
    try:
        assert_sound(READERS[kind](path, quiet))
    except Rejected as rejected:
        return rejected.code
    return "read"
