"""Reads web pages: the main content or the whole visible text as markdown, and the metadata of the page's head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from towpath import rejections
from towpath.model.content import Extraction, Field
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import declared_encoding, decode
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.html.html_to_markdown import HtmlToMarkdown
from towpath.readers.html.main_content import select_main_content
from towpath.readers.html.metadata import page_metadata
from towpath.readers.html.parse_markup import parse_markup

FORMAT_NAME = "web page"
ENGINE = "towpath-html/2"

_MAX_BYTES = 50 << 20
_HEADINGS = tuple(f"{{*}}h{level}" for level in range(1, 7))


@dataclass(frozen=True, slots=True)
class ConvertedPage:
    """A converted web page."""

    markdown: str
    metadata: dict[str, str]
    warnings: tuple[str, ...]


def read_html(path: Path, progress: Callable[[int, int], None], *, full_text: bool = False) -> Extraction:
    """Read the main content of a web page, or with ``full_text`` all its visible text; it has no pages.

    Without headings its title becomes one.
    """
    extraction = read_page(read_bounded(path, FORMAT_NAME, _MAX_BYTES), full_text=full_text)
    progress(1, 1)
    return extraction


def read_page(
    content: bytes, declared: str | None = None, *, full_text: bool = False, address: str = ""
) -> Extraction:
    """The extraction of a page. ``address`` is where it was saved from, if it does not say so itself."""
    page = convert_html(content, declared, main_content=not full_text)
    if not page.markdown.strip():
        raise rejections.empty(FORMAT_NAME)
    metadata = (
        {"url": address, **page.metadata} if address.startswith(("http://", "https://")) else page.metadata
    )
    return Extraction(
        markdown=page.markdown,
        engine=ENGINE,
        fields=_site_field(metadata),
        metadata=metadata,
        warnings=page.warnings,
    )


def convert_html(content: bytes, declared: str | None = None, *, main_content: bool = False) -> ConvertedPage:
    """Convert a web page. ``declared`` is the encoding named outside the page, such as in a mail header."""
    parsed = parse_markup(content, declared)
    writer = MarkdownWriter()
    converter = HtmlToMarkdown(writer)
    if parsed.root is None:
        converter.convert_plain_text(parsed.text)
        return ConvertedPage(writer.text(), {}, parsed.warnings)
    metadata = page_metadata(parsed.root)
    if "title" in metadata and next(parsed.root.iter(*_HEADINGS), None) is None:
        converter.builder.set_title(1, metadata["title"])
    if main_content:
        select_main_content(parsed.root, decode(content, declared or declared_encoding(content)).text)
    converter.convert(parsed.root)
    return ConvertedPage(writer.text(), metadata, parsed.warnings)


def _site_field(metadata: dict[str, str]) -> tuple[Field, ...]:
    """The name of the site. Author and date become fields with those of all documents."""
    site = metadata.get("publisher") or urlsplit(metadata.get("url", "")).hostname
    return (Field("site", site, confidence=0.9),) if site else ()
