"""Makes the PDFs and pictures that tests read: books, forms, scans, locked and broken files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pikepdf
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen import canvas

Draw = Callable[[Any], object]

WIDTH, HEIGHT = letter
LOREM = (
    "The boat was drawn along the towpath from lock to lock",
    "and rested safely at each of them for the night. In the",
    "morning the horse was harnessed again before the mist",
    "had lifted from the water, and the long day went on.",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """An entry of the outline, and the title as it stands on the page (None: it does not)."""

    title: str
    level: int = 0
    printed: str | None = ""

    @property
    def on_page(self) -> str | None:
        return self.title if self.printed == "" else self.printed


def drawing(path: Path, *pages: Draw, **options: object) -> Path:
    """A PDF of which each page is drawn by a function."""
    paper = cast(Any, canvas.Canvas(str(path), pagesize=letter, invariant=1, **cast(Any, options)))
    for draw in pages:
        draw(paper)
        paper.showPage()
    paper.save()
    return path


def lines(paper: Any, texts: Iterable[str], *, x: float = 72, top: float = 700, size: float = 11) -> float:
    """Draw lines below each other; returns where the next one would stand."""
    paper.setFont("Helvetica", size)
    for text in texts:
        paper.drawString(x, top, text)
        top -= size * 1.3
    return top


def plain(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """Pages of plain lines."""

    def page(texts: Sequence[str]) -> Draw:
        return lambda paper: lines(paper, texts)

    return drawing(path, *map(page, pages))


def book(
    path: Path,
    marks: Sequence[Sequence[Mark]],
    *,
    header: str | None = None,
    footer: str | None = None,
    title: str | None = None,
    author: str | None = None,
) -> Path:
    """One page for each list of marks; ``{page}`` in header and footer becomes the page number."""
    paper = cast(Any, canvas.Canvas(str(path), pagesize=letter, invariant=1))
    if title:
        paper.setTitle(title)
    if author:
        paper.setAuthor(author)
    for number, entries in enumerate(marks, start=1):
        top = 700.0
        for at, mark in enumerate(entries):
            key = f"{number}-{at}"
            paper.bookmarkHorizontal(key, 0, top + 16)
            paper.addOutlineEntry(mark.title, key, level=mark.level)
            if mark.on_page is not None:
                paper.setFont("Helvetica-Bold", 16)
                paper.drawString(72, top, mark.on_page)
            top = lines(paper, [f"{line} ({number}.{at})" for line in LOREM], top=top - 28) - 24
        if not entries:
            lines(paper, [f"{line} ({number})" for line in LOREM], top=top)
        paper.setFont("Helvetica", 9)
        if header:
            paper.drawString(72, 760, header.format(page=number))
        if footer:
            paper.drawString(280, 30, footer.format(page=number))
        paper.showPage()
    paper.save()
    return path


def form(path: Path) -> Path:
    """A form with a text field, a choice, two boxes (one ticked) and an empty field."""

    def draw(paper: Any) -> None:
        lines(paper, ["Application for a mooring"], top=740, size=14)
        fields = paper.acroForm
        lines(paper, ["Name:"], top=700)
        fields.textfield(
            name="applicant.name",
            tooltip="Full name",
            value="Ada Lovelace",
            x=150,
            y=692,
            width=200,
            height=20,
        )
        lines(paper, ["Town:"], top=660)
        fields.choice(
            name="town", value="Paris", options=["London", "Paris"], x=150, y=652, width=100, height=20
        )
        fields.checkbox(name="agreed", checked=True, x=150, y=620)
        fields.checkbox(name="newsletter", checked=False, x=150, y=590)
        fields.textfield(name="remarks", x=150, y=540, width=200, height=20)

    return drawing(path, draw)


def table(path: Path, rows: Sequence[Sequence[str]], *, ruled: bool = True) -> Path:
    """A table between two paragraphs."""

    def draw(paper: Any) -> None:
        lines(paper, LOREM, top=740)
        top, height, width = 660, 20, 110
        paper.setFont("Helvetica", 10)
        for down, row in enumerate(rows):
            for across, cell in enumerate(row):
                paper.drawString(76 + across * width, top - down * height - 14, cell)
        if ruled:
            xs = [72 + across * width for across in range(len(rows[0]) + 1)]
            paper.grid(xs, [top - down * height for down in range(len(rows) + 1)])
        lines(paper, LOREM, top=top - len(rows) * height - 40)

    return drawing(path, draw)


def sideways(path: Path, texts: Sequence[str], rotate: int) -> Path:
    """A page whose text is shown turned clockwise by so many degrees."""
    plain(path, [texts])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        document.pages[0].Rotate = rotate
        document.save(path, deterministic_id=True)
    return path


def locked(path: Path, source: Path, *, user: str = "", owner: str = "owner") -> Path:
    """The same file encrypted (AES-256); with an empty user password anyone may read it."""
    with pikepdf.open(source) as document:
        document.save(path, encryption=pikepdf.Encryption(user=user, owner=owner))
    return path


def hebrew(path: Path, texts: Sequence[str]) -> Path:
    """Lines of right-to-left text, painted from left to right as printers do."""
    letters = sorted({letter for text in texts for letter in text})
    codes = {letter: 0x21 + at for at, letter in enumerate(letters)}
    names = {code: ord(letter) for letter, code in codes.items()}
    return _coded(path, [bytes(codes[letter] for letter in reversed(text)) for text in texts], names)


def nameless(path: Path, texts: Sequence[str]) -> Path:
    """Lines that look as they should, but whose font calls every letter "unknown" (U+FFFD)."""
    codes = {code for text in texts for code in text.encode("ascii")}
    return _coded(path, [text.encode("ascii") for text in texts], dict.fromkeys(codes, 0xFFFD))


def _coded(path: Path, painted: Sequence[bytes], names: Mapping[int, int]) -> Path:
    """Lines of one-byte codes in Helvetica, with a table that says which letter each code means."""
    mapping = "\n".join(f"<{code:02x}> <{letter:04x}>" for code, letter in names.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(names)} beginbfchar\n{mapping}\nendbfchar\nendcmap end end"
    )
    shown = ["BT /F1 14 Tf 72 700 Td", *(f"<{line.hex()}> Tj 0 -20 Td" for line in painted), "ET"]
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(WIDTH, HEIGHT))
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name.Helvetica,
            ToUnicode=pikepdf.Stream(document, table.encode()),
        )
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=document.make_indirect(font)))
        page.Contents = pikepdf.Stream(document, "\n".join(shown).encode())
        document.save(path, deterministic_id=True)
    return path


def tagged(path: Path, passages: Sequence[tuple[str, str]]) -> Path:
    """Passages of one size, told apart by their tags alone: ("H1", "Locks"), ("P", "They lift boats.")."""
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(WIDTH, HEIGHT))
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=document.make_indirect(font)))
        shown = [
            f"/{tag} <</MCID {at}>> BDC BT /F1 11 Tf 72 {700 - at * 30} Td ({text}) Tj ET EMC"
            for at, (tag, text) in enumerate(passages)
        ]
        page.Contents = pikepdf.Stream(document, "\n".join(shown).encode())
        page.StructParents = 0
        root = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        elements = [
            document.make_indirect(
                pikepdf.Dictionary(
                    Type=pikepdf.Name.StructElem, S=pikepdf.Name(f"/{tag}"), P=root, Pg=page.obj, K=at
                )
            )
            for at, (tag, _) in enumerate(passages)
        ]
        root.K = pikepdf.Array(elements)
        root.ParentTree = pikepdf.Dictionary(Nums=[0, pikepdf.Array(elements)])
        document.Root.StructTreeRoot = root
        document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
        document.save(path, deterministic_id=True)
    return path


def picture(texts: Sequence[str], *, turn: int = 0, size: int = 34) -> Image.Image:
    """Black words on white paper, turned clockwise."""
    paper = Image.new("L", (1275, 1650), "white")
    pen, font = ImageDraw.Draw(paper), ImageFont.load_default(size)
    for at, text in enumerate(texts):
        pen.text((120, 140 + at * int(size * 1.5)), text, fill="black", font=font)
    return paper.rotate(-turn, expand=True)


def scan(path: Path, pages: Sequence[Image.Image | Sequence[str]]) -> Path:
    """Pictures of pages, or for lists of lines pages with a text layer."""

    def page(content: Image.Image | Sequence[str]) -> Draw:
        def draw(paper: Any) -> None:
            if isinstance(content, Image.Image):
                from reportlab.lib.utils import ImageReader

                wide = content.width > content.height
                width, height = (HEIGHT, WIDTH) if wide else (WIDTH, HEIGHT)
                paper.setPageSize((width, height))
                paper.drawImage(ImageReader(content), 0, 0, width, height)
            else:
                paper.setPageSize(letter)
                lines(paper, content)

        return draw

    return drawing(path, *map(page, pages))


def image_file(
    path: Path, pages: Sequence[Image.Image], kind: Literal["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"]
) -> Path:
    """A picture file; several pages make a TIFF of several."""
    first, rest = pages[0], list(pages[1:])
    content = io.BytesIO()
    if rest:
        first.save(content, kind, save_all=True, append_images=rest)
    else:
        first.save(content, kind)
    path.write_bytes(content.getvalue())
    return path
