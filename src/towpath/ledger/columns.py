"""Column types that mean the same on both engines: instants, json, ids and vectors."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from typing import cast

import numpy as np
from pgvector.sqlalchemy import Vector as PgVector  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, LargeBinary, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

#: Further away than any deadline: the time a parked job is due.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
# A zero byte as json writes it, and not a backslash followed by the letters u0000.
_ESCAPED_ZERO = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def to_text(moment: datetime) -> str:
    """Fixed-width ISO 8601 in UTC, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_instant(value: object) -> datetime:
    """Read what either engine gives for an instant."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(cast("str", value))


def to_instant_or_none(value: object) -> datetime | None:
    return None if value is None else to_instant(value)


def to_json(value: object) -> dict[str, object]:
    """Read what either engine gives for a json object; absent is empty."""
    if value is None:
        return {}
    loaded = json.loads(value) if isinstance(value, str) else value
    return cast("dict[str, object]", loaded)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str).encode


def dump(value: object) -> str:
    """Json as both engines keep it; text that neither could keep becomes U+FFFD, and NaN becomes null."""
    try:
        text = _encode(value)
    except ValueError:
        text = _encode(_finite(value))
    if "\\u0000" in text:
        text = _ESCAPED_ZERO.sub("\\1\ufffd", text)
    return text if text.isascii() else readable(text)


def _finite(value: object) -> object:
    """Json knows no NaN and no infinity; one in a stage's result must not stop a whole batch."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def readable(text: str) -> str:
    """Postgres keeps no zero byte, UTF-8 no lone surrogate; parsers and file names are full of both."""
    return _UNKEEPABLE.sub("\ufffd", text)


class _TextInstant(TypeDecorator[datetime]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else to_text(value)

    def process_result_value(self, value: object, dialect: Dialect) -> datetime | None:
        return to_instant_or_none(value)


class _BlobVector(TypeDecorator[object]):
    """Little-endian float32, one after the other."""

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
