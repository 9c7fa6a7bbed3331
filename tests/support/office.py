"""Builds small Word, PowerPoint and Excel files from strings."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_WORD = "http://purl.oclc.org/ooxml/wordprocessingml/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def pack(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """Write a zip file with these parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def relationships(links: Mapping[str, tuple[str, str]]) -> str:
    """A relationships part from ids to (kind, target); a target with a URL scheme is external."""
    outside = ' TargetMode="External"'
    rows = "".join(
        f'<Relationship Id="{key}" Type="{LINKS}/{kind}" Target="{escape(target)}"'
        f"{outside if ':' in target else ''}/>"
        for key, (kind, target) in links.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{rows}</Relationships>'


def core(**facts: str) -> str:
    """The core properties: ``title``, ``creator`` and so on."""
    inner = "".join(
        f"<dcterms:{name}>{value}</dcterms:{name}>"
        if name in ("created", "modified")
        else f"<dc:{name}>{escape(value)}</dc:{name}>"
        for name, value in facts.items()
    )
    return (
        f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        f"{inner}</cp:coreProperties>"
    )


# Word


@dataclass(slots=True)
class WordFile:
    """A Word document; each part is the content of its root element."""

    body: str
    styles: str = ""
    numbering: str = ""
    footnotes: str = ""
    endnotes: str = ""
    properties: str = ""
    links: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    parts: dict[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    namespace: str = WORD

    def save(self, path: Path) -> Path:
        spaces = f'xmlns:w="{self.namespace}" xmlns:r="{LINKS}" xmlns:m="{MATH}" xmlns:mc="{COMPATIBILITY}"'
        parts: dict[str, str | bytes] = {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
            "_rels/.rels": relationships({"d": ("officeDocument", "word/document.xml")}),
            "word/document.xml": f"<w:document {spaces}><w:body>{self.body}</w:body></w:document>",
        }
        links = dict(self.links)
        for name in ("styles", "numbering", "footnotes", "endnotes"):
            inner = getattr(self, name)
            if inner:
                links[name] = (name, f"{name}.xml")
                parts[f"word/{name}.xml"] = f"<w:{name} {spaces}>{inner}</w:{name}>"
        if self.properties:
            parts["docProps/core.xml"] = self.properties
        parts["word/_rels/document.xml.rels"] = relationships(links)
        return pack(path, {**parts, **self.parts})


def p(*runs: str, style: str = "", numbered: tuple[int, int] | None = None, facts: str = "") -> str:
    """A paragraph; plain strings become runs, strings that begin with a tag are used as XML."""
    inside = "".join(run if run.startswith("<") else r(run) for run in runs)
    known = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        known += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    known += facts
    return f"<w:p>{f'<w:pPr>{known}</w:pPr>' if known else ''}{inside}</w:p>"


def r(text: str, facts: str = "") -> str:
    known = f"<w:rPr>{facts}</w:rPr>" if facts else ""
    return f'<w:r>{known}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def table(*rows: Sequence[str]) -> str:
    """A table; a cell that begins with a tag is the content of its ``w:tc``."""
    lines = "".join(
        "<w:tr>"
        + "".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in row)
        + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{lines}</w:tbl>"


def style(style_id: str, name: str, facts: str = "", based_on: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{base}'
        f"<w:pPr>{facts}</w:pPr></w:style>"
    )


def numbered_list(
    list_id: int, *levels: tuple[str, str], start_over: int | None = None, like: int = 0
) -> str:
    """A list whose levels are (format, pattern) pairs; ``like`` shares the counters of another list."""
    family = like or list_id
    inner = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
        for depth, (kind, pattern) in enumerate(levels)
    )
    shape = "" if like else f'<w:abstractNum w:abstractNumId="{family}">{inner}</w:abstractNum>'
    over = (
        f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start_over}"/></w:lvlOverride>'
        if start_over
        else ""
    )
    return f'{shape}<w:num w:numId="{list_id}"><w:abstractNumId w:val="{family}"/>{over}</w:num>'


# PowerPoint


def presentation(
    path: Path,
    slides: Sequence[str],
    *,
    notes: Mapping[int, str] | None = None,
    links: Mapping[int, dict[str, tuple[str, str]]] | None = None,
    parts: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A presentation: the content of each slide's shape tree, and notes by slide number."""
    named = {"p": SLIDES, "a": DRAWING, "r": LINKS, "c": CHART, "mc": COMPATIBILITY}
    spaces = " ".join(f'xmlns:{prefix}="{namespace}"' for prefix, namespace in named.items())
    numbers = range(1, len(slides) + 1)
    order = "".join(f'<p:sldId id="{255 + number}" r:id="s{number}"/>' for number in numbers)
    made: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": relationships({"d": ("officeDocument", "ppt/presentation.xml")}),
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relationships(
            {f"s{number}": ("slide", f"slides/slide{number}.xml") for number in numbers}
        ),
    }
    for number, inner in zip(numbers, slides, strict=True):
        made[f"ppt/slides/slide{number}.xml"] = (
            f"<p:sld {spaces}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:sld>"
        )
        known = dict((links or {}).get(number, {}))
        if notes and number in notes:
            known["n"] = ("notesSlide", f"../notesSlides/notesSlide{number}.xml")
            made[f"ppt/notesSlides/notesSlide{number}.xml"] = (
                f"<p:notes {spaces}><p:cSld><p:spTree>{shape(notes[number], role='body')}"
                f"{shape('7', role='sldNum')}</p:spTree></p:cSld></p:notes>"
            )
        made[f"ppt/slides/_rels/slide{number}.xml.rels"] = relationships(known)
    return pack(path, {**made, **(parts or {})})


def shape(*paragraphs: str, role: str = "") -> str:
    """A shape with text; paragraphs that begin with a tag are used as XML."""
    place = f'<p:ph type="{role}"/>' if role else ""
    inner = "".join(text if text.startswith("<") else bullet(text) for text in paragraphs)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>{place}</p:nvPr></p:nvSpPr>'
        f"<p:txBody>{inner}</p:txBody></p:sp>"
    )


def bullet(text: str, depth: int = 0, kind: str = "") -> str:
    facts = f"<a:{kind}/>" if kind else ""
    return f'<a:p><a:pPr lvl="{depth}">{facts}</a:pPr><a:r><a:t>{escape(text)}</a:t></a:r></a:p>'


# Excel


def workbook(
    path: Path, sheets: Mapping[str, str], *, strings: Sequence[str] = (), formats: str = ""
) -> Path:
    """A workbook: ``sheetData`` content by sheet name; ``formats`` is the content of the styles part."""
    numbers = range(1, len(sheets) + 1)
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="s{number}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    links = {f"s{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in numbers}
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": relationships({"d": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>{named}</sheets></workbook>',
    }
    if strings:
        links["t"] = ("sharedStrings", "sharedStrings.xml")
        inner = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{SHEET}" count="{len(strings)}">{inner}</sst>'
    if formats:
        links["f"] = ("styles", "styles.xml")
        parts["xl/styles.xml"] = f'<styleSheet xmlns="{SHEET}">{formats}</styleSheet>'
    for number, inner in zip(numbers, sheets.values(), strict=True):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{SHEET}"><sheetData>{inner}</sheetData></worksheet>'
        )
    parts["xl/_rels/workbook.xml.rels"] = relationships(links)
    return pack(path, parts)


def row(number: int, *values: str | float | None) -> str:
    """A row from column A on; None omits a cell, a string that begins with a tag is a whole cell."""
    cells: list[str] = []
    for column, value in enumerate(values):
        place = f"{column_name(column)}{number}"
        if isinstance(value, str) and value.startswith("<"):
            cells.append(value)
        elif isinstance(value, str):
            cells.append(f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>')
        elif value is not None:
            cells.append(f'<c r="{place}"><v>{value}</v></c>')
    return f'<row r="{number}">{"".join(cells)}</row>'


def column_name(column: int) -> str:
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(65 + letter) + name
    return name


# Compound files (OLE)


def compound_file(path: Path, *streams: str) -> Path:
    """A compound file with these stream names in its directory."""
    magic = bytes.fromhex("d0cf11e0a1b11ae1")
    directory = b"".join(name.encode("utf-16-le").ljust(128, b"\0") for name in streams)
    path.write_bytes(magic.ljust(512, b"\0") + directory)
    return path
