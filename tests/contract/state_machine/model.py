"""The state machine: Hypothesis chooses the actions, and every step is checked against the invariants."""

from __future__ import annotations

import random
from typing import Any, cast

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.contract.state_machine.actions import LEASE, ORGANIZATIONS, STALE_HOLDER, VALID_HOLDER, OpenEngines
from tests.contract.state_machine.call_actions import CallWork
from towpath.lifecycle.transitions import Verb

SETTLEMENT_VERBS = (Verb.ADVANCE, Verb.FINISH, Verb.FAIL, Verb.REJECT, Verb.SUSPEND, Verb.RELEASE)

#: Relative frequency of each action; traces without claims and expired leases find no errors.
WEIGHTS = {
    "claim": 6,
    "settle": 6,
    "sleep": 3,
    "begin_a_call": 2,
    "write_about_a_call": 3,
    "heartbeat": 2,
    "progress": 2,
    "select_before_claiming": 2,
    "advance_time": 2,
    "submit": 1,
    "reprocess": 1,
    "cancel": 1,
    "retry": 1,
    "recover": 0.3,
}

Step = tuple[str, dict[str, Any]]


def _holder_number(rng: random.Random) -> int:
    return rng.choice([*[VALID_HOLDER] * 4, *[STALE_HOLDER] * 3, 1, 2, 4])


def _step(rng: random.Random) -> Step:
    action = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    match action:
        case "claim":
            return action, {"worker": rng.choice(["anna", "boris"]), "limit": rng.choice([1, 1, 2, 3])}
        case "select_before_claiming":
            return action, {"worker": rng.choice(["anna", "boris"])}
        case "settle":
            settlements = [
                (_holder_number(rng), rng.choice(SETTLEMENT_VERBS), rng.random() < 0.5)
                for _ in range(rng.choice([1, 1, 1, 2, 3]))
            ]
            return action, {"settlements": settlements}
        case "sleep":
            return "advance_time", {"seconds": LEASE + 1, "sweep": rng.random() < 0.8}
        case "advance_time":
            return action, {"seconds": rng.choice([0.001, 5.0, 20.0, 100.0]), "sweep": rng.random() < 0.5}
        case "heartbeat":
            return action, {"numbers": [_holder_number(rng) for _ in range(rng.randint(1, 3))]}
        case "progress":
            return action, {"number": _holder_number(rng), "done": rng.randint(0, 9)}
        case "begin_a_call":
            return action, {"number": _holder_number(rng), "key": rng.choice("aaab")}
        case "write_about_a_call":
            what, own = rng.choice(["operation", "answer", "failure"]), rng.random() < 0.7
            return action, {
                "number": _holder_number(rng),
                "key": rng.choice("aaab"),
                "what": what,
                "own": own,
            }
        case "submit":
            content, attempts, deadline = rng.randint(0, 3), rng.randint(1, 5), rng.choice([None, 100.0])
            org = rng.choice(ORGANIZATIONS)
            return action, {"content": content, "org": org, "attempts": attempts, "deadline": deadline}
        case "reprocess":
            return action, {"number": rng.randint(0, 3), "attempts": rng.randint(1, 5)}
        case "recover":
            return action, {"resume": rng.random() < 0.7}
        case _:
            return action, {"number": rng.randint(0, 7)}


class LedgerMachine(RuleBasedStateMachine):
    def __init__(self, open_engines: OpenEngines, *, check_order: bool = True) -> None:
        super().__init__()
        self.work = CallWork(open_engines, check_order=check_order)

    @initialize(attempts=st.integers(1, 5), deadline=st.sampled_from([None, 100.0]))
    def start(self, attempts: int, deadline: float | None) -> None:
        self.work.start(attempts, deadline)

    @rule(step=st.binary(min_size=4, max_size=4).map(lambda seed: _step(random.Random(seed))))
    def perform(self, step: Step) -> None:
        action, arguments = step
        getattr(self.work, action)(**arguments)

    def teardown(self) -> None:
        self.work.close()


def run_machine(
    open_engines: OpenEngines, *, rounds: int, steps: int = 40, shrink: bool = True, check_order: bool = True
) -> None:
    """Run ten traces per round; raise the first that breaks an invariant, shrunk if ``shrink``."""
    bounded = settings(
        # After ten examples Hypothesis mostly repeats parts of earlier traces; a new round has new
        # traces instead. Its seed makes them the same on every machine.
        max_examples=10,
        stateful_step_count=steps,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        report_multiple_bugs=False,
        print_blob=False,
    )
    for number in range(rounds):
        # Hypothesis takes any factory, though its types ask for the class itself.
        machine = seed(number)(cast("Any", lambda: LedgerMachine(open_engines, check_order=check_order)))
        run_state_machine_as_test(cast("type[RuleBasedStateMachine]", machine), settings=bounded)
