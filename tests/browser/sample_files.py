"""Makes twenty sample files of many formats."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from tests.support import pdfs
from tests.support.epubs import Book
from tests.support.office import WordFile, p, presentation, r, row, shape, workbook

#: A phrase that occurs only on the second page of the agreement.
PHRASE = "the keeper may close the upper gates for repair"

_CLAUSES: Sequence[tuple[str, Sequence[str]]] = (
    (
        "Agreement for a mooring",
        (
            "This agreement is made on 3 March 2026 between Halden Canal Company, 12 Wharf",
            "Lane, Braunston, and Ms Ada Thorne, master of the narrowboat Kingfisher. It gives",
            "the boat a place at berth 14 below the upper lock for the year that follows.",
            "The rent is GBP 1,240.00, due in four parts on the first day of each quarter.",
        ),
    ),
    (
        "Repairs and closures",
        (
            "Once in a year, and with notice of fourteen days, the keeper may close the upper",
            "gates for repair. Boats that lie above them may wait at the public moorings free",
            f"of charge. In short: {PHRASE},",
            "but never in the weeks of the summer fair, and never for longer than ten days.",
        ),
    ),
    (
        "Water, power and waste",
        (
            "Water is drawn from the tap at the lock cottage. Power is metered at each berth",
            "and billed with the rent. Questions go to office@halden-canal.example, or by",
            "telephone to +44 20 7946 0123 between nine and five.",
        ),
    ),
)


def agreement(path: Path, copy: str = "") -> Path:
    """Makes a PDF of three pages with one clause each. Different values of ``copy`` give different bytes."""

    def page(number: int, title: str, texts: Sequence[str]) -> pdfs.Draw:
        def draw(paper: Any) -> None:
            paper.setTitle("Agreement for a mooring")
            paper.setSubject(copy)
            paper.setFont("Times-Bold", 20)
            paper.drawString(72, 700, title)
            paper.setFont("Times-Roman", 12)
            for line, text in enumerate(texts):
                paper.drawString(72, 660 - line * 17, text)
            paper.setFont("Times-Roman", 9)
            paper.drawString(290, 40, str(number))

        return draw

    return pdfs.drawing(
        path, *(page(index + 1, title, texts) for index, (title, texts) in enumerate(_CLAUSES))
    )


def twenty_files(folder: Path) -> list[Path]:
    """Makes PDF, Word, Excel, PowerPoint, EPUB, mail, HTML, text, markdown, CSV and image files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [agreement(folder / "Mooring agreement 2026.pdf")]
    for year in (2023, 2024, 2025):
        page = [f"Report of the lock keepers for {year}", *pdfs.LOREM, f"Boats counted: {year * 3}"]
        files.append(pdfs.plain(folder / f"Keepers' report {year}.pdf", [page, pdfs.LOREM]))
    for month in ("April", "May"):
        body = p(r(f"Minutes of {month}"), style="Heading1") + p(r(f"The weir was inspected in {month}."))
        files.append(WordFile(body).save(folder / f"Minutes {month}.docx"))
    files.append(_ledger(folder / "Ledger 2026.xlsx"))
    files.append(
        presentation(folder / "Plan for the basin.pptx", [shape("A basin for forty boats", role="title")])
    )
    files.append(
        Book({"a.xhtml": "<h1>The navigator's guide</h1><p>From Braunston to the sea.</p>"}).save(
            folder / "Navigator's guide.epub"
        )
    )
    files.append(_mail(folder / "Re: dredging.eml"))
    files.append(
        pdfs.image_file(folder / "Notice.png", [pdfs.picture(["LOCK CLOSED", "until Friday"])], "PNG")
    )
    files.append(_text(folder / "Tariff.csv", "berth,metres,price\n14,17,1240\n15,21,1480\n"))
    files.append(_text(folder / "Fair.html", "<h1>Summer fair</h1><p>Boats are dressed on 12 July.</p>"))
    files.append(_text(folder / "Rules.md", "# Rules\n\n1. Close the gates.\n2. Mind the *sill*.\n"))
    for number in range(1, 7):
        text = f"Log of day {number}\n\nThe barge Kingfisher passed the upper lock at {number + 5} o'clock.\n"
        files.append(_text(folder / f"Log {number:02d}.txt", text))
    return files


def password_protected(path: Path) -> Path:
    return pdfs.locked(path, agreement(path.with_suffix(".open"), path.name), user="secret")


def _ledger(path: Path) -> Path:
    rows = row(1, "berth", "boat", "paid") + row(2, 14, "Kingfisher", 310.0) + row(3, 15, "Heron", 370.0)
    return workbook(path, {"Rents": rows})


def _mail(path: Path) -> Path:
    message = EmailMessage()
    message["Subject"] = "Re: dredging"
    message["From"] = "Ada Thorne <ada@kingfisher.example>"
    message["To"] = "office@halden-canal.example"
    message.set_content("The bend below the mill is silted up again. Forty tonnes, I should say.\n")
    path.write_bytes(message.as_bytes())
    return path


def _text(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
