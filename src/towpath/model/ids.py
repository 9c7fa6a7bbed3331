"""Identifiers: version 7 UUIDs in order of creation, and ids derived from content."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
import uuid
from functools import lru_cache

_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A time-ordered id, strictly increasing inside one process."""
    global _last
    with _lock:
        # 48 bits of milliseconds and 12 bits of fractions of a millisecond: steps of 244 ns.
        ns = time.time_ns()
        stamp = (ns // 1_000_000) << 12 | (ns % 1_000_000) * 4096 // 1_000_000
        _last = stamp = max(stamp, _last + 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64
    value |= 0b10 << 62 | int.from_bytes(os.urandom(8), "big") >> 2
    return _text(f"{value:032x}")


def _text(digits: str) -> str:
    """The form of a UUID, made of its 32 digits; `uuid.UUID` takes several times as long."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_id(text: str) -> bool:
    """Whether the text is a UUID; Postgres rejects a statement with any other text."""
    return _FORM.fullmatch(text) is not None


#: The organization that every installation starts with.
DEFAULT_ORG_ID = "00000000-0000-7000-8000-000000000001"


def document_id(org_id: str, sha256: str) -> str:
    """The id of a document, derived from its organization and the sha256 of its bytes."""
    # A version 5 UUID.
    value = int.from_bytes(
        hashlib.sha1(_namespace(org_id) + sha256.encode(), usedforsecurity=False).digest()[:16]
    )
    value = value & ~(0xF << 76 | 0x3 << 62) | 0x5 << 76 | 0b10 << 62
    return _text(f"{value:032x}")


@lru_cache(maxsize=1024)
def _namespace(org_id: str) -> bytes:
    return uuid.UUID(org_id).bytes


def keyed_document_id(org_id: str, key: str) -> str:
    """The id of a document that is identified by its key: the same after any change of its bytes."""
    return str(uuid.uuid5(uuid.UUID(org_id), f"key:{key}"))


def chunk_rowid(chunk_id: str) -> int:
    """The integer id of a chunk in the full-text index: the first 63 bits of its id."""
    return uuid.UUID(chunk_id).int >> 65


def connection_id(one_chunk_id: str, other_chunk_id: str) -> str:
    """The id of the connection of two chunks, in either order."""
    first, second = sorted((one_chunk_id, other_chunk_id))
    return str(uuid.uuid5(uuid.UUID(first), second))
