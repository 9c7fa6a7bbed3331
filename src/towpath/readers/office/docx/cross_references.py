"""Decides whether a Word document refers to its sections and items by number, as contracts and standards do.

Only then the printed labels (4.2, (b), iv) are part of what the document says. In other documents they are a matter
of layout, and a plain markdown list says the same.
"""

from __future__ import annotations

import re

from towpath.readers.common.safe_zip import Archive

_OVERLAP_BYTES = 200
# A field that inserts the number of a numbered paragraph (the switches r, n and w).
_REFERENCE_FIELD = re.compile(rb"\bREF\s+[^\s<]+(?:\s+\\\\[a-z*])*?\s+\\\\[rnw]\b")
_SECTION_WORDS = (
    "sections?|clauses?|articles?|paragraphs?|subsections?|chapters?|appendix|annex|Abschnitt|Ziffer|Absatz|Artikel|Kapitel"
    "|Punkt|clauses?|alinéa|chapitre|sección|cláusula|apartado|artículo|capítulo|seção|sezione|articolo|paragrafo|artikel"
    "|hoofdstuk|paragraaf|раздел[а-я]*|пункт[а-я]*|стать[а-я]*|глав[а-я]*|punkt|rozdział|kapitel|avsnitt|madde|bölüm"
)
_SECTION_REFERENCE = re.compile(
    rf"(?:\b(?:{_SECTION_WORDS})\s+|§§?\s*|第\s*)\(?(?:\d+(?:\.\d+)*|[a-z]\))".encode(), re.IGNORECASE
)


def refers_to_numbers(archive: Archive, part: str) -> bool:
    """True if the text has a cross-reference to a number, as a field or in words."""
    tail = b""
    with archive.open_part(part) as source:
        while block := source.read():
            window = tail + block
            if _REFERENCE_FIELD.search(window) or _SECTION_REFERENCE.search(window):
                return True
            tail = window[-_OVERLAP_BYTES:]
    return False
