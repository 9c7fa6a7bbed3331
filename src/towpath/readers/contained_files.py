"""Writes the files inside a mail, a mailbox or an archive to one file, within limits. Runs in a child process.

The sandbox lets a child write only the file that it was given.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from towpath import rejections
from towpath.model.document import ContainedFile
from towpath.process_runner import Progress
from towpath.readers.reading_limits import reject_unreadable

# Values are ``module:function`` under ``towpath.readers``, as in the registry.
_CONTAINERS: Mapping[str, str] = {
    "message/rfc822": "mail.attachments:write_mail_members",
    "application/vnd.ms-outlook": "mail.msg_reader:write_msg_members",
    "application/mbox": "mail.mbox_reader:write_mbox_members",
    "application/zip": "archive.zip_reader:write_zip_members",
}
#: A member of this size is not a document that anybody reads.
_MAX_MEMBER_BYTES = 1 << 30
_MAX_TOTAL_BYTES = 4 << 30


@dataclass(slots=True)
class MemberWriter:
    """Writes the contained files one after the other; more than ``max_count`` of them reject the container."""

    target: IO[bytes]
    format_name: str
    max_count: int
    members: list[ContainedFile] = field(default_factory=list[ContainedFile])
    _total: int = 0

    def add(self, name: str, blocks: Iterator[bytes]) -> None:
        if len(self.members) >= self.max_count:
            raise rejections.too_large(self.format_name, f"it contains more than {self.max_count} files")
        digest, size = hashlib.sha256(), 0
        for block in blocks:
            size += len(block)
            if size > _MAX_MEMBER_BYTES or self._total + size > _MAX_TOTAL_BYTES:
                raise rejections.too_large(
                    self.format_name, "its files have more than 1 GB each or 4 GB together"
                )
            digest.update(block)
            self.target.write(block)
        if size:
            self.members.append(ContainedFile(name, self._total, size, digest.hexdigest()))
        self._total += size


def has_members(media_type: str) -> bool:
    """True for types whose files may contain other files."""
    return media_type in _CONTAINERS


@reject_unreadable
def write_members(
    path: str, media_type: str, target: str, max_count: int, progress: Progress
) -> list[ContainedFile]:
    """Write all files inside the file to ``target``, one after the other."""
    module, name = _CONTAINERS[media_type].split(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"towpath.readers.{module}"), name)
    with Path(target).open("wb") as file:
        writer = MemberWriter(file, "file", max_count)
        function(Path(path), writer, progress)
    return writer.members
