"""Column types that mean the same on both engines: instants, json, ids and vectors."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import cast

import numpy as np
from pgvector.sqlalchemy import Vector as PgVector  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, LargeBinary, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

#: Further away than any deadline: the time a parked job is due.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


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


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


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
