"""Finds every regular expression of the package, and how it is used: by walking modules and their syntax trees."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import towpath

SCANNING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
ANCHORED = frozenset({"match", "fullmatch"})
_FUNCTIONS = SCANNING | ANCHORED


@dataclass(frozen=True, slots=True)
class FoundPattern:
    """A pattern, where it is, and whether it scans a text (`search`) or starts at its beginning (`match`)."""

    where: str
    pattern: re.Pattern[Any]
    scans: bool


def package_patterns() -> list[FoundPattern]:
    found: dict[tuple[str | bytes, int, bool], FoundPattern] = {}
    for module in _modules():
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        uses = _uses(tree)
        for name, pattern in _compiled(module):
            used = uses.get(name.partition("[")[0], set())
            # A pattern that is passed on is taken for one that scans.
            scans = bool(used & SCANNING) or not used & ANCHORED
            key = pattern.pattern, pattern.flags, scans
            found.setdefault(key, FoundPattern(f"{module.__name__}.{name}", pattern, scans))
        for line, function, pattern in _inline(tree):
            key = pattern.pattern, pattern.flags, function in SCANNING
            where = f"{module.__name__}:{line}"
            found.setdefault(key, FoundPattern(where, pattern, function in SCANNING))
    return sorted(found.values(), key=lambda item: item.where)


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(towpath.__path__, "towpath."):
        if ".migrations." in info.name or info.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:  # an extra that is not installed
            continue
        if getattr(module, "__file__", None):
            yield module


def _compiled(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        yield from _inside(name, value)


def _inside(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict) and depth < 3:
        for key, part in cast("dict[object, object]", value).items():
            yield from _inside(f"{name}[{key}]", part, depth + 1)
            yield from _inside(f"{name}[{key}]", key, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset) and depth < 3:
        for index, part in enumerate(islice(cast("Iterable[object]", value), 1_000)):
            yield from _inside(f"{name}[{index}]", part, depth + 1)


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that are called on each name."""
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    return uses


def _inline(tree: ast.Module) -> Iterator[tuple[int, str, re.Pattern[Any]]]:
    """Calls such as `re.sub("…", …)` with a literal pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=function),
                args=[ast.Constant(value=text), *_],
            ) if function in _FUNCTIONS and isinstance(text, str | bytes):
                yield node.lineno, function, re.compile(text)
            case _:
                pass
