"""The status of many documents needs a fixed number of SQL queries on both engines."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import event

from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import WaitingReason
from towpath.queries.documents import SqlDocumentQueries

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAGES = ("extract", "publish")
DOCUMENTS = 500


async def test_the_status_of_500_documents_needs_at_most_4_queries(engine: EngineUnderTest) -> None:
    ledger = SqlLedger(engine.database)
    plan = RunPlan("document", 1, STAGES, {})
    submitted = [
        await ledger.submit(Submission(a_document(f"note {number}"), plan), NOW)
        for number in range(DOCUMENTS)
    ]
    document_ids = [answer.document_id for answer in submitted]
    queries = SqlDocumentQueries(engine.database, {"document": STAGES})
    statements: list[str] = []

    def record(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement not in ("begin", "commit"):
            statements.append(statement)

    event.listen(engine.database.engine, "before_cursor_execute", record)
    try:
        statuses = await queries.statuses(DEFAULT_ORG_ID, document_ids, NOW)
    finally:
        event.remove(engine.database.engine, "before_cursor_execute", record)

    assert len(statements) <= 4, statements
    assert [status.document_id for status in statuses] == document_ids
    assert [status.run_id for status in statuses] == [answer.run_id for answer in submitted]
    assert {status.stage for status in statuses} == {"extract"}
    assert {status.waiting.reason for status in statuses if status.waiting} == {WaitingReason.FREE_WORKER}
