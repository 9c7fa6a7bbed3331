"""Detects text formats with a syntax of their own: FictionBook, notebooks, JSON, XML, YAML, LaTeX, subtitles."""

from __future__ import annotations

import re

_SUBRIP = re.compile(r"\s*\d+[ \t]*\r?\n[ \t]*\d+:\d{2}:\d{2}[,.]\d{1,3}[ \t]+-->")
_LATEX = re.compile(r"^[ \t]*\\documentclass\b", re.MULTILINE)
_XML_START = re.compile(r"\s*(?:<\?xml\b|<!DOCTYPE\s+(?!html)\w|<!--)", re.IGNORECASE)
_JSON_START = re.compile(r'\s*(?:\{\s*(?:"(?:[^"\\\\]|\\\\.)*"\s*:|\})|\[\s*[\[{"\d\-\]tfn])')
_YAML_START = re.compile(r"(?:#[^\n]*\n|[^\S\n]*\n)*+(?:---[ \t]*\n|%YAML)")
_YAML_LINE = re.compile(r"^(?:- |\s+\S|[\w.\-/\"']+:(?:\s|$)|#|---|\.\.\.|$)")
_JSON_SUFFIXES = (".json", ".geojson", ".jsonld", ".webmanifest")
_NO_SUFFIXES = ("", ".bin", ".dat", ".download", ".tmp", ".txt")


def structured_text_type(text: str, suffix: str) -> str | None:
    """The media type by content, where that is certain; else by content and suffix together."""
    if text.startswith("WEBVTT"):
        return "text/vtt"
    if _SUBRIP.match(text):
        return "application/x-subrip"
    if "<FictionBook" in text[:4096]:
        return "application/x-fictionbook+xml"
    if _JSON_START.match(text) and suffix in (".ipynb", *_JSON_SUFFIXES, *_NO_SUFFIXES):
        is_notebook = suffix == ".ipynb" or (
            '"cells"' in text and ('"nbformat"' in text or '"cell_type"' in text)
        )
        return "application/x-ipynb+json" if is_notebook else "application/json"
    if _XML_START.match(text) or (suffix == ".xml" and text.lstrip().startswith("<")):
        return "application/xml"
    if suffix in (".tex", ".latex", ".ltx") or (suffix in _NO_SUFFIXES and _LATEX.search(text)):
        return "text/x-tex"
    if suffix in (".yaml", ".yml") or (suffix in _NO_SUFFIXES and _is_yaml(text)):
        return "application/yaml"
    return None


def _is_yaml(text: str) -> bool:
    """True if a document mark begins the text and every line reads as YAML."""
    lines = text.split("\n")[:100]
    return (
        _YAML_START.match(text) is not None
        and len(lines) > 2
        and all(_YAML_LINE.match(line) for line in lines[:-1])
    )
