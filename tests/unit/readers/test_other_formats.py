"""Tests of FictionBook, OpenDocument and Outlook messages: what programs write in everyday files."""

from __future__ import annotations

from pathlib import Path

from tests.support.compound_files import outlook_message
from tests.support.mails import zipped
from tests.support.readers import quiet, rejection
from towpath.readers.fb2.reader import read_fb2
from towpath.readers.mail.msg_reader import read_msg
from towpath.readers.opendocument.reader import read_odt


def test_a_style_inside_a_paragraph_does_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "a.fb2"
    path.write_text(
        "<FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'><body><section><p>One "
        "<style name='foreign'>deux</style> three.</p></section></body></FictionBook>"
    )

    assert read_fb2(path, quiet).markdown == "One deux three."


def test_an_encrypted_text_is_rejected_as_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(
        zipped(
            {
                "mimetype": b"application/vnd.oasis.opendocument.text",
                "content.xml": b"\x8f\x12\x00secret",
                "META-INF/manifest.xml": b"<manifest><encryption-data/></manifest>",
            }
        )
    )

    assert rejection(read_odt, path).code == "encrypted"


def test_the_sender_of_a_message_has_no_path_of_an_exchange_server(tmp_path: Path) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(
        outlook_message("Gate", "Closed.", {}).replace(
            "Ada Reed".encode("utf-16-le"), "Ada /o=X".encode("utf-16-le")
        )
    )

    assert read_msg(path, quiet).metadata["authors"].strip('"') == "Ada"
