"""Identifiers: version 7 UUIDs, so that rows made later sort later and indexes grow at one end."""

from __future__ import annotations

import os
import re
import threading
import time
import uuid

_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A time-ordered id, strictly increasing inside one process."""
    global _last
    with _lock:
        # 48 bits of milliseconds and 12 bits of what is left of them: 244 ns steps.
        ns = time.time_ns()
        stamp = (ns // 1_000_000) << 12 | (ns % 1_000_000) * 4096 // 1_000_000
        _last = stamp = max(stamp, _last + 1)
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64
    value |= 0b10 << 62 | int.from_bytes(os.urandom(8), "big") >> 2
    return str(uuid.UUID(int=value))


def is_id(text: str) -> bool:
    """Whether this can be an id at all; Postgres would take anything else for a broken statement."""
    return _FORM.fullmatch(text) is not None


#: The organization of the embedded default, where nobody has made another one.
HOME_ORG = "00000000-0000-7000-8000-000000000001"


def document_id(org_id: str, sha256: str) -> str:
    """The id of these bytes in this organization: the same wherever and whenever they are submitted."""
    return str(uuid.uuid5(uuid.UUID(org_id), sha256))


def chunk_number(chunk_id: str) -> int:
    """The whole number by which full-text search knows a chunk: the first 63 bits of its id."""
    return uuid.UUID(chunk_id).int >> 65


def connection_id(one_chunk_id: str, other_chunk_id: str) -> str:
    """The id of what connects two chunks: the same from either side, and again when it is found again."""
    first, second = sorted((one_chunk_id, other_chunk_id))
    return str(uuid.uuid5(uuid.UUID(first), second))
