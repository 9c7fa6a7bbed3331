"""Makes a PDF of 400 pages with bookmarks, links and printed page numbers, and a file with a wide table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import pdfs

PAGES = 400
#: Pages before the first numbered one; they have roman numbers.
FRONT_PAGES = 4
PAGES_PER_CHAPTER = 36
#: Paragraphs of a page; with them the text has so many that only some of them are drawn.
RULES_PER_PAGE = 8
#: A word that occurs only on these pages of the file.
RARE_WORD, RARE_PAGES = "windlass", (23, 187, 391)
LINK = "https://example.org/canals"


def chapter_of(page: int) -> int | None:
    """The number of the chapter that begins on a page."""
    offset = page - FRONT_PAGES - 1
    return offset // PAGES_PER_CHAPTER + 1 if offset >= 0 and offset % PAGES_PER_CHAPTER == 0 else None


def handbook(path: Path) -> Path:
    """A handbook of 400 pages. The first page links to chapter 3 and to a web page."""
    return pdfs.drawing(path, *(_page(number) for number in range(1, PAGES + 1)))


def _page(number: int) -> pdfs.Draw:
    def draw(paper: Any) -> None:
        if number == 1:
            paper.setTitle("Handbook of the navigation")
            paper.addPageLabel(0, style="ROMAN_LOWER")
            paper.addPageLabel(FRONT_PAGES, style="ARABIC", start=1)
            paper.setFont("Helvetica", 11)
            paper.drawString(72, 600, "See chapter 3, and our page about canals.")
            paper.linkAbsolute("chapter", "chapter-3", Rect=(72, 595, 160, 612))
            paper.linkURL(LINK, (180, 595, 300, 612))
        chapter = chapter_of(number)
        if chapter is not None:
            paper.bookmarkPage(f"chapter-{chapter}")
            paper.addOutlineEntry(f"Chapter {chapter} of the locks", f"chapter-{chapter}", 0)
            paper.setFont("Helvetica-Bold", 18)
            paper.drawString(72, 720, f"Chapter {chapter} of the locks")
        word = f" The {RARE_WORD} is kept here." if number in RARE_PAGES else ""
        paper.setFont("Helvetica", 11)
        paper.drawString(72, 560, f"This is sheet {number} of the handbook.{word}")
        for rule in range(1, RULES_PER_PAGE + 1):
            paper.drawString(
                72,
                560 - 50 * rule,
                f"By rule {rule} of sheet {number} every boat waits at the lock for its turn.",
            )

    return draw


def wide_table(columns: int = 24, rows: int = 6) -> bytes:
    head = "| " + " | ".join(f"column number {column}" for column in range(columns)) + " |"
    line = "|" + " --- |" * columns
    body = "\n".join(
        "| " + " | ".join(f"{row * column} pounds" for column in range(columns)) + " |" for row in range(rows)
    )
    return f"# Accounts\n\nA short paragraph.\n\n{head}\n{line}\n{body}\n\n## After\n\nThe end.\n".encode()
