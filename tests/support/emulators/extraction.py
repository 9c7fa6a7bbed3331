"""Fills any strict JSON schema with sentences and words of a text, as the answer of an emulated chat model.

Property names are hints: ``summary``, ``topics``, ``action_items``, ``questions``, ``speaker``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

Json = dict[str, Any]
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_SPEAKER = re.compile(r"^([^:\n]{1,40}):\s", re.MULTILINE)
_PROMISE = re.compile(r"\b(will|must|need to|should|let's|нужно|надо|сделаю|пришлю)\b", re.IGNORECASE)
_PROMISE_NAMES = {"action_items", "actions", "tasks", "todos"}
_GOOD = re.compile(r"\b(thank|thanks|great|good|happy|glad|perfect|спасибо|отлично)\b", re.IGNORECASE)
_BAD = re.compile(r"\b(problem|late|wrong|broken|angry|sorry|unhappy|проблема|плохо)\b", re.IGNORECASE)


def fill(schema: Json, text: str) -> Any:
    """A value that the schema allows, made of the text."""
    return _value(schema, "", text, text)


def _value(schema: Json, name: str, text: str, about: str) -> Any:
    """``text`` is the whole material, ``about`` the part of it that this value speaks of."""
    if "enum" in schema:
        return _chosen(schema["enum"], about)
    kinds: list[str] = [schema["type"]] if isinstance(schema.get("type"), str) else schema["type"]
    kind = kinds[0]
    if kind == "object":
        properties: dict[str, Json] = schema.get("properties", {})
        return {key: _value(value, key, text, about) for key, value in properties.items()}
    if kind == "array":
        return [_value(schema.get("items", {}), name, text, part) for part in _parts(name, text)]
    if kind in ("integer", "number"):
        return len(about.split())
    if kind == "boolean":
        return bool(_GOOD.search(about))
    if "null" in kinds:
        return _owner(about) if name in ("owner", "speaker", "assignee") else None
    return _string(name, about)


def _string(name: str, about: str) -> str:
    if name == "speaker":
        return _owner(about) or "Speaker"
    spoken = _SPEAKER.sub("", about)
    return " ".join(_sentences(spoken)[: 3 if name == "summary" else 1])


def _parts(name: str, text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if name == "topics":
        words = (word.lower() for word in re.findall(r"\w{5,}", _SPEAKER.sub("", text)))
        return [word for word, _ in Counter(words).most_common(5)]
    if name == "questions":
        return [sentence for sentence in _sentences(_SPEAKER.sub("", text)) if sentence.endswith("?")]
    if name in _PROMISE_NAMES:
        return [line for line in lines if _PROMISE.search(line)]
    if name in ("speakers", "moods", "sentiments"):
        names = dict.fromkeys(_SPEAKER.findall(text))
        return ["\n".join(line for line in lines if line.startswith(f"{who}:")) for who in names]
    return lines[:3]


def _chosen(options: list[str], about: str) -> str:
    good, bad = bool(_GOOD.search(about)), bool(_BAD.search(about))
    requested = "mixed" if good and bad else "positive" if good else "negative" if bad else "neutral"
    return requested if requested in options else options[0]


def _owner(about: str) -> str | None:
    found = _SPEAKER.match(about)
    return found[1] if found else None


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]
