"""The options that filter documents, the same for `list` and `search`; and options with `key=value`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import click

from towpath.errors import UserError

STATUSES = ("PROCESSING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")

F = TypeVar("F", bound=Callable[..., Any])


class _DateOrTime(click.DateTime):
    """A day or a time in ISO 8601; without a zone it is UTC."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(
                f"{value!r} is no day such as 2026-03-31 and no time such as 2026-03-31T08:30:00.", param, ctx
            )


_OPTIONS = (
    click.option("--status", type=click.Choice(STATUSES), help="Only documents of this status."),
    click.option("--kind", type=click.Choice(["document", "call"]), help="Only documents or only calls."),
    click.option(
        "--collection", multiple=True, help='Only of this collection; "" for none. Repeatable: any of them.'
    ),
    click.option("--tag", multiple=True, help="Only with this tag. Repeatable: all of them."),
    click.option(
        "--metadata", multiple=True, metavar="KEY=VALUE", help="Only with this metadata. Repeatable."
    ),
    click.option("--language", multiple=True, help="Only in this language, such as de. Repeatable."),
    click.option(
        "--media-type", multiple=True, help="Only files of this type, such as application/pdf. Repeatable."
    ),
    click.option(
        "--created-from", type=_DateOrTime(), help="Only submitted at or after this day or time (UTC)."
    ),
    click.option(
        "--created-before", type=_DateOrTime(), help="Only submitted before this day or time (UTC)."
    ),
    click.option("--min-size", type=click.IntRange(min=0), help="Only files of at least so many bytes."),
    click.option("--max-size", type=click.IntRange(min=0), help="Only files of at most so many bytes."),
)
_NAMES = (
    "status",
    "kind",
    "collection",
    "tag",
    "metadata",
    "language",
    "media_type",
    "created_from",
    "created_before",
    "min_size",
    "max_size",
)


def filter_options(command: F) -> F:
    """Add the options; the command gets their values as the query parameters ``filters``."""

    @functools.wraps(command)
    def collected(*args: Any, **values: Any) -> Any:
        filters = {name: _parameter(values.pop(name)) for name in _NAMES}
        return command(*args, filters=filters, **values)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected  # pyright: ignore[reportReturnType]  (the wrapper has the options as parameters instead)


def _parameter(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(cast("tuple[str, ...]", value)) or None
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return value


def parse_metadata(pairs: Iterable[str]) -> dict[str, Any]:
    """`key=value` pairs as metadata: a value that is JSON is read as such, an empty one is null."""
    metadata: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise UserError(f"Metadata is written key=value, not {pair!r}.")
        metadata[key] = _json_or_text(value) if value else None
    return metadata


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
