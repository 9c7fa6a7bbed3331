"""Formats a transcript as plain text, SubRip (SRT) and WebVTT."""

from __future__ import annotations

from collections.abc import Iterator

from towpath.model.transcript import Segment, Transcript

#: Minimum seconds for which a caption is shown, so that it can be read.
MIN_CAPTION_SECONDS = 0.5


def to_plain_text(transcript: Transcript) -> str:
    lines = (
        f"[{_timestamp(segment.start, '.')[:8]}] {_with_speaker(segment)}\n"
        for segment in transcript.segments
    )
    return "".join(lines)


def to_srt(transcript: Transcript) -> str:
    cues = (
        f"{number}\n{start} --> {end}\n{_single_line(_with_speaker(segment))}\n"
        for number, (segment, start, end) in enumerate(_cues(transcript, ","), 1)
    )
    return "\n".join(cues)


def to_vtt(transcript: Transcript) -> str:
    cues = [
        f"{start} --> {end}\n{_voice_tag(segment)}{_escape(segment.text)}\n"
        for segment, start, end in _cues(transcript, ".")
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _cues(transcript: Transcript, decimal_mark: str) -> Iterator[tuple[Segment, str, str]]:
    """Each segment with its start and end timestamps."""
    for segment in transcript.segments:
        end = max(segment.end, segment.start + MIN_CAPTION_SECONDS)
        yield segment, _timestamp(segment.start, decimal_mark), _timestamp(end, decimal_mark)


def _with_speaker(segment: Segment) -> str:
    return f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text


def _single_line(text: str) -> str:
    """The text on one line, without `-->`, which a player would parse as the times of the next caption."""
    return " ".join(text.replace("-->", "→").split())


def _voice_tag(segment: Segment) -> str:
    return f"<v {_escape(segment.speaker)}>" if segment.speaker else ""


def _escape(text: str) -> str:
    return _single_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _timestamp(seconds: float, decimal_mark: str) -> str:
    total_seconds, milliseconds = divmod(round(max(0.0, seconds) * 1000), 1000)
    total_minutes, second = divmod(total_seconds, 60)
    hours, minute = divmod(total_minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}{decimal_mark}{milliseconds:03}"
