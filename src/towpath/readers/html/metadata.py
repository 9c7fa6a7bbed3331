"""Metadata of a web page: title, authors, date and site, from its <meta> tags, JSON-LD and <title>."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element

# Names of <meta> tags per metadata field; the first one that a page has is used.
_META_NAMES = {
    "authors": (
        "author",
        "citation_author",
        "dc.creator",
        "dcterms.creator",
        "parsely-author",
        "article:author",
    ),
    "description": ("description", "og:description", "dc.description"),
    "keywords": ("keywords",),
    "date": (
        "article:published_time",
        "datepublished",
        "parsely-pub-date",
        "date",
        "dc.date",
        "dcterms.created",
        "citation_publication_date",
    ),
    "publisher": ("og:site_name", "dc.publisher", "citation_publisher", "application-name"),
    "url": ("og:url",),
}
_ARTICLE_TYPE = re.compile(r"\w*(?:Article|Posting|Report|WebPage)")
_SEPARATOR = re.compile(r"(?<=\S)\s+(?:[-–—|·•:»]|::)\s+")
_MAX_JSON_LENGTH = 1 << 20
_MAX_JSON_NODES = 1_000
_ADDRESS = ("http://", "https://")


def page_metadata(root: Element) -> dict[str, str]:
    """The metadata of the page's head; empty values are left out."""
    meta_tags: dict[str, str] = {}
    for meta in root.iter("{*}meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").lower()
        value = " ".join((meta.get("content") or "").split())
        if name and value:
            meta_tags.setdefault(name, value)
    metadata = _json_ld(root)
    for field, names in _META_NAMES.items():
        value = next((meta_tags[name] for name in names if name in meta_tags), "")
        # Some sites give the address of a profile as the author.
        if value and not (field == "authors" and value.startswith(_ADDRESS)):
            metadata[field] = value
    for link in root.iter("{*}link"):
        if (link.get("rel") or "").lower() == "canonical":
            metadata["url"] = (link.get("href") or "").strip()
    if not metadata.get("url", "").startswith(_ADDRESS):
        metadata.pop("url", None)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    title = _without_site(_title(root, meta_tags), metadata.get("publisher", ""), root)
    metadata = {"title": title, "language": language, **metadata}
    return {name: value for name, value in metadata.items() if value}


def _title(root: Element, meta_tags: dict[str, str]) -> str:
    """``og:title`` if <title> is the same with the name of the site added, or missing; else <title>."""
    element = next((element for element in root.iter("{*}title") if _is_page_title(element)), None)
    title = " ".join("".join(element.itertext()).split()) if element is not None else ""
    shared = meta_tags.get("og:title", "")
    return shared if shared and (not title or shared.casefold() in title.casefold()) else title


def _without_site(title: str, site: str, root: Element) -> str:
    """The title without the name of the site, if the page names the site, or has the rest as its main heading."""
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title
    headings = {" ".join("".join(heading.itertext()).split()).casefold() for heading in root.iter("{*}h1")}
    for separator in reversed(separators):
        before, after = title[: separator.start()], title[separator.end() :]
        if before.casefold() in headings or (site and after.casefold() == site.casefold()):
            return before
        if after.casefold() in headings:
            return after
    return title


def _is_page_title(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and safe_xml.local_name(parent.tag).lower() in ("head", "html", "body")


def _json_ld(root: Element) -> dict[str, str]:
    """Authors, date and publisher of the first article that the page describes as JSON-LD."""
    for script in root.iter("{*}script"):
        if (script.get("type") or "").lower() != "application/ld+json":
            continue
        try:
            data: object = json.loads((script.text or "")[:_MAX_JSON_LENGTH], strict=False)
        except (ValueError, RecursionError):
            continue
        for node in _nodes(data):
            if _ARTICLE_TYPE.fullmatch(_first_text(node.get("@type"))) and "datePublished" in node:
                return {
                    "authors": "; ".join(filter(None, _names(node.get("author")))),
                    "date": _first_text(node.get("datePublished")),
                    "publisher": "; ".join(filter(None, _names(node.get("publisher")))),
                }
    return {}


def _nodes(data: object) -> Iterator[dict[str, Any]]:
    """The objects of the JSON, outer ones first, up to ``_MAX_JSON_NODES``."""
    queue: list[object] = [data]
    for _ in range(_MAX_JSON_NODES):
        if not queue:
            return
        node = queue.pop(0)
        if isinstance(node, list):
            queue.extend(cast("list[object]", node))
        elif isinstance(node, dict):
            values = cast("dict[str, Any]", node)
            yield values
            queue.extend(values.values())


def _names(value: object) -> list[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [
        _first_text(cast("dict[str, Any]", item).get("name")) if isinstance(item, dict) else _first_text(item)
        for item in values
    ]


def _first_text(value: object) -> str:
    if isinstance(value, list):
        value = next(iter(cast("list[object]", value)), "")
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return "" if text.startswith(_ADDRESS) else text
