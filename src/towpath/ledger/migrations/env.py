"""Alembic's environment: runs the migrations on the connection given by `towpath.ledger.migrate`."""

from __future__ import annotations

from alembic import context

from towpath.ledger.migrate import describe, is_described
from towpath.ledger.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    transaction_per_migration=False,
    render_item=describe,
    include_name=is_described,
)
with context.begin_transaction():
    context.run_migrations()
