"""Small files that try to expand, to nest without end or to read other files: each is read or rejected at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.mails import zipped
from tests.support.open_documents import open_document
from tests.support.readers import Reader, quiet
from towpath.errors import Rejected
from towpath.readers.fb2.reader import read_fb2
from towpath.readers.latex.reader import read_latex
from towpath.readers.mail.reader import read_mail
from towpath.readers.opendocument.reader import read_odt
from towpath.readers.reading_limits import reject_unreadable
from towpath.readers.rtf.reader import read_rtf
from towpath.readers.structured_text.reader import read_json, read_notebook, read_xml, read_yaml

_DEEP = 50_000
_ENTITIES = "<!DOCTYPE x [<!ENTITY a0 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12)
)
_BOMB = f"{_ENTITIES}]>"
_EXTERNAL = "<!DOCTYPE x [<!ENTITY a11 SYSTEM 'file:///etc/passwd'>]>"
_BOOK = "<FictionBook xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'><body><section>{}</section></body></FictionBook>"


def _text_document(doctype: str, encoding: str = "utf-8") -> bytes:
    """An OpenDocument text with this document type, whose text refers to its last entity."""
    content = (
        f"<?xml version='1.0' encoding='{encoding}'?>{doctype}<office:document-content "
        "xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
        "xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><office:body><office:text>"
        "<text:p text:style-name='&a11;'>&a11;</text:p></office:text></office:body></office:document-content>"
    )
    return zipped(
        {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": content.encode(encoding)}
    )


def _nested(start: str, end: str) -> str:
    return start * _DEEP + "lock" + end * _DEEP


FILES: dict[str, tuple[Reader, Callable[[], bytes]]] = {
    "entities.odt": (read_odt, lambda: _text_document(_BOMB)),
    "entities in UTF-16.odt": (read_odt, lambda: _text_document(_BOMB, "utf-16")),
    "external.odt": (read_odt, lambda: _text_document(_EXTERNAL, "utf-16")),
    "entities.fb2": (read_fb2, lambda: (_BOMB + _BOOK.format("<p>&a11;</p>")).encode()),
    "entities in UTF-16.fb2": (
        read_fb2,
        lambda: (_BOMB + _BOOK.format("<p id='&a11;'>x</p>")).encode("utf-16"),
    ),
    "external.fb2": (read_fb2, lambda: (_EXTERNAL + _BOOK.format("<p>&a11;</p>")).encode()),
    "nested.fb2": (read_fb2, lambda: _BOOK.format(_nested("<section>", "</section>")).encode()),
    "nested.odt": (read_odt, lambda: open_document("text", _nested("<text:section>", "</text:section>"))),
    "entities.xml": (read_xml, lambda: (_BOMB + "<x>&a11;</x>").encode()),
    "aliases.yaml": (
        read_yaml,
        lambda: "\n".join(
            ["a0: &a0 [x]", *(f"a{n}: &a{n} [{f'*a{n - 1},' * 9}]" for n in range(1, 30))]
        ).encode(),
    ),
    "nested.json": (read_json, lambda: _nested("[", "]").replace("lock", "1").encode()),
    "digits.json": (read_json, lambda: b'{"lock": ' + b"9" * 200_000 + b"}"),
    "names.json": (
        read_json,
        lambda: json.dumps(
            [{f"n{n}": 1 for n in range(20_000)}, {f"m{n}": 1 for n in range(20_000)}]
        ).encode(),
    ),
    "nested.ipynb": (
        read_notebook,
        lambda: ('{"cells": ' + _nested("[", "]").replace("lock", "") + "}").encode(),
    ),
    "nested.rtf": (read_rtf, lambda: ("{\\rtf1 " + _nested("{", "}") + "}").encode()),
    "nested.tex": (
        read_latex,
        lambda: (
            "\\documentclass{a}\\begin{document}" + _nested("\\textbf{", "}") + "\\end{document}"
        ).encode(),
    ),
    "lists.tex": (
        read_latex,
        lambda: (
            "\\documentclass{a}\\begin{document}" + _nested("\\begin{itemize}\\item ", "\\end{itemize}")
        ).encode(),
    ),
    "nested.eml": (
        read_mail,
        lambda: b"".join(
            b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3_000)
        ),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_read_or_rejected_and_does_not_grow(tmp_path: Path, name: str) -> None:
    reader, make = FILES[name]
    path = tmp_path / "file"
    path.write_bytes(make())
    text = _text_or_reason(reject_unreadable(reader), path)
    assert text
    assert "root:" not in text, "the file shows /etc/passwd"
    assert len(text) < 100_000 + 20 * path.stat().st_size


def _text_or_reason(reader: Reader, path: Path) -> str:
    try:
        return reader(path, quiet).markdown
    except Rejected as rejection:
        return str(rejection)
