"""Routes for workers in any language, which claim and settle jobs over HTTP under a lease."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from towpath.errors import NotFound
from towpath.intake.upload import receive_upload
from towpath.ledger.contract.provider_calls import CallInProgress, CallReserved, CallRunning
from towpath.model.job import ClaimedJob, Progress, WaitingReason
from towpath.model.outcome import Done, Outcome, Reject, Suspend
from towpath.model.provider_answer import Answer
from towpath.model.writes import KeepArtifact
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Services, ServicesDep
from towpath.server.downloads import require_blob
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.worker_protocol import (
    ArtifactView,
    BeginCall,
    CallBody,
    CallView,
    ClaimBody,
    ClaimedJobView,
    DoneBody,
    FailBody,
    FailCall,
    HeartbeatBody,
    HeartbeatView,
    ProgressBody,
    RejectBody,
    ReleaseBody,
    SaveAnswer,
    SaveOperation,
    SettleBody,
    SettledView,
    SuspendBody,
    claimed_view,
)
from towpath.stages.contract import ProviderCall
from towpath.storage.contract import document_key
from towpath.worker_protocol.contract import (
    CallBegun,
    CallFailure,
    Failed,
    LeaseId,
    Released,
    RemoteClaim,
    RemoteWorker,
)
from towpath.worker_protocol.job_keys import may_read

router = APIRouter(prefix="/worker", tags=["worker"])

_LEASED: dict[int | str, dict[str, Any]] = {
    403: PROBLEM_RESPONSE,
    404: PROBLEM_RESPONSE,
    409: PROBLEM_RESPONSE,
}
_BYTES = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
Epoch = Annotated[int, Query(ge=1, le=2**31 - 1, description="The epoch that the claim returned")]


def _worker(caller: Caller) -> RemoteWorker:
    return RemoteWorker(caller.org_id, caller.stages)


@router.post("/claim", responses={403: PROBLEM_RESPONSE})
async def claim_jobs(services: ServicesDep, caller: Caller, body: ClaimBody) -> list[ClaimedJobView]:
    """Claim due jobs of this organization. The answer is empty if none is due."""
    seconds = body.lease_seconds or services.remote_jobs.lease_seconds
    request = RemoteClaim(body.worker, body.stages, body.limit, seconds, body.job_ids, body.wait_seconds)
    jobs = await services.remote_jobs.claim(_worker(caller), request)
    return [claimed_view(job, seconds) for job in jobs]


@router.post("/{job_id}/heartbeat", responses=_LEASED)
async def renew_lease(
    services: ServicesDep, caller: Caller, job_id: Id, body: HeartbeatBody
) -> HeartbeatView:
    """Renew the lease. 409 `lease-lost`: stop, another worker has the job or its run has ended."""
    lease = LeaseId(job_id, body.epoch)
    until = await services.remote_jobs.heartbeat(_worker(caller), lease, body.lease_seconds)
    return HeartbeatView(lease_until=until)


@router.post("/{job_id}/progress", status_code=204, responses=_LEASED)
async def report_progress(services: ServicesDep, caller: Caller, job_id: Id, body: ProgressBody) -> None:
    """Store how much of the stage is done, for the page and the status."""
    progress = Progress(body.done, body.total, body.unit)
    await services.remote_jobs.progress(_worker(caller), LeaseId(job_id, body.epoch), progress)


@router.post("/{job_id}/calls", responses=_LEASED)
async def remember_call(services: ServicesDep, caller: Caller, job_id: Id, body: CallBody) -> CallView:
    """Make a paid call once: `begin` it before, store its `operation` or its `answer` after, or that it `failed`."""
    worker, lease, jobs = _worker(caller), LeaseId(job_id, body.epoch), services.remote_jobs
    match body:
        case BeginCall():
            call = ProviderCall(body.provider, body.model, body.parameters, body.input_hash, body.tokens)
            return _call_view(await jobs.begin_call(worker, lease, call))
        case SaveOperation():
            await jobs.save_operation_id(worker, lease, body.key, body.operation_id)
        case SaveAnswer():
            await jobs.save_answer(worker, lease, body.key, Answer(body.body, body.units, body.cost))
        case FailCall():
            if (body.throttled or body.refused) and body.provider is None:
                raise HTTPException(400, "Name the `provider` that is throttled or refused.")
            failure = CallFailure(
                body.error,
                body.provider,
                throttled=body.throttled,
                refused=body.refused,
                retry_after=body.retry_after,
                answer_lost=body.answer_lost,
            )
            suspend = await jobs.fail_call(worker, lease, body.key, failure)
            if suspend is not None:
                return _call_view(CallBegun(body.key, suspend))
    return CallView(state="saved", key=body.key)


@router.get("/{job_id}/artifacts", response_class=Response, responses={200: _BYTES, **_LEASED})
async def read_artifact(
    services: ServicesDep,
    caller: Caller,
    job_id: Id,
    epoch: Epoch,
    key: Annotated[str, Query(max_length=400, description="Key from `document` or `results` of the job")],
) -> Response:
    """Read an input of the job: the uploaded file, or an artifact of an earlier stage of its document."""
    claimed = await services.remote_jobs.leased_job(_worker(caller), LeaseId(job_id, epoch))
    if not may_read(claimed, key):
        raise NotFound("The job has no input with this key.")
    await require_blob(services.blobs, key)
    return StreamingResponse(services.blobs.stream(key), media_type="application/octet-stream")


@router.post(
    "/{job_id}/artifacts",
    dependencies=[NeedsDiskSpace],
    responses=_LEASED,
    openapi_extra={"requestBody": {"required": True, **_BYTES}},
)
async def write_artifact(
    services: ServicesDep,
    caller: Caller,
    job_id: Id,
    request: Request,
    epoch: Epoch,
    kind: Annotated[str, Query(pattern=r"^[a-z0-9_]{1,40}$", description="Such as `content`, `summary`")],
    suffix: Annotated[str, Query(pattern=r"^[a-z0-9]{1,10}$", description="Such as `md`, `json`")],
    media_type: Annotated[
        str, Query(max_length=100, pattern=r"^[\w.+-]+/[\w.+-]+$")
    ] = "application/octet-stream",
) -> ArtifactView:
    """Store an output of the job: the body of the request. The same bytes get the same key."""
    worker, lease = _worker(caller), LeaseId(job_id, epoch)
    claimed = await services.remote_jobs.leased_job(worker, lease)
    artifact = await _store(services, claimed, request, kind, suffix, media_type)
    await services.remote_jobs.keep_artifact(worker, lease, artifact)
    return ArtifactView.model_validate(artifact)


@router.post("/{job_id}/settle", responses=_LEASED)
async def settle_job(services: ServicesDep, caller: Caller, job_id: Id, body: SettleBody) -> SettledView:
    """End the work on the job. A settlement that was stored before is acknowledged again."""
    settled = await services.remote_jobs.settle(
        _worker(caller), LeaseId(job_id, body.epoch), _outcome(services, body)
    )
    return SettledView.model_validate({"job": settled.job_id, "status": settled.status})


async def _store(
    services: Services, job: ClaimedJob, request: Request, kind: str, suffix: str, media_type: str
) -> KeepArtifact:
    """Store the body under a key that contains its hash, so that a late writer changes nothing."""
    intake = services.intake
    async with receive_upload(intake.scratch_dir, intake.max_bytes) as upload:
        try:
            async for data in request.stream():
                upload.write(data)
        except ClientDisconnect as error:
            raise HTTPException(400, "The connection closed before the artifact was complete.") from error
        await upload.close()
        name = f"{kind}-{upload.sha256[:16]}.{suffix}"
        key = document_key(job.org_id, job.document_id, name)
        if await services.blobs.size(key) != upload.size:
            await services.blobs.put_file(key, upload.path)
        return KeepArtifact(kind, key, media_type, upload.size, upload.sha256)


def _outcome(services: Services, body: SettleBody) -> Outcome | Failed | Released:
    match body:
        case DoneBody():
            return Done(body.result)
        case SuspendBody():
            until = services.clock.now() + timedelta(seconds=body.seconds)
            return Suspend(until, WaitingReason(body.reason), body.provider, body.detail, body.arguments)
        case RejectBody():
            return Reject(body.reason, provider=body.provider)
        case FailBody():
            return Failed(body.error, body.retry_after)
        case ReleaseBody():
            return Released()


def _call_view(begun: CallBegun) -> CallView:
    match begun.state:
        case CallReserved(repeated=repeated):
            return CallView(state="make", key=begun.key, repeated=repeated)
        case CallRunning(operation_id=operation_id):
            return CallView(state="running", key=begun.key, operation_id=operation_id)
        case CallInProgress(until=until):
            return CallView(
                state="in_progress", key=begun.key, until=until, reason=WaitingReason.SAME_CALL_ELSEWHERE
            )
        case Suspend(until=until, reason=reason):
            return CallView(state="wait", key=begun.key, until=until, reason=reason)
        case _:
            answer = begun.answer or Answer(b"")
            return CallView(state="answered", key=begun.key, body=base64.b64encode(answer.body).decode())
