"""Route for questions: an answer with citations, as server-sent events or as JSON."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

from towpath.ask.contract import AnswerPart, FinishedAnswer, Question, RetrievedPassages, Sentence
from towpath.errors import TowpathError
from towpath.server.deps import Org, ServicesDep
from towpath.server.problems import PROBLEM_RESPONSE, towpath_problem, unexpected_problem
from towpath.server.schemas.ask import (
    AnswerView,
    AskRequest,
    PassageView,
    SentenceView,
    finished_view,
    passage_view,
    sentence_view,
)

log = logging.getLogger(__name__)
router = APIRouter(tags=["search"])

EVENT_STREAM = "text/event-stream"
#: One event. `data` is JSON, as the description of the response says for each name.
EVENT_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "event": {"enum": ["passages", "sentence", "done", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}


class PassagesEvent(BaseModel):
    passages: list[PassageView]


@router.post(
    "/ask",
    response_model=AnswerView,
    responses={
        200: {
            "description": "The answer. As server-sent events: `passages`, then `sentence` for each sentence as it is "
            "written, then `done` with the other fields of the answer; or `error` with problem details.",
            "content": {EVENT_STREAM: {"schema": EVENT_SCHEMA}},
        },
        404: PROBLEM_RESPONSE,
        502: PROBLEM_RESPONSE,
        503: PROBLEM_RESPONSE,
        504: PROBLEM_RESPONSE,
    },
)
async def ask(
    services: ServicesDep, org: Org, body: AskRequest, accept: Annotated[str, Header()] = ""
) -> Response:
    """Answer a question from the documents, each sentence with the passages that support it.

    An answer of a chat model is paid once: the same question about the same passages is answered from the cache.
    """
    if body.document_id is not None:
        await services.queries.document(org, body.document_id)
    parts = services.question_service.ask(Question(org, body.question, body.filters()))
    if _wants_stream(body, accept):
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_events(parts), media_type=EVENT_STREAM, headers=headers)
    return JSONResponse((await _collect(body.question, parts)).model_dump(mode="json"))


def _wants_stream(body: AskRequest, accept: str) -> bool:
    if body.stream is not None:
        return body.stream
    return EVENT_STREAM in accept or "application/json" not in accept


async def _collect(question: str, parts: AsyncIterator[AnswerPart]) -> AnswerView:
    passages: list[PassageView] = []
    sentences: list[SentenceView] = []
    async for part in parts:
        match part:
            case RetrievedPassages():
                passages = [passage_view(passage) for passage in part.passages]
            case Sentence():
                sentences.append(sentence_view(part))
            case FinishedAnswer():
                finished = finished_view(part).model_dump()
                return AnswerView(question=question, sentences=sentences, passages=passages, **finished)
    raise RuntimeError("The answer has no end.")


async def _events(parts: AsyncIterator[AnswerPart]) -> AsyncIterator[str]:
    try:
        async for part in parts:
            match part:
                case RetrievedPassages():
                    views = [passage_view(passage) for passage in part.passages]
                    yield _event("passages", PassagesEvent(passages=views).model_dump_json())
                case Sentence():
                    yield _event("sentence", sentence_view(part).model_dump_json())
                case FinishedAnswer():
                    yield _event("done", finished_view(part).model_dump_json())
    except TowpathError as error:
        yield _event("error", bytes(towpath_problem(error).body).decode())
    except Exception:
        log.exception("a question failed")
        yield _event("error", bytes(unexpected_problem().body).decode())


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
