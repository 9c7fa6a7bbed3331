"""The built page: size, Content-Security-Policy, lock file, bundled resources."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import httpx

from tests.browser.page_driver import ROOT
from tests.support.servers import Server
from tests.support.timeouts import COMMAND_SECONDS

UI = ROOT / "ui"
PAGE = ROOT / "src" / "towpath" / "page"


def test_the_scripts_without_pdf_js_are_smaller_than_300_kilobytes(built_page: None) -> None:
    scripts = [path for path in (PAGE / "assets").glob("*.js") if not path.name.startswith("pdf")]
    size = sum(len(gzip.compress(path.read_bytes())) for path in scripts)
    assert 0 < size < 300_000


def test_the_lock_file_contains_no_registry_urls() -> None:
    assert '"resolved"' not in (UI / "package-lock.json").read_text("utf-8")


def test_the_page_has_a_strict_content_security_policy(server: Server) -> None:
    answer = httpx.get(f"{server.url}/")
    assert "<script>" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-cache"
    [asset] = [path.name for path in (PAGE / "assets").glob("index-*.js")]
    assert "immutable" in httpx.get(f"{server.url}/assets/{asset}").headers["cache-control"]


def test_an_unchanged_page_is_not_built_again(built_page: None) -> None:
    before = (PAGE / "index.html").stat().st_mtime_ns
    subprocess.run([sys.executable, str(ROOT / "build_page.py")], check=True, timeout=COMMAND_SECONDS)
    assert (PAGE / "index.html").stat().st_mtime_ns == before


def test_fonts_and_pdf_resources_are_bundled(built_page: None) -> None:
    for folder in ("cmaps", "standard_fonts", "wasm"):
        assert any((PAGE / "pdf" / folder).iterdir())
    assert list(Path(PAGE / "assets").glob("*.woff2"))
