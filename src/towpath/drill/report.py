"""Formats the result of a drill as text and as JSON, with the command line that repeats it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Report:
    engine: str
    seed: int
    minutes: float
    seconds: float
    documents: int
    reprocessed: int
    chunks: int
    vectors: int
    fields: int
    connections: int
    calls: int
    calls_repeated: int
    open_windows: int
    checks: int
    action_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    restarts: Mapping[str, int] = field(default_factory=dict[str, int])
    events: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: Sequence[str] = ()
    #: The other flags of the command line, for ``replay``.
    other_flags: Mapping[str, str] = field(default_factory=dict[str, str])
    kept_folder: str | None = None

    @property
    def green(self) -> bool:
        return not self.findings

    @property
    def kills(self) -> int:
        return sum(times for action, times in self.action_counts.items() if action.startswith("killed"))

    @property
    def stops(self) -> int:
        return sum(times for action, times in self.action_counts.items() if action.startswith("stopped"))

    def as_json(self) -> dict[str, Any]:
        return {
            "verdict": "green" if self.green else "red",
            "kills": self.kills,
            "stops": self.stops,
            **asdict(self),
            "replay": self.replay,
        }

    @property
    def replay(self) -> str:
        more = "".join(f" --{name} {value}" for name, value in self.other_flags.items())
        return f"towpath drill --seed {self.seed} --minutes {self.minutes:g}{more}"

    def lines(self) -> list[str]:
        restarts = ", ".join(f"{times} {what}" for what, times in self.restarts.items()) or "no restart"
        texts = [
            f"{self.engine}, seed {self.seed}: {self.documents} documents, {self.reprocessed} reprocessed, "
            f"{self.seconds:.0f} s",
            f"  faults    {self.kills} workers killed, {self.stops} stopped for longer than their lease, {restarts}",
            f"            {self.events.get('LEASE_EXPIRED', 0)} jobs rescued, "
            f"{self.events.get('RUN_FAILED', 0)} runs resumed after a crash of all workers",
            f"  compared  {self.chunks} chunks (ids and text), {self.vectors} vectors, {self.fields} fields, "
            f"{self.connections} connections",
            f"  calls     {self.calls} answered, 0 twice"
            if self.green
            else f"  calls     {self.calls} answered",
            f"            {self.calls_repeated} repeated, {self.open_windows} open windows counted",
            f"  checked   {self.checks} times that readers see whole documents",
        ]
        if self.green:
            return [*texts, "GREEN: the disturbed instance is equal to the undisturbed one."]
        texts += [f"  DIFFERENT {finding}" for finding in self.findings]
        texts.append(f"RED: {len(self.findings)} findings. Repeat with: {self.replay}")
        return [*texts, f"All data is kept in {self.kept_folder}"] if self.kept_folder else texts
