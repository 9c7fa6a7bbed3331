"""Finds the libraries: every module of this folder that lists some in `LIBRARIES` and can be imported."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

from bench.libraries.contract import QueueLibrary

HELPERS = frozenset({"contract", "counters", "preload", "registry", "worker"})


@dataclass(frozen=True, slots=True)
class LibraryRegistry:
    """The libraries that could be imported, and the modules that could not."""

    libraries: tuple[QueueLibrary, ...]
    missing: tuple[str, ...]
    """Modules that could not be imported, with the reason."""


def find_libraries(only: frozenset[str] = frozenset()) -> LibraryRegistry:
    """Return all libraries, or those whose key or module is in `only`."""
    libraries: list[QueueLibrary] = []
    missing: list[str] = []
    for module_name in _module_names():
        try:
            rows = _rows(module_name)
        except ImportError as error:
            missing.append(f"{module_name}: {error}")
            continue
        libraries += [row for row in rows if not only or {module_name, row.key} & only]
    return LibraryRegistry(tuple(libraries), tuple(missing))


def library(key: str) -> QueueLibrary:
    """Return one library without importing the others; its key begins with its module's name."""
    rows = _rows(key.partition("-")[0])
    return next(row for row in rows if row.key == key)


def _rows(module_name: str) -> tuple[QueueLibrary, ...]:
    return importlib.import_module(f"bench.libraries.{module_name}").LIBRARIES


def _module_names() -> list[str]:
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(module.name for module in modules if module.name not in HELPERS)
