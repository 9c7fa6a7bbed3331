"""Reads subtitles (.srt, .vtt): the spoken text in paragraphs, one page per minute, labelled with its time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import decode
from towpath.readers.common.markdown_writer import MarkdownWriter, escape_inline
from towpath.readers.common.page_breaks import blocks_with_pages

FORMAT_NAME = "subtitle file"

_TIMES = re.compile(r"^\s*(?:(\d+):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s+-->\s+[\d:.,]+.*$")
_TAG = re.compile(r"</?[^<>]{1,60}>|\{\\[^{}]{1,40}\}")
_SECONDS_PER_PAGE = 60


def read_subtitles(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Join the cues of each minute into one paragraph."""
    decoded = decode(read_bounded(path, FORMAT_NAME))
    minutes: dict[int, list[str]] = {}
    for seconds, text in _cues(decoded.text):
        lines = minutes.setdefault(seconds // _SECONDS_PER_PAGE, [])
        # A line that scrolls up is repeated in the next cue.
        if not lines or lines[-1] != text:
            lines.append(text)
    writer = MarkdownWriter()
    pages: list[Page] = []
    for number, (minute, lines) in enumerate(sorted(minutes.items()), start=1):
        start = writer.length + 2 if writer.length else 0
        writer.paragraph(escape_inline(" ".join(lines)))
        pages.append(Page(number, start, writer.length, f"{minute // 60:02d}:{minute % 60:02d}:00"))
    if not writer.blocks:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    return Extraction(
        writer.text(),
        "towpath-subtitles/1",
        tuple(pages),
        blocks_with_pages(pages, writer.blocks),
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def _cues(text: str) -> Iterator[tuple[int, str]]:
    """Start time in seconds and text of each cue."""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        for index, line in enumerate(lines):
            match = _TIMES.match(line)
            if match:
                spoken = " ".join(" ".join(_TAG.sub("", part) for part in lines[index + 1 :]).split())
                if spoken:
                    yield int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3]), spoken
                break
