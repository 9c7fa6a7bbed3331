"""Lines of the form ``Key: value``, as forms, letterheads and covers have them; sentences are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from towpath.stages.fields.found import MOST_CANDIDATES, Found

_LINE = re.compile(
    r"^[ \t]{0,8}(?:[-*+•][ \t])?(?P<bold>\*\*|__)?(?P<key>[^\W\d_][\w ./&'’()#°º-]{0,38}?)(?:\*\*|__)?"
    r"[ \t]{0,3}[:：](?:\*\*|__)?[ \t]{1,20}(?P<value>\S[^\n]{0,199})$",
    re.MULTILINE,
)
_PROSE = re.compile(r"[^\W\d_]{2}[.!?][\"'”’)]?\s+[A-ZÀ-Þ]")


def pairs(text: str) -> Iterator[Found]:
    for match in islice(_LINE.finditer(text), MOST_CANDIDATES):
        key, value = " ".join(match["key"].split()), match["value"].rstrip().rstrip("*_")
        if _is_label(key, bool(match["bold"])) and _is_value(value):
            start = match.start("value")
            yield Found(key, value, "text", 0.6, start, start + len(value))


def _is_label(key: str, bold: bool) -> bool:
    words = key.split()
    return len(words) <= 5 and (bold or len(words) == 1 or not key[0].islower())


def _is_value(value: str) -> bool:
    words = len(value.split())
    sentence = words > 7 and value.endswith((".", "!", "?", ":", ";"))
    return 0 < words <= 15 and not sentence and not _PROSE.search(value)
