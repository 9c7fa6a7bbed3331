"""What a manual contains, read from its HTML: headings, paragraphs, lines of code, tables; and its running heads."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pypdfium2
from lxml import html

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Navigation, contents and indexes. The "table-contents" of DocBook are the rows of a table.
_NAVIGATION = re.compile(
    r"\b(?:nav\w*|header|toc|(?<!table-)(?<!example-)contents|menu|index-\w+|related|sphinxsidebar|footer|"
    r"printindex|headerlink|copyright|legalnotice)\b"
)
# Boxes whose title is no heading of the manual; the code and the tables in them count.
_BOXES = re.compile(r"\b(?:note|tip|warning|caution|important|admonition\S*)\b")
# The row with the class "header" is that of a table.
_PARTS_OF_TABLES = ("html", "body", "thead", "tbody", "tr", "td", "th")
_NUMBERING = re.compile(
    r"^\W*(?:(?:chapter|appendix|part|section|kapitel|anhang|chapitre|annexe|cap[ií]tulo|ap[eé]ndice)\s+)?"
    r"(?:[A-Z]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVX]+)?[.:)]?\s+",
    re.IGNORECASE,
)
# Paragraphs inside of these are items, cells and captions.
_NO_PARAGRAPHS = ("td", "th", "li", "dd", "figcaption", "aside")
#: Paragraphs are compared by so many characters of their beginning; shorter ones are left out.
PARAGRAPH_BEGINNING = 24
# Some generators leave the name of the target in the title.
_LABEL = re.compile(r"<@@label>\S*")
# Share of the page's height in which running heads stand.
_BAND = 0.1
_REPEATS = 3


@dataclass(frozen=True, slots=True)
class ManualTruth:
    """``headings``, ``paragraphs`` and ``heads`` are compared forms; ``code`` has the lines of all blocks.

    ``paragraphs`` are those outside of lists, tables and notes, which are not lists or tables in print either.
    """

    headings: Counter[str]
    code: list[str]
    tables: list[frozenset[str]]
    heads: Counter[str]
    pages: int
    paragraphs: frozenset[str] = frozenset()


def read_truth(pdf: Path, folder: Path) -> ManualTruth:
    headings: Counter[str] = Counter()
    code: list[str] = []
    tables: list[frozenset[str]] = []
    paragraphs: set[str] = set()
    for path in sorted(folder.glob("*.html")):
        root = cast(Any, html.fromstring(path.read_bytes()))
        _drop(root, _NAVIGATION)
        for block in root.iter("pre"):
            code += [form for line in _text(block).splitlines() if len(form := compact(line)) >= 3]
        tables += list(_tables(root))
        _drop(root, _BOXES)
        paragraphs |= set(_paragraphs(root))
        headings.update(filter(None, (title_form(_text(item)) for item in root.iter(*_HEADINGS))))
    heads, pages = _running_heads(pdf)
    return ManualTruth(headings, code, tables, heads, pages, frozenset(paragraphs))


def title_form(text: str) -> str:
    """A heading without its number, for comparison."""
    return compact(_NUMBERING.sub("", f" {text}", count=1)) or compact(text)


def compact(text: str) -> str:
    """Letters and digits only."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def letters(text: str) -> str:
    """Letters only: page numbers differ."""
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKC", text).casefold()))


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _text(element: Any) -> str:
    return _LABEL.sub("", str(element.text_content()))


def _drop(root: Any, classes: re.Pattern[str]) -> None:
    for element in list(root.iter()):
        if _has_class(element, classes) and element.getparent() is not None:
            element.drop_tree()


def _has_class(element: Any, classes: re.Pattern[str]) -> bool:
    if not isinstance(element.tag, str) or element.tag in _PARTS_OF_TABLES:
        return False
    # "wy-nav-content" of Sphinx is the frame of the text beside the navigation.
    if (
        element.tag == "main"
        or element.find(".//*[@role='main']") is not None
        or element.get("role") == "main"
    ):
        return False
    names = f"{element.get('class', '')} {element.get('id', '') if element.tag == 'div' else ''}"
    return element.tag == "nav" or bool(classes.search(names.casefold()))


def _paragraphs(root: Any) -> Iterator[str]:
    for paragraph in root.iter("p"):
        form = compact(_text(paragraph))
        if len(form) >= PARAGRAPH_BEGINNING and not any(
            parent.tag in _NO_PARAGRAPHS for parent in paragraph.iterancestors()
        ):
            yield form


def _tables(root: Any) -> Iterator[frozenset[str]]:
    """The words of each table of data: two rows and two columns or more, and no table inside."""
    for table in root.iter("table"):
        if next(table.iterdescendants("table"), None) is not None:
            continue
        widths = [len(row.findall("td") + row.findall("th")) for row in table.iter("tr")]
        if sum(width >= 2 for width in widths) >= 2:
            yield words(" ".join(map(str, table.itertext())))


def _running_heads(path: Path) -> tuple[Counter[str], int]:
    """Lines at the top and foot that stand on several pages, apart from digits; with the number of pages."""
    found: Counter[str] = Counter()
    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            width, height = page.get_size()
            text_page = page.get_textpage()
            lines = {
                letters(line)
                for bottom, top in ((height * (1 - _BAND), height), (0, height * _BAND))
                for line in text_page.get_text_bounded(0, bottom, width, top).splitlines()
            }
            found.update(line for line in lines if len(line) >= 4)
        pages = len(document)
    return Counter({line: count for line, count in found.items() if count >= _REPEATS}), pages
