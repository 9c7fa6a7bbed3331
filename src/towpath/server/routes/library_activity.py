"""The route by which the page learns of changes of the library: the server answers when something has changed."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from towpath.server.deps import Org, ServicesDep
from towpath.server.schemas.library_activity import LibraryActivityView

router = APIRouter(tags=["documents"])

#: Seconds between two checks of a held request.
CHECK_SECONDS = 1.0
#: Longest time to hold a request. A server that stops answers held requests at their next check.
MAX_WAIT_SECONDS = 20.0


@router.get("/changes", responses={304: {"description": "Nothing changed"}})
async def library_activity(
    services: ServicesDep,
    org: Org,
    request: Request,
    response: Response,
    wait: Annotated[
        float, Query(ge=0, le=MAX_WAIT_SECONDS, description="Seconds to wait for a change of the ETag")
    ] = 0,
    if_none_match: Annotated[str | None, Header()] = None,
) -> LibraryActivityView:
    """Get a version of the library that changes with its documents, and which of them are being processed.

    With `If-None-Match` and `wait`, the answer comes as soon as something changed, or 304 after the wait.
    """
    until = time.monotonic() + wait
    known: set[str] = set() if if_none_match is None else {part.strip() for part in if_none_match.split(",")}
    while True:
        view = LibraryActivityView.model_validate(await services.queries.library_activity(org))
        tag = f'"{hashlib.sha256(view.model_dump_json().encode()).hexdigest()[:32]}"'
        if tag not in known:
            response.headers["ETag"] = tag
            return view
        left = until - time.monotonic()
        stopping = getattr(request.app.state, "stopping", False)
        if left <= 0 or stopping or await request.is_disconnected():
            return Response(status_code=304, headers={"ETag": tag})  # pyright: ignore[reportReturnType]  (FastAPI passes a Response through)
        await asyncio.sleep(min(CHECK_SECONDS, left))
