"""Strings that make a regular expression work hard, made from the characters of the pattern itself."""

from __future__ import annotations

import importlib
import re
import signal
import time
import warnings
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

with warnings.catch_warnings(action="ignore"):
    _parse: Any = importlib.import_module("re._parser").parse

#: Characters of any text, besides those of the pattern.
_USUAL = "a1 -|*[(.\n"
_MAX_ATOMS = 14
#: No growth is judged below this CPU time: the clock is too coarse.
_MIN_SECONDS = 0.0015
#: CPU seconds for one text of a few thousand characters: only exponential time takes so long.
_MAX_SECONDS = 2.0
_REPEATS = 3


def atoms(pattern: re.Pattern[Any]) -> list[str]:
    """Single characters and short literals that parts of the pattern accept."""
    with warnings.catch_warnings(action="ignore"):
        tree: Any = _parse(pattern.pattern, pattern.flags)
    literals: dict[str, None] = {}
    for text in _literals(tree):
        literals.setdefault(text)
    return list(islice([*literals, *(letter for letter in _USUAL if letter not in literals)], _MAX_ATOMS))


def hostile_strings(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Long runs of one atom or of two in turn, after a beginning and before an end that may not match."""
    parts = atoms(pattern)
    for one, two in product(parts, repeat=2):
        yield one * (length // max(1, len(one))) + two
        if one != two:
            pair = one + two
            yield pair * (length // len(pair))
            yield two + one * (length // max(1, len(one)))


def growth(pattern: re.Pattern[Any], *, scans: bool, length: int, limit: float) -> tuple[float, str]:
    """The largest factor by which CPU time grows for a text four times as long, and the start of that text.

    A factor above `limit` is measured again: what else runs on the machine only adds time, so the shortest time of
    each text counts.
    """
    worst, culprit = 1.0, ""
    shorts = hostile_strings(pattern, length)
    longs = hostile_strings(pattern, 4 * length)
    for short, long in zip(shorts, longs, strict=True):
        long_seconds = _seconds(pattern, long, scans)
        if long_seconds < _MIN_SECONDS:
            continue
        if long_seconds == float("inf"):
            return long_seconds, long[:40]
        short_seconds = min(_seconds(pattern, short, scans) for _ in range(_REPEATS))
        for _ in range(_REPEATS * _REPEATS):
            if worst < limit < _factor(short_seconds, long_seconds):
                long_seconds = min(long_seconds, _seconds(pattern, long, scans))
                short_seconds = min(short_seconds, _seconds(pattern, short, scans))
        factor = _factor(short_seconds, long_seconds)
        if factor > worst:
            worst, culprit = factor, long[:40]
    return worst, culprit


def _factor(short_seconds: float, long_seconds: float) -> float:
    """How much longer the long text took than the short one; 1 if it was too fast to judge."""
    if long_seconds < _MIN_SECONDS:
        return 1.0
    return long_seconds / max(short_seconds, _MIN_SECONDS / 64)


class _TooSlowError(Exception):
    """The pattern used its CPU time."""


def _stop(*_: object) -> None:
    raise _TooSlowError


def _seconds(pattern: re.Pattern[Any], text: str, scans: bool) -> float:
    """CPU seconds for the text; infinite if it takes longer than `_MAX_SECONDS`, where it is stopped."""
    subject = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    previous = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _MAX_SECONDS)
    started = time.thread_time()
    try:
        if scans:
            for _ in pattern.finditer(subject):
                pass
        else:
            pattern.match(subject)
            pattern.fullmatch(subject)
        return time.thread_time() - started
    except _TooSlowError:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


def _literals(tree: Any) -> Iterator[str]:
    """Literal runs and one sample of each set, category and repetition."""
    run = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
            continue
        if run:
            yield from _pieces(run)
            run = ""
        yield from _samples(name, argument)
    if run:
        yield from _pieces(run)


def _pieces(run: str) -> Iterator[str]:
    yield run
    if len(run) > 1:
        yield run[0]


def _samples(name: str, argument: Any) -> Iterator[str]:
    if name == "IN":
        for operation, value in argument[:4]:
            kind = str(operation)
            if kind == "LITERAL":
                yield chr(value)
            elif kind == "RANGE":
                yield chr(value[0])
            elif kind == "CATEGORY":
                yield from _samples("CATEGORY", value)
    elif name == "CATEGORY":
        yield {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(str(argument), "-")
    elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        yield from _literals(argument[2])
    elif name == "SUBPATTERN":
        yield from _literals(argument[3])
    elif name == "BRANCH":
        for branch in argument[1][:4]:
            yield from _literals(branch)
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield from _literals(argument[1])
    elif name == "ATOMIC_GROUP":
        yield from _literals(argument)
