"""Stores the paid calls of questions in the table of provider calls: implements the contract `QuestionCalls`."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select, update

from towpath.errors import LeaseLost
from towpath.ledger.columns import strip_unstorable, to_instant, to_json
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
)
from towpath.ledger.contract.question_calls import NO_DOCUMENT, QuestionCallState
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import provider_calls
from towpath.model.ids import new_id

_calls = provider_calls.c


class SqlQuestionCalls:
    """The calls of this process. ``holder_seconds``: how long another process may hold a call without an answer.

    ``sole``: no other process uses the database, so that a call of another process was left behind by a crash.
    """

    def __init__(self, database: Database, *, holder_seconds: float, sole: bool) -> None:
        self._database = database
        self._lifetime = timedelta(seconds=holder_seconds)
        self._sole = sole
        self._process_id = new_id()

    async def begin(
        self, org_id: str, request: CallRequest, document_id: str | None, now: datetime
    ) -> QuestionCallState:
        return await self._database.run(
            lambda tx: self._begin(tx, org_id, request, document_id or NO_DOCUMENT, now), org=org_id
        )

    async def save_answer(self, org_id: str, key: str, answer: CallAnswer, now: datetime) -> None:
        values: dict[str, object] = {
            "status": "ANSWERED",
            "answer": answer.answer,
            "units": dict(answer.units),
            "cost": answer.cost,
            "error": None,
            "answered_at": now,
        }
        await self._database.run(lambda tx: self._write(tx, org_id, key, values), org=org_id)

    async def fail(self, org_id: str, key: str, error: str) -> None:
        values: dict[str, object] = {"status": "FAILED", "error": strip_unstorable(error)}
        await self._database.run(lambda tx: self._write(tx, org_id, key, values), org=org_id)

    def _begin(
        self, tx: Transaction, org_id: str, request: CallRequest, document_id: str, now: datetime
    ) -> QuestionCallState:
        inserted = tx.run(
            "insert_call",
            id=new_id(),
            org_id=org_id,
            key=request.key,
            provider=request.provider,
            model=request.model,
            document_id=document_id,
            run_id=NO_DOCUMENT,
            job_id=self._process_id,
            epoch=0,
            now=now,
        )
        if inserted:
            return CallReserved()
        this_call = _calls.org_id == org_id, _calls.key == request.key
        call = tx.connection.execute(select(provider_calls).where(*this_call).with_for_update()).one()
        if call.status == "ANSWERED":
            tx.connection.execute(update(provider_calls).where(*this_call).values(reused=_calls.reused + 1))
            return CallCached(None if call.answer is None else to_json(call.answer), call.answer_artifact)
        held_until = to_instant(call.started_at) + self._lifetime
        own = str(call.job_id) == self._process_id
        if call.status == "STARTED" and not own and not self._sole and held_until > now:
            return CallInProgress(held_until)
        # A FAILED call was not answered; a call that was left STARTED may have been paid for.
        may_be_paid = call.status == "STARTED"
        tx.connection.execute(
            update(provider_calls)
            .where(*this_call)
            .values(
                status="STARTED",
                job_id=self._process_id,
                started_at=now,
                repeated=_calls.repeated + int(may_be_paid),
            )
        )
        return CallReserved(repeated=may_be_paid)

    def _write(self, tx: Transaction, org_id: str, key: str, values: dict[str, object]) -> None:
        written = tx.connection.execute(
            update(provider_calls)
            .where(
                _calls.org_id == org_id,
                _calls.key == key,
                _calls.status == "STARTED",
                _calls.job_id == self._process_id,
            )
            .values(**values)
        )
        if written.rowcount != 1:
            raise LeaseLost(f"The call {key[:12]} is no longer held by this process.")
