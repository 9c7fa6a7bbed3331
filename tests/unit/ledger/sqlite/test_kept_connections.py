"""Kept connections: one for transactions that follow each other, and another one at the same time or after an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from towpath.ledger.sqlite.kept_connections import KeptConnections


def test_a_connection_is_kept_until_an_error_and_ends_with_its_database(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'kept.db'}")
    kept = KeptConnections(engine)
    with kept.open() as first:
        first.execute(text("select 1"))
    assert not first.in_transaction()
    with kept.open() as again, kept.open() as other:
        assert again is first
        assert other is not first
    other.close()
    kept.close()
    with kept.open() as first:
        pass
    with pytest.raises(OperationalError), kept.open() as again:
        again.execute(text("select * from missing"))
    assert first.closed
    with kept.open() as second:
        assert second is not first
    kept.close()
    assert second.closed
    engine.dispose()
