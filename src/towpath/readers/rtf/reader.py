"""Reads rich text files (.rtf) with headings, lists, tables, emphasis, links and notes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.page_breaks import blocks_with_pages, pages_from_starts
from towpath.readers.common.safe_xml import Element, new_element
from towpath.readers.rtf.body import BodyWriter
from towpath.readers.rtf.state import ENCODINGS, KNOWN, SKIPPED, DocumentTables, State
from towpath.readers.rtf.tokens import Token, read_tokens

FORMAT_NAME = "rich text file"

_CHARACTERS = {
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "_": "-",
}  # fmt: skip
_PROPERTIES = {"title": "title", "author": "authors", "subject": "subject", "keywords": "keywords"}
_HEADING_NAME = re.compile(r"\s*heading ([1-9])\s*;?\s*", re.IGNORECASE)
_LINK = re.compile(r'\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)"', re.IGNORECASE)
_TEXT_DESTINATIONS = ("", "fldrslt", "footnote", "shptxt")
_MAX_DEPTH = 2000
_MAX_LIST_DEPTH, _MAX_HEADING_LEVEL = 8, 9


def read_rtf(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the text; pages come from the author's page breaks."""
    content = read_bounded(path, FORMAT_NAME)
    document = _Document()
    for token in read_tokens(content):
        document.add(token)
    document.finish()
    writer = document.body.writer
    text = writer.text()
    if not text.strip():
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    pages = pages_from_starts(text, [offset for offset, _ in writer.pages]) if writer.pages else ()
    return Extraction(
        text,
        "towpath-rtf/1",
        pages,
        blocks_with_pages(pages, writer.blocks),
        metadata=document.tables.metadata,
    )


class _Document:
    def __init__(self) -> None:
        self.body = BodyWriter()
        self.tables = DocumentTables()
        self._state = State()
        self._groups: list[State] = []
        self._pending = bytearray()
        #: The text of a group that is no text of the document, such as the name of a font.
        self._buffer = ""
        self._units = ""
        self._begins_group = False
        self._is_optional = False
        self._to_skip = 0
        self._links: list[tuple[Element, str, int]] = []
        self._notes: list[int] = []

    def add(self, token: Token) -> None:
        if token.kind == "bytes":
            self._add_bytes(token)
            return
        if token.kind == "open":
            self._flush()
            self._begins_group = True
            if len(self._groups) >= _MAX_DEPTH:
                raise rejections.corrupt(FORMAT_NAME, "its groups are nested too deeply")
            self._groups.append(self._state)
            self._state = replace(self._state)
            self._is_optional = False
        elif token.kind == "close":
            self._flush()
            self._close_group()
        elif token.name == "u" and token.number is not None:
            self._add_unicode(token.number)
        else:
            self._flush()
            self._word(token.name, token.number)
        if token.kind != "word" or token.name != "u":
            self._to_skip = 0

    def finish(self) -> None:
        self._flush()
        while self._notes:
            self._notes.pop()
            self.body.close_note()
        self._end_paragraph()
        self.body.end_table()

    def _add_bytes(self, token: Token) -> None:
        content = token.content
        if self._to_skip:
            skipped = min(self._to_skip, len(content))
            self._to_skip -= skipped
            content = content[skipped:]
        if content:
            self._flush_units()
            self._pending += content

    def _add_unicode(self, number: int) -> None:
        self._flush_bytes()
        code = number + 0x10000 if number < 0 else number
        if 0 < code <= 0x10FFFF:
            self._units += chr(code)
        self._to_skip = self._state.fallback

    def _flush(self) -> None:
        self._flush_bytes()
        self._flush_units()

    def _flush_units(self) -> None:
        if self._units:
            units, self._units = self._units, ""
            self._add_text(units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def _flush_bytes(self) -> None:
        if self._pending:
            encoding = self._state.encoding or self.tables.encoding
            content, self._pending = bytes(self._pending), bytearray()
            self._add_text(content.decode(encoding, "replace"))

    def _add_text(self, text: str) -> None:
        state = self._state
        if state.destination not in _TEXT_DESTINATIONS:
            self._buffer += text
        elif not state.hidden:
            self.body.add_text(text, state)

    def _word(self, name: str, number: int | None) -> None:
        state = self._state
        if name == "*":
            self._is_optional = self._begins_group
            return
        self._begins_group = False
        is_optional, self._is_optional = self._is_optional, False
        if state.destination == "skip":
            return
        if name in SKIPPED or (is_optional and name not in KNOWN):
            state.destination = "skip"
        elif not self._destination(name) and not self._table_definition(name, number):
            self._format(name, number)

    def _destination(self, name: str) -> bool:
        """Begin a group with a meaning of its own."""
        state = self._state
        if name in ("fonttbl", "stylesheet", "info", "fldinst", "listtext", "pntext") or (
            state.destination == "info" and name in _PROPERTIES
        ):
            state.destination = name
            self._buffer = ""
        elif name == "fldrslt":
            match = _LINK.match(self._buffer)
            self._buffer = ""
            if match and state.destination in _TEXT_DESTINATIONS:
                link = new_element("a")
                self._links.append((link, match[1], len(self._groups)))
                self.body.open_link(link)
        elif name == "footnote":
            state.destination = name
            self._notes.append(len(self._groups))
            self.body.open_note()
        elif name in ("shptxt", "shpinst"):
            state.destination = "shptxt"
        else:
            return False
        return True

    def _table_definition(self, name: str, number: int | None) -> bool:
        """Fonts, styles and code pages."""
        state, tables = self._state, self.tables
        if name == "ansicpg" and number:
            tables.encoding = _known_encoding(f"cp{number}") or tables.encoding
        elif name == "mac":
            tables.encoding = "mac-roman"
        elif state.destination == "fonttbl":
            if name == "f":
                tables.font = number or 0
            elif name == "fcharset":
                tables.fonts[tables.font] = ENCODINGS.get(number or 0, "")
        elif state.destination == "stylesheet":
            if name in ("s", "cs", "ts", "ds"):
                tables.style, tables.style_level = (number or 0) if name == "s" else -1, None
            elif name == "outlinelevel" and number is not None and number < _MAX_HEADING_LEVEL:
                tables.style_level = number + 1
        else:
            return False
        return True

    def _format(self, name: str, number: int | None) -> None:
        state = self._state
        is_on = number != 0
        match name:
            case "par" | "sect":
                self._end_paragraph()
            case "cell" | "nestcell":
                self.body.end_cell() if name == "cell" else self._end_paragraph()
            case "row":
                self.body.end_row()
            case "trowd":
                self.body.borders = []
            case "trleft":
                self.body.borders = [number or 0]
            case "cellx":
                self.body.borders = [*(self.body.borders or [0]), number or 0][-500:]
            case "intbl":
                state.in_table = True
            case "page":
                self.body.end_page()
            case "pard":
                state.reset_paragraph()
            case "plain":
                state.reset_characters()
                state.encoding = self.tables.fonts.get(0, "")
            case "b":
                state.bold = is_on
            case "i":
                state.italic = is_on
            case "v" | "deleted":
                state.hidden = is_on
            case "f":
                state.encoding = self.tables.fonts.get(number or 0, "")
            case "uc":
                state.fallback = max(0, number or 0)
            case "s":
                state.style = number or 0
            case "outlinelevel":
                state.level = None if number is None or number >= _MAX_HEADING_LEVEL else number + 1
            case "li":
                state.indent = max(0, number or 0)
            case "ilvl":
                state.depth = min(max(0, number or 0), _MAX_LIST_DEPTH)
            case "line" if state.destination in _TEXT_DESTINATIONS:
                self.body.inline.add_line_break()
            case _ if name in _CHARACTERS:
                self._add_text(_CHARACTERS[name])
            case _:
                pass

    def _end_paragraph(self) -> None:
        state = self._state
        if state.destination not in _TEXT_DESTINATIONS:
            return
        level = state.level or self.tables.heading_levels.get(state.style)
        self.body.end_paragraph(state, level)

    def _close_group(self) -> None:
        if not self._groups:
            return
        depth = len(self._groups)
        closed, self._state = self._state, self._groups.pop()
        outer = self._state.destination
        if closed.destination in ("listtext", "pntext") and outer != closed.destination:
            self.body.label, self._buffer = self._buffer.strip(), ""
        elif closed.destination == "stylesheet":
            self._end_style()
        elif closed.destination in _PROPERTIES and outer == "info":
            value = " ".join(self._buffer.split())
            if value:
                self.tables.metadata[_PROPERTIES[closed.destination]] = value[:2000]
            self._buffer = ""
        elif closed.destination == "fonttbl":
            self._buffer = ""
        if self._links and self._links[-1][2] == depth:
            link, address, _ = self._links.pop()
            self.body.close_link(link, address)
        if self._notes and self._notes[-1] == depth:
            self._notes.pop()
            self.body.close_note()

    def _end_style(self) -> None:
        tables = self.tables
        match = _HEADING_NAME.fullmatch(self._buffer)
        is_title = self._buffer.strip().rstrip(";").strip().casefold() == "title"
        level = int(match[1]) if match else 1 if is_title else tables.style_level
        if level is not None and tables.style > 0:
            tables.heading_levels[tables.style] = level
        tables.style, tables.style_level, self._buffer = 0, None, ""


def _known_encoding(name: str) -> str | None:
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name
