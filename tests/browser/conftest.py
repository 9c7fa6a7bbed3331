"""Fixtures of the browser tests: a browser, a working server, and a server whose worker is idle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.document_states import IDLE_WORKER, LONG_DEADLINE, DocumentStateBuilder
from tests.browser.page_driver import FLAGS, ROOT, PageDriver, find_chromium, open_page
from tests.support.servers import Client, Server

sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="package")
def built_page() -> None:
    """Builds the page if its sources have changed."""
    import build_page

    build_page.build()


# Package scope, not session: while Playwright is open its event loop counts as running, which breaks async tests.
@pytest.fixture(scope="package")
def browser(built_page: None) -> Iterator[Browser]:
    chromium = find_chromium()
    assert chromium is not None, "These tests need Chromium: apt-get install chromium."
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=list(FLAGS)) as launched,
    ):
        yield launched


@pytest.fixture(scope="package")
def server(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a working worker."""
    with Server(tmp_path_factory.mktemp("working") / "data", settings=LONG_DEADLINE) as running:
        yield running


@pytest.fixture(scope="package")
def states(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentStateBuilder]:
    """A server with an idle worker, and a builder for the states of its documents."""
    with Server(tmp_path_factory.mktemp("idle") / "data", settings=IDLE_WORKER) as running:
        yield DocumentStateBuilder(running.data, Client(running.url))


@pytest.fixture
def driver(browser: Browser, server: Server) -> Iterator[PageDriver]:
    """A page of the working server."""
    with open_page(browser, server.url) as opened:
        yield opened


@pytest.fixture
def idle_driver(browser: Browser, states: DocumentStateBuilder) -> Iterator[PageDriver]:
    """A page of the server with the idle worker."""
    with open_page(browser, str(states.client.http.base_url).rstrip("/")) as opened:
        yield opened


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """The folder of screenshots that are not for the documentation."""
    return tmp_path
