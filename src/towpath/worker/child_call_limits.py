"""The limits for one function call in a child process: time without a message, CPU time and resident memory."""

from __future__ import annotations

import time

from towpath.os_resources import cpu_seconds_of, cpu_wait_seconds_of, resident_bytes_of
from towpath.process_runner import ChildOutOfMemory, ChildOverBudget, ChildTimeout, CpuBudget

#: A child process with a budget that uses less CPU time than this in its time limit is stuck.
MIN_CPU_SECONDS = 1.0
#: Time in seconds between two looks at the memory and the CPU time of a busy child process.
WATCH_SECONDS = 0.05


class CallLimits:
    """The limits of one call: seconds without a message, CPU seconds and resident memory of the process.

    Time in which the process was ready and got no CPU does not count as time without a message: a busy machine is
    no fault of the document.
    """

    def __init__(self, pid: int, seconds: float, budget: CpuBudget | None, memory_bytes: int) -> None:
        self._pid = pid
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._budget = budget
        self._cpu_at_start = self._cpu_at_step = self._cpu_at_deadline = (
            cpu_seconds_of(pid) if budget else 0.0
        )
        self._deadline = time.monotonic() + seconds
        self._cpu_wait = cpu_wait_seconds_of(pid)

    def restart(self) -> None:
        """A message arrived: the limits of a step start again."""
        self._deadline = time.monotonic() + self._seconds
        self._cpu_wait = cpu_wait_seconds_of(self._pid)
        if self._budget is not None:
            self._cpu_at_step = self._cpu_at_deadline = cpu_seconds_of(self._pid)

    def poll_seconds(self) -> float:
        rest = max(0.0, self._deadline - time.monotonic())
        return min(rest, WATCH_SECONDS)

    def exceeded(self, *, arrived: bool) -> ChildTimeout | ChildOutOfMemory | None:
        """The error if a limit is exceeded; a message that has arrived is in time."""
        if resident_bytes_of(self._pid) > self._memory_bytes:
            return ChildOutOfMemory("The child process exceeded its memory limit.")
        late = not arrived and self._is_late()
        used = cpu_seconds_of(self._pid) if self._budget else 0.0
        if late and used - self._cpu_at_deadline < MIN_CPU_SECONDS:
            return ChildTimeout(f"The child process sent nothing for {self._seconds:.0f} seconds.")
        if self._budget is None:
            return None
        if late:
            # It works, on a busy machine: its budget decides.
            self._deadline = time.monotonic() + self._seconds
            self._cpu_at_deadline = used
        for limit, since in (
            (self._budget.step_seconds, self._cpu_at_step),
            (self._budget.total_seconds, self._cpu_at_start),
        ):
            if used - since > limit:
                return ChildOverBudget(f"The child process used more than {limit:.0f} seconds of CPU time.")
        return None

    def _is_late(self) -> bool:
        """Whether the time limit is over. First it is moved by the time that the process waited for a CPU."""
        if time.monotonic() < self._deadline:
            return False
        waited = cpu_wait_seconds_of(self._pid)
        self._deadline += max(0.0, waited - self._cpu_wait)
        self._cpu_wait = waited
        return time.monotonic() >= self._deadline
