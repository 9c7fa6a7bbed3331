"""Routes for calls: transcript, names of speakers, analysis and audio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response

from towpath.errors import PartMissing, UserError
from towpath.model.codec import decode
from towpath.model.speaker_name import with_speaker_names
from towpath.model.transcript import CallReport, Transcript
from towpath.server import subtitles
from towpath.server.deps import Caller, Id, Org, Services, ServicesDep
from towpath.server.downloads import Download, file_response, original_file
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.call_recordings import (
    AnalysisView,
    SpeakerNamesRequest,
    SpeakerNameView,
    TranscriptView,
    analysis_view,
    speaker_views,
    transcript_view,
)

router = APIRouter(prefix="/documents", tags=["calls"])

TranscriptFormat = Literal["json", "srt", "vtt", "text"]
_TEXT_FORMATS: Mapping[TranscriptFormat, tuple[str, Callable[[Transcript], str]]] = {
    "srt": ("application/x-subrip", subtitles.to_srt),
    "vtt": ("text/vtt", subtitles.to_vtt),
    "text": ("text/plain", subtitles.to_plain_text),
}
_TRANSCRIPT_RESPONSE: dict[str, Any] = {
    "description": "The transcript",
    "content": {media_type: {} for media_type, _ in _TEXT_FORMATS.values()},
}


@router.get("/{document_id}/transcript", responses={200: _TRANSCRIPT_RESPONSE, 404: PROBLEM_RESPONSE})
async def transcript(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    requested_format: Annotated[
        TranscriptFormat | None, Query(alias="format", description="Overrides the Accept header")
    ] = None,
    accept: Annotated[str, Header()] = "",
) -> TranscriptView:
    """Get the transcript with speakers and times. Available as soon as the stage `transcribe_poll` is completed."""
    artifact = await services.queries.artifact(org, document_id, "transcript")
    if artifact is None:
        raise await _missing(services, org, document_id, "transcript")
    content = await asyncio.to_thread(decode, await services.blobs.get(artifact.key), Transcript)
    names = await services.queries.speaker_names(org, document_id)
    chosen_format = requested_format or _format_from_accept(accept)
    if chosen_format in _TEXT_FORMATS:
        media_type, write = _TEXT_FORMATS[chosen_format]
        body = await asyncio.to_thread(write, with_speaker_names(content, names))
        return Response(body, media_type=f"{media_type}; charset=utf-8")  # pyright: ignore[reportReturnType]  (FastAPI passes a Response through)
    return transcript_view(content, names)


@router.patch("/{document_id}/speakers", responses={400: PROBLEM_RESPONSE, 404: PROBLEM_RESPONSE})
async def name_speakers(
    services: ServicesDep, caller: Caller, document_id: Id, body: SpeakerNamesRequest
) -> list[SpeakerNameView]:
    """Give the speakers of a call names. They are stored beside the transcript and survive reprocessing."""
    artifact = await services.queries.artifact(caller.org_id, document_id, "transcript")
    if artifact is None:
        raise await _missing(services, caller.org_id, document_id, "transcript")
    content = await asyncio.to_thread(decode, await services.blobs.get(artifact.key), Transcript)
    names = body.clean()
    speakers = {segment.speaker for segment in content.segments}
    if unknown := sorted(names.keys() - speakers):
        raise UserError(f"The call has no speaker {unknown[0]!r}.")
    stored = await services.organizer.name_speakers(
        caller.org_id, document_id, names, caller.actor, services.clock.now()
    )
    return speaker_views(content, stored)


@router.get("/{document_id}/analysis", responses={404: PROBLEM_RESPONSE})
async def analysis(services: ServicesDep, org: Org, document_id: Id) -> AnalysisView:
    """Get the analysis of a call. If the analysis failed, `warning` says why and only measured values are present."""
    artifact = await services.queries.artifact(org, document_id, "analysis")
    if artifact is None:
        raise await _missing(services, org, document_id, "analysis")
    return analysis_view(decode(await services.blobs.get(artifact.key), CallReport))


@router.head("/{document_id}/audio", include_in_schema=False)
@router.get("/{document_id}/audio", responses={206: {}, 404: PROBLEM_RESPONSE, 416: PROBLEM_RESPONSE})
async def audio(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    request: Request,
    range: Annotated[str | None, Header()] = None,
) -> Response:
    """Download a call's audio: the uploaded recording, or OGG Opus if the original was removed. Supports ranges."""
    document = await services.queries.document(org, document_id)
    if document.kind != "call":
        raise PartMissing("This document is not a call and has no audio.")
    if document.blob_key:
        return file_response(services.blobs, original_file(document), range, request)
    artifact = await services.queries.artifact(org, document_id, "audio")
    if artifact is None:
        raise PartMissing("The audio of this call was not kept.")
    download = Download(
        artifact.key, f"{document.name}.ogg", artifact.media_type, artifact.size, artifact.sha256
    )
    return file_response(services.blobs, download, range, request)


async def _missing(services: Services, org: str, document_id: str, what: str) -> PartMissing:
    """Why there is no transcript or analysis."""
    document = await services.queries.document(org, document_id)
    if document.kind != "call":
        return PartMissing(
            f"This document is not a call and has no {what}: {document.name} is {document.media_type}."
        )
    return PartMissing(f"This call has no {what}; its status is {document.status}.")


def _format_from_accept(header: str) -> TranscriptFormat:
    """The first supported format that the Accept header names; JSON if it names none."""
    for part in header.split(","):
        accepted = part.partition(";")[0].strip().lower()
        for name, (media_type, _) in _TEXT_FORMATS.items():
            if accepted == media_type:
                return name
        if accepted == "application/json":
            return "json"
    return "json"
