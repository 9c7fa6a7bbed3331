"""Reads mailbox files (mbox): a list of the messages inside, each of which becomes a document of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email.message import Message
from email.parser import BytesHeaderParser
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.markdown_writer import escape_inline
from towpath.readers.contained_files import MemberWriter
from towpath.readers.mail.reader import header_text

FORMAT_NAME = "mailbox"

_SEPARATOR = re.compile(rb"From \S.*\d{4}")
_QUOTED_FROM = re.compile(rb">+From ")
_MAX_LINE_BYTES = 1 << 20
_MAX_HEADER_BYTES = 1 << 18
_MAX_LISTED = 5_000


def read_mbox(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The subjects of the messages as a list."""
    lines: list[str] = []
    for message in _messages(path):
        head = b""
        for line in message:
            if not line.strip(b"\r\n") or len(head) > _MAX_HEADER_BYTES:
                break
            head += line
        lines.append(f"- {escape_inline(_summary(BytesHeaderParser().parsebytes(head)))}")
        if len(lines) >= _MAX_LISTED:
            break
    if not lines:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    return Extraction(markdown="Messages in this mailbox:\n\n" + "\n".join(lines), engine="towpath-mbox/1")


def write_mbox_members(path: Path, writer: MemberWriter, progress: Callable[[int, int], None]) -> None:
    """Write each message as a file."""
    writer.format_name = FORMAT_NAME
    for number, message in enumerate(_messages(path), start=1):
        writer.add(f"message {number}.eml", message)
        progress(number, number)


def _summary(headers: Message) -> str:
    subject = header_text(headers, "Subject") or "(no subject)"
    details = ", ".join(filter(None, (header_text(headers, "From"), header_text(headers, "Date"))))
    return f"{subject} ({details})" if details else subject


def _messages(path: Path) -> Iterator[Iterator[bytes]]:
    """Yield the lines of each message; the rest of a message that was not read to its end is skipped."""
    with path.open("rb") as file:
        pending: list[bytes] = []

        def lines() -> Iterator[bytes]:
            after_blank = False
            while line := file.readline(_MAX_LINE_BYTES):
                if after_blank and _SEPARATOR.match(line):
                    pending.append(line)
                    return
                after_blank = not line.strip(b"\r\n")
                yield line[1:] if _QUOTED_FROM.match(line) else line

        first = file.readline(_MAX_LINE_BYTES)
        if not first.startswith(b"From "):
            return
        pending.append(first)
        while pending:
            pending.clear()
            message = lines()
            yield message
            for _ in message:
                pass
