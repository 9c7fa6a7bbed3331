"""Reads the codes of database errors, and makes error texts that can be stored."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, StatementError

#: The codes of a violated foreign key.
FOREIGN_KEY_CODES = frozenset({"23503", "SQLITE_CONSTRAINT_FOREIGNKEY"})


def error_code(error: BaseException) -> str | None:
    """The code of a database error; None for any other error."""
    if not isinstance(error, DBAPIError):
        return None
    code = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "sqlite_errorname", None)
    return None if code is None else str(code)


#: Characters of an error that are kept: its head, because messages begin with what went wrong.
MAX_ERROR_CHARS = 2_000


def error_text(error: BaseException) -> str:
    """The type and message of an error, at most `MAX_ERROR_CHARS` long, without the parameters of SQL statements.

    SQLAlchemy adds statement and parameters to its messages, and Postgres the values of a row that it refuses.
    """
    name, cause = type(error).__name__, error
    if isinstance(error, StatementError) and error.orig is not None:
        cause = error.orig
    diagnostics = getattr(cause, "diag", None)
    message = getattr(diagnostics, "message_primary", None) or str(cause)
    text = f"{name}: {message}"
    return text if len(text) <= MAX_ERROR_CHARS else f"{text[: MAX_ERROR_CHARS - 1]}…"
