"""The machine: Hypothesis chooses what happens next, and every step is checked against the rules."""

from __future__ import annotations

import random
from typing import Any, cast

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.contract.machine_calls import PaidWork
from tests.contract.machine_work import LEASE, LIVING, ORGANIZATIONS, SLEEPER, OpenEngines
from towpath.lifecycle.moves import Verb

WORDS = (Verb.ADVANCE, Verb.FINISH, Verb.FAIL, Verb.REJECT, Verb.SUSPEND, Verb.RELEASE)

#: How often each act comes up; without claims and sleepers a trace finds nothing.
WEIGHTS = {
    "claim": 6,
    "settle": 6,
    "sleep": 3,
    "begin_a_call": 2,
    "write_about_a_call": 3,
    "heartbeat": 2,
    "progress": 2,
    "look_before_claiming": 2,
    "time_passes": 2,
    "submit": 1,
    "reprocess": 1,
    "cancel": 1,
    "retry": 1,
    "recover": 0.3,
}

Step = tuple[str, dict[str, Any]]


def _step(luck: random.Random) -> Step:
    act = luck.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    some = lambda: luck.choice([LIVING, LIVING, LIVING, LIVING, SLEEPER, SLEEPER, SLEEPER, 1, 2, 4])  # noqa: E731  (a short word for a draw)
    match act:
        case "claim":
            return act, {"worker": luck.choice(["anna", "boris"]), "limit": luck.choice([1, 1, 2, 3])}
        case "look_before_claiming":
            return act, {"worker": luck.choice(["anna", "boris"])}
        case "settle":
            said = [
                (some(), luck.choice(WORDS), luck.random() < 0.5) for _ in range(luck.choice([1, 1, 1, 2, 3]))
            ]
            return act, {"said": said}
        case "sleep":
            return "time_passes", {"seconds": LEASE + 1, "swept": luck.random() < 0.8}
        case "time_passes":
            return act, {"seconds": luck.choice([0.001, 5.0, 20.0, 100.0]), "swept": luck.random() < 0.5}
        case "heartbeat":
            return act, {"numbers": [some() for _ in range(luck.randint(1, 3))]}
        case "progress":
            return act, {"number": some(), "done": luck.randint(0, 9)}
        case "begin_a_call":
            return act, {"number": some(), "key": luck.choice("aaab")}
        case "write_about_a_call":
            what, own = luck.choice(["operation", "answer", "failure"]), luck.random() < 0.7
            return act, {"number": some(), "key": luck.choice("aaab"), "what": what, "own": own}
        case "submit":
            content, attempts, deadline = luck.randint(0, 3), luck.randint(1, 5), luck.choice([None, 100.0])
            org = luck.choice(ORGANIZATIONS)
            return act, {"content": content, "org": org, "attempts": attempts, "deadline": deadline}
        case "reprocess":
            return act, {"number": luck.randint(0, 3), "attempts": luck.randint(1, 5)}
        case "recover":
            return act, {"resume": luck.random() < 0.7}
        case _:
            return act, {"number": luck.randint(0, 7)}


class LedgerMachine(RuleBasedStateMachine):
    def __init__(self, open_engines: OpenEngines, *, turns: bool = True) -> None:
        super().__init__()
        self.work = PaidWork(open_engines, turns=turns)

    @initialize(attempts=st.integers(1, 5), deadline=st.sampled_from([None, 100.0]))
    def start(self, attempts: int, deadline: float | None) -> None:
        self.work.start(attempts, deadline)

    @rule(step=st.binary(min_size=4, max_size=4).map(lambda seed: _step(random.Random(seed))))
    def happens(self, step: Step) -> None:
        act, arguments = step
        getattr(self.work, act)(**arguments)

    def teardown(self) -> None:
        self.work.close()


def run_machine(
    open_engines: OpenEngines, *, rounds: int, steps: int = 40, shrink: bool = True, turns: bool = True
) -> None:
    """Try ten traces in each round; the first that breaks a rule is raised, made as short as it gets."""
    bounded = settings(
        # After ten, Hypothesis would make most traces by repeating parts of others; a new round has
        # new traces instead. Its seed makes them the same on every machine.
        max_examples=10,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        report_multiple_bugs=False,
        print_blob=False,
    )
    for number in range(rounds):
        # Hypothesis takes any factory, though its types ask for the class itself.
        machine = seed(number)(cast("Any", lambda: LedgerMachine(open_engines, turns=turns)))
        run_state_machine_as_test(cast("type[RuleBasedStateMachine]", machine), settings=bounded)
