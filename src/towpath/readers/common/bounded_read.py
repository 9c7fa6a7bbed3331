"""Reads a whole file into memory and rejects files above a size limit."""

from __future__ import annotations

from pathlib import Path

from towpath import rejections

DEFAULT_MAX_BYTES = 100 << 20


def read_bounded(path: Path, format_name: str, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """The bytes of the file. Empty files and files above ``max_bytes`` bytes are rejected."""
    require_size(path, format_name, max_bytes)
    return path.read_bytes()


def require_size(path: Path, format_name: str, max_bytes: int) -> None:
    """Reject empty files and files above ``max_bytes`` bytes."""
    size = path.stat().st_size
    if size == 0:
        raise rejections.empty(format_name)
    if size > max_bytes:
        raise rejections.too_large(format_name, f"it has {size >> 20} MB, the limit is {max_bytes >> 20} MB")
