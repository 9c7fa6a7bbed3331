"""Originals are served so that no browser runs them, and crafted cursors are refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import open_api_client
from tests.support.databases import PostgresServer

ACTIVE = {
    "page.html": b"<!doctype html><html><body><script>alert(1)</script>Hello there.</body></html>",
    "drawing.svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "page.xhtml": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>',
    "style.xml": b'<?xml version="1.0"?><?xml-stylesheet href="x.xsl" type="text/xsl"?><a>text</a>',
    "polyglot.txt": b"<html><script>alert(1)</script></html>",
    "letter.pdf": b"%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj",
    "mail.eml": b"From: a@b.c\nSubject: x\nContent-Type: text/html\n\n<script>alert(1)</script>",
}
INLINE = (
    "application/pdf",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/",
    "video/",
    "text/plain",
)


@pytest.mark.parametrize("name", ACTIVE)
async def test_no_original_runs_in_the_browser(tmp_path: Path, name: str) -> None:
    async with open_api_client(tmp_path / "data", with_worker=False) as client:
        document = await client.upload(name, ACTIVE[name])
        for method in ("GET", "HEAD"):
            answer = await client.http.request(method, f"/documents/{document['id']}/original")
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["content-security-policy"].startswith("sandbox;")
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            media_type = answer.headers["content-type"]
            disposition = answer.headers["content-disposition"]
            if disposition.startswith("inline"):
                assert media_type.startswith(INLINE), media_type
            else:
                assert disposition.startswith("attachment")
                assert media_type == "application/octet-stream"
            assert not media_type.startswith(("text/html", "image/svg", "application/xhtml", "text/xml"))


def _cursor(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


CURSORS = [
    _cursor(["2024-01-01T00:00:00+00:00", "no id"]),
    _cursor(["2024-01-01", {"a": 1}]),
    _cursor(["0001-01-01T00:00:00+14:00", "00000000-0000-7000-8000-000000000001"]),
    _cursor(["9999-12-31T23:59:59-14:00", "00000000-0000-7000-8000-000000000001"]),
    _cursor(["2024-01-01T00:00:00+00:00", None]),
    _cursor(["2024-01-01T00:00:00+00:00", 7]),
    _cursor([1, 2]),
    _cursor({"a": 1, "b": 2}),
    _cursor("ab"),
    _cursor(["2024-01-01T00:00:00+00:00", "\x00"]),
    "[" * 400,
    base64.urlsafe_b64encode(b"[" * 300).decode(),
    "%00",
    "é",
    "a",
    "",
]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
async def test_a_crafted_cursor_is_refused(
    tmp_path: Path, engine: str, request: pytest.FixtureRequest
) -> None:
    settings: dict[str, Any] = {}
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        settings["database"] = server.create_migrated()
    async with open_api_client(tmp_path / "data", with_worker=False, **settings) as client:
        for cursor in CURSORS:
            answer = await client.http.get("/documents", params={"cursor": cursor})
            assert answer.status_code in (400, 422), (cursor, answer.text)
        naive = _cursor(["2024-01-01T00:00:00", "00000000-0000-7000-8000-000000000001"])
        assert (await client.http.get("/documents", params={"cursor": naive})).status_code in (200, 400)
