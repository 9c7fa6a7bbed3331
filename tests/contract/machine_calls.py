"""What the machine can do about paid calls, and what each caller is entitled to."""

from __future__ import annotations

from tests.contract.machine_rules import Call, Holder, demand
from tests.contract.machine_work import REFUSED, OpenEngines, Work
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_call
from towpath.ledger.contract import (
    CallAnswer,
    CallAnswered,
    CallBusy,
    CallOperation,
    CallState,
    CallYours,
)
from towpath.lifecycle.moves import Verb


class PaidWork(Work):
    def __init__(self, open_engines: OpenEngines, *, turns: bool = True) -> None:
        super().__init__(open_engines, turns=turns)
        self.answers = 0

    def begin_a_call(self, number: int, key: str) -> None:
        holder, now = self.pick(number), self.clock.now()
        org = self.world.documents[holder.place[0]].org_id
        call = self.memory.calls.get((org, key))
        before, answers = self.do(
            {Verb.PROGRESS}, lambda side, e: e.ledger.call_begin(holder.leases[side], a_call(key), now)
        )
        if not holder.entitled:
            demand(answers[0] == REFUSED, "I2: an old epoch may call")
            self.unchanged(before, "I2: an old epoch noted a call")
            return
        wanted = self._entitled_to(call, holder)
        demand(all(a == wanted for a in answers), f"I6: {wanted} was due, {answers} was answered")
        if isinstance(wanted, CallYours):
            self.memory.calls[org, key] = Call(holder)
        elif isinstance(wanted, CallOperation) and call is not None:
            call.owner = holder
        self.judge({Verb.PROGRESS}, before)

    def _entitled_to(self, call: Call | None, holder: Holder) -> CallState:
        if call is None or call.status == "FAILED":
            return CallYours()
        if call.answer is not None:
            return CallAnswered({"number": call.answer}, None)
        own = call.owner is holder
        if not own and call.owner.entitled and call.owner.until > self.clock.now():
            return CallBusy(call.owner.until)
        if call.operation is not None:
            return CallOperation(call.operation)
        return CallYours(reopened=not own)

    def write_about_a_call(self, number: int, key: str, what: str, own: bool) -> None:
        """Said by whoever began the call last, whether still alive or not; or by just anybody."""
        owners = [(name[1], call.owner) for name, call in self.memory.calls.items()]
        key, holder = owners[number % len(owners)] if own and owners else (key, self.pick(number))
        org = self.world.documents[holder.place[0]].org_id
        call = self.memory.calls.get((org, key))
        self.answers += 1
        answer, now = CallAnswer({"number": self.answers}), self.clock.now()

        async def act(side: int, engine: EngineUnderTest) -> None:
            lease, name = holder.leases[side], a_call(key).key
            if what == "operation":
                await engine.ledger.call_operation(lease, name, f"operation {self.answers}")
            elif what == "answer":
                await engine.ledger.call_answer(lease, name, answer, now)
            else:
                await engine.ledger.call_failed(lease, name, "it broke")

        before, answers = self.do({Verb.PROGRESS}, act)
        own = call is not None and call.owner is holder and holder.entitled
        ends = {"answer": "ANSWERED", "failure": "FAILED"}
        if call is None or not own or (call.status != "STARTED" and ends.get(what) != call.status):
            demand(answers[0] == REFUSED, f"I2, I6: the {what} of a stranger was taken")
        else:
            demand(answers[0] != REFUSED, f"I6: the {what} of a holder was refused")
        if answers[0] == REFUSED or (call is not None and call.status != "STARTED"):
            self.unchanged(before, f"I6: a late {what} changed something")
        elif call is not None:
            call.status = ends.get(what, "STARTED")
            call.operation = f"operation {self.answers}" if what == "operation" else call.operation
            call.answer = self.answers if what == "answer" else None
