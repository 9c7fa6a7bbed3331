"""The payload of a stage's job: a stable, versioned format.

Fields are only added; a change of a field's meaning raises the version. The reference page is generated from
this module, and tests check real jobs against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from towpath.model.job import DueJob, Job
from towpath.model.json_types import Json
from towpath.model.poll_state import ARGUMENTS as POLL_ARGUMENTS
from towpath.model.provider_wait import ARGUMENT as PROVIDER_WAIT_ARGUMENT
from towpath.model.provider_wait import KEY as PROVIDER_WAIT

VERSION = 1

#: An argument of every stage; dropped once the provider was called.
FORCED = "forced"
#: The name of the same argument in jobs that version 0.1.0 stored.
_FORCED_IN_0_1_0 = "by_hand"

#: An argument of own stages: what `Suspend` stored.
STATE = "state"

#: An argument of `transcribe_poll`: the number of windows in the stored draft.
WINDOWS_DONE = "windows_done"
#: The name of the same argument in jobs that version 0.1.0 stored.
_WINDOWS_DONE_IN_0_1_0 = "heard"

#: The arguments of each stage, with their types; all of them are optional.
ARGUMENTS: Mapping[str, Mapping[str, tuple[type, str]]] = {
    "*": {
        FORCED: (bool, "A person asked for a retry now: a throttled provider is called all the same."),
        PROVIDER_WAIT: PROVIDER_WAIT_ARGUMENT,
        STATE: (dict, "What an own stage stored with `Suspend`."),
    },
    "extract": POLL_ARGUMENTS,
    "transcribe_poll": {
        **POLL_ARGUMENTS,
        WINDOWS_DONE: (int, "How many windows are transcribed."),
    },
    "analyze": POLL_ARGUMENTS,
}


def as_waiting(payload: Json) -> Json:
    """The arguments with which a job goes back to the queue. Drops `forced`: it applies to one call only."""
    return {name: value for name, value in payload.items() if name not in (FORCED, _FORCED_IN_0_1_0)}


def is_forced(payload: Json) -> bool:
    """Whether a person asked for this attempt, so that a throttled provider is called all the same."""
    return bool(payload.get(FORCED) or payload.get(_FORCED_IN_0_1_0))


def windows_done(payload: Json) -> int | None:
    """How many windows are transcribed; None before the first time slice has ended."""
    number = payload.get(WINDOWS_DONE, payload.get(_WINDOWS_DONE_IN_0_1_0))
    return number if isinstance(number, int) else None


def payload_of(job: Job | DueJob) -> dict[str, Any]:
    """The payload of a job: organization, document, run, stage and arguments."""
    return {
        "version": VERSION,
        "organization": job.org_id,
        "document": job.document_id,
        "run": job.run_id,
        "stage": job.stage,
        "arguments": dict(job.payload),
    }
