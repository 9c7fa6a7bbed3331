"""What each tag of HTML means to the composer: what opens, what closes, what is written in its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from towpath.providers.local import markdown, xml
from towpath.providers.local.composer import Composer
from towpath.providers.local.grid import is_layout, span
from towpath.providers.local.mathtext import math_text
from towpath.providers.local.xml import Element

Handler = Callable[[Composer, Element], None]

_SKIPPED = """
    script style template head title noscript iframe object audio video canvas select datalist map rp input
    meta link base col colgroup source track param
"""
_BLOCKS = """
    html body p div section article main header footer nav aside address figure figcaption fieldset form
    details summary center hgroup dl dt dd blockquote ul ol menu li legend caption table thead tbody tfoot tr
    td th frameset noframes search dialog button textarea h1 h2 h3 h4 h5 h6 pre hr
"""
SKIPPED = frozenset(_SKIPPED.split())
BLOCKS = frozenset(_BLOCKS.split())
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODES = ("code", "kbd", "samp", "tt")
_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#-]{1,30})")


def _heading(composer: Composer, element: Element) -> None:
    composer.open_heading(int(element.tag[-1]))


def _numbered(composer: Composer, element: Element) -> None:
    composer.open_list(span(element, "start"))


def _table(composer: Composer, element: Element) -> None:
    if not is_layout(element):
        composer.open_table()


def _close_cell(composer: Composer, element: Element) -> None:
    composer.close_cell(span(element, "colspan"), span(element, "rowspan"))


def _close_link(composer: Composer, element: Element) -> None:
    composer.phrase.close_link(element, element.get("href") or "")


def _preformatted(composer: Composer, element: Element) -> None:
    text = markdown.clean("".join(_lines(element)))
    if composer.is_flat:
        composer.phrase.text(f" {text} ")
        return
    found = _LANGUAGE.search(" ".join(part.get("class") or "" for part in (element, *element)))
    composer.code(text, found[1] if found else "")


def _lines(element: Element) -> Iterator[str]:
    """The text as it stands, with line breaks also where the markup made them."""
    for event, part in xml.walk(element):
        if event == "start":
            yield part.text or ""
        elif part is not element:
            if xml.local_name(part.tag).lower() == "br":
                yield "\n"
            yield part.tail or ""


def _image(composer: Composer, element: Element) -> None:
    description = " ".join((element.get("alt") or "").split())
    if len(description) > 1 and element.get("role") != "presentation":
        composer.phrase.raw(f"[Image: {markdown.escape(markdown.collapse(description))}]")


def _formula(composer: Composer, element: Element) -> None:
    text = math_text(element)
    if text:
        composer.phrase.raw(text if text.startswith("$") else markdown.escape(markdown.collapse(text)))


def _drawing(composer: Composer, element: Element) -> None:
    for text in element.iterdescendants("{*}text"):
        composer.phrase.text(" " + "".join(text.itertext()) + " ")


OPENERS: dict[str, Handler] = {
    **dict.fromkeys(_HEADINGS, _heading),
    **dict.fromkeys(("ul", "menu"), lambda composer, element: composer.open_list(None)),
    "ol": _numbered,
    "li": lambda composer, element: composer.open_item(element),
    "blockquote": lambda composer, element: composer.contain(element, "> ", "> "),
    "table": _table,
    "tr": lambda composer, element: composer.open_row(),
    **dict.fromkeys(("td", "th"), lambda composer, element: composer.open_cell()),
    **dict.fromkeys(_CODES, lambda composer, element: composer.phrase.open_code(element)),
    **dict.fromkeys(("b", "strong", "dt"), lambda composer, element: composer.phrase.style("b")),
    **dict.fromkeys(("i", "em", "cite"), lambda composer, element: composer.phrase.style("i")),
    "sup": lambda composer, element: composer.phrase.open(element),
    "a": lambda composer, element: composer.phrase.open(element),
    "q": lambda composer, element: composer.phrase.raw("“"),
    "rt": lambda composer, element: composer.phrase.raw("("),
    "br": lambda composer, element: composer.phrase.line_break(),
    "hr": lambda composer, element: composer.rule(),
}
CLOSERS: dict[str, Handler] = {
    **dict.fromkeys(_HEADINGS, lambda composer, element: composer.close_heading()),
    **dict.fromkeys(("ul", "ol", "menu"), lambda composer, element: composer.close_list()),
    "table": lambda composer, element: composer.close_table(),
    **dict.fromkeys(("td", "th"), _close_cell),
    **dict.fromkeys(_CODES, lambda composer, element: composer.phrase.close_code(element)),
    **dict.fromkeys(("b", "strong", "dt"), lambda composer, element: composer.phrase.unstyle("b")),
    **dict.fromkeys(("i", "em", "cite"), lambda composer, element: composer.phrase.unstyle("i")),
    "sup": lambda composer, element: composer.phrase.close_power(element),
    "a": _close_link,
    "q": lambda composer, element: composer.phrase.raw("”"),
    "rt": lambda composer, element: composer.phrase.raw(")"),
}
REPLACED: dict[str, Handler] = {"pre": _preformatted, "img": _image, "math": _formula, "svg": _drawing}
