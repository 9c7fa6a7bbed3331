"""Tests of the mail reader: header fields, alternatives, attachment names, hostile messages."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.support.readers import assert_sound, quiet, rejection
from towpath.model.content import Extraction
from towpath.readers.mail.reader import read_mail


def message_with(**headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = headers.get("sender", "Ada Reed <ada@example.com>")
    message["To"] = "Bo Lind <bo@example.com>, crew@example.com"
    message["Date"] = "Tue, 05 Mar 2024 10:20:30 +0100"
    message["Subject"] = headers.get("subject", "The east lock")
    return message


def read(message: EmailMessage | bytes, tmp_path: Path) -> Extraction:
    path = tmp_path / "a.eml"
    path.write_bytes(message if isinstance(message, bytes) else bytes(message))
    extraction = read_mail(path, quiet)
    assert_sound(extraction)
    return extraction


def test_headers_are_fields_with_spans(tmp_path: Path) -> None:
    message = message_with(subject="Größe der Schleuse 🚢", sender="Ada Größe <ada@example.com>")
    message.set_content("Dear Bo,\n\nit leaks.\n")

    extraction = read(message, tmp_path)

    assert {field.name: field.value for field in extraction.fields} == {
        "From": "Ada Größe <ada@example.com>",
        "To": "Bo Lind <bo@example.com>, crew@example.com",
        "Date": "Tue, 05 Mar 2024 10:20:30 +0100",
        "Subject": "Größe der Schleuse 🚢",
    }
    for field in extraction.fields:
        assert extraction.markdown[field.start : field.end].replace("\\", "") == field.value
    assert extraction.markdown.startswith("# Größe der Schleuse 🚢\n\n- **From:** ")
    assert extraction.markdown.endswith("\n\nDear Bo,\n\nit leaks.")
    assert extraction.metadata["date"] == "2024-03-05T10:20:30+01:00"


def test_the_plain_alternative_is_read_if_it_is_as_long(tmp_path: Path) -> None:
    message = message_with()
    message.set_content("It leaks at the *lower* gate.")
    message.add_alternative("<p>It leaks at the <b>lower</b> gate.</p>", subtype="html")

    assert read(message, tmp_path).markdown.endswith("It leaks at the *lower* gate.")


def test_the_html_alternative_is_read_if_the_plain_one_is_a_stub(tmp_path: Path) -> None:
    message = message_with()
    message.set_content("View this in a browser.")
    rows = "".join(f"<tr><td>lock {n}</td><td>{n} EUR</td></tr>" for n in range(9))
    message.add_alternative(f"<table><tr><th>Lock</th><th>Fee</th></tr>{rows}</table>", subtype="html")

    text = read(message, tmp_path).markdown

    assert "| lock 8 | 8 EUR |" in text
    assert "browser" not in text


def test_attachments_are_listed_and_not_read(tmp_path: Path) -> None:
    message = message_with()
    message.set_content("See the plan.")
    message.add_attachment(b"secret bytes", maintype="application", subtype="pdf", filename="Plan für Bo.pdf")
    message.add_attachment("attached words", filename="notes.txt")
    inner = message_with(subject="Fwd")
    inner.set_content("the forwarded words")
    message.add_attachment(inner)

    text = read(message, tmp_path).markdown

    assert text.endswith(
        "See the plan.\n\nAttachments:\n\n- Plan für Bo.pdf\n- notes.txt\n- (message/rfc822)"
    )
    assert "attached words" not in text
    assert "forwarded" not in text


def test_unusual_encodings_and_charsets(tmp_path: Path) -> None:
    head = b"From: a@b.c\r\nSubject: =?koi8-r?B?+8zA2g==?= =?bogus?Q?=41?=\r\nMIME-Version: 1.0\r\n"
    body = "Шлюз протекает у нижних ворот.".encode("koi8-r")
    plain = (
        head + b"Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + body
    )

    extraction = read(plain, tmp_path)

    assert "Шлюз протекает" in extraction.markdown
    assert extraction.fields[1].value.startswith("Шлюз")


def test_broken_base64_is_decoded_as_far_as_possible(tmp_path: Path) -> None:
    raw = b"From: a@b.c\nSubject: s\nContent-Transfer-Encoding: base64\n\nSGVsbG8g!!d29ybG\nQuLi4X"

    assert "Hello world" in read(raw, tmp_path).markdown


def test_flowed_text_is_joined_and_quotes_are_kept(tmp_path: Path) -> None:
    raw = b"From: a@b.c\nSubject: s\nContent-Type: text/plain; format=flowed\n\none \ntwo\n> three\n# four"

    assert read(raw, tmp_path).markdown.endswith("one two\n> three\n\\# four")


@pytest.mark.slow
def test_deeply_nested_messages_are_truncated(tmp_path: Path) -> None:
    deep = b"From: a@b.c\nSubject: s\n"
    for number in range(20_000):
        deep += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (number, number)
    deep += b"Content-Type: text/plain\n\nlost words"

    assert read(deep, tmp_path).markdown.startswith("# s\n\n- **From:** a@b.c")


def test_messages_with_too_many_parts_are_truncated_with_a_warning(tmp_path: Path) -> None:
    parts = b"".join(b"--b\nContent-Type: text/plain\n\npart %d\n" % number for number in range(50_000))
    raw = b'From: a@b.c\nSubject: s\nContent-Type: multipart/mixed; boundary="b"\n\n' + parts

    extraction = read(raw, tmp_path)

    assert "part 100" in extraction.markdown
    assert "part 40000" not in extraction.markdown
    assert "Only the first 200 parts" in extraction.warnings[0]


def test_a_multipart_without_boundary_is_read_as_text(tmp_path: Path) -> None:
    raw = b'From: a@b.c\nSubject: s\nContent-Type: multipart/mixed; boundary="x"\n\n--y\n\nThe words.\n'

    assert read(raw, tmp_path).markdown.endswith("The words.")


def test_mail_text_is_escaped(tmp_path: Path) -> None:
    message = message_with(subject="[x](javascript:alert(1)) <script>")
    message.set_content("<img src=x onerror=alert(1)>")

    text = read(message, tmp_path).markdown

    assert "](" not in text
    assert "\\<script>" in text
    assert "\\<img" in text


def test_unreadable_messages_are_rejected(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"\n\n\n", b"From: a@b.c\n\n")):
        path = tmp_path / f"{number}.eml"
        path.write_bytes(content)
        assert rejection(read_mail, path).code == "empty"
