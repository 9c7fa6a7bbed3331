"""What the machine sees of a ledger: its rows with every id replaced by a place, so that engines compare."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, select

from tests.support.databases import EngineUnderTest
from towpath.ledger.columns import to_json
from towpath.ledger.database import Rows, Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    run_events,
)
from towpath.model.work import JobStatus, RunState

#: (document, run, job), each counted from 0 in the order of creation; places never change.
Place = tuple[int, int, int]

#: In the order of creation: the clock of the machine may stand still, but ids always grow.
_QUERIES = (
    select(documents).order_by(documents.c.id),
    select(processing_runs).order_by(processing_runs.c.created_at, processing_runs.c.id),
    select(document_processing_jobs).order_by(document_processing_jobs.c.id),
    select(run_events).order_by(run_events.c.id),
    select(provider_calls).order_by(provider_calls.c.id),
)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class JobSeen:
    stage: str
    status: JobStatus
    follow_up: bool
    attempts: int
    max_attempts: int
    crashes: int
    epoch: int
    available_at: datetime
    lease_until: datetime | None
    locked_by: str | None
    payload: str
    result: str
    progress: str
    waiting_for: str | None
    error_log: str | None
    reused_from: str | None
    started_at: datetime | None
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class RunSeen:
    state: RunState
    failure_type: str | None
    error: str | None
    options: str
    resumes: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    deadline_at: datetime | None
    jobs: tuple[JobSeen, ...]
    events: tuple[tuple[str, str | None, datetime], ...]


@dataclass(frozen=True, slots=True)
class DocumentSeen:
    org_id: str
    status: str
    runs: tuple[RunSeen, ...]


@dataclass(frozen=True, slots=True)
class CallSeen:
    org_id: str
    key: str
    status: str
    operation_id: str | None
    answer: str
    holder: str
    epoch: int
    reused: int
    reopened: int
    error: str | None


@dataclass(frozen=True, slots=True)
class World:
    documents: tuple[DocumentSeen, ...] = ()
    calls: tuple[CallSeen, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    ids: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)

    def job(self, place: Place) -> JobSeen:
        return self.documents[place[0]].runs[place[1]].jobs[place[2]]

    def run(self, place: Place) -> RunSeen:
        return self.documents[place[0]].runs[place[1]]

    def jobs(self) -> dict[Place, JobSeen]:
        return {
            (d, r, j): job
            for d, document in enumerate(self.documents)
            for r, run in enumerate(document.runs)
            for j, job in enumerate(run.jobs)
        }

    def id_of(self, *place: int) -> str:
        return self.ids[name_of(*place)]

    def place_of(self, job_id: str) -> Place:
        d, r, j = self.places[job_id].split()[1].split(".")
        return int(d), int(r), int(j)


def name_of(*place: int) -> str:
    return f"{('document', 'run', 'job')[len(place) - 1]} {'.'.join(map(str, place))}"


def look(engine: EngineUnderTest) -> World:
    """Read the whole ledger."""

    def read(tx: Transaction) -> list[list[Row[Any]]]:
        return [list(cast("Rows", tx.connection.execute(query).all())) for query in _QUERIES]

    found, runs, jobs, events, calls = engine.database.transact(read, read=True)
    # A document's id follows from its bytes; its first run says when it came.
    first_run = {str(run.document_id): str(run.id) for run in reversed(runs)}
    found.sort(key=lambda document: first_run[str(document.id)])
    runs_of, jobs_of = _by(runs, "document_id"), _by(jobs, "run_id")
    events_of = _by(events, "run_id")
    places: dict[str, str] = {}
    for d, document in enumerate(found):
        places[str(document.id)] = name_of(d)
        for r, run in enumerate(runs_of[str(document.id)]):
            places[str(run.id)] = name_of(d, r)
            for j, job in enumerate(jobs_of[str(run.id)]):
                places[str(job.id)] = name_of(d, r, j)
    reader = _Reader(places)
    seen = tuple(
        DocumentSeen(
            str(document.org_id),
            document.status,
            tuple(
                reader.run(run, jobs_of[str(run.id)], events_of[str(run.id)])
                for run in runs_of[str(document.id)]
            ),
        )
        for document in found
    )
    by_key = sorted(calls, key=lambda call: (str(call.org_id), call.key))
    ids = {place: found_id for found_id, place in places.items()}
    return World(seen, tuple(reader.call(call) for call in by_key), places, ids)


def _by(rows: list[Row[Any]], column: str) -> defaultdict[str, list[Row[Any]]]:
    grouped: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        grouped[str(getattr(row, column))].append(row)
    return grouped


@dataclass(frozen=True, slots=True)
class _Reader:
    places: Mapping[str, str]

    def text(self, value: object) -> str | None:
        """Text with each id in it replaced by its place."""
        if value is None:
            return None
        return _UUID.sub(lambda found: self.places.get(found[0], "somebody"), str(value))

    def run(self, row: Any, jobs: list[Row[Any]], events: list[Row[Any]]) -> RunSeen:
        return RunSeen(
            RunState(row.state),
            row.failure_type,
            self.text(row.error),
            _plain(row.options),
            self.text(row.resumes_run_id),
            row.created_at,
            row.started_at,
            row.ended_at,
            row.deadline_at,
            tuple(self.job(job) for job in jobs),
            tuple((event.kind, event.stage, event.at) for event in events),
        )

    def job(self, row: Any) -> JobSeen:
        return JobSeen(
            row.stage,
            JobStatus(row.status),
            bool(row.follow_up),
            row.attempts,
            row.max_attempts,
            row.crashes,
            row.lease_epoch,
            row.available_at,
            row.lease_until,
            row.locked_by,
            _plain(row.payload),
            _plain(row.result),
            _plain(row.progress),
            self.text(row.waiting_for),
            self.text(row.error_log),
            self.text(row.reused_from),
            row.started_at,
            row.completed_at,
        )

    def call(self, row: Any) -> CallSeen:
        return CallSeen(
            str(row.org_id),
            row.key,
            row.status,
            row.operation_id,
            _plain(row.answer),
            self.text(row.job_id) or "",
            row.lease_epoch,
            row.reused,
            row.reopened,
            row.error,
        )


def _plain(value: object) -> str:
    return "absent" if value is None else json.dumps(to_json(value), sort_keys=True)
