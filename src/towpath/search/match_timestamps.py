"""Computes the second of a call at which the matched words are spoken."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import cast

Timestamps = Sequence[tuple[int, float]]


def anchor_at_match(
    anchor: Mapping[str, object], find_offset: Callable[[], int | None]
) -> Mapping[str, object]:
    """The anchor of a call's chunk with the second of the match; the anchor of a document is returned unchanged."""
    if "moments" not in anchor:
        return anchor
    public_anchor = {name: value for name, value in anchor.items() if name != "moments"}
    timestamps = cast("Timestamps", anchor["moments"])
    offset = find_offset() if timestamps else None
    return (
        public_anchor
        if offset is None
        else public_anchor | {"seconds_start": round(interpolate_seconds(timestamps, offset), 2)}
    )


def interpolate_seconds(timestamps: Timestamps, offset: int) -> float:
    """Interpolates linearly between the two nearest known offsets."""
    after = bisect_right(timestamps, offset, key=lambda moment: moment[0])
    if after == 0:
        return timestamps[0][1]
    if after == len(timestamps):
        return timestamps[-1][1]
    (first, begin), (last, end) = timestamps[after - 1], timestamps[after]
    return begin + (end - begin) * (offset - first) / max(1, last - first)
