"""Suggests queries: "did you mean", and completions while a person types. All words are those of the library."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlalchemy import select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents
from towpath.search.contract import NamedDocument, Suggestions
from towpath.search.index_contract import SearchIndex
from towpath.search.query_parser import parse_query

#: Characters after which document names are suggested.
MIN_NAME_LENGTH = 2
MAX_NAMES = 5


def with_corrections(text: str, corrections: Mapping[str, str]) -> str | None:
    """The query with the corrected words; None if there are none."""
    if not corrections:
        return None
    for word, correction in corrections.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", correction, text)
    return text


def suggest(tx: Transaction, index: SearchIndex, org_id: str, text: str, limit: int) -> Suggestions:
    """Completions of the last word, and published documents whose names contain what was typed."""
    parsed = parse_query(text, prefix=True)
    beginning = parsed.unfinished_word
    queries: list[str] = []
    if beginning:
        before = parsed.text[: len(parsed.text) - len(beginning)]
        queries = [before + word for word in index.complete(tx, org_id, beginning, limit)]
    return Suggestions(tuple(queries), tuple(_names(tx, org_id, parsed.text)))


def _names(tx: Transaction, org_id: str, text: str) -> list[NamedDocument]:
    if len(text) < MIN_NAME_LENGTH:
        return []
    c = documents.c
    query = (
        select(c.id, c.name)
        .where(c.org_id == org_id, c.published_run_id.is_not(None), c.name.icontains(text, autoescape=True))
        .order_by(c.name, c.id)
        .limit(MAX_NAMES)
    )
    return [NamedDocument(str(row.id), str(row.name)) for row in tx.connection.execute(query)]
