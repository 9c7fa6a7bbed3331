"""Documents, runs and jobs are found by the beginning of their id, documents also by name, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.queries.documents import SqlDocumentQueries

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = RunPlan("document", 1, ("extract", "publish"), {})


async def test_ids_by_their_beginning_and_documents_by_name(engine: EngineUnderTest) -> None:
    ledger = SqlLedger(engine.database)
    queries = SqlDocumentQueries(engine.database, {})
    document = replace(a_document("a note"), name="Lock Keeper.txt")
    submitted = await ledger.submit(Submission(document, PLAN), NOW)
    await ledger.submit(Submission(a_document("another note"), PLAN), NOW)
    [job] = [
        job
        for job in await queries.jobs(DEFAULT_ORG_ID, status=None, stage=None, after=None, limit=10)
        if job.document_id == submitted.document_id
    ]

    async def matches(text: str, org_id: str = DEFAULT_ORG_ID) -> list[tuple[str, str]]:
        return [(match.kind, match.id) for match in await queries.lookup(org_id, text, 20)]

    assert submitted.run_id is not None
    expected = [("document", submitted.document_id)]
    assert await matches(submitted.document_id) == expected
    assert await matches(submitted.document_id[:8].upper()) == expected
    assert await matches(submitted.document_id.replace("-", "")[:12]) == expected
    assert await matches("Lock Keeper.txt") == expected
    assert await matches("lock keeper.TXT") == expected
    assert await matches(submitted.run_id) == [("run", submitted.run_id)]
    assert await matches(job.id) == [("job", job.id)]
    assert await matches("Lock") == []
    assert await matches("abc") == []
    assert await matches(submitted.document_id, new_id()) == []
    assert await queries.document_names(DEFAULT_ORG_ID, [submitted.document_id]) == {
        submitted.document_id: "Lock Keeper.txt"
    }
