"""Mail: headers as fields, one of the texts, and names of attachments that nobody opened."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

from tests.support.reading import assert_sound, quiet, refusal
from towpath.model.content import Extraction
from towpath.providers.local.mail import read_mail


def letter(**headers: str) -> EmailMessage:
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


def test_headers_are_fields_that_point_at_their_words(tmp_path: Path) -> None:
    message = letter(subject="Größe der Schleuse 🚢", sender="Ada Größe <ada@example.com>")
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


def test_of_two_versions_the_plain_one_is_read_when_it_says_as_much(tmp_path: Path) -> None:
    message = letter()
    message.set_content("It leaks at the *lower* gate.")
    message.add_alternative("<p>It leaks at the <b>lower</b> gate.</p>", subtype="html")

    assert read(message, tmp_path).markdown.endswith("It leaks at the *lower* gate.")


def test_of_two_versions_the_page_is_read_when_the_plain_one_is_a_stub(tmp_path: Path) -> None:
    message = letter()
    message.set_content("View this in a browser.")
    rows = "".join(f"<tr><td>lock {n}</td><td>{n} EUR</td></tr>" for n in range(9))
    message.add_alternative(f"<table><tr><th>Lock</th><th>Fee</th></tr>{rows}</table>", subtype="html")

    text = read(message, tmp_path).markdown

    assert "| lock 8 | 8 EUR |" in text
    assert "browser" not in text


def test_attachments_are_named_and_not_read(tmp_path: Path) -> None:
    message = letter()
    message.set_content("See the plan.")
    message.add_attachment(b"secret bytes", maintype="application", subtype="pdf", filename="Plan für Bo.pdf")
    message.add_attachment("attached words", filename="notes.txt")
    inner = letter(subject="Fwd")
    inner.set_content("the forwarded words")
    message.add_attachment(inner)

    text = read(message, tmp_path).markdown

    assert text.endswith(
        "See the plan.\n\nAttachments:\n\n- Plan für Bo.pdf\n- notes.txt\n- (message/rfc822)"
    )
    assert "attached words" not in text
    assert "forwarded" not in text


def test_texts_in_odd_encodings_and_charsets(tmp_path: Path) -> None:
    head = b"From: a@b.c\r\nSubject: =?koi8-r?B?+8zA2g==?= =?bogus?Q?=41?=\r\nMIME-Version: 1.0\r\n"
    body = "Шлюз протекает у нижних ворот.".encode("koi8-r")
    plain = (
        head + b"Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + body
    )

    extraction = read(plain, tmp_path)

    assert "Шлюз протекает" in extraction.markdown
    assert extraction.fields[1].value.startswith("Шлюз")


def test_broken_base64_gives_what_can_be_had(tmp_path: Path) -> None:
    raw = b"From: a@b.c\nSubject: s\nContent-Transfer-Encoding: base64\n\nSGVsbG8g!!d29ybG\nQuLi4X"

    assert "Hello world" in read(raw, tmp_path).markdown


def test_flowing_text_is_joined_and_quotes_stay(tmp_path: Path) -> None:
    raw = b"From: a@b.c\nSubject: s\nContent-Type: text/plain; format=flowed\n\none \ntwo\n> three\n# four"

    assert read(raw, tmp_path).markdown.endswith("one two\n> three\n\\# four")


def test_a_message_of_endless_nesting_is_cut_short(tmp_path: Path) -> None:
    deep = b"From: a@b.c\nSubject: s\n"
    for number in range(20_000):
        deep += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (number, number)
    deep += b"Content-Type: text/plain\n\nlost words"

    assert read(deep, tmp_path).markdown.startswith("# s\n\n- **From:** a@b.c")


def test_a_message_of_endless_parts_is_cut_short_with_a_warning(tmp_path: Path) -> None:
    parts = b"".join(b"--b\nContent-Type: text/plain\n\npart %d\n" % number for number in range(50_000))
    raw = b'From: a@b.c\nSubject: s\nContent-Type: multipart/mixed; boundary="b"\n\n' + parts

    extraction = read(raw, tmp_path)

    assert "part 100" in extraction.markdown
    assert "part 40000" not in extraction.markdown
    assert "very many parts" in extraction.warnings[0]


def test_a_message_whose_parts_cannot_be_found_is_read_as_text(tmp_path: Path) -> None:
    raw = b'From: a@b.c\nSubject: s\nContent-Type: multipart/mixed; boundary="x"\n\n--y\n\nThe words.\n'

    assert read(raw, tmp_path).markdown.endswith("The words.")


def test_text_cannot_become_dangerous(tmp_path: Path) -> None:
    message = letter(subject="[x](javascript:alert(1)) <script>")
    message.set_content("<img src=x onerror=alert(1)>")

    text = read(message, tmp_path).markdown

    assert "](" not in text
    assert "\\<script>" in text
    assert "\\<img" in text


def test_messages_that_cannot_be_read(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"\n\n\n", b"From: a@b.c\n\n")):
        path = tmp_path / f"{number}.eml"
        path.write_bytes(content)
        assert refusal(read_mail, path).code == "empty"
