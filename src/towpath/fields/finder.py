"""Finds the fields of a document and the position of each. Pure; linear in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from towpath.chunking.anchors import AnchorIndex
from towpath.fields.contacts import emails, phones, urls
from towpath.fields.dates import dates
from towpath.fields.document_properties import PROPERTY_NAMES, document_properties, language_of
from towpath.fields.identifiers import dois, ibans, isbns, vat_ids
from towpath.fields.key_value_lines import key_value_pairs
from towpath.fields.labelled_numbers import labelled_numbers
from towpath.fields.match import FieldMatch
from towpath.fields.money import amounts
from towpath.model.content import Extraction, Field

#: Maximum number of distinct values per field name, and of ``Key: value`` lines.
MAX_VALUES = 200


def find_fields(extraction: Extraction) -> tuple[Field, ...]:
    """Document properties first, then the values in the text by kind, each in reading order."""
    text = extraction.markdown
    language = language_of(extraction)
    collector = _FieldCollector()
    collector.add(document_properties(extraction), reserve=False)
    for finder in (emails, dois, urls, ibans, labelled_numbers):
        collector.add(finder(text))
    # These consist of digits too; skip characters that already belong to another field.
    collector.add(vat_ids(text), skip_reserved=True)
    collector.add(isbns(text), skip_reserved=True)
    collector.add(dates(text, language[0] if language else None), skip_reserved=True)
    collector.add(amounts(text), skip_reserved=True)
    collector.add(phones(text), skip_reserved=True)
    collector.add(key_value_pairs(text), share_limit=True)
    anchors = AnchorIndex(extraction)
    return tuple(_to_field(match, anchors) for match in collector.matches)


class _FieldCollector:
    """Collects each value once, at its first position, with a limit per name."""

    def __init__(self) -> None:
        self.matches: list[FieldMatch] = []
        self._spans: list[tuple[int, int]] = []
        self._names = set(PROPERTY_NAMES)

    def add(
        self,
        matches: Iterable[FieldMatch],
        *,
        reserve: bool = True,
        skip_reserved: bool = False,
        share_limit: bool = False,
    ) -> None:
        """``claim``: their characters are taken. ``clear``: leave out what overlaps taken characters.
        ``together``: all names share one limit, and must not be names that are known already.
        """
        seen: set[tuple[str, str]] = set()
        counts: Counter[str] = Counter()
        spans: list[tuple[int, int]] = []
        for match in self._unreserved(matches) if skip_reserved else matches:
            if reserve and match.start is not None and match.end is not None:
                spans.append((match.start, match.end))
            # A line "Title: ..." must not pass for the document's own title.
            if (match.name, match.value) in seen or (share_limit and match.name.casefold() in self._names):
                continue
            seen.add((match.name, match.value))
            counts[match.name] += 1
            if counts[match.name] <= MAX_VALUES:
                self.matches.append(match)
            if (share_limit and counts.total() >= MAX_VALUES) or len(spans) >= 100 * MAX_VALUES:
                break
        self._names.update(counts)
        self._spans = sorted(self._spans + spans)

    def _unreserved(self, matches: Iterable[FieldMatch]) -> Iterator[FieldMatch]:
        starts = [start for start, _ in self._spans]
        max_ends = list(accumulate((end for _, end in self._spans), max))
        for match in matches:
            if match.start is None or match.end is None:
                continue
            before = bisect_right(starts, match.end - 1)
            if not before or max_ends[before - 1] <= match.start:
                yield match


def _to_field(match: FieldMatch, anchors: AnchorIndex) -> Field:
    page = box = None
    if match.start is not None and match.end is not None:
        page = anchors.page_at(match.start)
        box = anchors.box_covering(match.start, match.end, page)
    return Field(match.name, match.value, match.kind, match.confidence, page, match.start, match.end, box)
