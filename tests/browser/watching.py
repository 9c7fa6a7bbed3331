"""A reader before a real browser: what they can do, and what is noted about every page they open."""

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
#: The browser's own words for a request that the server answered with an error, or not at all.
_NETWORK = "Failed to load resource"

#: Counts what the browser itself reports of a drag, so that nobody has to guess when it has arrived.
_DRAGS = """
    window.drags = {dragover: 0, drop: 0}
    for (const kind of ['dragover', 'drop']) addEventListener(kind, () => window.drags[kind]++, true)
"""

expect.set_options(timeout=45_000)


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@dataclass(slots=True)
class Reader:
    """One tab. Whatever the page complained of, and wherever it went, is remembered."""

    page: Page
    home: str
    complaints: list[str] = field(default_factory=list[str])
    requests: list[Request] = field(default_factory=list[Request])

    def open(self, place: str = "#/") -> None:
        self.page.goto(f"{self.home}/{place}")

    def row(self, name: str) -> Any:
        return self.page.locator(".row", has=self.page.get_by_role("link", name=name, exact=True))

    def drop(self, *paths: Path) -> None:
        """Drag files or folders from the desktop onto the page and let go, as the browser itself sees it."""
        devtools = self.page.context.new_cdp_session(self.page)
        carried = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

        def drag(kind: str) -> None:
            devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 400, "data": carried})

        expect(self.page.get_by_role("banner")).to_be_visible()
        for _ in range(10):
            moved = self._dragged("dragover")
            drag("dragEnter")
            # The browser forgets a move that comes while the page has not answered the one before, and lets go
            # only where the last answer was a welcome.
            while self._dragged("dragover") < moved + 3:
                drag("dragOver")
                self.page.wait_for_timeout(50)
            expect(self.page.get_by_text("Drop files or folders")).to_be_visible()
            drag("drop")
            try:
                self.page.wait_for_function("drags.drop > 0", timeout=3_000)
            except TimeoutError:
                continue
            self.page.evaluate("drags.drop = 0")
            return
        raise AssertionError("The browser did not let go of the files.")

    def _dragged(self, kind: str) -> int:
        return int(self.page.evaluate(f"drags.{kind}"))

    def asked(self, part: str) -> list[str]:
        """The addresses asked for so far that contain these words."""
        return [request.url for request in self.requests if part in request.url]

    def assert_content(self) -> None:
        """Nothing went wrong in the page, and nothing left the server's origin."""
        assert self.complaints == []
        host = urlsplit(self.home).netloc
        strangers = {
            request.url
            for request in self.requests
            if urlsplit(request.url).netloc != host and not request.url.startswith(("blob:", "data:"))
        }
        assert strangers == set()

    def violations(self) -> list[str]:
        """What axe finds wrong with the page as it stands, each as a line."""
        # Through the debugger, which the Content-Security-Policy does not bind.
        self.page.evaluate(AXE.read_text("utf-8"))
        found = cast(
            "dict[str, Any]",
            self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})"),
        )
        return [
            f"{problem['id']}: {problem['help']} ({problem['nodes'][0]['html'][:200]})"
            for problem in found["violations"]
        ]

    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def picture(self, name: str, fallback: Path) -> None:
        """A screenshot: into the documentation when asked for, else only to see that it can be taken."""
        wanted = os.environ.get("TOWPATH_SCREENSHOTS")
        self.page.mouse.move(0, 0)
        self.page.screenshot(path=(IMAGES if wanted else fallback) / f"{name}.png")

    def note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and _NETWORK not in message.text:
            self.complaints.append(message.text)


@contextmanager
def reading(
    browser: Browser,
    home: str,
    *,
    width: int = 1280,
    height: int = 800,
    scheme: Literal["light", "dark"] = "light",
) -> Generator[Reader]:
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.add_init_script(_DRAGS)
    page = context.new_page()
    reader = Reader(page, home)
    page.on("console", lambda message: reader.note(message))
    page.on("pageerror", lambda error: reader.complaints.append(str(error)))
    page.on("request", lambda request: reader.requests.append(request))
    try:
        yield reader
    finally:
        context.close()


def names(paths: Sequence[Path]) -> list[str]:
    return [path.name for path in paths]
