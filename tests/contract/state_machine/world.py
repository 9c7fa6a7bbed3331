"""A snapshot of a ledger's rows with every id replaced by a position, so that engines can be compared."""

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
from towpath.model.job import JobStatus
from towpath.model.run import RunState

#: (document, run, job), each counted from 0 in the order of creation; positions never change.
Position = tuple[int, int, int]

#: In the order of creation: the manual clock may stand still, but ids always grow.
_QUERIES = (
    select(documents).order_by(documents.c.id),
    select(processing_runs).order_by(processing_runs.c.created_at, processing_runs.c.id),
    select(document_processing_jobs).order_by(document_processing_jobs.c.id),
    select(run_events).order_by(run_events.c.id),
    select(provider_calls).order_by(provider_calls.c.id),
)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class JobRow:
    stage: str
    status: JobStatus
    follow_up: bool
    attempts: int
    max_attempts: int
    crashes: int
    suspect: bool
    epoch: int
    available_at: datetime
    lease_until: datetime | None
    locked_by: str | None
    payload: str
    result: str
    progress: str
    waiting: tuple[str | None, ...]
    error_log: str | None
    reused_from: str | None
    started_at: datetime | None
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class RunRow:
    state: RunState
    failure_type: str | None
    error: str | None
    options: str
    resumes: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    deadline_at: datetime | None
    jobs: tuple[JobRow, ...]
    events: tuple[tuple[str, str | None, datetime], ...]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    org_id: str
    status: str
    runs: tuple[RunRow, ...]


@dataclass(frozen=True, slots=True)
class CallRow:
    org_id: str
    key: str
    status: str
    operation_id: str | None
    answer: str
    holder: str
    epoch: int
    reused: int
    repeated: int
    error: str | None


@dataclass(frozen=True, slots=True)
class World:
    documents: tuple[DocumentRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    positions: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    ids: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)

    def job(self, position: Position) -> JobRow:
        return self.documents[position[0]].runs[position[1]].jobs[position[2]]

    def run(self, position: Position) -> RunRow:
        return self.documents[position[0]].runs[position[1]]

    def jobs(self) -> dict[Position, JobRow]:
        return {
            (d, r, j): job
            for d, document in enumerate(self.documents)
            for r, run in enumerate(document.runs)
            for j, job in enumerate(run.jobs)
        }

    def id_of(self, *position: int) -> str:
        return self.ids[position_name(*position)]

    def position_of(self, job_id: str) -> Position:
        d, r, j = self.positions[job_id].split()[1].split(".")
        return int(d), int(r), int(j)


def position_name(*position: int) -> str:
    return f"{('document', 'run', 'job')[len(position) - 1]} {'.'.join(map(str, position))}"


def read_world(engine: EngineUnderTest) -> World:
    """Read the whole ledger."""

    def read(tx: Transaction) -> list[list[Row[Any]]]:
        return [list(cast("Rows", tx.connection.execute(query).all())) for query in _QUERIES]

    stored, runs, jobs, events, calls = engine.database.transact(read, read=True)
    # A document's id is a hash of its bytes; its first run gives the order of creation.
    first_run = {str(run.document_id): str(run.id) for run in reversed(runs)}
    stored.sort(key=lambda document: first_run[str(document.id)])
    runs_of, jobs_of = _by(runs, "document_id"), _by(jobs, "run_id")
    events_of = _by(events, "run_id")
    positions: dict[str, str] = {}
    for d, document in enumerate(stored):
        positions[str(document.id)] = position_name(d)
        for r, run in enumerate(runs_of[str(document.id)]):
            positions[str(run.id)] = position_name(d, r)
            for j, job in enumerate(jobs_of[str(run.id)]):
                positions[str(job.id)] = position_name(d, r, j)
    reader = _Reader(positions)
    seen = tuple(
        DocumentRow(
            str(document.org_id),
            document.status,
            tuple(
                reader.run(run, jobs_of[str(run.id)], events_of[str(run.id)])
                for run in runs_of[str(document.id)]
            ),
        )
        for document in stored
    )
    by_key = sorted(calls, key=lambda call: (str(call.org_id), call.key))
    ids = {position: row_id for row_id, position in positions.items()}
    return World(seen, tuple(reader.call(call) for call in by_key), positions, ids)


def _by(rows: list[Row[Any]], column: str) -> defaultdict[str, list[Row[Any]]]:
    grouped: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        grouped[str(getattr(row, column))].append(row)
    return grouped


@dataclass(frozen=True, slots=True)
class _Reader:
    positions: Mapping[str, str]

    def text(self, value: object) -> str | None:
        """The text with each id replaced by its position."""
        if value is None:
            return None
        return _UUID.sub(lambda match: self.positions.get(match[0], "unknown"), str(value))

    def run(self, row: Any, jobs: list[Row[Any]], events: list[Row[Any]]) -> RunRow:
        return RunRow(
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

    def job(self, row: Any) -> JobRow:
        return JobRow(
            row.stage,
            JobStatus(row.status),
            bool(row.follow_up),
            row.attempts,
            row.max_attempts,
            row.crashes,
            bool(row.suspect),
            row.lease_epoch,
            row.available_at,
            row.lease_until,
            row.locked_by,
            _plain(row.payload),
            _plain(row.result),
            _plain(row.progress),
            (
                row.waiting_reason,
                row.waiting_provider,
                None if row.waiting_until is None else str(row.waiting_until),
                self.text(row.waiting_run_id),
                self.text(row.waiting_detail),
            ),
            self.text(row.error_log),
            self.text(row.reused_from),
            row.started_at,
            row.completed_at,
        )

    def call(self, row: Any) -> CallRow:
        return CallRow(
            str(row.org_id),
            row.key,
            row.status,
            row.operation_id,
            _plain(row.answer),
            self.text(row.job_id) or "",
            row.lease_epoch,
            row.reused,
            row.repeated,
            row.error,
        )


def _plain(value: object) -> str:
    return "absent" if value is None else json.dumps(to_json(value), sort_keys=True)
