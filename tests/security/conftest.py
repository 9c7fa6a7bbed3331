"""Fixtures of the security tests: servers as processes, one without and one with required keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a loopback address that needs no key."""
    folder: Path = tmp_path_factory.mktemp("keyless")
    with Server(folder / "data") as process:
        yield process


@pytest.fixture(scope="module", autouse=True)
def _fast_model() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """No test here depends on the quality of search; the small model starts sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOWPATH_EMBEDDER", "fast")
        yield
