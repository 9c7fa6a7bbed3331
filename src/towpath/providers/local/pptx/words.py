"""The words of DrawingML, the language of text inside shapes: paragraphs, their depth, their bullets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from towpath.providers.local import ooxml
from towpath.providers.local.mathtext import math_text
from towpath.providers.local.ooxml import Relationship
from towpath.providers.local.phrase import Phrase
from towpath.providers.local.xml import Element, local_name, whole_number

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Words:
    """One paragraph. ``bullet`` is None where the shape it stands in decides, "" where there is none."""

    text: str
    depth: int
    bullet: str | None


def paragraphs(body: Element, links: dict[str, Relationship]) -> Iterator[Words]:
    """The paragraphs of a text body that have words."""
    for element in body.iter("{*}p"):
        text = _text(element, links)
        if text:
            facts = element.find("{*}pPr")
            depth = whole_number(facts.get("lvl") if facts is not None else None, 0)
            yield Words(text, min(depth, _DEEPEST), _bullet(facts))


def flat_text(body: Element, links: dict[str, Relationship]) -> str:
    return " ".join(words.text.replace("\n", " ") for words in paragraphs(body, links))


def _bullet(facts: Element | None) -> str | None:
    for child in facts if facts is not None else ():
        name = local_name(child.tag)
        if name == "buNone":
            return ""
        if name == "buAutoNum":
            return "1."
        if name in ("buChar", "buBlip"):
            return "-"
    return None


def _text(paragraph: Element, links: dict[str, Relationship]) -> str:
    phrase = Phrase()
    for child in paragraph.iter("{*}r", "{*}br", "{*}fld", "{*}oMath"):
        name = local_name(child.tag)
        if name == "br":
            phrase.line_break()
        elif name == "oMath":
            phrase.text(f" {math_text(child)} ")
        elif "/drawingml/" in child.tag:
            _run(phrase, child, links)
    return "" if phrase.is_blank else phrase.take().strip()


def _run(phrase: Phrase, run: Element, links: dict[str, Relationship]) -> None:
    facts = run.find("{*}rPr")
    styles = [name for name in ("b", "i") if facts is not None and facts.get(name) in ("1", "true")]
    click = facts.find("{*}hlinkClick") if facts is not None else None
    address = _address(click, links)
    if address:
        phrase.open(run)
    for name in styles:
        phrase.style(name)
    for text in run.iterchildren("{*}t"):
        if text.text:
            phrase.text(text.text)
    for name in reversed(styles):
        phrase.unstyle(name)
    if address:
        phrase.close_link(run, address)


def _address(click: Element | None, links: dict[str, Relationship]) -> str:
    link = ooxml.linked(click, links) if click is not None else None
    return link.target if link is not None and link.is_external else ""
