"""The columns of runs and jobs that a status shows. Statuses are polled, so nothing else is read or converted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast

from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.model.job import JobStatus, Progress, ProgressUnit, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import RunState
from towpath.model.stage_declaration import SHIPPED_STAGES

_NOTHING: Json = {}
_STATUSES = {str(status): status for status in JobStatus}


class StatusDocument(NamedTuple):
    id: str
    status: str
    searchable: bool
    updated_at: datetime


class StatusRun(NamedTuple):
    id: str
    state: RunState
    failure_type: str | None
    error: str | None
    rejection_code: str | None
    resumes_run_id: str | None
    deadline_at: datetime | None
    started_at: datetime | None
    pipeline: str
    #: The stages that are stored with the run; None for runs of earlier versions.
    order: tuple[str, ...] | None


class StatusJob(NamedTuple):
    id: str
    run_id: str
    stage: str
    status: JobStatus
    attempts: int
    crashes: int
    started_at: datetime | None
    completed_at: datetime | None
    last_heartbeat: datetime | None
    updated_at: datetime
    available_at: datetime
    reused: bool
    progress: Progress | None
    #: The numbers and the cost of its provider calls.
    calls: Json
    #: The result of a stage of a package.
    own_result: Json | None
    #: Empty unless the job is in process.
    payload: Json
    waiting_reason: WaitingReason | None
    waiting_provider: str | None
    waiting_until: datetime | None
    waiting_run_id: str | None
    waiting_detail: str | None
    error_log: str | None


def read_documents_and_runs(
    tx: Transaction, org_id: str, document_ids: Sequence[str]
) -> tuple[dict[str, StatusDocument], dict[str, StatusRun]]:
    """The documents by id, and of each document the running run, else the first queued one, else the last one."""
    documents: dict[str, StatusDocument] = {}
    runs: dict[str, StatusRun] = {}
    for row in tx.run("select_statuses", org=org_id, ids=_list(tx, document_ids)):
        values = cast("tuple[Any, ...]", row)
        document_id, status, searchable, updated_at = values[:4]
        if document_id not in documents:
            documents[document_id] = StatusDocument(
                document_id, status, bool(searchable), to_instant(updated_at)
            )
        if values[4] is not None:
            run, known = _run(values[4:]), runs.get(document_id)
            if known is None or _replaces(run, known):
                runs[document_id] = run
    return documents, runs


def read_jobs(tx: Transaction, org_id: str, runs: Mapping[str, StatusRun]) -> dict[str, list[StatusJob]]:
    """The jobs of these runs, which are by document, in order; by run."""
    jobs: defaultdict[str, list[StatusJob]] = defaultdict(list)
    rows = tx.run(
        "select_status_jobs",
        org=org_id,
        ids=_list(tx, list(runs)),
        runs=_list(tx, [run.id for run in runs.values()]),
        shipped=_list(tx, sorted(SHIPPED_STAGES)),
    )
    for row in rows:
        job = _job(cast("tuple[Any, ...]", row))
        jobs[job.run_id].append(job)
    return jobs


def _list(tx: Transaction, values: Sequence[str]) -> object:
    """A list as a parameter: an array, or JSON on SQLite."""
    return json.dumps(values) if tx.dialect == "sqlite" else list(values)


def _replaces(later: StatusRun, known: StatusRun) -> bool:
    """Whether a later run of the same document is the one to show."""
    if later.state is RunState.RUNNING:
        return known.state is not RunState.RUNNING
    return known.state not in (RunState.RUNNING, RunState.QUEUED)


def _run(values: tuple[Any, ...]) -> StatusRun:
    run_id, state, failure_type, error, rejection_code, resumes, deadline_at, started_at, pipeline, order = (
        values
    )
    return StatusRun(
        run_id,
        RunState(state),
        failure_type,
        error,
        rejection_code,
        resumes,
        to_instant_or_none(deadline_at),
        to_instant_or_none(started_at),
        pipeline,
        None if order is None else _names(order),
    )


def _job(values: tuple[Any, ...]) -> StatusJob:
    job_id, run_id, stage, status, attempts, crashes, started_at, completed_at, heartbeat = values[:9]
    updated_at, available_at, reused, progress, calls, own_result, payload, reason = values[9:17]
    provider, until, waiting_run, detail, error_log = values[17:]
    return StatusJob(
        job_id,
        run_id,
        stage,
        _STATUSES[status],
        attempts,
        crashes,
        to_instant_or_none(started_at),
        to_instant_or_none(completed_at),
        to_instant_or_none(heartbeat),
        to_instant(updated_at),
        to_instant(available_at),
        bool(reused),
        None if progress is None else _progress(progress),
        _NOTHING if calls is None else _calls(calls),
        None if own_result is None else json.loads(own_result),
        _NOTHING if payload is None else json.loads(payload),
        None if reason is None else WaitingReason(reason),
        provider,
        to_instant_or_none(until),
        waiting_run,
        detail,
        error_log,
    )


# Most jobs have one of a few values, so each is parsed once.


@lru_cache(maxsize=1_000)
def _names(order: str) -> tuple[str, ...]:
    return tuple(json.loads(order))


@lru_cache(maxsize=1_000)
def _calls(calls: str) -> Json:
    return json.loads(calls) or _NOTHING


@lru_cache(maxsize=1_000)
def _progress(progress: str) -> Progress:
    stored = json.loads(progress)
    return Progress(stored["done"], stored["total"], ProgressUnit(stored["unit"]))
