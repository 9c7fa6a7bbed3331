"""Small files that ask for much time or memory when they are read. Made here; none is copied from elsewhere."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

_MB = 1 << 20


def pdf_of(objects: list[bytes], page: bytes = b"") -> bytes:
    """A PDF of one page: object 4 is its content, the others follow. ``page`` adds entries to the page."""
    resources = b"<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>"
    head = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources "
        + resources
        + (page or b"/MediaBox[0 0 600 800]")
        + b">>",
    ]
    body = io.BytesIO()
    body.write(b"%PDF-1.7\n")
    offsets: list[int] = []
    for number, content in enumerate([*head, *objects], 1):
        offsets.append(body.tell())
        body.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = body.tell()
    body.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1))
    body.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    body.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(offsets) + 1, start))
    return body.getvalue()


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), entries, data)


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_TEXT = b"BT /F 12 Tf 50 700 Td (An ordinary line of text.) Tj ET "


def nested_forms() -> bytes:
    """Each form draws the next one ten times: 10^20 drawings."""
    depth = 20
    forms = [
        stream(
            b"/X Do " * 10 if number < depth - 1 else _TEXT,
            b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>/XObject<</X %d 0 R>>>>"
            % (number + 7),
        )
        for number in range(depth)
    ]
    return pdf_of([stream(_TEXT + b"/X Do " * 10), _FONT, *forms])


def flate_bomb() -> bytes:
    """A content of 600 MB, compressed twice."""
    packer = zlib.compressobj(9)
    block = (b"BT /F 1 Tf (aaaaaaaa) Tj ET " * 40_000)[:_MB]
    inner = b"".join(packer.compress(block) for _ in range(600)) + packer.flush()
    data = zlib.compress(inner, 9)
    return pdf_of([stream(data, b"/Filter[/FlateDecode/FlateDecode]"), _FONT, stream(b"")])


def huge_media_box() -> bytes:
    """A page of 35 km with an image, which is to be rendered for OCR."""
    image = stream(
        zlib.compress(b"\0" * 3_000_000),
        b"/Type/XObject/Subtype/Image/Width 2000/Height 1500"
        b"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode",
    )
    content = stream(b"q 100000000 0 0 100000000 0 0 cm /X Do Q")
    return pdf_of([content, _FONT, image], b"/MediaBox[0 0 100000000 100000000]")


def long_tiff(frames: int = 1_000, side: int = 10_000) -> bytes:
    """A TIFF whose frames of 100 million pixels all share one compressed strip."""
    data = zlib.compress(b"\xff" * (side // 8 * side), 9)
    body = io.BytesIO()
    body.write(struct.pack("<2sHI", b"II", 42, 8 + len(data) + len(data) % 2))
    body.write(data + b"\0" * (len(data) % 2))
    for number in range(frames):
        tags = [
            (256, 4, side), (257, 4, side), (258, 3, 1), (259, 3, 8), (262, 3, 1),
            (273, 4, 8), (277, 3, 1), (278, 4, side), (279, 4, len(data)),
        ]  # fmt: skip
        following = body.tell() + 2 + 12 * len(tags) + 4 if number < frames - 1 else 0
        body.write(struct.pack("<H", len(tags)))
        for tag, kind, value in tags:
            body.write(struct.pack("<HHII", tag, kind, 1, value))
        body.write(struct.pack("<I", following))
    return body.getvalue()


def png(width: int, height: int) -> bytes:
    """A white picture in black and white."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * ((width + 7) // 8)
    pixels = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def _office(parts: dict[str, str | bytes], main: str, content_type: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        types = f'<Override PartName="/{main}" ContentType="{content_type}"/>'
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{_REL}/officeDocument" Target="{main}"/></Relationships>',
        )
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _workbook(strings: str | bytes) -> bytes:
    return _office(
        {
            "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_REL}"><sheets><sheet name="A" sheetId="1" r:id="r1"/>'
            "</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'relationships"><Relationship Id="r1" Type="{_REL}/worksheet" Target="worksheets/sheet1.xml"/>'
            f'<Relationship Id="r2" Type="{_REL}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet {_MAIN}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row>'
            "</sheetData></worksheet>",
            "xl/sharedStrings.xml": strings,
        },
        "xl/workbook.xml",
        f"{_XLSX}.sheet.main+xml",
    )


def shared_strings_count() -> bytes:
    """A table of strings that announces four billion entries."""
    return _workbook(f'<sst {_MAIN} count="4294967295" uniqueCount="4294967295"><si><t>one</t></si></sst>')


def shared_strings_bomb() -> bytes:
    """A table of strings of 500 MB."""
    return _workbook(
        f"<sst {_MAIN}>".encode() + b"<si><t>aaaaaaaaaaaaaaaaaaaaaaaa</t></si>" * (12 * _MB) + b"</sst>"
    )


def zip_bomb() -> bytes:
    """A Word file whose text unpacks to 600 MB."""
    text = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    text += b"<w:p><w:r><w:t>aaaaaaaaaaaaaaaaaaaaaaaaaaaa</w:t></w:r></w:p>" * (10 * _MB)
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return _office({"word/document.xml": text + b"</w:body></w:document>"}, "word/document.xml", main)


def xml_bomb() -> bytes:
    """Entities that expand to 10^12 characters."""
    entities = '<!ENTITY e0 "aaaaaaaaaa">' + "".join(
        f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' for number in range(1, 12)
    )
    document = (
        f'<?xml version="1.0"?><!DOCTYPE d [{entities}]><w:document xmlns:w="http://schemas.openxmlformats.org/'
        'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&e11;</w:t></w:r></w:p></w:body></w:document>'
    )
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return _office({"word/document.xml": document}, "word/document.xml", main)


HOSTILE_FILES: dict[str, Callable[[], bytes]] = {
    "nested-forms.pdf": nested_forms,
    "flate-bomb.pdf": flate_bomb,
    "huge-media-box.pdf": huge_media_box,
    "thousand-pages.tiff": long_tiff,
    "shared-strings-count.xlsx": shared_strings_count,
    "shared-strings-bomb.xlsx": shared_strings_bomb,
    "zip-bomb.docx": zip_bomb,
    "xml-bomb.docx": xml_bomb,
    "image-bomb.png": lambda: png(60_000, 60_000),
    "one-pixel-wide.png": lambda: png(1, 5_000),
}
