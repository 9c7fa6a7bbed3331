"""Each format goes through all stages to a search hit at the right place."""

from __future__ import annotations

import json
from collections.abc import Callable
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient
from tests.support.compound_files import outlook_message
from tests.support.old_office import SlideText, presentation_file
from tests.support.open_documents import open_document, sheet, slide

SAMPLES = Path(__file__).parent.parent / "data" / "formats"
QUERY = "wooden paddles of the upper lock"
SENTENCE = "The upper lock has wooden paddles."
_HEADINGS = (
    "<text:h text:outline-level='1'>Boats</text:h><text:p>Marie carries grain.</text:p>"
    f"<text:h text:outline-level='2'>Locks</text:h><text:p>{SENTENCE}</text:p>"
)
_NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Boats\n", "\n", "## Locks\n", "\n", SENTENCE]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["1\n"]}]},
    ],
    "metadata": {},
    "nbformat": 4,
}
_BOOK = (
    '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><title><p>Boats'
    f"</p></title><p>Marie.</p></section><section><title><p>Locks</p></title><p>{SENTENCE}</p></section></body></FictionBook>"
)


def _web_archive() -> bytes:
    message = MIMEMultipart("related")
    message["From"] = "<Saved by Blink>"
    message["Snapshot-Content-Location"] = "https://canal.example/locks"
    message.attach(MIMEText(f"<html><body><h1>Locks</h1><p>{SENTENCE}</p></body></html>", "html"))
    return message.as_bytes()


def _page(number: int) -> Callable[[Any], bool]:
    return lambda anchor: anchor["page"] <= number <= anchor.get("page_end", anchor["page"])


def _heading(*path: str) -> Callable[[Any], bool]:
    return lambda anchor: anchor["heading_path"][-len(path) :] == list(path)


def _anywhere(anchor: Any) -> bool:
    return anchor["start"] >= 0


CASES: dict[str, tuple[bytes, str, Callable[[Any], bool]]] = {
    "boats.odt": (open_document("text", _HEADINGS), "application/vnd.oasis.opendocument.text", _heading("Locks")),
    "boats.odp": (
        open_document("presentation", slide("Boats", "Marie carries grain.") + slide("Locks", SENTENCE)),
        "application/vnd.oasis.opendocument.presentation",
        _page(2),
    ),
    "boats.ods": (
        open_document(
            "spreadsheet",
            sheet("Boats", ("Boat", "Cargo"), ("Marie", "grain"))
            + sheet("Locks", ("Lock", "Part"), ("upper", "wooden paddles")),
        ),
        "application/vnd.oasis.opendocument.spreadsheet",
        _page(2),
    ),
    "boats.xls": ((SAMPLES / "boats.xls").read_bytes(), "application/vnd.ms-excel", _page(1)),
    "boats.doc": ((SAMPLES / "boats.doc").read_bytes(), "application/msword", _heading("Locks")),
    "boats.ppt": (
        presentation_file([[SlideText(0, [("Boats", 0)])], [SlideText(1, [(SENTENCE, 0)])]]),
        "application/vnd.ms-powerpoint",
        _page(2),
    ),
    "boats.rtf": (b"{\\rtf1\\ansi Marie.\\par The upper lock has wooden paddles.\\par}", "application/rtf", _anywhere),
    "gate.msg": (outlook_message("Gate", SENTENCE, {}), "application/vnd.ms-outlook", _heading("Gate")),
    "boats.fb2": (_BOOK.encode(), "application/x-fictionbook+xml", _page(2)),
    "boats.ipynb": (json.dumps(_NOTEBOOK).encode(), "application/x-ipynb+json", _heading("Boats", "Locks")),
    "boats.json": (b'{"locks": [{"upper lock": "wooden paddles"}]}', "application/json", _anywhere),
    "boats.yaml": (b"locks:\n  upper lock: wooden paddles\n", "application/yaml", _anywhere),
    "boats.xml": (b'<?xml version="1.0"?><upper>lock with wooden paddles</upper>', "application/xml", _anywhere),
    "boats.tex": (
        b"\\documentclass{article}\\begin{document}\\section{Boats}Marie.\\section{Locks}The upper lock has wooden "
        b"paddles.\\end{document}",
        "text/x-tex",
        _heading("Locks"),
    ),
    "talk.srt": (
        b"1\n00:00:01,000 --> 00:00:03,000\nWelcome\n\n"
        b"2\n00:01:05,000 --> 00:01:08,000\nThe upper lock has wooden paddles\n",
        "application/x-subrip",
        _page(2),
    ),
    "talk.vtt": (b"WEBVTT\n\n00:01.000 --> 00:03.000\nThe upper lock has wooden paddles\n", "text/vtt", _page(1)),
    "locks.mhtml": (_web_archive(), "application/x-mimearchive", _heading("Locks")),
    "notes.md": (f"---\nstatus: draft\n---\n# Locks\n\n{SENTENCE}\n".encode(), "text/markdown", _heading("Locks")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_a_file_is_found_at_the_right_place(client: ApiClient, name: str) -> None:
    content, media_type, is_right_place = CASES[name]

    document = await client.upload(name, content)
    await client.wait_until_finished(document["id"])
    hits = (await client.get("/search", q=QUERY))["hits"]

    assert document["media_type"] == media_type
    assert hits, (await client.get(f"/documents/{document['id']}/status"))["error"]
    assert is_right_place(hits[0]["anchor"]), hits[0]["anchor"]


async def test_front_matter_becomes_fields(client: ApiClient) -> None:
    document = await client.upload("notes.md", CASES["notes.md"][0])
    await client.wait_until_finished(document["id"])

    fields = {
        field["name"]: field["value"] for field in await client.get(f"/documents/{document['id']}/fields")
    }

    assert fields["status"] == "draft"


async def test_the_full_text_of_a_web_page_is_read_on_request(client: ApiClient) -> None:
    sentences = "".join(
        f"<p>On day {n} the keeper of the lock measured the water at both gates.</p>" for n in range(9)
    )
    page = (
        f"<html><body><nav><a href='/'>Jump to content</a></nav><article>{sentences}</article></body></html>"
    )
    document = await client.upload("page.html", page.encode())
    await client.wait_until_finished(document["id"])
    path = f"/documents/{document['id']}"
    before = (await client.http.get(f"{path}/content")).text

    await client.http.post(f"{path}/runs", json={"full_text": True})
    await client.wait_until_finished(document["id"])

    assert "Jump to content" not in before
    assert "Jump to content" in (await client.http.get(f"{path}/content")).text
