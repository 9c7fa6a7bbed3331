"""Recognizes tables of contents and back-of-book indexes, which match many queries and answer none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

#: Fewer entries are a list.
MIN_ENTRIES = 5
#: The share of the lines that must be entries, and of the page numbers that must not fall.
MIN_ENTRY_SHARE = 0.6
MIN_RISING_SHARE = 0.8
#: A text under a heading such as "Contents" is one if its lines have at most this many words on average.
MAX_WORDS_PER_LINE = 12

#: The usual headings of contents pages and indexes.
HEADINGS = frozenset(
    "contents|table of contents|index|list of figures|list of tables|brief contents|inhalt|inhaltsverzeichnis|"
    "stichwortverzeichnis|sachregister|sachverzeichnis|abbildungsverzeichnis|tabellenverzeichnis|sommaire|"
    "table des matières|contenido|índice|índice general|índice alfabético|tabla de contenidos|sumário|sommario|indice|"
    "inhoud|inhoudsopgave|register|spis treści|skorowidz|obsah|rejstřík|cuprins|tartalom|tartalomjegyzék|içindekiler|"
    "dizin|innehåll|innehållsförteckning|indhold|innhold|sisällys|sisällysluettelo|содержание|оглавление|"
    "предметный указатель|алфавитный указатель|зміст|съдържание|περιεχόμενα|ευρετήριο|目录|目錄|目次|索引|차례|목차|"
    "สารบัญ|المحتويات|الفهرس|תוכן העניינים|mục lục|विषय सूची".split("|")
)

_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{4,}|·{4,}")
_LINK = re.compile(r"\]\(#")
_PAGE_AT_END = re.compile(r"(?:^|[^\d.,:/-])(\d{1,4})\W*$")
_ENTRY_WITH_PAGES = re.compile(r"\D,\s*\d{1,4}(?:[–-]\d{1,4})?(?:\s*,\s*\d{1,4}(?:[–-]\d{1,4})?)*\W*$")
_NUMBERING = re.compile(r"^[\W\d_]+|[\W\d_]+$")


def is_contents_page(text: str, headings: Sequence[str] = ()) -> bool:
    """Whether most lines of a text name a place of the document: a page number, a dotted line or a link."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("|", "#"))]
    if _leaders(text) >= MIN_ENTRIES:
        return True
    if not lines:
        return False
    if any(_is_contents_heading(heading) for heading in headings[-1:]):
        return sum(len(line.split()) for line in lines) <= MAX_WORDS_PER_LINE * len(lines)
    links = sum(1 for line in lines if _LINK.search(line))
    entries = sum(1 for line in lines if _ENTRY_WITH_PAGES.search(line))
    if max(links, entries) >= max(MIN_ENTRIES, MIN_ENTRY_SHARE * len(lines)):
        return True
    pages = [int(match[1]) for line in lines if (match := _PAGE_AT_END.search(line))]
    if len(pages) < max(MIN_ENTRIES, MIN_ENTRY_SHARE * len(lines)) or pages[0] == pages[-1]:
        return False
    rising = sum(one <= other for one, other in pairwise(pages))
    return rising >= MIN_RISING_SHARE * (len(pages) - 1)


def _leaders(text: str) -> int:
    return len(_LEADER.findall(text))


def _is_contents_heading(heading: str) -> bool:
    return _NUMBERING.sub("", heading).casefold() in HEADINGS
