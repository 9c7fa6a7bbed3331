"""Recordings, transcripts and reports of calls as JSON bytes: how stages hand them on through storage."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from towpath.model.recording import Recording
from towpath.model.transcript import (
    ActionItem,
    CallAnalysis,
    CallReport,
    Measures,
    Monologue,
    Mood,
    Segment,
    Silence,
    Transcript,
    Word,
)


def dump_recording(recording: Recording) -> bytes:
    return _dump(asdict(recording))


def load_recording(body: bytes) -> Recording:
    raw: dict[str, Any] = json.loads(body)
    raw["windows"] = tuple((float(start), float(end)) for start, end in raw["windows"])
    raw["warnings"] = tuple(raw["warnings"])
    return Recording(**raw)


def dump_transcript(transcript: Transcript) -> bytes:
    return _dump(asdict(transcript))


def load_transcript(body: bytes) -> Transcript:
    return Transcript(tuple(_segment(raw) for raw in json.loads(body)["segments"]))


def dump_analysis(analysis: CallAnalysis) -> bytes:
    return _dump(asdict(analysis))


def load_analysis(body: bytes) -> CallAnalysis:
    return _analysis(json.loads(body))


def dump_report(report: CallReport) -> bytes:
    return _dump(asdict(report))


def load_report(body: bytes) -> CallReport:
    raw: dict[str, Any] = json.loads(body)
    told, measured = raw["analysis"], raw["measures"]
    monologue = measured["monologue"]
    return CallReport(
        Measures(
            measured["shares"],
            None if monologue is None else Monologue(**monologue),
            tuple(Silence(**silence) for silence in measured["silences"]),
        ),
        None if told is None else _analysis(told),
        raw["engine"],
        raw["warning"],
    )


def _segment(raw: dict[str, Any]) -> Segment:
    words = tuple(Word(**word) for word in raw["words"])
    return Segment(raw["text"], raw["speaker"], raw["start"], raw["end"], words)


def _analysis(raw: dict[str, Any]) -> CallAnalysis:
    return CallAnalysis(
        raw["summary"],
        tuple(raw["topics"]),
        tuple(ActionItem(**item) for item in raw["action_items"]),
        tuple(raw["questions"]),
        tuple(Mood(**mood) for mood in raw["moods"]),
    )


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
