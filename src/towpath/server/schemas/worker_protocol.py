"""Request and response models of the protocol for workers that speak HTTP."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, Base64Bytes, BaseModel, Field

from towpath.model.job import ClaimedJob, DueJob, ProgressUnit, WaitingReason
from towpath.model.job_payload import payload_of
from towpath.server.schemas.base import View
from towpath.server.schemas.jobs import PayloadView

#: A large result belongs into an artifact.
MAX_RESULT_CHARS = 65_536
_SECONDS_PER_DAY = 86_400


def _storable(value: dict[str, object]) -> dict[str, object]:
    """Accept JSON that both databases can store."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True)
    if len(text) > MAX_RESULT_CHARS:
        raise ValueError(
            f"has more than {MAX_RESULT_CHARS} characters; store it as an artifact and name its key"
        )
    _storable_text(json.dumps(value, ensure_ascii=False))
    if "\\u0000" in text:
        raise ValueError("contains the character U+0000")
    return value


def _storable_text(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains U+0000 or half of a surrogate pair")
    return text


StorableJson = Annotated[dict[str, object], AfterValidator(_storable)]
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@/-]*$")]
StageName = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,100}$")]
LeaseSeconds = Annotated[
    float,
    Field(ge=1, le=3600, description="Duration of the lease; without it `lease_seconds` of the settings"),
]
Seconds = Annotated[float, Field(ge=0, le=7 * _SECONDS_PER_DAY)]
Text = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_storable_text)]
CallKey = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="The `key` that `begin` returned")]


class LeaseBody(BaseModel):
    """Every request names the lease: the job in the path, and its epoch here."""

    epoch: int = Field(ge=1, le=2**31 - 1, description="The epoch that the claim returned")


class ClaimBody(BaseModel):
    worker: Name = Field(description="Name of the worker, shown to operators; any name")
    stages: list[StageName] = Field(min_length=1, max_length=100, description="Stages that the worker serves")
    limit: int = Field(1, ge=1, le=100)
    lease_seconds: LeaseSeconds | None = None
    job_ids: list[Annotated[str, Field(max_length=36)]] | None = Field(
        None,
        max_length=100,
        description="Claim only those of these jobs that are due, such as a delivered one",
    )
    wait_seconds: float = Field(0, ge=0, le=30, description="How long to wait for a job if none is due")


class WorkerDocumentView(View):
    name: str
    media_type: str
    sha256: str
    key: str = Field(description="Key of the uploaded file, for `GET /worker/{job_id}/artifacts`")


class ClaimedJobView(View):
    job: str
    epoch: int
    lease_until: datetime
    lease_seconds: float = Field(description="Send a heartbeat at least every third of this time")
    pipeline: str
    stage: str
    payload: PayloadView
    document: WorkerDocumentView
    results: dict[str, dict[str, object]] = Field(description="Results of the completed stages of this run")
    attempts: int = Field(description="Failed attempts so far")
    max_attempts: int


class HeartbeatBody(LeaseBody):
    lease_seconds: LeaseSeconds | None = None


class HeartbeatView(View):
    lease_until: datetime


class ProgressBody(LeaseBody):
    done: int = Field(ge=0, le=2**31 - 1)
    total: int = Field(ge=0, le=2**31 - 1)
    unit: ProgressUnit


class BeginCall(LeaseBody):
    """Before a call to a paid or slow provider: is it to be made?"""

    action: Literal["begin"]
    provider: Name
    model: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable_text)]
    parameters: dict[Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=2000)]] = Field(
        default={}, max_length=100, description="Everything that changes the answer"
    )
    input_hash: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Hash of the input, such as its sha256"
    )
    tokens: int = Field(0, ge=0, le=2**31 - 1, description="Estimated tokens, for rate limits")


class SaveOperation(LeaseBody):
    """The provider accepted a long-running operation: store its id at once."""

    action: Literal["operation"]
    key: CallKey
    operation_id: Text


class SaveAnswer(LeaseBody):
    """The provider answered: store the answer before it is used."""

    action: Literal["answer"]
    key: CallKey
    body: Base64Bytes = Field(description="The answer's bytes in base64")
    units: dict[Annotated[str, Field(max_length=100)], Annotated[float, Field(ge=0, le=1e15)]] = Field(
        default={}, max_length=20, description="Billed units, such as pages or tokens"
    )
    cost: float = Field(0, ge=0, le=1e9, description="Cost in US dollars")


class FailCall(LeaseBody):
    """The provider did not answer. It may be called again, by this worker or another."""

    action: Literal["failed"]
    key: CallKey
    error: Text
    provider: Name | None = Field(None, description="Required for `throttled` and `refused`")
    throttled: bool = Field(False, description="The provider limits the rate: no worker calls it for a while")
    refused: bool = Field(False, description="The provider refused the account (key, credit, permission)")
    retry_after: Seconds | None = Field(None, description="The provider's Retry-After in seconds")
    answer_lost: bool = Field(False, description="The call was sent and its answer was lost")


CallBody = Annotated[BeginCall | SaveOperation | SaveAnswer | FailCall, Field(discriminator="action")]


class CallView(View):
    state: Literal["make", "answered", "running", "in_progress", "wait", "saved"] = Field(
        description="`make` it now; `answered`: use `body`; `running`: poll `operation_id`; `in_progress`: another "
        "worker makes it, and `wait`: the provider must not be called: settle with `suspend` until `until`; `saved`"
    )
    key: str
    body: str | None = Field(default=None, description="The answer's bytes in base64")
    operation_id: str | None = None
    until: datetime | None = None
    reason: WaitingReason | None = None
    repeated: bool = Field(
        default=False, description="An earlier worker may have made this call and been billed"
    )


class ArtifactView(View):
    key: str = Field(description="Name it in the result, so that later stages find it")
    kind: str
    media_type: str
    size: int
    sha256: str


class DoneBody(LeaseBody):
    outcome: Literal["done"]
    result: StorableJson = Field(default={}, description="The stage's result, for the stages after it")


class SuspendBody(LeaseBody):
    """Run the stage again later. Uses no attempt."""

    outcome: Literal["suspend"]
    seconds: Seconds = Field(description="Time until the job is due again")
    reason: Literal[
        "provider_throttled",
        "provider_refused",
        "provider_limit",
        "provider_operation",
        "same_call_elsewhere",
        "storage",
    ]
    provider: Name | None = None
    detail: Text | None = None
    arguments: StorableJson | None = Field(None, description="Replaces `arguments` of the payload")


class RejectBody(LeaseBody):
    """This document can never be processed: the run fails without another attempt."""

    outcome: Literal["reject"]
    reason: Text
    provider: Name | None = None


class FailBody(LeaseBody):
    """The attempt failed. The job is tried again after the backoff, until its attempts are used up."""

    outcome: Literal["fail"]
    error: Text
    retry_after: Seconds | None = None


class ReleaseBody(LeaseBody):
    """The worker shuts down and gives the job back. Uses no attempt."""

    outcome: Literal["release"]


SettleBody = Annotated[
    DoneBody | SuspendBody | RejectBody | FailBody | ReleaseBody, Field(discriminator="outcome")
]


class SettledView(View):
    job: str
    status: Literal["PENDING", "COMPLETED", "FAILED", "CANCELLED"] = Field(
        description="The status of the job"
    )


def claimed_view(job: ClaimedJob, lease_seconds: float) -> ClaimedJobView:
    lease = job.lease
    due = DueJob(lease.job_id, lease.epoch, job.org_id, job.document_id, job.run_id, job.stage, job.payload)
    document = cast("dict[str, str]", job.options["document"])
    return ClaimedJobView(
        job=lease.job_id,
        epoch=lease.epoch,
        lease_until=lease.until,
        lease_seconds=lease_seconds,
        pipeline=job.pipeline,
        stage=job.stage,
        payload=PayloadView.model_validate(payload_of(due)),
        document=WorkerDocumentView(
            name=document["name"],
            media_type=document["media_type"],
            sha256=document["sha256"],
            key=document["blob_key"],
        ),
        results={stage: dict(result) for stage, result in job.results.items()},
        attempts=job.attempts,
        max_attempts=job.max_attempts,
    )
