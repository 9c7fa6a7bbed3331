"""Options that commands share, and how they become settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from towpath.config import Loaded, load

F = TypeVar("F", bound=Callable[..., Any])


def common(function: F) -> F:
    """--data, --database and --config: the settings arrive as the keyword ``loaded``."""

    @click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder for everything.")
    @click.option("--database", help="Postgres address; without it, SQLite in the data folder.")
    @click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
    @wraps(function)
    def wrapped(
        *args: Any, data: Path | None, database: str | None, config: Path | None, **kwargs: Any
    ) -> Any:
        names = ("host", "port")
        flags = {"data": data, "database": database, **{name: kwargs.pop(name, None) for name in names}}
        loaded = load(flags, file=config)
        for word in loaded.misspelt:
            click.echo(f"towpath: {word}", err=True)
        return function(*args, loaded=loaded, **kwargs)

    return cast("F", wrapped)


__all__ = ["Loaded", "common"]
