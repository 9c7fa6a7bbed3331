"""Web pages: the visible text as markdown, and what the page says of itself in its head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from towpath.model.content import Extraction
from towpath.providers.local import refusals, xml
from towpath.providers.local.files import read_whole
from towpath.providers.local.markdown import Writer
from towpath.providers.local.markup import Walker
from towpath.providers.local.tree import parse_tree
from towpath.providers.local.xml import Element

WHAT = "web page"
ENGINE = "towpath-html/1"

_LARGEST = 50 << 20
_HEADINGS = tuple(f"{{*}}h{level}" for level in range(1, 7))
# The first of these that a page carries is taken.
_FACTS = {
    "authors": ("author", "article:author", "citation_author", "dc.creator", "dcterms.creator"),
    "description": ("description", "og:description", "dc.description"),
    "keywords": ("keywords",),
    "date": ("article:published_time", "date", "dc.date", "dcterms.created", "citation_publication_date"),
    "publisher": ("og:site_name", "dc.publisher", "citation_publisher"),
    "url": ("og:url",),
}


@dataclass(frozen=True, slots=True)
class WebText:
    markdown: str
    metadata: dict[str, str]
    warnings: tuple[str, ...]


def read_html(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The page in one piece; a page without headings gets its title as one."""
    page = web_text(read_whole(path, WHAT, _LARGEST))
    if not page.markdown.strip():
        raise refusals.empty(WHAT)
    progress(1, 1)
    return Extraction(markdown=page.markdown, engine=ENGINE, metadata=page.metadata, warnings=page.warnings)


def web_text(content: bytes, declared: str | None = None) -> WebText:
    """What a reader of the page sees. ``declared`` is the encoding that the bytes came with, if any."""
    tree = parse_tree(content, declared)
    writer = Writer()
    walker = Walker(writer)
    if tree.root is None:
        walker.plain(tree.text)
        return WebText(writer.text(), {}, tree.warnings)
    metadata = _metadata(tree.root)
    if "title" in metadata and next(tree.root.iter(*_HEADINGS), None) is None:
        walker.composer.announce(1, metadata["title"])
    walker.walk(tree.root)
    return WebText(writer.text(), metadata, tree.warnings)


def _metadata(root: Element) -> dict[str, str]:
    stated: dict[str, str] = {}
    for meta in root.iter("{*}meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        value = " ".join((meta.get("content") or "").split())
        if name and value:
            stated.setdefault(name, value)
    found = {
        fact: stated[name] for fact, names in _FACTS.items() for name in reversed(names) if name in stated
    }
    title = next((element for element in root.iter("{*}title") if _is_of_head(element)), None)
    words = " ".join("".join(title.itertext()).split()) if title is not None else stated.get("og:title", "")
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    for link in root.iter("{*}link"):
        if (link.get("rel") or "").lower() == "canonical":
            found["url"] = (link.get("href") or "").strip()
    if not found.get("url", "").startswith(("http://", "https://")):
        found.pop("url", None)
    found = {"title": words, "language": language, **found}
    return {name: value for name, value in found.items() if value}


def _is_of_head(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and xml.local_name(parent.tag).lower() in ("head", "html", "body")
