"""The words of one paragraph: runs, links, notes, formulas; deletions left out, insertions kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from towpath.providers.local import markdown, ooxml
from towpath.providers.local.docx.styles import is_on
from towpath.providers.local.mathtext import math_text
from towpath.providers.local.ooxml import Relationship
from towpath.providers.local.phrase import Phrase
from towpath.providers.local.xml import Element

_WRAPPERS = (
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
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


@dataclass(slots=True)
class Inline:
    """Reads paragraphs of one part. What they carry beside words is gathered for the caller to write."""

    ns: str
    links: dict[str, Relationship]
    boxes: list[Element] = field(default_factory=list[Element])
    drawings: list[Element] = field(default_factory=list[Element])
    footnotes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    endnotes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _notes: int = 0
    _phrase: Phrase = field(default_factory=Phrase)
    _text_tag: str = field(init=False)
    _facts_tag: str = field(init=False)
    _switches: tuple[str, str, str] = field(init=False)
    _bold: bool = False
    _italic: bool = False
    _handlers: dict[str, Callable[[Element], None]] = field(
        default_factory=dict[str, Callable[[Element], None]]
    )

    def __post_init__(self) -> None:
        ns = self.ns
        self._text_tag, self._facts_tag = f"{ns}t", f"{ns}rPr"
        self._switches = (f"{ns}b", f"{ns}i", f"{ns}vanish")
        self._handlers = {
            f"{ns}r": self._run,
            f"{ns}hyperlink": self._link,
            f"{ns}tab": lambda element: self._phrase.text("\t"),
            f"{ns}br": self._break,
            f"{ns}cr": lambda element: self._phrase.line_break(),
            f"{ns}noBreakHyphen": lambda element: self._phrase.text("-"),
            f"{ns}lastRenderedPageBreak": lambda element: self._phrase.page(),
            f"{ns}footnoteReference": lambda element: self._note(element, self.footnotes),
            f"{ns}endnoteReference": lambda element: self._note(element, self.endnotes),
            f"{ns}ruby": self._children,
            f"{ns}drawing": self._drawing,
            f"{ns}pict": self._drawing,
            f"{ns}object": self._drawing,
            f"{_CHOICE}AlternateContent": self._alternate,
            **{f"{ns}{name}": self._children for name in _WRAPPERS},
            **{f"{math}{name}": self._formula for math in _MATH for name in ("oMath", "oMathPara")},
        }

    def read(self, paragraph: Element) -> str:
        """The paragraph's words as markdown with marks; empty when it has none."""
        self._children(paragraph)
        self._style(bold=False, italic=False)
        wordless = self._phrase.is_blank
        text = self._phrase.take().strip()
        return text if not wordless else "".join(markdown.MARKS.findall(text))

    def _children(self, element: Element) -> None:
        handlers = self._handlers
        for child in element:
            handler = handlers.get(child.tag)
            if handler is not None:
                handler(child)

    def _run(self, run: Element) -> None:
        """Most of the time goes by here, so that text and facts are looked at without detours."""
        handlers, text_tag, facts_tag = self._handlers, self._text_tag, self._facts_tag
        styled = False
        for child in run:
            tag = child.tag
            if tag == facts_tag:
                on = {fact.tag for fact in child if fact.tag in self._switches and is_on(fact, self.ns)}
                bold, italic, hidden = (switch in on for switch in self._switches)
                if hidden:
                    return
                self._style(bold=bold, italic=italic)
                styled = True
                continue
            if not styled:
                self._style(bold=False, italic=False)
                styled = True
            if tag == text_tag:
                if child.text:
                    self._phrase.text(child.text)
            elif tag in handlers:
                handlers[tag](child)

    def _style(self, *, bold: bool, italic: bool) -> None:
        """Both styles end whenever one of them changes, so that they never overlap."""
        if bold == self._bold and italic == self._italic:
            return
        for name, was_on in (("i", self._italic), ("b", self._bold)):
            if was_on:
                self._phrase.unstyle(name)
        for name, now_on in (("b", bold), ("i", italic)):
            if now_on:
                self._phrase.style(name)
        self._bold, self._italic = bold, italic

    def _break(self, element: Element) -> None:
        kind = element.get(f"{self.ns}type")
        if kind == "page":
            self._phrase.page(markdown.SOFT_PAGE)
        else:
            self._phrase.line_break()

    def _link(self, element: Element) -> None:
        link = ooxml.linked(element, self.links)
        if link is None or not link.is_external:
            self._children(element)
            return
        self._style(bold=False, italic=False)
        self._phrase.open(element)
        self._children(element)
        self._style(bold=False, italic=False)
        self._phrase.close_link(element, link.target)

    def _note(self, element: Element, notes: list[tuple[int, str]]) -> None:
        self._notes += 1
        notes.append((self._notes, element.get(f"{self.ns}id") or ""))
        self._phrase.raw(f"[^{self._notes}]")

    def _formula(self, element: Element) -> None:
        text = math_text(element)
        if text:
            self._phrase.text(f" {text} ")

    def _alternate(self, element: Element) -> None:
        """The same thing in two ways, for newer and older programs: only the first may be read."""
        for child in element:
            if child.tag in (f"{_CHOICE}Choice", f"{_CHOICE}Fallback"):
                self._children(child)
                return

    def _drawing(self, element: Element) -> None:
        boxes = [
            box for box in element.iter(f"{self.ns}txbxContent") if not self._is_within_box(box, element)
        ]
        self.boxes.extend(boxes)
        if boxes:
            return
        self.drawings.append(element)
        for facts in element.iter("{*}docPr"):
            description = " ".join((facts.get("descr") or "").split())
            if len(description) > 1:
                self._phrase.raw(f"[Image: {markdown.escape(markdown.collapse(description))}]")

    def _is_within_box(self, box: Element, limit: Element) -> bool:
        """Inner boxes are met again when the outer one is read; fallbacks say what was read already."""
        above = box.getparent()
        while above is not None and above is not limit:
            if above.tag in (f"{self.ns}txbxContent", f"{_CHOICE}Fallback"):
                return True
            above = above.getparent()
        return False
