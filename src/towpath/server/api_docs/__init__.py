"""The API reference page at /docs: static files that render openapi.json without requests to other origins."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

_FOLDER = Path(__file__).parent / "static"


def add_docs_page(app: FastAPI) -> None:
    """Serve the page at /docs and its script and style sheet below it."""
    app.add_api_route("/docs", lambda: FileResponse(_FOLDER / "index.html"), include_in_schema=False)
    app.mount("/docs", StaticFiles(directory=_FOLDER), name="docs")
