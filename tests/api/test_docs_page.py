"""The API reference at /docs is served from the wheel, inside the CSP, without requests to other origins."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from tests.support.api_client import open_api_client


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with open_api_client(tmp_path / "data", with_worker=False) as client:
        yield client.http


class _Page(HTMLParser):
    """Collects the addresses that a page loads and the scripts and styles written into it."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self.addresses += [value for name, value in attrs if name in ("src", "href") and value]
        self.inline += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_data(self, data: str) -> None:
        if self._tag in ("script", "style") and data.strip():
            self.inline.append(data)


def _parse(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    return page


async def test_the_page_loads_only_files_of_the_same_origin(http: httpx.AsyncClient) -> None:
    response = await http.get("/docs")
    page = _parse(response.text)

    assert response.status_code == 200
    assert {"docs/docs.js", "docs/docs.css", "openapi.json"} == set(page.addresses)
    for address in page.addresses:
        assert (await http.get(f"/{address}")).status_code == 200, address
    for name in ("docs.js", "docs.css"):
        assert not re.search(r"https?:|//\w+\.|@import", (await http.get(f"/docs/{name}")).text)


@pytest.mark.parametrize("path", ["/docs", "/docs/docs.js", "/openapi.json"])
async def test_it_is_served_with_the_content_security_policy(http: httpx.AsyncClient, path: str) -> None:
    policy = (await http.get(path)).headers["content-security-policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


async def test_it_has_no_inline_scripts_or_styles(http: httpx.AsyncClient) -> None:
    assert _parse((await http.get("/docs")).text).inline == []


async def test_python_files_are_not_served(http: httpx.AsyncClient) -> None:
    assert (await http.get("/docs/__init__.py")).status_code == 404


async def test_the_pages_of_fastapi_are_off(http: httpx.AsyncClient) -> None:
    assert (await http.get("/redoc")).status_code == 404
