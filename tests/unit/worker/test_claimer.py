"""The interval of a worker's polls: adaptive with jitter, or fixed."""

from __future__ import annotations

import pytest

from towpath.worker.claimer import poll_delay
from towpath.worker.settings import WorkerSettings


@pytest.mark.parametrize("idle", [0, 3, 100])
@pytest.mark.parametrize("is_listening", [True, False])
@pytest.mark.parametrize("jitter", [0.0, 1.0])
def test_a_fixed_interval_does_not_change(idle: int, is_listening: bool, jitter: float) -> None:
    settings = WorkerSettings(poll_seconds=1.0, fixed_poll=True)
    assert poll_delay(settings, idle, is_listening, jitter) == 1.0


def test_an_idle_worker_polls_less_often_up_to_a_limit() -> None:
    settings = WorkerSettings(poll_seconds=1.0, idle_seconds=2.0, idle_seconds_with_notifier=5.0)
    delays = [poll_delay(settings, idle, True, 0.5) for idle in range(20)]
    assert delays == sorted(delays)
    assert (delays[0], delays[-1]) == (1.0, 5.0)
    assert poll_delay(settings, 20, False, 0.5) == 2.0


def test_jitter_changes_the_interval_by_at_most_a_fifth() -> None:
    settings = WorkerSettings(poll_seconds=1.0)
    assert poll_delay(settings, 0, True, 0.0) == pytest.approx(0.8)
    assert poll_delay(settings, 0, True, 1.0) == pytest.approx(1.2)
