"""One sample file of every format, and functions that damage it randomly."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from tests.support.epubs import Book, nav_point
from tests.support.office import (
    CHART,
    WordFile,
    bullet,
    core,
    numbered_list,
    p,
    presentation,
    r,
    row,
    shape,
    table,
    workbook,
)
from tests.support.office import style as word_style
from tests.support.readers import Reader
from towpath.readers.epub.reader import read_epub
from towpath.readers.html.reader import read_html
from towpath.readers.mail.reader import read_mail
from towpath.readers.office.docx.reader import read_docx
from towpath.readers.office.pptx.reader import read_pptx
from towpath.readers.office.xlsx.reader import read_xlsx
from towpath.readers.text.csv_reader import read_csv
from towpath.readers.text.reader import read_markdown, read_text

READERS: Mapping[str, Reader] = {
    "epub": read_epub,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "html": read_html,
    "csv": read_csv,
    "eml": read_mail,
    "txt": read_text,
    "md": read_markdown,
}
ZIPPED = ("epub", "docx", "pptx", "xlsx", "odt", "odp", "ods", "zip")

_PAGE = (
    '<h1 id="a">One &amp; all</h1><p>Text<sup><a href="#n1" id="b1">1</a></sup> with <b>bold</b>, '
    '<i>italic</i>, <code>x &lt; y</code> and <a href="https://example.com">a link</a>.</p>'
    '<ul><li>a<ol start="4">'
    "<li>b</li></ol></li></ul><blockquote><p>q</p></blockquote><pre>  code\n</pre><table><tr><th>h</th>"
    '<th colspan="2">i</th></tr><tr><td rowspan="2">1</td><td>2</td><td>3</td></tr></table><hr/>'
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>'
    '<p id="n1"><a href="#b1">1</a> The note.</p><img src="x.png" alt="A lock"/><dl><dt>t</dt><dd>d</dd></dl>'
)


def save_sample(kind: str, path: Path) -> Path:
    """A small file of this kind that uses most features of its reader."""
    if kind == "epub":
        ncx = nav_point("One", "a.xhtml#a", nav_point("Two", "b.xhtml"))
        breaks = '<p>x<span epub:type="pagebreak" title="2"/>y</p>'
        return Book(
            {"a.xhtml": _PAGE, "b.xhtml": breaks}, nav='<li><a href="a.xhtml">One</a></li>', ncx=ncx
        ).save(path)
    if kind == "docx":
        return _word().save(path)
    if kind == "pptx":
        slide = shape("Title", role="title") + shape(bullet("a"), bullet("b", 1), role="body")
        return presentation(
            path, [slide, shape("text")], notes={1: "note"}, parts={"docProps/core.xml": core(title="t")}
        )
    if kind == "xlsx":
        rows = row(1, "name", "value") + "".join(row(n, f"item {n}", n * 1.5) for n in range(2, 9))
        formats = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        shared = '<row r="9"><c r="A9" t="s"><v>0</v></c><c r="B9" s="1"><v>45000</v></c></row>'
        return workbook(path, {"A": rows + shared, "B": row(1, "x")}, strings=["shared"], formats=formats)
    texts = {
        "html": f"<!doctype html><html lang=en><head><title>T</title></head><body>{_PAGE}</body></html>",
        "csv": "id;name\n" + "".join(f'{n};"boat ""{n}"""\n' for n in range(60)),
        "txt": "First page.\n# not a heading\n\fSecond page: größer.\n",
        "md": "---\ntitle: T\ntags: [a, b]\n---\n# H\n\ntext\n",
        "eml": "From: =?utf-8?q?Ada?= <a@b.c>\nTo: x@y.z\nSubject: S\nDate: Tue, 05 Mar 2024 10:20:30 +0100\n"
        'Content-Type: multipart/mixed; boundary="q"\n\n--q\n'
        "Content-Type: multipart/alternative; boundary=w\n\n--w\nContent-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\nGr=C3=B6=\nsse\n--w\n"
        "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+SGVsbG88L3A+\n--w--\n--q\n"
        'Content-Type: application/pdf; name="a.pdf"\nContent-Disposition: attachment\n\nxxx\n--q--\n',
    }
    path.write_text(texts[kind], encoding="utf-8")
    return path


def _word() -> WordFile:
    point = '<c:pt idx="0"><c:v>7</c:v></c:pt>'
    chart = f'<c:chartSpace xmlns:c="{CHART}"><c:ser><c:val>{point}</c:val></c:ser></c:chartSpace>'
    drawing = f'<w:r><w:drawing><c:chart xmlns:c="{CHART}" r:id="c"/></w:drawing></w:r>'
    box = f"<w:r><w:pict><w:txbxContent>{p('boxed')}</w:txbxContent></w:pict></w:r>"
    link = f'<w:hyperlink r:id="k">{r("site")}</w:hyperlink>'
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    return WordFile(
        p("Title", style="T")
        + p("one", numbered=(1, 0))
        + p("two", numbered=(1, 1))
        + p(r("bold", "<w:b/>"), link, note, drawing, box, "<w:r><w:lastRenderedPageBreak/></w:r>")
        + table(("a", "b"), ("c", p("d") + table(("e", "f"), ("g", "h")))),
        styles=word_style("T", "Title", '<w:outlineLvl w:val="0"/>'),
        numbering=numbered_list(1, ("decimal", "%1."), ("lowerRoman", "%1.%2")),
        footnotes=f'<w:footnote w:id="2">{p("the note")}</w:footnote>',
        properties=core(title="T", creator="A"),
        links={"k": ("hyperlink", "https://example.com"), "c": ("chart", "charts/c.xml")},
        parts={"word/charts/c.xml": chart},
    )


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The bytes with some of them changed, removed, repeated or truncated."""
    content_bytes = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        offset = rng.randrange(len(content_bytes) or 1)
        match rng.randrange(5):
            case 0 if content_bytes:
                content_bytes[offset] = rng.randrange(256)
            case 1:
                del content_bytes[offset : offset + rng.randint(1, 20)]
            case 2:
                content_bytes[offset:offset] = content_bytes[
                    offset : offset + rng.randint(1, 200)
                ] * rng.randint(1, 3)
            case 3:
                content_bytes[offset:offset] = rng.choice(
                    (b"<", b">", b"&", b'"', b"\0", b"</p>", b"<table>", b"&#0;", b"9" * 30)
                )
            case _ if rng.random() < 0.3:
                del content_bytes[offset:]
            case _:
                pass
    return bytes(content_bytes)


def damaged_inside(content: bytes, rng: random.Random) -> bytes:
    """A zip with one damaged part and a valid checksum."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(parts))
    if rng.random() < 0.05:
        del parts[name]
    else:
        parts[name] = damaged(parts[name], rng)
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, inner in parts.items():
            archive.writestr(part, inner)
    return out.getvalue()


def variants(kind: str, content: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """Damaged files of this kind, deterministic by seed."""
    rng = random.Random(f"{kind} {seed}")
    for number in range(count):
        inside = kind in ZIPPED and number % 4
        yield damaged_inside(content, rng) if inside else damaged(content, rng)
