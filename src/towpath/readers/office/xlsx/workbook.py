"""Parses the workbook part: the sheets in order, and the parts that contain them."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_zip import Archive
from towpath.readers.office import ooxml

FORMAT_NAME = "Excel workbook"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One worksheet and the path of its part."""

    name: str
    part: str


@dataclass(frozen=True, slots=True)
class Workbook:
    """The sheets, the parts of shared strings and styles, and the date system."""

    sheets: tuple[Sheet, ...]
    strings_part: str | None
    styles_part: str | None
    date_1904: bool


def open_workbook(archive: Archive) -> Workbook:
    """Parse the workbook part; chart sheets are omitted."""
    part = ooxml.main_part(archive, "xl/workbook.xml")
    relationships = ooxml.relationships(archive, part)
    root = safe_xml.parse_part(archive.read(part), FORMAT_NAME, part)
    sheets: list[Sheet] = []
    for element in root.iter("{*}sheet"):
        relationship = ooxml.referenced_relationship(element, relationships)
        if relationship is not None and relationship.kind == "worksheet" and relationship.target in archive:
            sheets.append(Sheet(element.get("name") or f"Sheet {len(sheets) + 1}", relationship.target))
    properties = next(root.iter("{*}workbookPr"), None)
    date_1904 = properties is not None and (properties.get("date1904") or "") in ("1", "true", "on")
    strings, styles = (
        ooxml.related_part(relationships, "sharedStrings"),
        ooxml.related_part(relationships, "styles"),
    )
    return Workbook(tuple(sheets), strings, styles, date_1904)
