"""So much of Prometheus' language as the dashboard and the alerts speak: parsed strictly, answered from samples."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]

_TOKEN = re.compile(
    r'\s*(?:(?P<name>[a-zA-Z_:][\w:]*)|(?P<number>\d+(?:\.\d+)?)|(?P<text>"[^"]*")|(?P<range>\[\d+[smhd]\])'
    r"|(?P<sign>>=|<=|!=|==|=~|[-+*/><=(){},]))"
)
_FOLDS: Mapping[str, Callable[[Sequence[float]], float]] = {"sum": sum, "max": max, "min": min}
#: Looser ones first.
_LEVELS = (("or",), ("and",), (">", "<", ">=", "<=", "==", "!="), ("+", "-"), ("*", "/"))
_COUNT: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: one / other if other else float("nan"),
}
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    labels: Mapping[str, str]
    value: float


class Unknown(Exception):
    """A figure, a label or a word that there is not."""


class Question:
    """One expression, asked of samples; every figure and label it names must be there."""

    def __init__(self, text: str, samples: Sequence[Sample]) -> None:
        self._samples = samples
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise Unknown(f"{text[at:]!r} is no expression")
            self._tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()

    def answer(self) -> Vector | float:
        value = self._binary(0)
        if self._tokens:
            raise Unknown(f"{self._tokens[0][1]!r} is left over")
        return value

    def _next(self, wanted: str | None = None) -> str:
        if not self._tokens or (wanted is not None and self._tokens[0][1] != wanted):
            raise Unknown(f"{wanted!r} is missing")
        return self._tokens.pop(0)[1]

    def _is(self, *words: str) -> bool:
        return bool(self._tokens) and self._tokens[0][1] in words

    def _binary(self, level: int) -> Vector | float:
        if level == len(_LEVELS):
            return self._one()
        left = self._binary(level + 1)
        while self._is(*_LEVELS[level]):
            left = _joined(self._next(), left, self._binary(level + 1))
        return left

    def _one(self) -> Vector | float:
        kind = self._tokens[0][0] if self._tokens else ""
        word = self._next()
        if kind == "number":
            return float(word)
        if word == "(":
            value = self._binary(0)
            self._next(")")
            return value
        if word in _FOLDS:
            kept = self._names() if self._is("by") else []
            self._next("(")
            value = self._binary(0)
            self._next(")")
            return _folded(_FOLDS[word], kept, value)
        if self._is("("):
            return self._called(word)
        return self._selected(word)

    def _names(self) -> list[str]:
        self._next("by")
        self._next("(")
        names = [self._next()]
        while self._is(","):
            self._next()
            names.append(self._next())
        self._next(")")
        return names

    def _called(self, word: str) -> Vector | float:
        self._next("(")
        given = [self._binary(0)]
        while self._is(","):
            self._next()
            given.append(self._binary(0))
        self._next(")")
        match word, given:
            case "vector", [float() as number]:
                return {frozenset(): number}
            case "clamp_min", [dict() as vector, float() as least]:
                return {labels: max(value, least) for labels, value in vector.items()}
            case "delta", [dict() as vector]:
                # Seen from the beginning of time, all of it is what it has risen by.
                return vector
            case _:
                raise Unknown(f"{word} is no function of these")

    def _selected(self, name: str) -> Vector:
        samples = [sample for sample in self._samples if sample.name == name]
        if not samples:
            raise Unknown(f"there is no figure {name}")
        if self._is("{"):
            self._next()
            label = self._next()
            self._next("=")
            wanted = self._next().strip('"')
            self._next("}")
            if any(label not in sample.labels for sample in samples):
                raise Unknown(f"{name} has no label {label}")
            samples = [sample for sample in samples if sample.labels[label] == wanted]
        if self._tokens and self._tokens[0][0] == "range":
            self._next()
        return {frozenset(sample.labels.items()): sample.value for sample in samples}


def _folded(fold: Callable[[Sequence[float]], float], kept: Sequence[str], value: Vector | float) -> Vector:
    if not isinstance(value, dict):
        raise Unknown("a number cannot be folded")
    together: dict[Labels, list[float]] = {}
    for labels, number in value.items():
        if missing := set(kept) - {name for name, _ in labels}:
            raise Unknown(f"there is no label {missing}")
        together.setdefault(frozenset(pair for pair in labels if pair[0] in kept), []).append(number)
    return {labels: fold(numbers) for labels, numbers in together.items()}


def _joined(word: str, left: Vector | float, right: Vector | float) -> Vector | float:
    if isinstance(left, float) and isinstance(right, float):
        return _COUNT[word](left, right)
    one = left if isinstance(left, dict) else dict.fromkeys(right if isinstance(right, dict) else {}, left)
    other = right if isinstance(right, dict) else dict.fromkeys(one, right)
    if word == "or":
        return {**other, **one}
    both = [labels for labels in one if labels in other]
    if word == "and":
        return {labels: one[labels] for labels in both}
    if word in _COMPARE:
        return {labels: one[labels] for labels in both if _COMPARE[word](one[labels], other[labels])}
    return {labels: _COUNT[word](one[labels], other[labels]) for labels in both}
