"""Tools to test own stages: a real SQLite ledger, a controlled clock, a counter of paid calls, and simulated kills.

def test_each_call_is_paid_once(monkeypatch):
    monkeypatch.setattr("acme.ask", paid := PaidCalls("a summary"))
    StageTest(acme.summarize, text="A text.", paid=paid).kill_at_every_await().assert_paid_once()
"""

from towpath.clock import ManualClock
from towpath.testing.kill_points import KillPoint, KillReport
from towpath.testing.paid_calls import PaidCalls
from towpath.testing.stage_test import StageRun, StageTest

__all__ = ["KillPoint", "KillReport", "ManualClock", "PaidCalls", "StageRun", "StageTest"]
