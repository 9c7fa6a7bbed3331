"""One slide: its title first, then its shapes in the order in which a reader's program would speak them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.providers.local import markdown
from towpath.providers.local.drawing import Drawings
from towpath.providers.local.grid import Grid
from towpath.providers.local.markdown import Writer
from towpath.providers.local.ooxml import Relationship
from towpath.providers.local.pptx.words import flat_text, paragraphs
from towpath.providers.local.xml import Element, local_name

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_WITHOUT_BULLETS = ("subTitle", "none", *_TITLES)


@dataclass(slots=True)
class Slide:
    """The shapes of a slide, groups opened, each with the role that its placeholder gives it."""

    root: Element
    links: dict[str, Relationship]
    drawings: Drawings
    _shapes: list[tuple[Element, str]] = field(default_factory=list[tuple[Element, str]])
    _titled: Element | None = None

    def __post_init__(self) -> None:
        tree = next(self.root.iter("{*}spTree"), None)
        if tree is not None:
            self._shapes = [(shape, _role(shape)) for shape in _opened(tree)]

    def title(self) -> str:
        """The words of the title's placeholder; empty when the slide has none."""
        for shape, role in self._shapes:
            body = shape.find("{*}txBody") if role in _TITLES else None
            text = flat_text(body, self.links) if body is not None else ""
            if text:
                self._titled = shape
                return text
        return ""

    def write(self, writer: Writer) -> None:
        """Everything but the title found before; page numbers, dates and footers are left out."""
        for shape, role in self._shapes:
            if role in _FURNITURE or shape is self._titled:
                continue
            for table in shape.iter("{*}tbl"):
                self._table(table, writer)
            self.drawings.write(shape, writer)
            body = shape.find("{*}txBody")
            if body is not None:
                self._text(body, role, writer)
            elif local_name(shape.tag) == "pic":
                _picture(shape, writer)

    def _text(self, body: Element, role: str, writer: Writer) -> None:
        numbers: dict[int, int] = {}
        for words in paragraphs(body, self.links):
            bullet = words.bullet
            if bullet is None:
                bullet = "" if role in _WITHOUT_BULLETS else "-"
            if not bullet:
                numbers.clear()
                writer.paragraph(words.text)
                continue
            numbers = {depth: count for depth, count in numbers.items() if depth <= words.depth}
            numbers[words.depth] = numbers.get(words.depth, 0) + 1
            marker = "- " if bullet == "-" else f"{numbers[words.depth]}. "
            indent = "   " * words.depth
            writer.paragraph(words.text, indent + marker, indent + " " * len(marker), item=True)

    def _table(self, table: Element, writer: Writer) -> None:
        grid = Grid()
        for row in table.iterchildren("{*}tr"):
            grid.open_row()
            for cell in row.iterchildren("{*}tc"):
                grid.add(markdown.cell(markdown.styled(flat_text(cell, self.links))))
        writer.table(grid.table())


def notes_text(root: Element, links: dict[str, Relationship]) -> Iterator[str]:
    """The paragraphs of a notes page that the speaker wrote."""
    for shape in root.iter("{*}sp"):
        body = shape.find("{*}txBody") if _role(shape) == "body" else None
        if body is not None:
            yield from (words.text for words in paragraphs(body, links))


def _opened(tree: Element) -> Iterator[Element]:
    """Shapes in order, through groups; of what is given in two ways only the first."""
    waiting = list(tree)[::-1]
    while waiting:
        shape = waiting.pop()
        name = local_name(shape.tag)
        if name == "grpSp":
            waiting.extend(list(shape)[::-1])
        elif name == "AlternateContent":
            choice = next(iter(shape), None)
            waiting.extend(list(choice)[::-1] if choice is not None else [])
        elif name in ("sp", "pic", "graphicFrame", "cxnSp"):
            yield shape


def _role(shape: Element) -> str:
    """The placeholder's kind; "body" is what PowerPoint leaves unsaid, "none" is a shape of its own."""
    facts = next(iter(shape), None)
    placeholder = next(facts.iter("{*}ph"), None) if facts is not None else None
    return (placeholder.get("type") or "body") if placeholder is not None else "none"


def _picture(shape: Element, writer: Writer) -> None:
    for facts in shape.iter("{*}cNvPr"):
        description = " ".join((facts.get("descr") or "").split())
        if len(description) > 1:
            writer.paragraph(f"[Image: {markdown.escape(description)}]")
        return
