"""Small OpenDocument files, made for the tests."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("draw", "drawing"),
        ("presentation", "presentation"),
        ("fo", "xsl-fo-compatible"),
        ("meta", "meta"),
    )
)
_TYPE = "application/vnd.oasis.opendocument"
_MORE = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def open_document(kind: str, body: str, styles: str = "", meta: str = "") -> bytes:
    """An OpenDocument file of this kind: text, spreadsheet or presentation."""
    content = (
        f"<office:document-content {_NAMESPACES} {_MORE} office:version='1.2'><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )
    manifest = (
        "<manifest:manifest xmlns:manifest='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'>"
        f"<manifest:file-entry manifest:full-path='/' manifest:media-type='{_TYPE}.{kind}'/>"
        "<manifest:file-entry manifest:full-path='content.xml' manifest:media-type='text/xml'/></manifest:manifest>"
    )
    properties = f"<office:document-meta {_NAMESPACES} {_MORE}><office:meta>{meta}</office:meta></office:document-meta>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", f"{_TYPE}.{kind}")
        archive.writestr("content.xml", content)
        archive.writestr("meta.xml", properties)
        archive.writestr("META-INF/manifest.xml", manifest)
    return buffer.getvalue()


def slide(title: str, *paragraphs: str) -> str:
    text = "".join(f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs)
    return (
        "<draw:page draw:name='p'><draw:frame presentation:class='title'><draw:text-box>"
        f"<text:p>{title}</text:p></draw:text-box></draw:frame>"
        f"<draw:frame><draw:text-box>{text}</draw:text-box></draw:frame></draw:page>"
    )


def sheet(name: str, *rows: tuple[str, ...]) -> str:
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell office:value-type='string'><text:p>{cell}</text:p></table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    return f"<table:table table:name='{name}'>{cells}</table:table>"


def save(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
