"""The FastAPI application: routes, problem details, and headers that keep strangers' pages out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from towpath import __version__
from towpath.server import calls, documents, health, openapi, problems, work
from towpath.server.services import Services

_CSP = (
    "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_FOR_EVER = "public, max-age=31536000, immutable"
_EMPTY_PAGE = (
    "<!doctype html><html lang=en><title>Towpath</title><h1>Towpath</h1><p>See <a href=/docs>/docs</a>.</p>"
)


def create_app(services: Services, page: Path | None) -> FastAPI:
    app = FastAPI(
        title="Towpath",
        version=__version__,
        summary="Durable processing of documents and calls",
        openapi_tags=[
            {"name": name} for name in ("documents", "calls", "runs", "jobs", "search", "operations")
        ],
    )
    app.state.services = services
    problems.install(app)
    app.middleware("http")(_guard)
    for router in (documents.router, calls.router, work.router, health.router):
        app.include_router(router)
    app.openapi = openapi.document(app)
    if page is not None and (page / "index.html").exists():
        app.mount("/", StaticFiles(directory=page, html=True), name="page")
    else:
        app.add_api_route("/", lambda: HTMLResponse(_EMPTY_PAGE), include_in_schema=False)
    return app


async def _guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """A page from elsewhere must not use the reader's browser to write here."""
    origin = request.headers.get("origin")
    if request.method not in ("GET", "HEAD", "OPTIONS") and origin and not _same(origin, request):
        return problems.problem(
            403, "forbidden", "Not allowed", f"Requests from {origin} are not accepted.", "Use an API key."
        )
    response = await call_next(request)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    if not request.url.path.startswith(("/docs", "/redoc")):
        response.headers.setdefault("Content-Security-Policy", _CSP)
    if request.url.path.startswith("/assets/") and response.status_code == 200:
        # Their names carry a hash of their content; the page that names them is asked for anew.
        response.headers.setdefault("Cache-Control", _FOR_EVER)
    elif response.headers.get("content-type", "").startswith("text/html"):
        response.headers.setdefault("Cache-Control", "no-cache")
    return response


def _same(origin: str, request: Request) -> bool:
    if request.headers.get("authorization"):
        return True
    return urlsplit(origin).netloc == request.headers.get("host")
