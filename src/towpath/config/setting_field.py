"""One setting: a field with its help text, its default on Postgres, and how it is read and printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any


def setting(
    default: Any,
    help: str,
    *,
    postgres: Any = ...,
    choices: tuple[str, ...] = (),
    secret: bool = False,
    parse: Callable[[object], object] | None = None,
    own: bool = False,
) -> Any:
    """A setting. ``postgres`` is its default on Postgres if it differs; a ``secret`` is never printed.

    ``parse`` converts a table of the settings file, or JSON from the environment. ``own``: `own:NAME` chooses one that
    a package offers.
    """
    metadata = {
        **{"help": help, "postgres": postgres, "choices": choices, "secret": secret},
        **{"parse": parse, "own": own},
    }
    return field(default=default, metadata=metadata)
