"""Tests of the reader of PowerPoint files from before 2007: slides, bullets, notes, damaged files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.support.old_office import SlideText, presentation_file
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.errors import Rejected
from towpath.readers.office.ppt.reader import read_ppt

SLIDES = [
    [SlideText(0, [("Canals", 0)]), SlideText(4, [("A short history", 0)])],
    [SlideText(1, [("Water", 0), ("still", 1), ("flowing", 1), ("Gates", 0)])],
]


def write(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "a.ppt"
    path.write_bytes(content)
    return path


def test_slides_are_pages_with_titles_bullets_and_notes(tmp_path: Path) -> None:
    extraction = read_ppt(write(tmp_path, presentation_file(SLIDES, {2: "Speak slowly."})), quiet)

    assert_sound(extraction)
    assert page_text(extraction, 1) == "# Canals\n\nA short history"
    assert page_text(extraction, 2) == (
        "# Slide 2\n\n- Water\n   - still\n   - flowing\n- Gates\n\nNotes: Speak slowly."
    )
    assert [page.label for page in extraction.pages] == ["Canals", "Slide 2"]


def test_unreadable_presentations_are_rejected(tmp_path: Path) -> None:
    damaged = presentation_file(SLIDES)[:700]

    assert rejection(read_ppt, write(tmp_path, damaged)).code == "corrupt"
    assert rejection(read_ppt, write(tmp_path, presentation_file([[]]))).code == "empty"


def test_damaged_presentations_are_read_or_rejected(tmp_path: Path) -> None:
    content = presentation_file(SLIDES, {1: "Speak slowly."})
    for place in range(512, len(content), 41):
        path = write(tmp_path, content[:place] + b"\xff\xff" + content[place + 2 :])
        with suppress(Rejected):
            read_ppt(path, quiet)
