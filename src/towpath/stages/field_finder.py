"""Finds named values in what was read of a document, and the place of each. Pure and linear in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from towpath.model.content import Extraction, Field
from towpath.stages.fields.about import FACTS, about, language_of
from towpath.stages.fields.contacts import emails, phones, urls
from towpath.stages.fields.dates import dates
from towpath.stages.fields.found import Found
from towpath.stages.fields.identifiers import dois, ibans, isbns, vat_ids
from towpath.stages.fields.labels import labelled_numbers
from towpath.stages.fields.money import amounts
from towpath.stages.fields.pairs import pairs
from towpath.stages.placing import Places

#: So many different values of one name are kept, and so many lines of the form ``Key: value``.
MOST = 200


def find_fields(extraction: Extraction) -> tuple[Field, ...]:
    """Document facts first, then the values in the text, sort by sort, each in reading order."""
    text = extraction.markdown
    language = language_of(extraction)
    gathering = _Gathering()
    gathering.add(about(extraction), claim=False)
    for finder in (emails, dois, urls, ibans, labelled_numbers):
        gathering.add(finder(text))
    # These are made of digits as others are; what is already known as something else is left out.
    gathering.add(vat_ids(text), clear=True)
    gathering.add(isbns(text), clear=True)
    gathering.add(dates(text, language[0] if language else None), clear=True)
    gathering.add(amounts(text), clear=True)
    gathering.add(phones(text), clear=True)
    gathering.add(pairs(text), together=True)
    places = Places(extraction)
    return tuple(_placed(found, places) for found in gathering.kept)


class _Gathering:
    """Keeps each value once, at its first place, and a bounded number of each name."""

    def __init__(self) -> None:
        self.kept: list[Found] = []
        self._spans: list[tuple[int, int]] = []
        self._names = set(FACTS)

    def add(
        self, finds: Iterable[Found], *, claim: bool = True, clear: bool = False, together: bool = False
    ) -> None:
        """``claim``: their characters are taken. ``clear``: leave out what overlaps taken characters.
        ``together``: all names share one limit, and must not be names that are known already.
        """
        seen: set[tuple[str, str]] = set()
        counts: Counter[str] = Counter()
        spans: list[tuple[int, int]] = []
        for found in self._free(finds) if clear else finds:
            if claim and found.start is not None and found.end is not None:
                spans.append((found.start, found.end))
            # A line "Title: ..." must not pass for the document's own title.
            if (found.name, found.value) in seen or (together and found.name.casefold() in self._names):
                continue
            seen.add((found.name, found.value))
            counts[found.name] += 1
            if counts[found.name] <= MOST:
                self.kept.append(found)
            if (together and counts.total() >= MOST) or len(spans) >= 100 * MOST:
                break
        self._names.update(counts)
        self._spans = sorted(self._spans + spans)

    def _free(self, finds: Iterable[Found]) -> Iterator[Found]:
        starts = [start for start, _ in self._spans]
        reach = list(accumulate((end for _, end in self._spans), max))
        for found in finds:
            if found.start is None or found.end is None:
                continue
            before = bisect_right(starts, found.end - 1)
            if not before or reach[before - 1] <= found.start:
                yield found


def _placed(found: Found, places: Places) -> Field:
    page = box = None
    if found.start is not None and found.end is not None:
        page = places.page_at(found.start)
        box = places.box_covering(found.start, found.end, page)
    return Field(found.name, found.value, found.kind, found.confidence, page, found.start, found.end, box)
