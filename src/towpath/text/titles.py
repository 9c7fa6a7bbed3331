"""Decides whether a text reads as the title of a document, and cleans it."""

from __future__ import annotations

import re
import unicodedata

MAX_TITLE_LENGTH = 200

# "Microsoft Word - thesis.doc" names the program and the file.
_PROGRAM = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel|office\s\w+)|powerpoint presentation|adobe \w+|sisu:)\s*[-–:]*\s*",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"untitled.*|document\s*\d*|dokument\s*\d*|documento\s*\d*|slide \d+|presentation\d*|title|titel|no title"
    r"|unknown|anonymous|scan(?:ned)?(?: \w+)?|new \w+ document|template|normal|adobe photoshop pdf|test",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\S+\.[a-z0-9]{2,5}|.*\.(?:docx?|pdf|indd|tex|dvi|rtf|xlsx?|pptx?|vsd|jpe?g|png|html?)", re.I
)
_NO_BLANKS = re.compile(r"(?:[^\W_]|[.+-])*_(?:[^\W_]|[.+-])*_[\w.+-]*|[\w.]*-\d[\w.-]*")
# Parts of a title page, and headings that every document has.
_OTHER_PART = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|indice|inhoud|spis treści"
    r"|содержание|оглавление|目录|目次|abstract|zusammenfassung|résumé|resumen|summary|аннотация|introduction"
    r"|einleitung|introducción|введение|preface|foreword|vorwort|acknowledge?ments|copyright.*|©.*|index|notes?"
    r"|all rights reserved.*|draft|technical report|research article|original (?:article|paper)|review article"
    r"|article|letter|keywords.*|page \d+.*|seite \d+.*|appendix \w{1,3}|annex \w{1,3}"
    r"|(?:figure|table|abbildung|tabelle|tableau|рисунок|таблица)\s*[\d.]+.*|name|synopsis|by|von|par|por|di"
    r"|untitled(?: document)?|this page .*intentionally .*blank.*"
    # Names that programs give to slides and sheets, and chapters without a name.
    r"|(?:slide|folie|diapositiv[ae]|слайд|sheet|tabelle(?:nblatt)?|feuille?|hoja|foglio|planilha|blad|arkusz|лист|シート)\s?\d+"
    r"|(?:chapter|part|section|kapitel|teil|abschnitt|chapitre|partie|capítulo|parte|capitolo|глава|часть)\s(?:\d+|[ivxlc]+)\.?",
    re.IGNORECASE,
)
_VERSION_OR_DATE = re.compile(
    r"\(?(?:for |from )?(?:(?:release|version|versión|versione|édition|edition|revision|rev\.?|vers\.?|выпуск|версия)\b"
    r"|v(?=\d))[\s.:]*[\d.].*"
    r"|\W*(?:(?:\d{1,4}(?:st|nd|rd|th)?|january|february|march|april|may|june|july|august|september|october|november|december|jan"
    r"|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février"
    r"|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio"
    r"|agosto|septiembre|octubre|noviembre|diciembre|de|of|th|st|nd|rd|q[1-4]|am|pm|date|datum|fecha|года|г)\b\W*)+"
    r"|(?:publi\w+datum|publication date|fecha de publicación|date de publication|date|datum|stand|fecha|data)\s*:.*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"https?:|www\.|(?<!\S)\S[^\s@]*@\S+\.\S|\bdoi\b|\bissn\b|\bisbn\b|\barxiv:", re.IGNORECASE
)
_AMOUNT = re.compile(
    r"(?:[$€£¥]|\b(?:EUR|USD|GBP|CHF)\b)\s*[\d.,]+|(?<![\d.,])[\d.,]+\s*(?:[$€£¥]|\b(?:EUR|USD|GBP|CHF)\b)"
)
_LABELLED_VALUE = re.compile(r"[\w .#-]{2,24}:\s*[\w.,/#-]*\d[\w.,/:# -]*")
_SUFFIX = re.compile(r"(?:\.tar)?\.(?:[A-Za-z0-9]{1,5}|markdown)$")


def clean_title(text: str) -> str:
    """One line without markup, the name of the program that wrote it, and marks of footnotes at its end."""
    text = " ".join(text.split())
    text = _PROGRAM.sub("", text, count=1) if _PROGRAM.match(text) else text
    return text.strip(" *_`#|–—-∗†‡§·•").strip()


def is_placeholder(text: str) -> bool:
    """True if a title in the metadata of a file is none: empty, a number, a file name, "Untitled"."""
    title = clean_title(text)
    if sum(map(str.isalpha, title)) < 2:
        return True
    if _PLACEHOLDER.fullmatch(title) or _FILE_NAME.fullmatch(title):
        return True
    return " " not in title and _NO_BLANKS.fullmatch(title) is not None


def reads_as_title(text: str) -> bool:
    """True if a printed line may be a title: words; not a date, version, amount, address or part of a title page."""
    title = clean_title(text)
    letters = sum(map(str.isalpha, title))
    if letters < 2 or letters * 2 < len(title.replace(" ", "")) or len(title) > 300:
        return False
    if any(pattern.fullmatch(title) for pattern in (_OTHER_PART, _VERSION_OR_DATE, _LABELLED_VALUE)):
        return False
    if _ADDRESS.search(title) or (_AMOUNT.search(title) and letters < 20) or is_garbled(title):
        return False
    return not (title.endswith((".", ";", ",")) and len(title.split()) > 14)


def is_version_or_date(text: str) -> bool:
    """True if a line below a title is its version, edition or date."""
    return _VERSION_OR_DATE.fullmatch(text.strip()) is not None


def is_garbled(text: str) -> bool:
    """True for Cyrillic or Greek that was decoded as Latin-1: most letters have accents."""
    letters = [character for character in text if character.isalpha()]
    return sum(1 for letter in letters if "\u00c0" <= letter <= "\u00ff") * 2 > len(letters)


def title_key(text: str) -> str:
    """Letters and digits in one case, for comparison without regard to typesetting."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def title_of_file_name(name: str) -> str:
    """A file name as a title: without folder and suffix, with blanks instead of underscores and hyphens."""
    stem = _SUFFIX.sub("", re.split(r"[/\\]", name)[-1])
    text = re.sub(r"[_\s]+|(?<=[^\W\d])-+(?=[^\W\d])|(?<=\w)[.+]+(?=[^\W\d])|%20", " ", stem).strip()
    return text[:1].upper() + text[1:] if text.islower() else text
