"""Stores the reasons of connections as data, and the figures of the whole library that scores of pairs need.

The sentence `reason` becomes `shared_terms`. A document's connections are scored anew when it is connected again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0014"
down_revision = "0013"

_PREFIX = "Shared terms: "


def upgrade() -> None:
    op.add_column("connections", sa.Column("similarity", sa.Float()))
    for name in ("shared_terms", "shared_identifiers"):
        op.add_column(
            "connections", sa.Column(name, columns.Json, server_default=sa.text("'[]'"), nullable=False)
        )
    postgres = op.get_bind().dialect.name == "postgresql"
    place = f"strpos(reason, '{_PREFIX}')" if postgres else f"instr(reason, '{_PREFIX}')"
    terms = f"substr(reason, {place} + {len(_PREFIX)})"
    as_list = (
        f"to_jsonb(string_to_array({terms}, ', '))"
        if postgres
        else f"replace(json_array({terms}), ', ', '\",\"')"
    )
    op.execute(f"update connections set shared_terms = {as_list} where {place} > 0")
    op.execute("update connections set kind = 'quotation' where kind = 'same_passage'")
    op.execute("update connections set kind = 'same_subject' where kind = 'same_topic'")
    op.drop_column("connections", "reason")
    op.create_table(
        "chunk_profiles",
        sa.Column("chunk_id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("neighbour_similarity", sa.Float(), nullable=False),
        sa.Column("term_norm", sa.Float(), nullable=False),
        sa.Column("copies", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name=op.f("fk_chunk_profiles_chunk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chunk_id", name=op.f("pk_chunk_profiles")),
    )
