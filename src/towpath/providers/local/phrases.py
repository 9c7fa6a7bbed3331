"""Where somebody speaks, by loudness alone: the same sound always gives the same phrases.

The model's own detector keeps a memory of what it heard before, so that a recording heard after another one, or by
a process that was started anew, would read differently.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Sound = npt.NDArray[np.float32]
Span = tuple[float, float]

FRAMES_PER_SECOND = 50
#: The model hears this much well; more costs it time by the square, and less takes the context away.
LONGEST = 10.0
#: Shorter silences belong to speech.
PAUSE = 0.3
#: Shorter noises are no speech.
SHORTEST = 0.1
#: Kept of the silence around a phrase, so that no consonant is cut.
MARGIN = 0.2

#: Decibels below which there is no sound at all, as on the line of somebody who is not speaking.
NOTHING = -80.0
#: In decibels: never speech; above the quietest; below the loudest; and how far those two are apart at least.
SILENT = -55.0
ABOVE_QUIET = 10.0
BELOW_LOUD = 22.0
LIVELY = 6.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch to be heard in one piece, and the pauses within it."""

    start: float
    end: float
    pauses: tuple[Span, ...] = ()

    def moment(self, share: float) -> float:
        """When this share of it had been said; nothing is said in a pause."""
        starts = (self.start, *(end for _, end in self.pauses))
        ends = (*(start for start, _ in self.pauses), self.end)
        left = share * sum(end - start for start, end in zip(starts, ends, strict=True))
        for start, end in zip(starts, ends, strict=True):
            if left <= end - start:
                return start + left
            left -= end - start
        return self.end


def phrases(sound: Sound, rate: int) -> list[Phrase]:
    """All speech in the sound, in pieces of ``LONGEST`` seconds at most."""
    levels = _levels(sound, rate)
    return _joined([piece for span in _spoken(levels) for piece in _pieces(span, levels)])


def _levels(sound: Sound, rate: int) -> npt.NDArray[np.float64]:
    """Decibels of each fiftieth of a second."""
    size = rate // FRAMES_PER_SECOND
    frames = sound[: len(sound) // size * size].reshape(-1, size).astype(np.float64)
    return 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)


def _spoken(levels: npt.NDArray[np.float64]) -> list[Span]:
    sounding = levels[levels > NOTHING]
    if not len(sounding):
        return []
    quiet, loud = np.percentile(sounding, (10, 95))
    if loud <= SILENT or loud - quiet < LIVELY:
        # Silence, or a hum that never changes.
        return []
    threshold = max(SILENT, min(quiet + ABOVE_QUIET, loud - BELOW_LOUD))
    frames = np.flatnonzero(levels > threshold)
    gaps = np.flatnonzero(np.diff(frames) > PAUSE * FRAMES_PER_SECOND)
    starts = frames[np.concatenate(([0], gaps + 1))] / FRAMES_PER_SECOND
    ends = (frames[np.concatenate((gaps, [len(frames) - 1]))] + 1) / FRAMES_PER_SECOND
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [(start, end) for start, end in spans if end - start >= SHORTEST]


def _pieces(span: Span, levels: npt.NDArray[np.float64]) -> list[Span]:
    """A long breath is cut where it is quietest in its second half."""
    start, end = span
    pieces: list[Span] = []
    while end - start > LONGEST:
        first = round((start + LONGEST / 2) * FRAMES_PER_SECOND)
        last = round((start + LONGEST) * FRAMES_PER_SECOND)
        cut = (first + int(np.argmin(levels[first:last]))) / FRAMES_PER_SECOND
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]


def _joined(spans: list[Span]) -> list[Phrase]:
    """Neighbours are heard together as long as there is room: what was said before tells what is meant."""
    joined: list[Phrase] = []
    for start, end in spans:
        last = joined[-1] if joined else None
        if last is not None and end - last.start <= LONGEST:
            joined[-1] = Phrase(last.start, end, (*last.pauses, (last.end, start)))
        else:
            joined.append(Phrase(start, end))
    return joined
