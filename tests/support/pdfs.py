"""Builds PDF files and images for tests: books, forms, tables, scans, encrypted and damaged files."""

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

ImageFormat = Literal["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"]

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
    """An entry of the outline, and its title as printed on the page (None: not printed)."""

    title: str
    level: int = 0
    printed: str | None = ""

    @property
    def on_page(self) -> str | None:
        return self.title if self.printed == "" else self.printed


def drawing(path: Path, *pages: Draw, **options: object) -> Path:
    """A PDF; each page is drawn by a function."""
    pdf_canvas = cast(Any, canvas.Canvas(str(path), pagesize=letter, invariant=1, **cast(Any, options)))
    for draw in pages:
        draw(pdf_canvas)
        pdf_canvas.showPage()
    pdf_canvas.save()
    return path


def lines(
    pdf_canvas: Any, texts: Iterable[str], *, x: float = 72, top: float = 700, size: float = 11
) -> float:
    """Draw lines below each other; returns the position of the next line."""
    pdf_canvas.setFont("Helvetica", size)
    for text in texts:
        pdf_canvas.drawString(x, top, text)
        top -= size * 1.3
    return top


def plain(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """Pages of plain lines."""

    def page(texts: Sequence[str]) -> Draw:
        return lambda pdf_canvas: lines(pdf_canvas, texts)

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
    """A book with one page per list of bookmarks; ``{page}`` in header and footer is the page number."""
    pdf_canvas = cast(Any, canvas.Canvas(str(path), pagesize=letter, invariant=1))
    if title:
        pdf_canvas.setTitle(title)
    if author:
        pdf_canvas.setAuthor(author)
    for number, entries in enumerate(marks, start=1):
        top = 700.0
        for index, mark in enumerate(entries):
            key = f"{number}-{index}"
            pdf_canvas.bookmarkHorizontal(key, 0, top + 16)
            pdf_canvas.addOutlineEntry(mark.title, key, level=mark.level)
            if mark.on_page is not None:
                pdf_canvas.setFont("Helvetica-Bold", 16)
                pdf_canvas.drawString(72, top, mark.on_page)
            top = lines(pdf_canvas, [f"{line} ({number}.{index})" for line in LOREM], top=top - 28) - 24
        if not entries:
            lines(pdf_canvas, [f"{line} ({number})" for line in LOREM], top=top)
        pdf_canvas.setFont("Helvetica", 9)
        if header:
            pdf_canvas.drawString(72, 760, header.format(page=number))
        if footer:
            pdf_canvas.drawString(280, 30, footer.format(page=number))
        pdf_canvas.showPage()
    pdf_canvas.save()
    return path


def form(path: Path) -> Path:
    """A form with a text field, a choice, two checkboxes (one checked) and an empty field."""

    def draw(pdf_canvas: Any) -> None:
        lines(pdf_canvas, ["Application for a mooring"], top=740, size=14)
        fields = pdf_canvas.acroForm
        lines(pdf_canvas, ["Name:"], top=700)
        fields.textfield(
            name="applicant.name",
            tooltip="Full name",
            value="Ada Lovelace",
            x=150,
            y=692,
            width=200,
            height=20,
        )
        lines(pdf_canvas, ["Town:"], top=660)
        fields.choice(
            name="town", value="Paris", options=["London", "Paris"], x=150, y=652, width=100, height=20
        )
        fields.checkbox(name="agreed", checked=True, x=150, y=620)
        fields.checkbox(name="newsletter", checked=False, x=150, y=590)
        fields.textfield(name="remarks", x=150, y=540, width=200, height=20)

    return drawing(path, draw)


def table(path: Path, rows: Sequence[Sequence[str]], *, ruled: bool = True) -> Path:
    """A table between two paragraphs."""

    def draw(pdf_canvas: Any) -> None:
        lines(pdf_canvas, LOREM, top=740)
        top, height, width = 660, 20, 110
        pdf_canvas.setFont("Helvetica", 10)
        for down, row in enumerate(rows):
            for across, cell in enumerate(row):
                pdf_canvas.drawString(76 + across * width, top - down * height - 14, cell)
        if ruled:
            xs = [72 + across * width for across in range(len(rows[0]) + 1)]
            pdf_canvas.grid(xs, [top - down * height for down in range(len(rows) + 1)])
        lines(pdf_canvas, LOREM, top=top - len(rows) * height - 40)

    return drawing(path, draw)


def sideways(path: Path, texts: Sequence[str], rotate: int) -> Path:
    """A page with text rotated clockwise by the given degrees."""
    plain(path, [texts])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        document.pages[0].Rotate = rotate
        document.save(path, deterministic_id=True)
    return path


def locked(path: Path, source: Path, *, user: str = "", owner: str = "owner") -> Path:
    """The file encrypted with AES-256; with an empty user password it can be read by anyone."""
    with pikepdf.open(source) as document:
        document.save(path, encryption=pikepdf.Encryption(user=user, owner=owner))
    return path


def hebrew(path: Path, texts: Sequence[str]) -> Path:
    """Lines of right-to-left text, drawn from left to right as printer drivers do."""
    letters = sorted({letter for text in texts for letter in text})
    codes = {letter: 0x21 + index for index, letter in enumerate(letters)}
    names = {code: ord(letter) for letter, code in codes.items()}
    return _coded(path, [bytes(codes[letter] for letter in reversed(text)) for text in texts], names)


def nameless(path: Path, texts: Sequence[str]) -> Path:
    """Lines whose font maps every letter to U+FFFD: readable on screen, garbled as text."""
    codes = {code for text in texts for code in text.encode("ascii")}
    return _coded(path, [text.encode("ascii") for text in texts], dict.fromkeys(codes, 0xFFFD))


def _coded(path: Path, painted: Sequence[bytes], names: Mapping[int, int]) -> Path:
    """Lines of one-byte codes in Helvetica with a ToUnicode map."""
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
    """Text blocks of one font size with structure tags: ("H1", "Locks"), ("P", "They lift boats.")."""
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(WIDTH, HEIGHT))
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=document.make_indirect(font)))
        shown = [
            f"/{tag} <</MCID {index}>> BDC BT /F1 11 Tf 72 {700 - index * 30} Td ({text}) Tj ET EMC"
            for index, (tag, text) in enumerate(passages)
        ]
        page.Contents = pikepdf.Stream(document, "\n".join(shown).encode())
        page.StructParents = 0
        root = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        elements = [
            document.make_indirect(
                pikepdf.Dictionary(
                    Type=pikepdf.Name.StructElem, S=pikepdf.Name(f"/{tag}"), P=root, Pg=page.obj, K=index
                )
            )
            for index, (tag, _) in enumerate(passages)
        ]
        root.K = pikepdf.Array(elements)
        root.ParentTree = pikepdf.Dictionary(Nums=[0, pikepdf.Array(elements)])
        document.Root.StructTreeRoot = root
        document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
        document.save(path, deterministic_id=True)
    return path


def picture(texts: Sequence[str], *, turn: int = 0, size: int = 34) -> Image.Image:
    """An image of black text on white, rotated clockwise."""
    pdf_canvas = Image.new("L", (1275, 1650), "white")
    pen, font = ImageDraw.Draw(pdf_canvas), ImageFont.load_default(size)
    for index, text in enumerate(texts):
        pen.text((120, 140 + index * int(size * 1.5)), text, fill="black", font=font)
    return pdf_canvas.rotate(-turn, expand=True)


def scan(path: Path, pages: Sequence[Image.Image | Sequence[str]]) -> Path:
    """A PDF of scanned pages (images) and, for lists of lines, pages with a text layer."""

    def page(content: Image.Image | Sequence[str]) -> Draw:
        def draw(pdf_canvas: Any) -> None:
            if isinstance(content, Image.Image):
                from reportlab.lib.utils import ImageReader

                wide = content.width > content.height
                width, height = (HEIGHT, WIDTH) if wide else (WIDTH, HEIGHT)
                pdf_canvas.setPageSize((width, height))
                pdf_canvas.drawImage(ImageReader(content), 0, 0, width, height)
            else:
                pdf_canvas.setPageSize(letter)
                lines(pdf_canvas, content)

        return draw

    return drawing(path, *map(page, pages))


def image_file(path: Path, pages: Sequence[Image.Image], kind: ImageFormat) -> Path:
    """An image file; several pages make a multi-page TIFF."""
    first, rest = pages[0], list(pages[1:])
    content = io.BytesIO()
    if rest:
        first.save(content, kind, save_all=True, append_images=rest)
    else:
        first.save(content, kind)
    path.write_bytes(content.getvalue())
    return path
