"""The actions of the state machine on provider calls, and the results that each caller must get."""

from __future__ import annotations

from tests.contract.state_machine.actions import REFUSED, OpenEngines, Work
from tests.contract.state_machine.rules import Call, Holder, require
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_call
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallReserved,
    CallRunning,
    CallState,
)
from towpath.lifecycle.transitions import Verb


class CallWork(Work):
    def __init__(self, open_engines: OpenEngines, *, check_order: bool = True) -> None:
        super().__init__(open_engines, check_order=check_order)
        self.answers = 0

    def begin_a_call(self, number: int, key: str) -> None:
        holder, now = self.pick(number), self.clock.now()
        org = self.world.documents[holder.position[0]].org_id
        call = self.expected.calls.get((org, key))
        before, answers = self.do(
            {Verb.PROGRESS}, lambda side, e: e.ledger.begin_call(holder.leases[side], a_call(key), now)
        )
        if not holder.entitled:
            require(answers[0] == REFUSED, "I2: a call with an old epoch was accepted")
            self.unchanged(before, "I2: a call with an old epoch was stored")
            return
        expected_state = self._expected_state(call, holder)
        require(all(a == expected_state for a in answers), f"I6: expected {expected_state}, got {answers}")
        if isinstance(expected_state, CallReserved):
            self.expected.calls[org, key] = Call(holder)
        elif isinstance(expected_state, CallRunning) and call is not None:
            call.owner = holder
        self.check({Verb.PROGRESS}, before)

    def _expected_state(self, call: Call | None, holder: Holder) -> CallState:
        if call is None or call.status == "FAILED":
            return CallReserved()
        if call.answer is not None:
            return CallCached({"number": call.answer}, None)
        own = call.owner is holder
        if not own and call.owner.entitled and call.owner.until > self.clock.now():
            return CallInProgress(call.owner.until)
        if call.operation is not None:
            return CallRunning(call.operation)
        return CallReserved(repeated=not own)

    def write_about_a_call(self, number: int, key: str, what: str, own: bool) -> None:
        """Write about a call as its latest owner, valid or not; without ``own``, as any holder."""
        owners = [(name[1], call.owner) for name, call in self.expected.calls.items()]
        key, holder = owners[number % len(owners)] if own and owners else (key, self.pick(number))
        org = self.world.documents[holder.position[0]].org_id
        call = self.expected.calls.get((org, key))
        self.answers += 1
        answer, now = CallAnswer({"number": self.answers}), self.clock.now()

        async def action(side: int, engine: EngineUnderTest) -> None:
            lease, name = holder.leases[side], a_call(key).key
            if what == "operation":
                await engine.ledger.save_operation_id(lease, name, f"operation {self.answers}")
            elif what == "answer":
                await engine.ledger.save_answer(lease, name, answer, now)
            else:
                await engine.ledger.fail_call(lease, name, "it broke")

        before, answers = self.do({Verb.PROGRESS}, action)
        own = call is not None and call.owner is holder and holder.entitled
        ends = {"answer": "ANSWERED", "failure": "FAILED"}
        if call is None or not own or (call.status != "STARTED" and ends.get(what) != call.status):
            require(answers[0] == REFUSED, f"I2, I6: the {what} of another holder was accepted")
        else:
            require(answers[0] != REFUSED, f"I6: the {what} of a holder was refused")
        if answers[0] == REFUSED or (call is not None and call.status != "STARTED"):
            self.unchanged(before, f"I6: a late {what} changed rows")
        elif call is not None:
            call.status = ends.get(what, "STARTED")
            call.operation = f"operation {self.answers}" if what == "operation" else call.operation
            call.answer = self.answers if what == "answer" else None
