"""The verdict: a page for people, and the same as JSON with the seed to play it again."""

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
    calls_made_again: int
    open_windows: int
    looks: int
    deeds: Mapping[str, int] = field(default_factory=dict[str, int])
    restarts: Mapping[str, int] = field(default_factory=dict[str, int])
    events: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: Sequence[str] = ()
    #: The other flags it was given, so that it can be played again.
    asked: Mapping[str, str] = field(default_factory=dict[str, str])
    fault: str | None = None
    kept: str | None = None

    @property
    def green(self) -> bool:
        return not self.findings

    @property
    def kills(self) -> int:
        return sum(times for deed, times in self.deeds.items() if deed.startswith("killed"))

    @property
    def stops(self) -> int:
        return sum(times for deed, times in self.deeds.items() if deed.startswith("stopped"))

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
        more = "".join(f" --{name} {value}" for name, value in self.asked.items())
        return f"towpath drill --seed {self.seed} --minutes {self.minutes:g}{more}"

    def lines(self) -> list[str]:
        restarts = ", ".join(f"{times} {what}" for what, times in self.restarts.items()) or "no restart"
        told = [
            f"{self.engine}, seed {self.seed}: {self.documents} documents, {self.reprocessed} worked again, "
            f"{self.seconds:.0f} s",
            f"  struck    {self.kills} workers killed, {self.stops} stopped past their lease, {restarts}",
            f"            {self.events.get('LEASE_EXPIRED', 0)} jobs rescued, "
            f"{self.events.get('RUN_FAILED', 0)} runs resumed after a power cut",
            f"  compared  {self.chunks} chunks (ids and text), {self.vectors} vectors, {self.fields} fields, "
            f"{self.connections} connections",
            f"  calls     {self.calls} answered, 0 twice"
            if self.green
            else f"  calls     {self.calls} answered",
            f"            {self.calls_made_again} made again, {self.open_windows} open windows counted",
            f"  watched   {self.looks} looks from outside",
        ]
        if self.green:
            return [*told, "GREEN: nobody could tell this copy from one that was left in peace."]
        told += [f"  DIFFERENT {finding}" for finding in self.findings]
        told.append(f"RED: {len(self.findings)} findings. Again: {self.replay}")
        return [*told, f"Everything is kept in {self.kept}"] if self.kept else told
