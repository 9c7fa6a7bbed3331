"""Reads subtitles (.srt, .vtt): the spoken text in paragraphs, one page per minute, labelled with its time."""

from __future__ import annotations

import html
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
#: The name of a speaker in WebVTT: ``<v Roger Bingham>``, also with classes.
_VOICE = re.compile(r"<v(?:\.[^<>\s]{1,40})?[ \t]+([^<>]{1,60})>|</v>")
_SECONDS_PER_PAGE = 60


def read_subtitles(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Join the cues of each minute into one paragraph for each speaker, whom only WebVTT can name."""
    decoded = decode(read_bounded(path, FORMAT_NAME))
    minutes: dict[int, list[tuple[str, list[str]]]] = {}
    for seconds, speaker, text in _cues(decoded.text):
        turns = minutes.setdefault(seconds // _SECONDS_PER_PAGE, [])
        if not turns or turns[-1][0] != speaker:
            turns.append((speaker, [text]))
        # A line that scrolls up is repeated in the next cue.
        elif turns[-1][1][-1] != text:
            turns[-1][1].append(text)
    writer = MarkdownWriter()
    pages: list[Page] = []
    for number, (minute, turns) in enumerate(sorted(minutes.items()), start=1):
        start = writer.length + 2 if writer.length else 0
        for speaker, lines in turns:
            text = escape_inline(" ".join(lines))
            writer.paragraph(f"**{escape_inline(speaker)}:** {text}" if speaker else text)
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


def _cues(text: str) -> Iterator[tuple[int, str, str]]:
    """Start time in seconds, speaker and text of each cue; one cue for each speaker."""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        for index, line in enumerate(lines):
            match = _TIMES.match(line)
            if match:
                seconds = int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])
                for speaker, spoken in _turns(" ".join(lines[index + 1 :])):
                    yield seconds, speaker, spoken
                break


def _turns(cue: str) -> Iterator[tuple[str, str]]:
    """The speakers of a cue with their words; text outside of voice tags has no speaker."""
    parts = _VOICE.split(cue)
    for speaker, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        spoken = " ".join(_TAG.sub("", part).split())
        if spoken:
            yield " ".join(html.unescape(speaker or "").split()), spoken
