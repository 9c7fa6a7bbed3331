"""The legal transitions of runs and jobs, as one data table that engines, tests and documentation use."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from towpath.model.job import JobStatus
from towpath.model.run import RunState


class Verb(StrEnum):
    SUBMIT = "submit"
    CLAIM = "claim"
    HEARTBEAT = "heartbeat"
    PROGRESS = "progress"
    ADVANCE = "advance"
    FINISH = "finish"
    FAIL = "fail"
    REJECT = "reject"
    SUSPEND = "suspend"
    RELEASE = "release"
    RESCUE = "rescue"
    RECOVER = "recover"
    TIME_OUT = "time_out"
    CANCEL = "cancel"
    RETRY = "retry"


_Q, _R = RunState.QUEUED, RunState.RUNNING
_PENDING, _PROCESSING = JobStatus.PENDING, JobStatus.PROCESSING

#: verb -> state before -> states allowed after. A pair that is not listed is not allowed.
RUN_TRANSITIONS: Mapping[Verb, Mapping[RunState, frozenset[RunState]]] = {
    Verb.CLAIM: {_Q: frozenset({_R}), _R: frozenset({_R})},
    Verb.HEARTBEAT: {_R: frozenset({_R})},
    Verb.PROGRESS: {_R: frozenset({_R})},
    Verb.ADVANCE: {_R: frozenset({_R})},
    Verb.FINISH: {_R: frozenset({RunState.COMPLETED})},
    Verb.FAIL: {_R: frozenset({_R, RunState.FAILED})},
    Verb.REJECT: {_R: frozenset({RunState.FAILED})},
    Verb.SUSPEND: {_R: frozenset({_R})},
    Verb.RELEASE: {_R: frozenset({_R})},
    Verb.RESCUE: {_R: frozenset({_R})},
    Verb.RECOVER: {_R: frozenset({RunState.FAILED})},
    Verb.TIME_OUT: {_R: frozenset({RunState.TIMED_OUT})},
    Verb.CANCEL: {_Q: frozenset({RunState.CANCELLED}), _R: frozenset({RunState.CANCELLED})},
}

JOB_TRANSITIONS: Mapping[Verb, Mapping[JobStatus, frozenset[JobStatus]]] = {
    Verb.CLAIM: {_PENDING: frozenset({_PROCESSING})},
    Verb.HEARTBEAT: {_PROCESSING: frozenset({_PROCESSING})},
    Verb.PROGRESS: {_PROCESSING: frozenset({_PROCESSING})},
    Verb.ADVANCE: {_PROCESSING: frozenset({JobStatus.COMPLETED})},
    Verb.FINISH: {_PROCESSING: frozenset({JobStatus.COMPLETED})},
    Verb.FAIL: {_PROCESSING: frozenset({_PENDING, JobStatus.FAILED})},
    Verb.REJECT: {_PROCESSING: frozenset({JobStatus.FAILED})},
    Verb.SUSPEND: {_PROCESSING: frozenset({_PENDING})},
    Verb.RELEASE: {_PROCESSING: frozenset({_PENDING})},
    Verb.RESCUE: {_PROCESSING: frozenset({_PENDING})},
    # A follow-up job that was being worked is PENDING again; its run is COMPLETED.
    Verb.RECOVER: {
        _PENDING: frozenset({JobStatus.CANCELLED}),
        _PROCESSING: frozenset({JobStatus.FAILED, _PENDING}),
    },
    Verb.TIME_OUT: {
        _PENDING: frozenset({JobStatus.CANCELLED}),
        _PROCESSING: frozenset({JobStatus.CANCELLED}),
    },
    Verb.CANCEL: {
        _PENDING: frozenset({JobStatus.CANCELLED}),
        _PROCESSING: frozenset({JobStatus.CANCELLED}),
    },
    # A PENDING job is made due now. A FAILED job stays as it is, and a new run resumes at its stage.
    Verb.RETRY: {_PENDING: frozenset({_PENDING}), JobStatus.FAILED: frozenset({JobStatus.FAILED})},
}

RUN_ENDS: frozenset[RunState] = frozenset(RunState) - {_Q, _R}
JOB_ENDS: frozenset[JobStatus] = frozenset(JobStatus) - {_PENDING, _PROCESSING}


def next_run_states(state: RunState, verb: Verb) -> frozenset[RunState]:
    """The states a run may be in after ``verb``; empty when the verb is not allowed."""
    return RUN_TRANSITIONS.get(verb, {}).get(state, frozenset())


def next_job_states(status: JobStatus, verb: Verb) -> frozenset[JobStatus]:
    """The states a job may be in after ``verb``; empty when the verb is not allowed."""
    return JOB_TRANSITIONS.get(verb, {}).get(status, frozenset())
