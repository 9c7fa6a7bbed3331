"""Extractions and chunks as JSON bytes: how stages hand large results to each other through storage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from towpath.model.content import Anchor, Block, Box, Chunk, Extraction, Field, Page


def dump_extraction(extraction: Extraction) -> bytes:
    return _dump(extraction)


def load_extraction(body: bytes) -> Extraction:
    raw: dict[str, Any] = json.loads(body)
    return Extraction(
        markdown=raw["markdown"],
        engine=raw["engine"],
        pages=tuple(Page(**page) for page in raw["pages"]),
        blocks=tuple(Block(**_placed(block)) for block in raw["blocks"]),
        fields=tuple(Field(**_placed(item)) for item in raw["fields"]),
        metadata=raw["metadata"],
        warnings=tuple(raw["warnings"]),
    )


def dump_chunks(chunks: Sequence[Chunk]) -> bytes:
    return _dump(list(chunks))


def load_chunks(body: bytes) -> list[Chunk]:
    return [_chunk(raw) for raw in json.loads(body)]


def dump_fields(fields: Sequence[Field]) -> bytes:
    return _dump(list(fields))


def load_fields(body: bytes) -> list[Field]:
    return [Field(**_placed(raw)) for raw in json.loads(body)]


def anchor_json(anchor: Anchor) -> dict[str, object]:
    """An anchor for the API and the tables: only what is known."""
    known = {name: value for name, value in _plain(anchor).items() if value is not None and value != ()}
    return known | ({"box": _plain(anchor.box)} if anchor.box is not None else {})


def field_anchor(item: Field) -> dict[str, object]:
    place = {"page": item.page, "start": item.start, "end": item.end}
    known: dict[str, object] = {name: value for name, value in place.items() if value is not None}
    return known | ({"box": _plain(item.box)} if item.box is not None else {})


def _dump(value: object) -> bytes:
    return _encode(value).encode("utf-8", "replace")


def _plain(noun: Any) -> dict[str, object]:
    """A noun's own fields; unlike `asdict` it copies nothing, and the encoder comes back for what lies deeper."""
    return {name: getattr(noun, name) for name in noun.__slots__}


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode


def _placed(raw: dict[str, Any]) -> dict[str, Any]:
    return {**raw, "box": None if raw["box"] is None else Box(**raw["box"])}


def _chunk(raw: dict[str, Any]) -> Chunk:
    return Chunk(raw["id"], raw["ordinal"], raw["text"], raw["tokens"], _anchor(raw["anchor"]))


def _anchor(raw: dict[str, Any]) -> Anchor:
    known = _placed(raw)
    known["heading_path"] = tuple(raw["heading_path"])
    known["moments"] = tuple((int(at), float(second)) for at, second in raw["moments"])
    return Anchor(**known)
