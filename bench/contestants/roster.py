"""Finds the contestants: every module of this folder that lists some in `CONTESTANTS` and can be imported."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

from bench.contestants.contract import Contestant

HELPERS = frozenset({"contract", "preload", "roster", "scoreboard", "worker"})


@dataclass(frozen=True, slots=True)
class Roster:
    contestants: tuple[Contestant, ...]
    missing: tuple[str, ...]
    """Modules that could not be imported, with the reason."""


def find_contestants(only: frozenset[str] = frozenset()) -> Roster:
    """All contestants, or those whose key, or whose module, is named in `only`."""
    found: list[Contestant] = []
    missing: list[str] = []
    for module_name in _module_names():
        try:
            rows = _rows(module_name)
        except ImportError as error:
            missing.append(f"{module_name}: {error}")
            continue
        found += [row for row in rows if not only or {module_name, row.key} & only]
    return Roster(tuple(found), tuple(missing))


def contestant(key: str) -> Contestant:
    """One contestant, importing no other library: a key is its module's name, or that and `-variant`."""
    rows = _rows(key.partition("-")[0])
    return next(row for row in rows if row.key == key)


def _rows(module_name: str) -> tuple[Contestant, ...]:
    return importlib.import_module(f"bench.contestants.{module_name}").CONTESTANTS


def _module_names() -> list[str]:
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(module.name for module in modules if module.name not in HELPERS)
