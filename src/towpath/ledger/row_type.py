"""Makes the types of rows that the driver returns: rows with named columns, as SQLAlchemy returns them."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any


@cache
def row_type(names: tuple[str, ...]) -> Any:
    """Makes a row, with access by position and by name, of its values."""
    return namedtuple("Row", names, rename=True)._make  # pyright: ignore[reportUntypedNamedTuple]  (made at run time)
