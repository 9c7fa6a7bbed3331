"""Converts spans and polygons of an analysis to character offsets and page boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from towpath.model.content import Box

Json = Mapping[str, Any]


def list_property(owner: Json, name: str) -> list[Json]:
    """A list property; the service omits empty ones."""
    return owner.get(name) or []


def object_property(owner: Json, name: str) -> dict[str, Any]:
    """An object property; the service omits empty ones."""
    return owner.get(name) or {}


def extent(spans: Sequence[Json]) -> tuple[int, int]:
    """The smallest range that contains all spans; (0, 0) if there are none."""
    if not spans:
        return 0, 0
    return min(s["offset"] for s in spans), max(s["offset"] + s["length"] for s in spans)


@dataclass(frozen=True, slots=True)
class PageSizes:
    """Page sizes; convert polygons in inches or pixels to fractions of a page."""

    sizes: Mapping[int, tuple[float, float]]

    @staticmethod
    def of(pages: Sequence[Json]) -> PageSizes:
        """Pages of Office files have no size, so their blocks have no box."""
        return PageSizes(
            {p["pageNumber"]: (p["width"], p["height"]) for p in pages if p.get("width") and p.get("height")}
        )

    def box(self, region: Json) -> Box | None:
        """The axis-aligned rectangle around a bounding region, clipped to its page."""
        size = self.sizes.get(region["pageNumber"])
        polygon: list[float] = region.get("polygon") or []
        if size is None or len(polygon) < 6:
            return None
        xs = [min(1.0, max(0.0, x / size[0])) for x in polygon[0::2]]
        ys = [min(1.0, max(0.0, y / size[1])) for y in polygon[1::2]]
        return Box(min(xs), min(ys), max(xs), max(ys))
