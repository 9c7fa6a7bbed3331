"""The workbook part: which sheets there are, in order, and in which parts they live."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.providers.local import ooxml, xml
from towpath.providers.local.zips import Archive

WHAT = "Excel workbook"


@dataclass(frozen=True, slots=True)
class Sheet:
    name: str
    part: str


@dataclass(frozen=True, slots=True)
class Workbook:
    sheets: tuple[Sheet, ...]
    strings: str | None
    styles: str | None
    counts_from_1904: bool


def open_workbook(archive: Archive) -> Workbook:
    part = ooxml.main_part(archive, "xl/workbook.xml")
    links = ooxml.relationships(archive, part)
    root = xml.parse(archive.read(part), WHAT, part)
    sheets: list[Sheet] = []
    for element in root.iter("{*}sheet"):
        link = ooxml.linked(element, links)
        if link is not None and link.kind == "worksheet" and link.target in archive:
            sheets.append(Sheet(element.get("name") or f"Sheet {len(sheets) + 1}", link.target))
    facts = next(root.iter("{*}workbookPr"), None)
    early = facts is not None and (facts.get("date1904") or "") in ("1", "true", "on")
    strings, styles = ooxml.related(links, "sharedStrings"), ooxml.related(links, "styles")
    return Workbook(tuple(sheets), strings, styles, early)
