"""Finds settings that differ between this process and the workers of the same installation. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that has another value in a worker."""

    setting: str
    value: object
    worker: str
    worker_value: object

    def __str__(self) -> str:
        return f"{self.setting} is {self.value} here and {self.worker_value} in worker {self.worker}."


def setting_differences(own: Json, workers: Sequence[Json]) -> list[SettingDifference]:
    """The differences from each live worker. A setting that a worker of another version lacks is not compared."""
    return [
        SettingDifference(name, value, str(worker["worker"]), settings[name])
        for worker in workers
        for settings in [cast("Json", worker.get("settings") or {})]
        for name, value in own.items()
        if name in settings and settings[name] != value
    ]
