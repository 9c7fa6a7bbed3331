"""The payload of a stage's job, as any queue may carry it: stable, and numbered by its version.

A field is only ever added. Whatever changes the meaning of one raises the version. The reference page is made
of what stands here, and real jobs are checked against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from towpath.model.work import Job, Json

VERSION = 1

#: Any stage may have this one. It is gone as soon as the job goes back to the queue.
BY_HAND = "by_hand"

#: The arguments of each stage that has some, with the type of each; all of them may be missing.
ARGUMENTS: Mapping[str, Mapping[str, tuple[type, str]]] = {
    "*": {BY_HAND: (bool, "A person asked for it now: a provider that is left alone is asked all the same.")},
    "extract": {
        "polls": (int, "How often the analysis was asked for so far."),
        "asking": (dict, "Which operation is asked for, and since when."),
    },
    "transcribe_poll": {
        "polls": (int, "How often the transcript was asked for so far."),
        "waiting_since": (str, "When waiting for it began, as ISO 8601."),
        "waiting_run": (str, "The run in which that was; another run waits anew."),
        "heard": (int, "How many windows the local transcriber has written down so far."),
    },
    "analyze": {
        "polls": (int, "How often the analyst was too busy so far."),
        "waiting_since": (str, "When waiting for it began, as ISO 8601."),
        "waiting_run": (str, "The run in which that was; another run waits anew."),
    },
}


def as_waiting(payload: Json) -> Json:
    """The arguments with which a job goes back to the queue: the wish of a person was for this one time."""
    return {name: value for name, value in payload.items() if name != BY_HAND}


def payload_of(job: Job) -> dict[str, Any]:
    """Who it is for, what it is about, what is to be done, and how far it came."""
    return {
        "version": VERSION,
        "organization": job.org_id,
        "document": job.document_id,
        "run": job.run_id,
        "stage": job.stage,
        "arguments": dict(job.payload),
    }
