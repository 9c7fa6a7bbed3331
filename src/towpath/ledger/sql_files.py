"""Loads the `.sql` files: one verb per file, in the dialect's folder, or in `common/` if both dialects share it."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_INCLUDE = re.compile(r"^-- include (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*--.*$", re.MULTILINE)


@cache
def statements(dialect: str, verb: str) -> tuple[str, ...]:
    """The statements of one verb, in order, in the parameter style of the dialect's driver."""
    text = _COMMENT.sub(
        "", _INCLUDE.sub(lambda match: read_file(dialect, match[1]), read_file(dialect, verb))
    )
    if dialect == "postgres":
        text = _PARAMETER.sub(r"%(\1)s", text.replace("%", "%%"))
    return tuple(part.strip() for part in text.split(";") if part.strip())


def read_file(dialect: str, verb: str) -> str:
    """The text of a verb's file."""
    file = resources.files(f"towpath.ledger.{dialect}").joinpath(f"{verb}.sql")
    if not file.is_file():
        file = resources.files("towpath.ledger.common").joinpath(f"{verb}.sql")
    return file.read_text("utf-8")
