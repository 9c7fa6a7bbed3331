"""Mails and archives with files inside, made for the tests."""

from __future__ import annotations

import io
import mailbox
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path


def mail(subject: str, text: str) -> EmailMessage:
    """A plain message from one person to another."""
    message = EmailMessage()
    message["From"] = "Ada Reed <ada@canal.example>"
    message["To"] = "Tom Lock <tom@canal.example>"
    message["Date"] = "Tue, 05 Mar 2024 08:00:00 +0000"
    message["Message-ID"] = f"<{abs(hash(subject)) % 10_000}@canal.example>"
    message["Subject"] = subject
    message.set_content(text)
    return message


def attach(message: EmailMessage, name: str, content: bytes, media_type: str) -> EmailMessage:
    main, _, sub = media_type.partition("/")
    message.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return message


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive whose bytes depend on its files only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 3, 5, 8, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def mailbox_file(path: Path, *messages: EmailMessage) -> bytes:
    box = mailbox.mbox(path)
    for message in messages:
        box.add(message)
    box.close()
    return path.read_bytes()
