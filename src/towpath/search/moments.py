"""The second at which the words that were looked for are heard in a call."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import cast

Moments = Sequence[tuple[int, float]]


def heard_at(anchor: Mapping[str, object], find: Callable[[], int | None]) -> Mapping[str, object]:
    """The anchor of a passage, opened at a place in its text that is found; a document's stays as it is."""
    if "moments" not in anchor:
        return anchor
    shown = {name: value for name, value in anchor.items() if name != "moments"}
    moments = cast("Moments", anchor["moments"])
    place = find() if moments else None
    return shown if place is None else shown | {"seconds_start": round(second_of(moments, place), 2)}


def second_of(moments: Moments, place: int) -> float:
    """Between two known places time is taken to pass evenly."""
    after = bisect_right(moments, place, key=lambda moment: moment[0])
    if after == 0:
        return moments[0][1]
    if after == len(moments):
        return moments[-1][1]
    (first, begin), (last, end) = moments[after - 1], moments[after]
    return begin + (end - begin) * (place - first) / max(1, last - first)
