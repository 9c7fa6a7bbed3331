"""The workers of one copy: started, killed, stopped past their lease, woken, and asked to leave."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess

from towpath.drill import worker
from towpath.drill.strikes import Strike
from towpath.drill.worker import Orders

_nursery = multiprocessing.get_context("forkserver")
_nursery.set_forkserver_preload(["towpath.drill.warm"])

PATIENCE = 30.0


@dataclass(slots=True)
class Member:
    process: ForkServerProcess
    orders: Orders
    #: When it is to be woken, while it is stopped.
    wake_at: float | None = None
    expected_to_die: bool = False

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid


@dataclass(slots=True)
class Crew:
    orders: Orders
    members: list[Member] = field(default_factory=list[Member])
    deeds: Counter[str] = field(default_factory=Counter[str])
    #: Workers that ended though nobody had struck them: each is a finding.
    strange_deaths: list[str] = field(default_factory=list[str])
    _serial: int = 0
    _read: int = 0

    @property
    def awake(self) -> list[Member]:
        return [member for member in self.members if member.wake_at is None]

    def start(self, strikes: Sequence[Strike] = ()) -> Member:
        self._serial += 1
        log = self.orders.folder / "logs" / f"worker-{self._serial}.log"
        log.parent.mkdir(exist_ok=True)
        orders = replace(self.orders, strikes=tuple(strikes), log=log)
        process = _nursery.Process(target=worker.work, args=(orders,), daemon=True)
        process.start()
        member = Member(process, orders)
        self.members.append(member)
        self.deeds["started"] += 1
        return member

    def kill(self, member: Member) -> None:
        """As an OOM killer or a power switch would."""
        member.expected_to_die = True
        member.process.kill()
        member.process.join(PATIENCE)
        self.members.remove(member)
        self.deeds["killed at random"] += 1

    def stop(self, member: Member, seconds: float) -> None:
        """Freeze it past its lease, but not inside SQLite's only write lock: that would stop everybody."""
        # It may strike itself down in this very moment; whoever looks after the crew finds that out.
        with contextlib.suppress(ProcessLookupError):
            for _ in range(50):
                os.kill(member.pid, signal.SIGSTOP)
                if self._writable():
                    member.wake_at = time.monotonic() + seconds
                    self.deeds["stopped at random"] += 1
                    return
                os.kill(member.pid, signal.SIGCONT)
                time.sleep(0.01)

    def leave(self, member: Member) -> None:
        """Ask it politely, as a deploy does."""
        member.expected_to_die = True
        member.process.terminate()
        self.deeds["asked to leave"] += 1

    def look_after(self, sleep_seconds: float) -> None:
        """Wake who has slept enough, note who struck itself, and bury the dead."""
        # The dead first: what a worker noted before it died can be read now.
        dead = [member for member in self.members if not member.process.is_alive()]
        for line in self._news():
            self._heard(line, sleep_seconds)
        now = time.monotonic()
        for member in self.members:
            if member.wake_at is not None and now >= member.wake_at and member not in dead:
                member.wake_at = None
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member.pid, signal.SIGCONT)
                    self.deeds["woken"] += 1
        for member in dead:
            self.members.remove(member)
            if not member.expected_to_die and member.process.exitcode != worker.NO_DATABASE:
                self.strange_deaths.append(_last_words(member))

    def _heard(self, line: dict[str, str], sleep_seconds: float) -> None:
        dies = line["signal"] == signal.SIGKILL.name
        self.deeds[f"{'killed' if dies else 'stopped'} {line['at']}"] += 1
        for member in self.members:
            if str(member.pid) == line["pid"]:
                member.expected_to_die |= dies
                member.wake_at = member.wake_at if dies else time.monotonic() + sleep_seconds

    def kill_all(self) -> None:
        for member in self.members:
            member.process.kill()
        for member in self.members:
            member.process.join(PATIENCE)
        self.members.clear()

    def retire(self) -> None:
        """Everybody wakes, finishes and leaves; who does not is killed."""
        for member in self.members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member.pid, signal.SIGCONT)
            member.process.terminate()
        for member in self.members:
            member.process.join(PATIENCE)
        self.kill_all()

    def _news(self) -> list[dict[str, str]]:
        if not self.orders.diary.exists():
            return []
        with self.orders.diary.open("rb") as diary:
            diary.seek(self._read)
            fresh = diary.read()
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._read += len(whole)
        return [json.loads(line) for line in whole.splitlines()]

    def _writable(self) -> bool:
        if not self.orders.settings.embedded:
            return True
        connection = sqlite3.connect(self.orders.settings.sqlite_file, timeout=0.05, isolation_level=None)
        try:
            connection.execute("begin immediate")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()
        return True


def _last_words(member: Member) -> str:
    said = member.orders.log.read_text("utf-8", "replace")[-600:] if member.orders.log.exists() else ""
    return f"worker {member.pid} ended by itself with code {member.process.exitcode}: {said}"
