"""A browser, a server that works, and a server whose documents stand still, shared by the stories here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.theatre import IDLE, PATIENT, Stage
from tests.browser.watching import FLAGS, ROOT, Reader, find_chromium, reading
from tests.support.servers import Client, Server

sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="package")
def built_page() -> None:
    """The page as the sources have it now."""
    import build_page

    build_page.build()


# Package, not session: while Playwright is open its loop counts as running, and async tests elsewhere want theirs.
@pytest.fixture(scope="package")
def browser(built_page: None) -> Iterator[Browser]:
    chromium = find_chromium()
    assert chromium is not None, "These stories need Chromium: apt-get install chromium."
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=list(FLAGS)) as launched,
    ):
        yield launched


@pytest.fixture(scope="package")
def server(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that does its work."""
    with Server(tmp_path_factory.mktemp("working") / "data", settings=PATIENT) as running:
        yield running


@pytest.fixture(scope="package")
def stage(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A server that works on nothing, and the ledger to arrange its documents with."""
    with Server(tmp_path_factory.mktemp("still") / "data", settings=IDLE) as running:
        yield Stage(running.data, Client(running.url))


@pytest.fixture
def reader(browser: Browser, server: Server) -> Iterator[Reader]:
    """Somebody before the server that works."""
    with reading(browser, server.url) as one:
        yield one


@pytest.fixture
def onlooker(browser: Browser, stage: Stage) -> Iterator[Reader]:
    """Somebody before the server whose documents stand still."""
    with reading(browser, str(stage.client.http.base_url).rstrip("/")) as one:
        yield one


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return tmp_path
