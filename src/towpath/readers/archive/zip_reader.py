"""Reads zip archives: a list of the files inside, each of which becomes a document of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.markdown_writer import escape_inline, remove_control_characters
from towpath.readers.common.safe_zip import Archive, open_archive
from towpath.readers.contained_files import MemberWriter

FORMAT_NAME = "zip archive"

_SYSTEM_NAMES = frozenset((".ds_store", "thumbs.db", "desktop.ini"))


def read_zip(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The names of the files inside as a list. Files of operating systems are left out."""
    with open_archive(path, FORMAT_NAME) as archive:
        names = _document_names(archive)
    if not names:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    lines = "\n".join(
        f"- {escape_inline(' '.join(remove_control_characters(name).split()))}" for name in names
    )
    return Extraction(markdown=f"Files in this archive:\n\n{lines}", engine="towpath-zip/1")


def write_zip_members(path: Path, writer: MemberWriter, progress: Callable[[int, int], None]) -> None:
    """Write each file inside. Limits apply to the measured sizes, so a zip bomb is rejected."""
    writer.format_name = FORMAT_NAME
    with open_archive(path, FORMAT_NAME) as archive:
        names = _document_names(archive)
        if len(names) > writer.max_count:
            raise rejections.too_large(FORMAT_NAME, f"it contains more than {writer.max_count} files")
        for number, name in enumerate(names, start=1):
            writer.add(name, _blocks(archive, name))
            progress(number, len(names))


def _document_names(archive: Archive) -> list[str]:
    return [name for name in archive.names() if not _is_system_file(name)]


def _is_system_file(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return "__MACOSX" in path.parts or path.name.casefold() in _SYSTEM_NAMES


def _blocks(archive: Archive, name: str) -> Iterator[bytes]:
    with archive.open_part(name) as part:
        while block := part.read():
            yield block
