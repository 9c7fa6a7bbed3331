"""Reads the inline content of Word paragraphs: runs, links, notes, formulas; tracked deletions are omitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer
from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.mathml import math_text
from towpath.readers.common.safe_xml import Element
from towpath.readers.office import ooxml
from towpath.readers.office.docx.styles import is_on
from towpath.readers.office.ooxml import Relationship

_WRAPPER_TAGS = (
    "ins",
    "moveTo",
    "smartTag",
    "sdt",
    "sdtContent",
    "customXml",
    "fldSimple",
    "bdo",
    "dir",
    "rubyBase",
)
_MATH_NAMESPACES = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


@dataclass(slots=True)
class InlineReader:
    """Reads paragraphs of one part; collects their text boxes, drawings and notes for the caller."""

    ns: str
    relationships: dict[str, Relationship]
    boxes: list[Element] = field(default_factory=list[Element])
    drawings: list[Element] = field(default_factory=list[Element])
    footnotes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    endnotes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _note_count: int = 0
    _buffer: InlineBuffer = field(default_factory=InlineBuffer)
    _text_tag: str = field(init=False)
    _properties_tag: str = field(init=False)
    _style_tags: tuple[str, str, str] = field(init=False)
    _bold: bool = False
    _italic: bool = False
    _handlers: dict[str, Callable[[Element], None]] = field(
        default_factory=dict[str, Callable[[Element], None]]
    )

    def __post_init__(self) -> None:
        ns = self.ns
        self._text_tag, self._properties_tag = f"{ns}t", f"{ns}rPr"
        self._style_tags = (f"{ns}b", f"{ns}i", f"{ns}vanish")
        self._handlers = {
            f"{ns}r": self._read_run,
            f"{ns}hyperlink": self._read_link,
            f"{ns}tab": lambda element: self._buffer.add_text("\t"),
            f"{ns}br": self._read_break,
            f"{ns}cr": lambda element: self._buffer.add_line_break(),
            f"{ns}noBreakHyphen": lambda element: self._buffer.add_text("-"),
            f"{ns}lastRenderedPageBreak": lambda element: self._buffer.add_page_mark(),
            f"{ns}footnoteReference": lambda element: self._read_note_reference(element, self.footnotes),
            f"{ns}endnoteReference": lambda element: self._read_note_reference(element, self.endnotes),
            f"{ns}ruby": self._read_children,
            f"{ns}drawing": self._read_drawing,
            f"{ns}pict": self._read_drawing,
            f"{ns}object": self._read_drawing,
            f"{_COMPATIBILITY}AlternateContent": self._read_alternate_content,
            **{f"{ns}{name}": self._read_children for name in _WRAPPER_TAGS},
            **{
                f"{math}{name}": self._read_formula
                for math in _MATH_NAMESPACES
                for name in ("oMath", "oMathPara")
            },
        }

    def read(self, paragraph: Element) -> str:
        """The paragraph as markdown with marks; only page marks if it has no text."""
        self._read_children(paragraph)
        self._set_style(bold=False, italic=False)
        is_blank = self._buffer.is_blank
        text = self._buffer.pop_markdown().strip()
        return text if not is_blank else "".join(markdown_writer.PAGE_MARK_PATTERN.findall(text))

    def _read_children(self, element: Element) -> None:
        handlers = self._handlers
        for child in element:
            handler = handlers.get(child.tag)
            if handler is not None:
                handler(child)

    def _read_run(self, run: Element) -> None:
        """The hot path: text and properties are handled without the table of handlers."""
        handlers, text_tag, properties_tag = self._handlers, self._text_tag, self._properties_tag
        style_set = False
        for child in run:
            tag = child.tag
            if tag == properties_tag:
                on = {
                    element.tag
                    for element in child
                    if element.tag in self._style_tags and is_on(element, self.ns)
                }
                bold, italic, hidden = (style_tag in on for style_tag in self._style_tags)
                if hidden:
                    return
                self._set_style(bold=bold, italic=italic)
                style_set = True
                continue
            if not style_set:
                self._set_style(bold=False, italic=False)
                style_set = True
            if tag == text_tag:
                if child.text:
                    self._buffer.add_text(child.text)
            elif tag in handlers:
                handlers[tag](child)

    def _set_style(self, *, bold: bool, italic: bool) -> None:
        """Close both styles when one changes, so that they never overlap."""
        if bold == self._bold and italic == self._italic:
            return
        for name, was_on in (("i", self._italic), ("b", self._bold)):
            if was_on:
                self._buffer.close_style(name)
        for name, now_on in (("b", bold), ("i", italic)):
            if now_on:
                self._buffer.open_style(name)
        self._bold, self._italic = bold, italic

    def _read_break(self, element: Element) -> None:
        kind = element.get(f"{self.ns}type")
        if kind == "page":
            self._buffer.add_page_mark(markdown_writer.SOFT_PAGE_MARK)
        else:
            self._buffer.add_line_break()

    def _read_link(self, element: Element) -> None:
        relationship = ooxml.referenced_relationship(element, self.relationships)
        if relationship is None or not relationship.is_external:
            self._read_children(element)
            return
        self._set_style(bold=False, italic=False)
        self._buffer.open_element(element)
        self._read_children(element)
        self._set_style(bold=False, italic=False)
        self._buffer.close_link(element, relationship.target)

    def _read_note_reference(self, element: Element, notes: list[tuple[int, str]]) -> None:
        self._note_count += 1
        notes.append((self._note_count, element.get(f"{self.ns}id") or ""))
        self._buffer.add_markdown(f"[^{self._note_count}]")

    def _read_formula(self, element: Element) -> None:
        text = math_text(element)
        if text:
            self._buffer.add_text(f" {text} ")

    def _read_alternate_content(self, element: Element) -> None:
        """Read the first alternative only: the others repeat it for older programs."""
        for child in element:
            if child.tag in (f"{_COMPATIBILITY}Choice", f"{_COMPATIBILITY}Fallback"):
                self._read_children(child)
                return

    def _read_drawing(self, element: Element) -> None:
        boxes = [
            box for box in element.iter(f"{self.ns}txbxContent") if not self._is_within_box(box, element)
        ]
        self.boxes.extend(boxes)
        if boxes:
            return
        self.drawings.append(element)
        for properties in element.iter("{*}docPr"):
            description = " ".join((properties.get("descr") or "").split())
            if len(description) > 1:
                self._buffer.add_markdown(
                    f"[Image: {markdown_writer.escape_inline(markdown_writer.collapse_whitespace(description))}]"
                )

    def _is_within_box(self, box: Element, limit: Element) -> bool:
        """True for boxes inside another box, which are read with it, and for fallbacks, which repeat content."""
        parent = box.getparent()
        while parent is not None and parent is not limit:
            if parent.tag in (f"{self.ns}txbxContent", f"{_COMPATIBILITY}Fallback"):
                return True
            parent = parent.getparent()
        return False
