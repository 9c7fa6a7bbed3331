"""The answers of an emulated chat model to requests for fields: written by hand for each document, not computed.

`tests/data/*/answers.json` has `[value, quote]` for each field of a document, as a person read them from it. The
document of a request is the one with the longest quotes in the text. As a model does, the emulator gives only what the
text of the request says: of a part of a document, the values whose quotes are in that part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]
DATA = Path(__file__).parents[2] / "data"
#: The third item of an answer that is wrong on purpose; it is given although its quote may not be in the text.
WRONG = "wrong"
#: A text with fewer characters in quotes of a document is not a part of it.
MIN_QUOTED = 12
_WORD = re.compile(r"[^\W_]+")


@cache
def written_answers() -> Json:
    """All answers by the name of their document."""
    return {
        name: answer
        for path in sorted(DATA.glob("*/answers.json"))
        for name, answer in json.loads(path.read_text("utf-8")).items()
    }


def is_field_request(response_format: Json) -> bool:
    return response_format.get("json_schema", {}).get("name") == "fields"


def answer(schema: Json, text: str) -> Any:
    """The answer for a text in the form of the schema; all values are null if no document is known."""
    words = _words(text)
    best: Json = max(written_answers().values(), key=lambda given: _quoted(given, words, text))
    given: Json = best if _quoted(best, words, text) >= MIN_QUOTED else {}
    return _filled(schema, given, words, text)


def _filled(schema: Json, given: Any, words: str, text: str) -> Any:
    if schema["type"] == "array":
        # An item is in the text that has its first value, such as its description.
        items = [item for item in given or () if _is_in(next(_leaves(item)), words, text)]
        return [_filled(schema["items"], item, words, text) for item in items]
    properties: Json = schema["properties"]
    if properties.keys() == {"value", "quote"}:
        if given is None or not (_is_in(given, words, text) or WRONG in given[2:]):
            return {"value": None, "quote": None}
        return {"value": given[0], "quote": given[1]}
    return {name: _filled(part, (given or {}).get(name), words, text) for name, part in properties.items()}


def _quoted(given: Any, words: str, text: str) -> int:
    """The length of all quotes of the document that are in the text."""
    return sum(len(str(leaf[1])) for leaf in _leaves(given) if _is_in(leaf, words, text))


def _leaves(given: Any) -> Iterator[list[Any]]:
    if isinstance(given, dict):
        for part in given.values():  # pyright: ignore[reportUnknownVariableType]  (JSON)
            yield from _leaves(part)
    elif given and isinstance(given[0], dict):
        for item in given:
            yield from _leaves(item)
    elif given:
        yield given


def _is_in(leaf: list[Any], words: str, text: str) -> bool:
    wanted = _words(str(leaf[1]))
    return wanted in words if wanted.strip() else str(leaf[1]) in text


def _words(text: str) -> str:
    """The words of a text with a blank around each, to find whole words."""
    return " ".join(("", *_WORD.findall(text.casefold()), ""))
