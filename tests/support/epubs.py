"""Builds EPUB books from strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.office import pack

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
FACTS = (
    "<dc:title>The Lock Keeper</dc:title><dc:creator>Ada Reed</dc:creator><dc:creator>Bo Lind</dc:creator>"
    "<dc:language>en</dc:language><dc:date>2021-03-04</dc:date><dc:publisher>Canal Press</dc:publisher>"
    "<dc:identifier>urn:isbn:123</dc:identifier>"
)


@dataclass(slots=True)
class Book:
    """A book: chapter bodies by file name, in the order of the spine."""

    chapters: Mapping[str, str]
    nav: str = ""
    ncx: str = ""
    facts: str = FACTS
    parts: dict[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    left_out: tuple[str, ...] = ()

    def save(self, path: Path) -> Path:
        items = "".join(
            f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
            for number, name in enumerate(self.chapters)
        )
        spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(self.chapters)))
        parts: dict[str, str | bytes] = {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
        }
        if self.nav:
            items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
            parts["OPS/nav.xhtml"] = page(f'<nav epub:type="toc"><ol>{self.nav}</ol></nav>')
        if self.ncx:
            items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
            parts["OPS/toc.ncx"] = (
                '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/">'
                f"<navMap>{self.ncx}</navMap></ncx>"
            )
        parts["OPS/book.opf"] = (
            '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf">'
            f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{self.facts}</metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
        )
        for name, body in self.chapters.items():
            if name not in self.left_out:
                parts[f"OPS/{name}"] = page(body)
        return pack(path, {**parts, **self.parts})


def page(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head><body>{body}</body></html>'
    )


def nav_point(title: str, target: str, inside: str = "") -> str:
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/>{inside}</navPoint>'
