"""Speakers: the share of the speech on one channel that is given to the wrong person.

``speakers/NAME.rttm`` has the true turns of ``speakers/NAME.wav``, or of all files that it names. Only times at which
exactly one person speaks, and at which speech was found, are counted; the found speakers are matched with the true ones
so that most time agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.reading.task import Counts, Metric, Sample, Tool, ratio
from bench.reading.tools import speech
from bench.reading.tools.speech import Span

SUMMARY = "speech given to the wrong speaker, recordings with one channel"
METRICS = (
    Metric("wrong speaker", ratio("wrong", "compared")),
    Metric("missed speech", ratio("missed", "speech")),
    Metric("number of speakers right", ratio("number_right", "files")),
)
STEP_SECONDS = 0.01


def load(data: Path) -> list[Sample]:
    folder = data / "speakers"
    turns: dict[str, list[Span]] = {}
    for listing in sorted(folder.glob("*.rttm")):
        for line in listing.read_text("utf-8").splitlines():
            _, name, _, start, length, _, _, speaker, *_ = line.split()
            turns.setdefault(name, []).append((float(start), float(start) + float(length), speaker))
    return [
        Sample(name, folder / f"{name}.wav", turns[name])
        for name in sorted(turns)
        if (folder / f"{name}.wav").exists()
    ]


def tools() -> list[Tool]:
    return [
        Tool("Towpath", partial(_score, lambda path, _: speech.towpath_speakers(path, None))),
        Tool("Towpath, number of speakers given", partial(_score, speech.towpath_speakers)),
        Tool("everything one speaker", partial(_score, lambda path, _: speech.towpath_speakers(path, 1))),
    ]


def _score(separate: Callable[[Path, int], list[Span]], sample: Sample) -> Counts:
    truth: list[Span] = sample.truth  # pyright: ignore[reportAssignmentType]  (made by load)
    people = len({speaker for _, _, speaker in truth})
    found = separate(sample.path, people)
    length = round(max(end for _, end, _ in [*truth, *found]) / STEP_SECONDS) + 1
    expected, given = _tracks(truth, length), _tracks(found, length)
    agreement = (expected.astype(np.int64) @ given.T.astype(np.int64)).astype(float)
    alone, heard = expected.sum(axis=0) == 1, given.sum(axis=0) > 0
    right = np.zeros(length, bool)
    for one, other in _matched(agreement):
        right |= expected[one] & given[other]
    return {
        "files": 1.0,
        "wrong": float((alone & heard & ~right).sum()),
        "compared": float((alone & heard).sum()),
        "missed": float((alone & ~heard).sum()),
        "speech": float(alone.sum()),
        "number_right": float(people == len(given)),
    }


def _tracks(spans: Sequence[Span], length: int) -> npt.NDArray[np.bool_]:
    """One row per speaker, one column per time step."""
    names = sorted({speaker for _, _, speaker in spans})
    tracks = np.zeros((len(names), length), bool)
    for start, end, speaker in spans:
        tracks[names.index(speaker), round(start / STEP_SECONDS) : round(end / STEP_SECONDS)] = True
    return tracks


def _matched(agreement: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of true and found speakers, those with the most common time first."""
    pairs: list[tuple[int, int]] = []
    rest = agreement.copy()
    for _ in range(min(rest.shape)):
        one, other = divmod(int(np.argmax(rest)), rest.shape[1])
        if rest[one, other] < 0:
            break
        pairs.append((one, other))
        rest[one], rest[:, other] = -1, -1
    return pairs
