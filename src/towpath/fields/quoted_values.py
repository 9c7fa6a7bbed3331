"""Looks up the quotations of extracted values in the text, and merges the values of the parts of a document.

A value is verified if its quotation is in the text; a number must also have its digits in the quotation. The values of
one array item stand together: of several places with the same words, the one nearest to the item is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from towpath.chunking.anchors import AnchorIndex
from towpath.fields.text_parts import Span
from towpath.model.field_schema import ExtractedValue, SchemaField
from towpath.text.quote_lookup import QuoteIndex


@dataclass(frozen=True, slots=True)
class LocatedValue:
    """A value, and the span of its quotation in the document; None if the text does not have it."""

    value: ExtractedValue
    span: Span | None

    @property
    def verified(self) -> bool:
        return self.span is not None


def locate(values: Sequence[ExtractedValue], text: str, part: Span) -> list[LocatedValue]:
    """Find the quotations in the part of the text that the model was given."""
    index = QuoteIndex(text[part[0] : part[1]])
    located: list[LocatedValue] = []
    after = 0
    for item, group in groupby(values, key=lambda value: _item_of(value.path)):
        members = list(group)
        places = [index.find_all(_quote_of(member)) if _is_supported(member) else [] for member in members]
        near = None if item is None else _item_place(members, places, after)
        if near is not None:
            after = near[1]
        for member, spans in zip(members, places, strict=True):
            span = _nearest(spans, near) if spans else None
            located.append(LocatedValue(member, span and (span[0] + part[0], span[1] + part[0])))
    return located


def merge(parts: Sequence[Sequence[LocatedValue]]) -> list[LocatedValue]:
    """One value for each name: a verified one before others, then the first. Array items are collected in order."""
    single: dict[tuple[str | int, ...], LocatedValue] = {}
    items: list[LocatedValue] = []
    counts: dict[tuple[str | int, ...], int] = {}
    for values in parts:
        offsets = dict(counts)
        for located in values:
            path = located.value.path
            item = _item_of(path)
            if item is None:
                kept = single.get(path)
                if kept is None or (located.verified and not kept.verified):
                    single[path] = located
                continue
            array, index = item[:-1], int(item[-1]) + offsets.get(item[:-1], 0)
            counts[array] = max(counts.get(array, 0), index + 1)
            moved = replace(located.value, path=(*array, index, *path[len(item) :]))
            items.append(replace(located, value=moved))
    return [*single.values(), *items]


def to_fields(values: Sequence[LocatedValue], anchors: AnchorIndex) -> list[SchemaField]:
    """The values with page and box of their quotations."""
    fields: list[SchemaField] = []
    for located in values:
        value, span = located.value, located.span
        field = SchemaField(
            path_name(value.path), value.value, value.leaf.kind, located.verified, value.quote
        )
        if span is not None:
            page = anchors.page_at(span[0])
            box = anchors.box_covering(*span, page) or anchors.box_around(*span, page)
            field = replace(field, page=page, start=span[0], end=span[1], box=box)
        fields.append(field)
    return fields


def path_name(path: Sequence[str | int]) -> str:
    """The name of a value, such as `line_items[0].amount`."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return name


def _item_of(path: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
    """The path of the outermost array item that the value belongs to."""
    for position, step in enumerate(path):
        if isinstance(step, int):
            return path[: position + 1]
    return None


def _quote_of(value: ExtractedValue) -> str:
    return value.quote or ""


def _is_supported(value: ExtractedValue) -> bool:
    """Whether the quotation can be the source: that of a number must have its digits."""
    if value.quote is None:
        return False
    if value.leaf.type not in ("number", "integer"):
        return True
    whole, _, decimals = value.value.partition(".")
    wanted = _digits(whole + decimals.rstrip("0")).lstrip("0") or "0"
    return wanted in _digits(value.quote)


def _digits(text: str) -> str:
    return "".join(str(int(character)) for character in text if character.isdecimal())


def _item_place(
    members: Sequence[ExtractedValue], places: Sequence[Sequence[Span]], after: int
) -> Span | None:
    """The place of an array item: that of its longest quotation, after the item before it if possible."""
    found = [(len(_quote_of(member)), spans) for member, spans in zip(members, places, strict=True) if spans]
    if not found:
        return None
    _, spans = max(found, key=lambda candidate: candidate[0])
    return next((span for span in spans if span[0] >= after), spans[0])


def _nearest(spans: Sequence[Span], near: Span | None) -> Span:
    if near is None:
        return spans[0]
    return min(spans, key=lambda span: max(near[0] - span[1], span[0] - near[1], 0))
