"""Where things stand on their pages: the service's spans and polygons as ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from towpath.model.content import Box

Json = Mapping[str, Any]


def listed(owner: Json, name: str) -> list[Json]:
    """A list the service leaves out where it would be empty."""
    return owner.get(name) or []


def named(owner: Json, name: str) -> dict[str, Any]:
    """An object the service leaves out where it would be empty."""
    return owner.get(name) or {}


def extent(spans: Sequence[Json]) -> tuple[int, int]:
    """The shortest stretch of text that holds all the spans; (0, 0) where there is none."""
    if not spans:
        return 0, 0
    return min(s["offset"] for s in spans), max(s["offset"] + s["length"] for s in spans)


@dataclass(frozen=True, slots=True)
class Places:
    """The sizes of the pages, by which polygons (inches or pixels) become fractions of a page."""

    sizes: Mapping[int, tuple[float, float]]

    @staticmethod
    def of(pages: Sequence[Json]) -> Places:
        """Office files have pages without a size: nothing on them has a box."""
        return Places(
            {p["pageNumber"]: (p["width"], p["height"]) for p in pages if p.get("width") and p.get("height")}
        )

    def box(self, region: Json) -> Box | None:
        """The upright rectangle around a bounding region, kept inside its page."""
        size = self.sizes.get(region["pageNumber"])
        polygon: list[float] = region.get("polygon") or []
        if size is None or len(polygon) < 6:
            return None
        xs = [min(1.0, max(0.0, x / size[0])) for x in polygon[0::2]]
        ys = [min(1.0, max(0.0, y / size[1])) for y in polygon[1::2]]
        return Box(min(xs), min(ys), max(xs), max(ys))
