"""Reads web pages: the visible text as markdown, and the metadata of the page's head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common import safe_xml
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.safe_xml import Element
from towpath.readers.html.html_to_markdown import HtmlToMarkdown
from towpath.readers.html.parse_markup import parse_markup

FORMAT_NAME = "web page"
ENGINE = "towpath-html/1"

_MAX_BYTES = 50 << 20
_HEADINGS = tuple(f"{{*}}h{level}" for level in range(1, 7))
# Names of <meta> tags per metadata field; the first one that a page has is used.
_META_NAMES = {
    "authors": ("author", "article:author", "citation_author", "dc.creator", "dcterms.creator"),
    "description": ("description", "og:description", "dc.description"),
    "keywords": ("keywords",),
    "date": ("article:published_time", "date", "dc.date", "dcterms.created", "citation_publication_date"),
    "publisher": ("og:site_name", "dc.publisher", "citation_publisher"),
    "url": ("og:url",),
}


@dataclass(frozen=True, slots=True)
class ConvertedPage:
    """A converted web page."""

    markdown: str
    metadata: dict[str, str]
    warnings: tuple[str, ...]


def read_html(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read a web page as one text without pages; without headings its title becomes one."""
    page = convert_html(read_bounded(path, FORMAT_NAME, _MAX_BYTES))
    if not page.markdown.strip():
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    return Extraction(markdown=page.markdown, engine=ENGINE, metadata=page.metadata, warnings=page.warnings)


def convert_html(content: bytes, declared: str | None = None) -> ConvertedPage:
    """Convert a web page. ``declared`` is the encoding named outside the page, such as in a mail header."""
    parsed = parse_markup(content, declared)
    writer = MarkdownWriter()
    converter = HtmlToMarkdown(writer)
    if parsed.root is None:
        converter.convert_plain_text(parsed.text)
        return ConvertedPage(writer.text(), {}, parsed.warnings)
    metadata = _metadata(parsed.root)
    if "title" in metadata and next(parsed.root.iter(*_HEADINGS), None) is None:
        converter.builder.set_title(1, metadata["title"])
    converter.convert(parsed.root)
    return ConvertedPage(writer.text(), metadata, parsed.warnings)


def _metadata(root: Element) -> dict[str, str]:
    meta_tags: dict[str, str] = {}
    for meta in root.iter("{*}meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        value = " ".join((meta.get("content") or "").split())
        if name and value:
            meta_tags.setdefault(name, value)
    metadata = {
        field: meta_tags[name]
        for field, names in _META_NAMES.items()
        for name in reversed(names)
        if name in meta_tags
    }
    title = next((element for element in root.iter("{*}title") if _is_page_title(element)), None)
    title_text = (
        " ".join("".join(title.itertext()).split()) if title is not None else meta_tags.get("og:title", "")
    )
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    for link in root.iter("{*}link"):
        if (link.get("rel") or "").lower() == "canonical":
            metadata["url"] = (link.get("href") or "").strip()
    if not metadata.get("url", "").startswith(("http://", "https://")):
        metadata.pop("url", None)
    metadata = {"title": title_text, "language": language, **metadata}
    return {name: value for name, value in metadata.items() if value}


def _is_page_title(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and safe_xml.local_name(parent.tag).lower() in ("head", "html", "body")
