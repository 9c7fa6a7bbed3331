"""The pay-once memory as a stage sees it: once() for a call, operation() for a long-running one."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar, cast

from towpath import tracing
from towpath.clock import Clock
from towpath.errors import (
    Ambiguous,
    DatabaseUnavailable,
    OperationLost,
    ProviderError,
    Rejected,
    StorageUnavailable,
)
from towpath.ledger.contract import (
    CallAnswer,
    CallAnswered,
    CallBusy,
    CallOperation,
    CallRequest,
    CallYours,
    Ledger,
)
from towpath.lifecycle.retry import poll_delay
from towpath.model.payload import BY_HAND
from towpath.model.work import Claimed, Json, Suspend
from towpath.providers.contract import Answer, Pending
from towpath.stages.contract import PaidCall, Postpone
from towpath.worker.governor import Governor
from towpath.worker.pulse import Held

T = TypeVar("T")

#: Answers up to this size stand in the ledger's row; larger ones become artifacts.
INLINE_BYTES = 65_536
#: An operation that is still running after this is given up, and started anew by the next attempt.
LONGEST_OPERATION = timedelta(hours=24)


class Artifacts(Protocol):
    """Where large answers are kept."""

    async def put(self, org_id: str, key: str, body: bytes) -> str: ...
    async def get(self, org_id: str, key: str) -> bytes: ...


def call_key(call: PaidCall, salt: str = "") -> str:
    """The same provider, model, parameters and input give the same key, in any document.

    ``salt`` sets the calls of one run apart: a person asked to have everything done afresh.
    """
    identity = [call.provider, call.model, sorted(call.parameters.items()), call.content]
    if salt:
        identity.append(salt)
    return hashlib.sha256(json.dumps(identity, ensure_ascii=False).encode()).hexdigest()


class Memory:
    def __init__(
        self,
        ledger: Ledger,
        artifacts: Artifacts,
        clock: Clock,
        governor: Governor,
        held: Held,
        job: Claimed,
    ) -> None:
        self._ledger = ledger
        self._artifacts = artifacts
        self._clock = clock
        self._governor = governor
        self._held = held
        self._org_id = job.org_id
        self._payload = job.payload
        self._by_hand = bool(job.payload.get(BY_HAND))
        self._salt = str(job.options.get("salt", ""))
        #: What this job asked of providers: calls made, answers reused, and what the made ones cost.
        self.made = 0
        self.reused = 0
        self.cost = 0.0

    async def once(self, call: PaidCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        key = call_key(call, self._salt)
        match await self._begin(call, key):
            case CallAnswered(answer=answer, artifact=artifact):
                return await self._recall(answer, artifact)
            case _:
                answer = await self._attempt(call, key, make)
                await self._remember(key, answer)
                return answer

    async def started(self, call: PaidCall, start: Callable[[], Awaitable[str]]) -> str | None:
        key = call_key(call, self._salt)
        match await self._begin(call, key):
            case CallAnswered():
                return None
            case CallOperation(operation_id=operation_id):
                return operation_id
            case _:
                operation_id = await self._attempt(call, key, start)
                await self._name(key, operation_id)
                return operation_id

    async def operation(
        self,
        call: PaidCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
    ) -> Answer:
        key = call_key(call, self._salt)
        match await self._begin(call, key):
            case CallAnswered(answer=answer, artifact=artifact):
                return await self._recall(answer, artifact)
            case CallOperation(operation_id=operation_id):
                pass
            case _:
                operation_id = await self._attempt(call, key, start)
                await self._name(key, operation_id)
        answer = await self._ask(call, key, operation_id, poll)
        await self._remember(key, answer)
        return answer

    async def _begin(self, call: PaidCall, key: str) -> CallYours | CallAnswered | CallOperation:
        self._held.check()
        request = CallRequest(key, call.provider, call.model)
        state = await self._ledger.call_begin(self._held.lease, request, self._clock.now())
        if isinstance(state, CallBusy):
            soon = min(state.until, self._clock.now() + timedelta(seconds=2))
            raise Postpone(Suspend(soon, f"another job that is making the same call to {call.provider}"))
        self._held.check()
        return state

    async def _attempt(self, call: PaidCall, key: str, make: Callable[[], Awaitable[T]]) -> T:
        try:
            await self._governor.admit(call.provider, requests=1, tokens=call.tokens, by_hand=self._by_hand)
        except Postpone as sent_away:
            await self._ledger.call_failed(self._held.lease, key, f"not made yet: {sent_away}")
            raise
        async with self._governor.watching(call.provider, by_hand=self._by_hand):
            self._held.check()
            try:
                with tracing.call_to(call.provider, call.model):
                    return await make()
            except Ambiguous:
                # It may have been paid for: left as begun, so that the next try is counted as such.
                raise
            except (ProviderError, Rejected) as error:
                await self._ledger.call_failed(self._held.lease, key, str(error))
                raise

    async def _ask(
        self, call: PaidCall, key: str, operation_id: str, poll: Callable[[str], Awaitable[Pending | Answer]]
    ) -> Answer:
        polls = int(cast("int", self._payload.get("polls", 0)))
        # A poll starts no work: it respects a closed gate, but takes nothing of what may be asked a minute.
        await self._governor.admit(call.provider, by_hand=self._by_hand)
        async with self._governor.watching(call.provider, by_hand=self._by_hand):
            try:
                state = await poll(operation_id)
            except (Rejected, OperationLost) as error:
                await self._ledger.call_failed(self._held.lease, key, str(error))
                raise
        if isinstance(state, Answer):
            return state
        wait = state.retry_after if state.retry_after is not None else poll_delay(polls)
        now = self._clock.now()
        asking = self._asking(operation_id, now)
        if now - datetime.fromisoformat(asking["since"]) > LONGEST_OPERATION:
            late = OperationLost(f"{call.provider} has not finished the operation {operation_id} in a day.")
            await self._ledger.call_failed(self._held.lease, key, str(late))
            raise late
        payload = {**self._payload, "polls": polls + 1, "asking": asking}
        raise Postpone(Suspend(now + timedelta(seconds=wait), "the provider's answer", payload))

    def _asking(self, operation_id: str, now: datetime) -> dict[str, str]:
        """Which operation is asked for, and since when; one that was started anew is waited for anew."""
        before = cast("dict[str, str]", self._payload.get("asking") or {})
        if before.get("operation") == operation_id:
            return before
        return {"operation": operation_id, "since": now.isoformat()}

    async def _remember(self, key: str, answer: Answer) -> None:
        self.made += 1
        self.cost += answer.cost

        async def write() -> None:
            given = await self._kept(key, answer)
            await self._ledger.call_answer(self._held.lease, key, given, self._clock.now())

        await self._insist(write)

    async def _name(self, key: str, operation_id: str) -> None:
        await self._insist(lambda: self._ledger.call_operation(self._held.lease, key, operation_id))

    async def _insist(self, write: Callable[[], Awaitable[None]]) -> None:
        """What is paid for is kept in hand while database or storage is away, for as long as the lease is trusted."""
        while True:
            try:
                return await write()
            except (DatabaseUnavailable, StorageUnavailable):
                self._held.check()
                await asyncio.sleep(0.5)

    async def _kept(self, key: str, answer: Answer) -> CallAnswer:
        small = len(answer.body) <= INLINE_BYTES
        artifact = None if small else await self._artifacts.put(self._org_id, f"answers/{key}", answer.body)
        inline = {"base64": base64.b64encode(answer.body).decode()} if small else None
        return CallAnswer(inline, artifact, answer.units, answer.cost)

    async def _recall(self, answer: Json | None, artifact: str | None) -> Answer:
        self.reused += 1
        if artifact is not None:
            return Answer(await self._artifacts.get(self._org_id, artifact))
        return Answer(base64.b64decode(cast("str", (answer or {})["base64"])))
