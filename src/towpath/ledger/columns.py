"""Column types that behave the same on both engines: instants, JSON, ids and vectors."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import numpy as np
from pgvector.sqlalchemy import Vector as PgVector  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, LargeBinary, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

#: The due time of a job that waits for an earlier run: later than any deadline.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# A zero byte as JSON escapes it, but not an escaped backslash followed by u0000.
_ESCAPED_ZERO = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def to_text(moment: datetime) -> str:
    """Fixed-width ISO 8601 in UTC, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_instant(value: object) -> datetime:
    """Convert an instant as either engine returns it."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(cast("str", value))


def to_instant_or_none(value: object) -> datetime | None:
    return None if value is None else to_instant(value)


def to_json(value: object) -> dict[str, object]:
    """Convert a JSON object as either engine returns it; null becomes an empty object."""
    if value is None:
        return {}
    loaded = json.loads(value) if isinstance(value, str) else value
    return cast("dict[str, object]", loaded)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str).encode


def _encode_subclass(value: object) -> object:
    """What `json` would write of a value that `msgspec` does not know."""
    for kind in (float, int, str, dict, list, tuple):
        if isinstance(value, kind) and not isinstance(value, bool):
            return cast("object", kind(cast("Any", value)))
    # None, true and false are here as the keys of an object.
    return _encode(value) if value is None or isinstance(value, bool) else str(value)


_encode_usual = msgspec.json.Encoder(enc_hook=_encode_subclass).encode


def dump(value: object) -> str:
    """JSON that both engines can store: unstorable characters become U+FFFD, and NaN becomes null."""
    try:
        text = _encode_usual(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        # Lone surrogates, integers of more than 64 bits and keys that are no text.
        text = _encode(_finite(value))
    if "\\u0000" in text:
        text = _ESCAPED_ZERO.sub("\\1\ufffd", text)
    return text if text.isascii() else strip_unstorable(text)


def _finite(value: object) -> object:
    """Replace NaN and infinity, which JSON cannot represent: one of them must not fail a batch of settlements."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def strip_unstorable(text: str) -> str:
    """Replace zero bytes, which Postgres cannot store, and lone surrogates, which UTF-8 cannot encode."""
    return _UNSTORABLE.sub("\ufffd", text)


class _TextInstant(TypeDecorator[datetime]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else to_text(value)

    def process_result_value(self, value: object, dialect: Dialect) -> datetime | None:
        return to_instant_or_none(value)


class _BlobVector(TypeDecorator[object]):
    """A vector as little-endian float32 bytes."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> bytes | None:
        return None if value is None else np.asarray(value, dtype="<f4").tobytes()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> object:
        return None if value is None else np.frombuffer(value, dtype="<f4")


Instant = DateTime(timezone=True).with_variant(_TextInstant(), "sqlite")
Json = JSON().with_variant(JSONB(), "postgresql")
Id = Uuid(as_uuid=False).with_variant(Text(), "sqlite")
Serial = BigInteger().with_variant(Integer(), "sqlite")
Vector = PgVector().with_variant(_BlobVector(), "sqlite")
