"""Things to submit: documents that differ by their bytes, plans, and organizations to own them."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from datetime import UTC, datetime

from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.contract.provider_calls import CallRequest
from towpath.ledger.database import Database
from towpath.ledger.tables import organizations
from towpath.model.document import NewDocument
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.json_types import Json

STAGES = ("extract", "chunk", "publish")

_serial = itertools.count(1)


def a_plan(
    stages: Sequence[str] = STAGES,
    *,
    options: Json | None = None,
    payload: Json | None = None,
    max_attempts: int = 5,
    deadline_seconds: float | None = None,
    continue_after_timeout: bool = False,
) -> RunPlan:
    return RunPlan(
        *("document", 1, tuple(stages), options or {}, payload or {}),
        max_attempts=max_attempts,
        deadline_seconds=deadline_seconds,
        continue_after_timeout=continue_after_timeout,
    )


def a_document(content: str | None = None, *, org_id: str = DEFAULT_ORG_ID) -> NewDocument:
    """A document of its own, or, for the same ``content``, the same bytes again."""
    text = content if content is not None else f"document {next(_serial)}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return NewDocument(org_id, f"{text}.txt", "document", "text/plain", len(text), digest, f"blobs/{digest}")


def a_submission(
    content: str | None = None,
    *,
    org_id: str = DEFAULT_ORG_ID,
    plan: RunPlan | None = None,
    idempotency_key: str | None = None,
) -> Submission:
    return Submission(a_document(content, org_id=org_id), plan or a_plan(), idempotency_key=idempotency_key)


def a_call(key: str = "the same input") -> CallRequest:
    return CallRequest(hashlib.sha256(key.encode()).hexdigest(), "openai", "small-embedder")


def organization_id(number: int) -> str:
    """Ids that sort as their numbers do."""
    return f"00000000-0000-7000-9000-{number:012d}"


def add_organizations(database: Database, *org_ids: str) -> None:
    created = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [{"id": org_id, "name": org_id[-4:], "created_at": created} for org_id in org_ids]
    database.transact(lambda tx: tx.connection.execute(organizations.insert(), rows))
