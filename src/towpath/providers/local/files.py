"""Reading a whole file into memory, where a format leaves no other way, but never more than is sane."""

from __future__ import annotations

from pathlib import Path

from towpath.providers.local import refusals

LARGEST = 100 << 20


def read_whole(path: Path, what: str, largest: int = LARGEST) -> bytes:
    size = path.stat().st_size
    if size == 0:
        raise refusals.empty(what)
    if size > largest:
        raise refusals.too_large(what, f"it has {size >> 20} MB, and {largest >> 20} MB is the most")
    return path.read_bytes()
