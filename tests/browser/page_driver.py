"""Drives the page in a real browser and records its requests and console errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, TimeoutError, expect

from tests.support.timeouts import WAIT_SECONDS

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ROOT = Path(__file__).parents[2]
AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
IMAGES = ROOT / "docs" / "images"
#: Chromium's console message for a failed request; tests expect some of these.
_NETWORK = "Failed to load resource"

#: Counts the drag events of the browser, so that a test can wait for them.
_DRAGS = """
    window.drags = {dragover: 0, drop: 0}
    for (const kind of ['dragover', 'drop']) addEventListener(kind, () => window.drags[kind]++, true)
"""

expect.set_options(timeout=WAIT_SECONDS * 1000)


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@dataclass(slots=True)
class PageDriver:
    """One browser tab, with the errors and requests of its page."""

    page: Page
    home: str
    errors: list[str] = field(default_factory=list[str])
    requests: list[Request] = field(default_factory=list[Request])

    def open(self, route: str = "#/") -> None:
        self.page.goto(f"{self.home}/{route}")

    def row(self, name: str) -> Any:
        return self.page.locator(".row", has=self.page.get_by_role("link", name=name, exact=True))

    def drop(self, *paths: Path) -> None:
        """Drops files or folders on the page with the browser's own drag events."""
        devtools = self.page.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

        def drag(kind: str) -> None:
            devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 400, "data": data})

        expect(self.page.get_by_role("banner")).to_be_visible()
        for _ in range(10):
            count = self._dragged("dragover")
            drag("dragEnter")
            # The browser drops a dragOver event while the previous one is unanswered, and it drops the files only
            # if the last answer accepted them.
            while self._dragged("dragover") < count + 3:
                drag("dragOver")
                self.page.wait_for_timeout(50)
            expect(self.page.get_by_text("Drop files or folders")).to_be_visible()
            drag("drop")
            try:
                self.page.wait_for_function("() => drags.drop > 0", timeout=3_000)
            except TimeoutError:
                continue
            self.page.evaluate("drags.drop = 0")
            return
        raise AssertionError("The browser did not drop the files.")

    def _dragged(self, kind: str) -> int:
        return int(self.page.evaluate(f"drags.{kind}"))

    def requested_urls(self, part: str) -> list[str]:
        """The URLs requested so far that contain a text."""
        return [request.url for request in self.requests if part in request.url]

    def assert_no_errors(self) -> None:
        """Asserts that the page logged no errors and sent requests to its own server only."""
        assert self.errors == []
        host = urlsplit(self.home).netloc
        foreign = {
            request.url
            for request in self.requests
            if urlsplit(request.url).netloc != host and not request.url.startswith(("blob:", "data:"))
        }
        assert foreign == set()

    def violations(self) -> list[str]:
        """The accessibility violations that axe finds in the current page, one line each."""
        # Evaluated through the debugger, which the Content-Security-Policy does not restrict.
        self.page.evaluate(AXE.read_text("utf-8"))
        result = cast(
            "dict[str, Any]",
            self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})"),
        )
        return [
            f"{problem['id']}: {problem['help']} ({problem['nodes'][0]['html'][:200]})"
            for problem in result["violations"]
        ]

    def overflow(self) -> int:
        """The number of pixels by which the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def screenshot(self, name: str, fallback: Path) -> None:
        """Saves a screenshot: in docs/images if TOWPATH_TEST_SCREENSHOTS is set, otherwise in the fallback folder."""
        wanted = os.environ.get("TOWPATH_TEST_SCREENSHOTS")
        self.page.mouse.move(0, 0)
        self.page.screenshot(path=(IMAGES if wanted else fallback) / f"{name}.png")

    def record(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and _NETWORK not in message.text:
            self.errors.append(message.text)


@contextmanager
def open_page(
    browser: Browser,
    home: str,
    *,
    width: int = 1280,
    height: int = 800,
    scheme: Literal["light", "dark"] = "light",
) -> Generator[PageDriver]:
    """Opens a tab in a new browser profile."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.add_init_script(_DRAGS)
    context.set_default_timeout(WAIT_SECONDS * 1000)
    page = context.new_page()
    driver = PageDriver(page, home)
    page.on("console", lambda message: driver.record(message))
    page.on("pageerror", lambda error: driver.errors.append(str(error)))
    page.on("request", lambda request: driver.requests.append(request))
    try:
        yield driver
    finally:
        context.close()


def names(paths: Sequence[Path]) -> list[str]:
    return [path.name for path in paths]
