"""Formats the results of a search as the lines that `towpath search` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from towpath.cli.status_text import anchor_text, counted
from towpath.cli.text_format import short_id


def search_lines(results: Mapping[str, Any], query: str, *, group: bool) -> list[str]:
    """The hits, each with its place and snippet, and how many there are."""
    suggestion = [f'Did you mean "{results["did_you_mean"]}"?'] if results["did_you_mean"] else []
    if not results["hits"]:
        return [f'No results for "{query}".', *suggestion]
    lines: list[str] = []
    for hit in results["hits"]:
        place = ", ".join(filter(None, [hit["document_name"], anchor_text(hit["anchor"])]))
        lines.append(f"{short_id(hit['document_id'])}  {place}")
        lines.append(f"  {' '.join(hit['snippet'].split())}")
        if hit["more_in_document"]:
            lines.append(f"  {hit['more_in_document']:,} more in this document")
    shown = len(results["hits"])
    count = results["documents"] if group else results["total"]
    if count > shown:
        at_least = "" if group or results["exact_total"] else "at least "
        lines.append(f"{shown} of {at_least}{counted(count, 'document' if group else 'passage')}")
    return [*lines, *suggestion]
