"""The labels that people add to a document: collection, tags and metadata; kept apart from what was extracted."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from towpath.errors import UserError
from towpath.model.json_types import Json

MAX_COLLECTION_LENGTH = 200
MAX_TAG_LENGTH = 100
MAX_TITLE_LENGTH = 500
MAX_TAGS = 50
MAX_METADATA_KEYS = 100
MAX_METADATA_KEY_LENGTH = 100
#: Bytes of the metadata of one document as JSON.
MAX_METADATA_BYTES = 16_384
#: Longer values are stored but cannot be filtered by.
MAX_METADATA_VALUE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of an upload. Valid if made by `make_labels`."""

    collection: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Json = field(default_factory=dict[str, object])


NO_LABELS = Labels()


def make_labels(
    collection: str | None = None, tags: Iterable[str] = (), metadata: Mapping[str, object] | None = None
) -> Labels:
    """Labels in their stored form; raises UserError if one is too long or there are too many."""
    return Labels(clean_collection(collection), clean_tags(tags), clean_metadata(metadata or {}))


def clean_collection(collection: str | None) -> str | None:
    """The name of a collection; None for an empty one."""
    return _clean(collection or "", "collection", MAX_COLLECTION_LENGTH) or None


def clean_title(title: str | None) -> str | None:
    return _clean(title or "", "title", MAX_TITLE_LENGTH) or None


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags without empty and repeated ones, in order."""
    cleaned = dict.fromkeys(_clean(tag, "tag", MAX_TAG_LENGTH) for tag in tags)
    cleaned.pop("", None)
    if len(cleaned) > MAX_TAGS:
        raise UserError(f"A document can have {MAX_TAGS} tags at most.")
    return tuple(cleaned)


def clean_metadata(metadata: Mapping[str, object]) -> dict[str, object]:
    """The metadata without unstorable characters; raises UserError if there is too much of it."""
    try:
        cleaned = cast("dict[str, object]", _storable(dict(metadata)))
    except RecursionError as error:
        raise UserError("The metadata is nested too deeply.") from error
    if len(cleaned) > MAX_METADATA_KEYS or any(len(key) > MAX_METADATA_KEY_LENGTH for key in cleaned):
        raise UserError(
            f"Metadata can have {MAX_METADATA_KEYS} keys of {MAX_METADATA_KEY_LENGTH} characters at most."
        )
    try:
        size = len(json.dumps(cleaned, allow_nan=False).encode())
    except (ValueError, RecursionError) as error:
        raise UserError("Metadata must be a JSON object of strings, numbers, lists and objects.") from error
    if size > MAX_METADATA_BYTES:
        raise UserError(f"The metadata of a document can have {MAX_METADATA_BYTES:,} bytes at most.")
    return cleaned


def merge_metadata(metadata: Mapping[str, object], change: Mapping[str, object]) -> dict[str, object]:
    """The metadata with the keys of the change; a key whose new value is null is removed."""
    merged = {**metadata, **change}
    return clean_metadata({key: value for key, value in merged.items() if value is not None})


def metadata_values(metadata: Mapping[str, object]) -> dict[str, str]:
    """The values that documents can be filtered by: text, numbers and booleans on the first level, as text."""
    values = {key: metadata_text(value) for key, value in metadata.items()}
    return {key: value for key, value in values.items() if value is not None}


def metadata_text(value: object) -> str | None:
    """A value as filters compare it: text as it is, numbers and booleans as JSON writes them."""
    if isinstance(value, str):
        return value if len(value) <= MAX_METADATA_VALUE_LENGTH else None
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _clean(text: str, what: str, max_length: int) -> str:
    visible = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c)[0] != "C")
    cleaned = " ".join(visible.split())
    if len(cleaned) > max_length:
        raise UserError(f"A {what} can have {max_length} characters at most.")
    return cleaned


def _storable(value: object) -> object:
    """Replace zero bytes and lone surrogates, which the database cannot store."""
    match value:
        case str():
            return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
        case dict():
            items = cast("dict[object, object]", value).items()
            return {str(_storable(str(key))): _storable(part) for key, part in items}
        case list():
            return [_storable(part) for part in cast("list[object]", value)]
        case _:
            return value
