"""Options that commands share: --data, --database, --config, --server, --json; each before or after the command."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from towpath.config import LoadedSettings, Settings, load

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@dataclass(frozen=True, slots=True)
class RootOptions:
    """The options that stand before the command."""

    data: Path | None = None
    database: str | None = None
    config: Path | None = None
    server: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """What a command talks to: a server by its address, or the data folder or database of the settings."""

    settings: Settings
    server: str | None = None
    #: Create the library if the data folder has none.
    create: bool = False


def settings_options(function: F) -> F:
    """Add the options of the settings; the command receives the settings as ``loaded``."""
    return _settings_options(function, server=False)


def server_options(function: F) -> F:
    """Add the options of the settings and --server; the command receives a ``target``."""
    with_options = _settings_options(function, server=True)
    return click.option(
        "--server",
        help="Address of a server; its key is read from TOWPATH_API_KEY. Without it, the server of the data folder.",
    )(with_options)


def _settings_options(function: F, *, server: bool) -> F:
    @click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Data folder.")
    @click.option("--database", help="Postgres address; without it, SQLite in the data folder.")
    @click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
    @wraps(function)
    def wrapped(
        *args: Any, data: Path | None, database: str | None, config: Path | None, **kwargs: Any
    ) -> Any:
        root = root_options()
        if root.server is not None and not server:
            raise click.UsageError(
                "This command works on the data folder or the database: it has no --server."
            )
        if "as_json" in kwargs:
            kwargs["as_json"] = kwargs["as_json"] or root.as_json
        elif root.as_json:
            raise click.UsageError("This command has no --json.")
        server_flags = {name: kwargs.pop(name, None) for name in ("host", "port")}
        flags = {"data": data or root.data, "database": database or root.database, **server_flags}
        loaded = load(flags, file=config or root.config)
        if not server:
            return function(*args, loaded=loaded, **kwargs)
        chosen: str | None = kwargs.pop("server") or root.server
        if chosen is None and (data or database or root.data or root.database) is None:
            chosen = os.environ.get("TOWPATH_URL") or None
        target = Target(loaded.settings, chosen, create=bool(kwargs.pop("create", False)))
        return function(*args, target=target, **kwargs)

    return cast("F", wrapped)


def root_options() -> RootOptions:
    """The options before the command that is being executed."""
    options = click.get_current_context().find_object(RootOptions)
    return RootOptions() if options is None else options


__all__ = [
    "LoadedSettings",
    "RootOptions",
    "Target",
    "json_option",
    "root_options",
    "server_options",
    "settings_options",
]
