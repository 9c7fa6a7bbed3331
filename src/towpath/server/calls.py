"""Routes about calls: the transcript in several forms, the analysis, and the sound itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response

from towpath.errors import NotFound
from towpath.model.encode_call import load_report, load_transcript
from towpath.model.transcript import Transcript
from towpath.server import call_views, subtitles
from towpath.server.files import Stored, file_response, original_of
from towpath.server.problems import Problem
from towpath.server.services import Has, Id, Org

router = APIRouter(prefix="/documents", tags=["calls"])

Format = Literal["json", "srt", "vtt", "text"]
_FORMS: Mapping[Format, tuple[str, Callable[[Transcript], str]]] = {
    "srt": ("application/x-subrip", subtitles.srt),
    "vtt": ("text/vtt", subtitles.vtt),
    "text": ("text/plain", subtitles.plain),
}
_PROBLEM = {"model": Problem}
_OTHER_FORMS: dict[str, Any] = {
    "description": "The transcript",
    "content": {form: {} for form, _ in _FORMS.values()},
}


@router.get("/{document_id}/transcript", responses={200: _OTHER_FORMS, 404: _PROBLEM})
async def transcript(
    has: Has,
    org: Org,
    document_id: Id,
    form: Annotated[Format | None, Query(alias="format", description="Instead of an Accept header")] = None,
    accept: Annotated[str, Header()] = "",
) -> call_views.TranscriptView:
    """Who said what and when; there as soon as the recording is in writing, before its analysis."""
    kept = await has.catalogue.artifact(org, document_id, "transcript")
    if kept is None:
        raise NotFound("There is no transcript of this document. Its status says how far it is.")
    spoken = await asyncio.to_thread(load_transcript, await has.blobs.get(kept.key))
    wanted = form or _accepted(accept)
    if wanted in _FORMS:
        media_type, write = _FORMS[wanted]
        body = await asyncio.to_thread(write, spoken)
        return Response(body, media_type=f"{media_type}; charset=utf-8")  # pyright: ignore[reportReturnType]  (FastAPI sends a Response as it is)
    return call_views.transcript_view(spoken)


@router.get("/{document_id}/analysis", responses={404: _PROBLEM})
async def analysis(has: Has, org: Org, document_id: Id) -> call_views.AnalysisView:
    """What the call was about. ``warning`` says why there is only what can be counted, where that is so."""
    kept = await has.catalogue.artifact(org, document_id, "analysis")
    if kept is None:
        raise NotFound("There is no analysis of this document. Its status says how far it is.")
    return call_views.analysis_view(load_report(await has.blobs.get(kept.key)))


@router.head("/{document_id}/audio", include_in_schema=False)
@router.get("/{document_id}/audio", responses={206: {}, 404: _PROBLEM, 416: _PROBLEM})
async def audio(
    has: Has, org: Org, document_id: Id, request: Request, range: Annotated[str | None, Header()] = None
) -> Response:
    """The sound to listen to: the recording as it was sent, or as Opus where only that is kept. With ranges."""
    document = await has.catalogue.document(org, document_id)
    if document.kind != "call":
        raise NotFound("This document has no sound.")
    if document.blob_key:
        return file_response(has.blobs, original_of(document), range, request)
    kept = await has.catalogue.artifact(org, document_id, "audio")
    if kept is None:
        raise NotFound("The sound of this recording was not kept.")
    sound = Stored(kept.key, f"{document.name}.ogg", kept.media_type, kept.size, kept.sha256)
    return file_response(has.blobs, sound, range, request)


def _accepted(header: str) -> Format:
    """The first form that the Accept header names."""
    for part in header.split(","):
        named = part.partition(";")[0].strip().lower()
        for form, (media_type, _) in _FORMS.items():
            if named == media_type:
                return form
        if named == "application/json":
            return "json"
    return "json"
