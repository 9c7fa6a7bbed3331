"""Files flipped, cut and spliced by chance: a reader answers with text or with a refusal, never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.reading import assert_sound, quiet
from tests.support.samples import READERS, save_sample, variants
from towpath.errors import Rejected

CODES = {"corrupt", "empty", "encrypted", "unsupported", "too_large"}


@pytest.mark.parametrize("kind", READERS)
def test_the_sample_itself_is_read_the_same_each_time(tmp_path: Path, kind: str) -> None:
    path = save_sample(kind, tmp_path / f"a.{kind}")

    extraction = READERS[kind](path, quiet)

    assert_sound(extraction)
    assert READERS[kind](path, quiet) == extraction


@pytest.mark.parametrize("kind", READERS)
def test_damaged_files_are_read_or_refused(tmp_path: Path, kind: str) -> None:
    path = save_sample(kind, tmp_path / f"a.{kind}")
    answers = {"read": 0, "refused": 0}

    for content in variants(kind, path.read_bytes(), count=120):
        path.write_bytes(content)
        try:
            assert_sound(READERS[kind](path, quiet))
            answers["read"] += 1
        except Rejected as refusal:
            assert refusal.code in CODES
            answers["refused"] += 1

    assert answers["read"] > 10
