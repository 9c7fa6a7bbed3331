"""Adds the code of a rejection, and the sealed password of a locked PDF, which the end of its job erases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

_ENDED = "new.sealed_password is not null and new.status not in ('PENDING', 'PROCESSING')"

# Triggers, and not the statements that end jobs: so it also holds for workers of an earlier version, and for every
# statement that is added later.
_POSTGRES = (
    "create function erase_sealed_password() returns trigger language plpgsql as $$ "
    "begin new.sealed_password := null; return new; end $$",
    "create trigger erase_sealed_password before insert or update of status on document_processing_jobs "
    f"for each row when ({_ENDED}) execute function erase_sealed_password()",
)
_SQLITE = tuple(
    f"create trigger erase_sealed_password_{moment.split()[0]} after {moment} on document_processing_jobs "
    f"when {_ENDED} begin update document_processing_jobs set sealed_password = null where id = new.id; end"
    for moment in ("insert", "update of status")
)


def upgrade() -> None:
    op.add_column("processing_runs", sa.Column("rejection_code", sa.Text()))
    op.add_column("document_processing_jobs", sa.Column("sealed_password", sa.Text()))
    for statement in _POSTGRES if op.get_bind().dialect.name == "postgresql" else _SQLITE:
        op.execute(statement)
