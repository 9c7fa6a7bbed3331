"""Rows of statements that run directly on the driver's connection, like those of SQLAlchemy."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any


@cache
def row_type(names: tuple[str, ...]) -> Any:
    """Makes a row, with access by position and by name, of its values."""
    return namedtuple("Row", names, rename=True)._make  # pyright: ignore[reportUntypedNamedTuple]  (made at run time)
