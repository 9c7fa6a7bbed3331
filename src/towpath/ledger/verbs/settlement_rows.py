"""The rows that settlements send to the SQL statements of their verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import pairwise

from towpath.ledger.columns import to_text
from towpath.ledger.contract.settlements import (
    Advance,
    Fail,
    Finish,
    Release,
    Settlement,
    Suspended,
)
from towpath.ledger.verbs.throttling import RESUME_DELAY
from towpath.model.event import EventKind
from towpath.model.ids import new_id
from towpath.model.json_types import Json

Row = dict[str, object]


def settlement_row(item: Settlement, now: datetime) -> Row:
    """The row of a settlement of one stage."""
    row: Row = {"job_id": item.lease.job_id, "epoch": item.lease.epoch}
    match item:
        case Advance():
            row |= {
                "keep": item.keep,
                "next_id": item.next_id or new_id(),
                "next_stage": item.next_stage,
                "next_payload": item.next_payload,
                "sealed_password": item.sealed_password,
                "max_attempts": item.max_attempts,
            } | _result(item)
        case Finish():
            follow_ups = [{"id": new_id(), "stage": stage} for stage in item.follow_ups]
            row |= {"follow_ups": follow_ups, "max_attempts": item.max_attempts} | _result(item)
        case Fail():
            row |= {
                "error": item.error,
                "line": f"{to_text(now)} {item.error}",
                "retry_at": to_text(item.retry_at),
                "final": item.final,
                "failure_type": item.failure_type,
                "error_code": item.error_code,
                "rejected_by": item.rejected_by,
                "rejection_code": item.rejection_code,
                "crashed": item.crashed,
                "max_crashes": item.max_crashes,
            }
        case Suspended():
            row |= {
                "until": to_text(item.until),
                "until_if_resumed": to_text(min(item.until, now + RESUME_DELAY)),
                "reason": item.reason,
                "provider": item.provider,
                "detail": item.detail,
                "payload": item.payload,
                "line": None if item.log_line is None else f"{to_text(now)} {item.log_line}",
            }
        case Release():
            pass
    return row


def stages_row(links: Sequence[Settlement], details: Mapping[str, Json]) -> Row:
    """The row of a settlement of several stages: the results of all but the last one, whose job it creates.

    ``details`` are added to the events that complete the stages, by job.
    """
    first = links[0]
    assert isinstance(first, Advance)
    stages: list[Row] = []
    events: list[Row] = []
    stage = None
    for link, following in pairwise(links):
        assert isinstance(link, Advance)
        assert isinstance(following, Advance | Finish)
        job: Row = {
            "id": following.lease.job_id,
            "stage": link.next_stage,
            "payload": link.next_payload,
            "sealed_password": link.sealed_password,
            "max_attempts": link.max_attempts,
            "completed": following is not links[-1],
        }
        stages.append({**job, **_result(following)} if job["completed"] else job)
        job_id = link.lease.job_id
        events.append(_event(job_id, EventKind.STEP_COMPLETED, stage, details.get(job_id)))
        stage = link.next_stage
        started = {"worker": first.lease.worker, "epoch": 1}
        events.append(_event(following.lease.job_id, EventKind.STEP_STARTED, stage, started))
    row: Row = {"job_id": first.lease.job_id, "epoch": first.lease.epoch, "stages": stages, "events": events}
    return row | _result(first)


def _result(item: Advance | Finish) -> Row:
    return {"result": item.result, "progress": item.progress and asdict(item.progress)}


def _event(job_id: str, kind: EventKind, stage: str | None, detail: Json | None) -> Row:
    """The event of a stage; None is the stage of the job that is stored."""
    return {"job_id": job_id, "kind": kind, "stage": stage, "detail": detail}
