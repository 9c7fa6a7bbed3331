"""A transcript as people and players read it: plain text, SubRip and WebVTT."""

from __future__ import annotations

from collections.abc import Iterator

from towpath.model.transcript import Segment, Transcript

#: A caption stays at least this long, so that it can be read.
SHORTEST = 0.5


def plain(transcript: Transcript) -> str:
    return "".join(f"[{_clock(s.start, '.')[:8]}] {_said(s)}\n" for s in transcript.segments)


def srt(transcript: Transcript) -> str:
    cues = (
        f"{number}\n{start} --> {end}\n{_line(_said(segment))}\n"
        for number, (segment, start, end) in enumerate(_timed(transcript, ","), 1)
    )
    return "\n".join(cues)


def vtt(transcript: Transcript) -> str:
    cues = [
        f"{start} --> {end}\n{_voice(segment)}{_escaped(segment.text)}\n"
        for segment, start, end in _timed(transcript, ".")
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _timed(transcript: Transcript, mark: str) -> Iterator[tuple[Segment, str, str]]:
    for segment in transcript.segments:
        end = max(segment.end, segment.start + SHORTEST)
        yield segment, _clock(segment.start, mark), _clock(end, mark)


def _said(segment: Segment) -> str:
    return f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text


def _line(text: str) -> str:
    """One line without an arrow, which would be taken for the times of the next caption."""
    return " ".join(text.replace("-->", "→").split())


def _voice(segment: Segment) -> str:
    return f"<v {_escaped(segment.speaker)}>" if segment.speaker else ""


def _escaped(text: str) -> str:
    return _line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(seconds: float, mark: str) -> str:
    milliseconds = round(max(0.0, seconds) * 1000)
    rest, milliseconds = divmod(milliseconds, 1000)
    minutes, second = divmod(rest, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}{mark}{milliseconds:03}"
