"""The context of a running own stage: the document, earlier results, and calls that are paid for once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from towpath.model.content import Chunk
from towpath.model.job import ProgressUnit
from towpath.model.job_payload import STATE
from towpath.model.provider_answer import Answer, Pending
from towpath.model.writes import KeepArtifact
from towpath.sdk.call_observer import inside_once, note_call
from towpath.stages.capabilities import document_of, text_result
from towpath.stages.contract import MAX_OPERATION_SECONDS, ProviderCall
from towpath.stages.contract import Context as JobContext
from towpath.stages.support.artifact import store
from towpath.stages.support.chunk_artifact import load_chunks
from towpath.stages.support.original_file import original_file
from towpath.storage.contract import BlobStore

#: What the function of a paid call may return.
AnswerLike = Answer | bytes | str | Mapping[str, object] | Sequence[object]


@dataclass(frozen=True, slots=True)
class Document:
    """The document that is processed."""

    id: str
    name: str
    media_type: str
    sha256: str


class Context:
    """The running job of an own stage. The stage may run again after a crash: all it does must be repeatable."""

    def __init__(self, job: JobContext, blobs: BlobStore, settings: Mapping[str, object]) -> None:
        self._job, self._blobs = job, blobs
        #: The table `[stages.NAME]` of the settings file.
        self.settings = settings
        #: The rows of stored files; written with the result of the stage.
        self.artifacts: list[KeepArtifact] = []

    @property
    def org_id(self) -> str:
        return self._job.org_id

    @property
    def run_id(self) -> str:
        return self._job.run_id

    @property
    def stage(self) -> str:
        return self._job.stage

    @property
    def document(self) -> Document:
        document = document_of(self._job)
        return Document(self._job.document_id, document["name"], document["media_type"], document["sha256"])

    @property
    def results(self) -> Mapping[str, Mapping[str, object]]:
        """The results of the stages before this one, by name."""
        return self._job.results

    @property
    def state(self) -> Mapping[str, object]:
        """What the last `Suspend` of this stage stored; empty at the first execution."""
        return cast("Mapping[str, object]", self._job.payload.get(STATE) or {})

    @property
    def last_attempt(self) -> bool:
        """Whether the run fails if this stage fails once more."""
        return self._job.last_attempt

    def now(self) -> datetime:
        return self._job.now()

    def check_lease(self) -> None:
        """Raise LeaseLost if another worker may have taken over this job."""
        self._job.check_lease()

    async def progress(self, done: int, total: int, unit: str = ProgressUnit.BATCH) -> None:
        """Report progress; ``unit`` is page, chunk, batch, window, document, byte or second. May be called often."""
        await self._job.progress(done, total, ProgressUnit(unit))

    async def text(self) -> str:
        """The text of the document as markdown, as the stages before this one left it."""
        body = await self._blobs.get(str(text_result(self._job)["markdown"]))
        return body.decode("utf-8")

    async def chunks(self) -> list[Chunk]:
        """The chunks of the document; for stages with the input `chunks`."""
        return await load_chunks(self._job, self._blobs)

    def original(self) -> AbstractAsyncContextManager[Path]:
        """The uploaded file as a local file, for reading only."""
        return original_file(self._blobs, document_of(self._job))

    async def store(self, kind: str, body: bytes, media_type: str = "application/octet-stream") -> str:
        """Store a large result as a file of the document; returns its key for `load`. Equal bytes are stored once."""
        name = f"{self.stage.replace('_', '-')}-{kind}"
        artifact = await store(self._job, self._blobs, name, "bin", media_type, body)
        self.artifacts.append(artifact)
        return artifact.key

    async def load(self, key: str) -> bytes:
        return await self._blobs.get(key)

    async def once(
        self,
        provider: str,
        make: Callable[[str], Awaitable[AnswerLike]],
        *,
        input: str | bytes,
        model: str = "",
        parameters: Mapping[str, object] | None = None,
        tokens: int = 0,
    ) -> Answer:
        """The answer of a paid call that is made once for equal provider, model, parameters and input.

        The answer is stored: after a crash, at a retry, a reprocess, or for the same input in another document, it is
        returned and ``make`` is not called. ``make`` gets a key that is the same at every attempt; a provider that
        accepts an Idempotency-Key then bills the call once, even if this process is killed before the answer is stored.
        """
        call = self._call(provider, model, parameters, input, tokens)

        async def observed() -> Answer:
            with inside_once():
                note_call(f"{provider} {model}".strip(), call.key)
                return _answer(await make(call.key))

        return await self._job.call_once(call.call, observed)

    def free_calls(self) -> AbstractContextManager[None]:
        """Calls in this context cost nothing and may be made again: the drill does not report them."""
        return inside_once()

    async def operation(
        self,
        provider: str,
        start: Callable[[str], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | AnswerLike]],
        *,
        input: str | bytes,
        model: str = "",
        parameters: Mapping[str, object] | None = None,
        max_seconds: float | None = MAX_OPERATION_SECONDS,
    ) -> Answer:
        """The answer of a long-running operation: started once, then polled while no worker waits for it.

        ``start`` gets the key of the call and returns the id of the operation, which is stored at once; ``poll`` gets
        this id and returns `Pending` or the answer.
        """
        call = self._call(provider, model, parameters, input, 0)

        async def observed_start() -> str:
            with inside_once():
                note_call(f"{provider} {model}".strip(), call.key)
                return await start(call.key)

        async def observed_poll(operation_id: str) -> Pending | Answer:
            with inside_once():
                state = await poll(operation_id)
            return state if isinstance(state, Pending) else _answer(state)

        return await self._job.run_operation(
            call.call, observed_start, observed_poll, max_seconds=max_seconds
        )

    def _call(
        self,
        provider: str,
        model: str,
        parameters: Mapping[str, object] | None,
        input: str | bytes,
        tokens: int,
    ) -> _KeyedCall:
        body = input.encode("utf-8", "surrogatepass") if isinstance(input, str) else input
        values = {
            name: json.dumps(value, sort_keys=True, ensure_ascii=False)
            for name, value in (parameters or {}).items()
        }
        input_hash = hashlib.sha256(body).hexdigest()
        # A run without cached answers pays again, so its calls have other keys.
        salt = str(self._job.options.get("salt", ""))
        identity = json.dumps([self.org_id, provider, model, sorted(values.items()), input_hash, salt])
        key = hashlib.sha256(identity.encode()).hexdigest()
        return _KeyedCall(ProviderCall(provider, model, values, input_hash, tokens), key)


@dataclass(frozen=True, slots=True)
class _KeyedCall:
    """A call, and the key that is the same at every attempt to make it."""

    call: ProviderCall
    key: str


def _answer(value: AnswerLike) -> Answer:
    if isinstance(value, Answer):
        return value
    if isinstance(value, bytes):
        return Answer(value)
    if isinstance(value, str):
        return Answer(value.encode("utf-8"))
    return Answer(json.dumps(cast("Any", value), ensure_ascii=False).encode("utf-8"))
