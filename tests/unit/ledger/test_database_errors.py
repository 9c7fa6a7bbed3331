"""Errors as text: their head is kept, parameters of SQL statements are not."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import IntegrityError

from towpath.ledger.database_errors import MAX_ERROR_CHARS, error_text


def test_a_database_error_has_neither_statement_nor_parameters() -> None:
    cause = sqlite3.IntegrityError("UNIQUE constraint failed: chunks.id")
    error = IntegrityError("insert into chunks values (?)", {"text": "a secret sentence"}, cause)
    assert "a secret sentence" in str(error)
    assert error_text(error) == "IntegrityError: UNIQUE constraint failed: chunks.id"


def test_a_long_error_keeps_its_head() -> None:
    text = error_text(ValueError("the page is damaged: " + "x" * 10_000))
    assert text.startswith("ValueError: the page is damaged: x")
    assert (len(text), text[-1]) == (MAX_ERROR_CHARS, "…")
