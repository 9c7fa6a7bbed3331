"""Converts the lines of a page to the JSON of Document Intelligence: words, paragraphs, tables, key-value pairs.

Every span indexes the written content in Python code points.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tests.support.emulators.pdf_lines import Line, PageLines, Rect, Word

Json = dict[str, Any]
_KEY_VALUE = re.compile(r"^(\S[^:]{0,38}\S|\S):(?=\s)(?!.*\. \. \.)")


@dataclass(slots=True)
class Layout:
    """The analysis as it grows, page by page."""

    markdown: bool
    key_values: bool
    pages: list[Json] = field(default_factory=list[Json])
    paragraphs: list[Json] = field(default_factory=list[Json])
    tables: list[Json] = field(default_factory=list[Json])
    pairs: list[Json] = field(default_factory=list[Json])
    _page: Json = field(default_factory=dict[str, Any])
    _written: list[str] = field(default_factory=list[str])
    _length: int = 0

    @property
    def content(self) -> str:
        return "".join(self._written)

    def _write(self, text: str) -> None:
        self._written.append(text)
        self._length += len(text)

    def add(self, page: PageLines) -> None:
        if self.pages:
            self._write("\n\n<!-- PageBreak -->\n\n" if self.markdown else "\n")
        start = self._length
        self._page = {
            "pageNumber": page.number,
            "angle": 0,
            "width": round(page.width, 4),
            "height": round(page.height, 4),
            "unit": "inch",
            "words": [],
            "lines": [],
        }
        self.pages.append(self._page)
        for lines in _grouped(page):
            if self._length > start:
                self._write("\n\n" if self.markdown else "\n")
            if len(lines) > 1 and lines[0].columns > 1 and lines[0].columns == lines[1].columns:
                self._table(lines)
            else:
                self._paragraph(lines, _role(lines, page, first=not self.paragraphs))
        self._page["spans"] = [_span(start, self._length)]

    def result(self, model: str) -> Json:
        return {
            "apiVersion": "2024-11-30",
            "modelId": model,
            "stringIndexType": "unicodeCodePoint",
            "contentFormat": "markdown" if self.markdown else "text",
            "content": self.content,
            "pages": self.pages,
            "paragraphs": self.paragraphs,
            "tables": self.tables,
            "styles": [],
            **({"keyValuePairs": self.pairs} if self.key_values else {}),
        }

    def _paragraph(self, lines: list[Line], role: str | None) -> None:
        start = self._length
        before, after = _markup(role) if self.markdown else ("", "")
        self._write(before)
        for number, line in enumerate(lines):
            self._write("\n" if number else "")
            words = self._line(line)
            if self.key_values and (key := _KEY_VALUE.match(line.text)):
                self._pair(line, words, len(key[0].split()))
        self._write(after)
        self._element(" ".join(line.text for line in lines), lines, start, role)

    def _line(self, line: Line) -> list[Json]:
        start = self._length
        words = [self._word(word, first=number == 0) for number, word in enumerate(line.words)]
        self._page["lines"].append(
            {"content": line.text, "polygon": line.rect.polygon, "spans": [_span(start, self._length)]}
        )
        return words

    def _word(self, word: Word, *, first: bool) -> Json:
        self._write("" if first else " ")
        answer: Json = {
            "content": word.text,
            "polygon": word.rect.polygon,
            "confidence": 0.994,
            "span": {"offset": self._length, "length": len(word.text)},
        }
        self._write(word.text)
        self._page["words"].append(answer)
        return answer

    def _table(self, rows: list[Line]) -> None:
        start = self._length
        cells: list[Json] = []
        self._write("<table>\n" if self.markdown else "")
        for row_index, row in enumerate(rows):
            tag = "th" if row_index == 0 else "td"
            self._write("<tr>\n" if self.markdown else "")
            for column_index, cell in enumerate(row.cells()):
                self._write(f"<{tag}>" if self.markdown else "")
                cell_start = self._length
                self._line(cell)
                paragraph = self._element(cell.text, [cell], cell_start, None)
                self._write(f"</{tag}>\n" if self.markdown else "\n")
                cells.append(
                    {
                        "kind": "columnHeader" if row_index == 0 else "content",
                        "rowIndex": row_index,
                        "columnIndex": column_index,
                        **paragraph,
                        "elements": [f"/paragraphs/{len(self.paragraphs) - 1}"],
                    }
                )
            self._write("</tr>\n" if self.markdown else "")
        self._write("</table>" if self.markdown else "")
        self.tables.append(
            {
                "rowCount": len(rows),
                "columnCount": rows[0].columns,
                "cells": cells,
                "boundingRegions": [self._region([row.rect for row in rows])],
                "spans": [_span(start, self._length)],
            }
        )

    def _pair(self, line: Line, words: list[Json], key_words: int) -> None:
        def part(first: int, last: int) -> Json:
            start = words[first]["span"]["offset"]
            end = words[last]["span"]["offset"] + words[last]["span"]["length"]
            rects = [word.rect for word in line.words[first : last + 1]]
            return {
                "content": " ".join(word["content"] for word in words[first : last + 1]),
                "boundingRegions": [self._region(rects)],
                "spans": [_span(start, end)],
            }

        key, value = part(0, key_words - 1), part(key_words, len(words) - 1)
        self.pairs.append({"key": key, "value": value, "confidence": 0.9})

    def _element(self, text: str, lines: list[Line], start: int, role: str | None) -> Json:
        element: Json = {
            "content": text,
            "boundingRegions": [self._region([line.rect for line in lines])],
            "spans": [_span(start, self._length)],
        }
        self.paragraphs.append({"role": role, **element} if role else element)
        return element

    def _region(self, rects: list[Rect]) -> Json:
        return {"pageNumber": self._page["pageNumber"], "polygon": Rect.around(rects).polygon}


def _span(start: int, end: int) -> Json:
    return {"offset": start, "length": end - start}


def _markup(role: str | None) -> tuple[str, str]:
    marks = {"title": ("# ", ""), "sectionHeading": ("## ", ""), "pageNumber": ('<!-- PageNumber="', '" -->')}
    return marks.get(role or "", ("", ""))


def _grouped(page: PageLines) -> list[list[Line]]:
    """Lines that belong together: table rows with equal columns, or lines of one size close together."""
    groups: list[list[Line]] = []
    for line in page.lines:
        previous = groups[-1][-1] if groups else None
        if previous and _continues(previous, line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _continues(above: Line, line: Line) -> bool:
    if above.columns > 1 or line.columns > 1:
        return above.columns == line.columns
    if _KEY_VALUE.match(above.text) or _KEY_VALUE.match(line.text):
        return False
    gap = line.rect.y0 - above.rect.y1
    return abs(above.size - line.size) < 0.5 and -line.size / 72 < gap < 0.5 * line.size / 72


def _role(lines: list[Line], page: PageLines, *, first: bool) -> str | None:
    line = lines[0]
    if len(lines) == 1 and line.text.isdigit() and line.rect.y0 > 0.9 * page.height:
        return "pageNumber"
    if len(lines) < 3 and line.size > 1.2 * median(other.size for other in page.lines):
        return "title" if first else "sectionHeading"
    return None
