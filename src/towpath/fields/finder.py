"""Finds the fields of a document (dates, amounts, contacts, identifiers, invoice data) and their positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from towpath.chunking.anchors import AnchorIndex
from towpath.fields.contacts import emails, phones, urls
from towpath.fields.dates import dates
from towpath.fields.document_properties import PROPERTY_NAMES, document_properties, language_of
from towpath.fields.field_match import FieldMatch
from towpath.fields.identifiers import arxiv_ids, dois, ibans, isbns, text_before_references, vat_ids
from towpath.fields.invoices.find_invoice_fields import InvoiceField, find_invoice_fields
from towpath.fields.key_value_lines import key_value_pairs
from towpath.fields.labelled_numbers import labelled_numbers
from towpath.fields.money import amounts
from towpath.model.content import Extraction, Field

#: Maximum number of distinct values per field name, and of ``Key: value`` lines.
MAX_VALUES = 200
#: Unnamed amounts and dates are properties of a document only if they are few; more of them are its data.
MAX_UNNAMED = 10
_UNNAMED = ("amount", "date")
_CODE_BLOCK = re.compile(r"^(`{3,}+|~{3,}+)[^\n]*\n.*?(?:^\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


def find_fields(extraction: Extraction, file_name: str = "") -> tuple[Field, ...]:
    """Document properties first, then those of an invoice, then the values in the text, each in reading order."""
    text = without_code(extraction.markdown)
    language = language_of(extraction)
    code = language[0] if language and language[1] >= 0.6 else None
    invoice = find_invoice_fields(extraction, code)
    collector = _FieldCollector()
    collector.add(document_properties(extraction, file_name), reserve=False)
    own_text = text_before_references(text)
    for finder, searched in (
        (emails, text),
        (dois, own_text),
        (arxiv_ids, own_text),
        (urls, text),
        (ibans, text),
    ):
        collector.add(finder(searched))
    if not invoice:
        collector.add(labelled_numbers(text))
    # These consist of digits too; skip characters that already belong to another field.
    collector.add(vat_ids(text), skip_reserved=True)
    collector.add(isbns(text), skip_reserved=True)
    collector.add(dates(text, code, extraction.pages), skip_reserved=True)
    collector.add(amounts(text), skip_reserved=True)
    collector.add(phones(text), skip_reserved=True)
    if not invoice:
        collector.add(key_value_pairs(text), share_limit=True)
    anchors = AnchorIndex(extraction)
    found = [_to_field(match, anchors) for match in _shown(collector.matches, is_invoice=bool(invoice))]
    properties = sum(field.name in PROPERTY_NAMES for field in found)
    return (*found[:properties], *(_invoice_field(item, extraction) for item in invoice), *found[properties:])


def without_code(markdown: str) -> str:
    """The text with blanks instead of its code blocks, so that offsets stay the same."""
    if "```" not in markdown and "~~~" not in markdown:
        return markdown
    return _CODE_BLOCK.sub(lambda match: " " * len(match[0]), markdown)


def _shown(matches: Sequence[FieldMatch], *, is_invoice: bool) -> Iterator[FieldMatch]:
    """The matches without unnamed amounts and dates where they are many, or where the named ones are known."""
    counts = Counter(match.name for match in matches)
    for match in matches:
        if match.name not in _UNNAMED or (counts[match.name] <= MAX_UNNAMED and not is_invoice):
            yield match


def _invoice_field(item: InvoiceField, extraction: Extraction) -> Field:
    """The field with the page and box of its cell, and the span of the cell's text in the markdown."""
    if item.cell is None:
        return Field(item.name, item.value, item.kind, item.confidence)
    page = next((page for page in extraction.pages if page.number == item.cell.page), None)
    begin, stop = (page.start, page.end) if page else (0, len(extraction.markdown))
    start, end = None, None
    for text in (item.value, item.cell.text):
        offset = extraction.markdown.find(text, begin, stop)
        if offset >= 0:
            start, end = offset, offset + len(text)
            break
    box = item.cell.shown_box if extraction.words else None
    number = item.cell.page if page else None
    return Field(item.name, item.value, item.kind, round(item.confidence, 2), number, start, end, box)


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
        """``reserve``: their characters are taken. ``skip_reserved``: leave out what overlaps taken characters.
        ``share_limit``: all names share one limit, and must not be names that are known already.
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
