"""The FastAPI application: routes, the page, problem details and security headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from towpath import __version__
from towpath.server import openapi, problems
from towpath.server.api_docs import add_docs_page
from towpath.server.deps import Services
from towpath.server.routes import calls, connections, documents, health, jobs, lookup, runs, search

_CSP = (
    "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_CACHE_ONE_YEAR = "public, max-age=31536000, immutable"
_PLACEHOLDER_PAGE = (
    "<!doctype html><html lang=en><title>Towpath</title><h1>Towpath</h1><p>See <a href=/docs>/docs</a>.</p>"
)
_ROUTERS = (documents, lookup, connections, calls, runs, jobs, search, health)
_TAGS = ("documents", "connections", "calls", "runs", "jobs", "search", "operations")


def create_app(services: Services, page: Path | None) -> FastAPI:
    """The application over these services; ``page`` is the folder of the built web page, if there is one."""
    app = FastAPI(
        title="Towpath",
        version=__version__,
        summary="Durable processing of documents and calls",
        openapi_tags=[{"name": name} for name in _TAGS],
        # FastAPI's own pages load their scripts from a CDN, which the CSP forbids.
        docs_url=None,
        redoc_url=None,
    )
    app.state.services = services
    problems.install(app)
    app.middleware("http")(_secure)
    for module in _ROUTERS:
        app.include_router(module.router)
    app.openapi = openapi.openapi_builder(app)
    add_docs_page(app)
    if page is not None and (page / "index.html").exists():
        app.mount("/", StaticFiles(directory=page, html=True), name="page")
    else:
        app.add_api_route("/", lambda: HTMLResponse(_PLACEHOLDER_PAGE), include_in_schema=False)
    return app


async def _secure(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse writes from pages of other origins, and add the security and cache headers."""
    origin = request.headers.get("origin")
    writes = request.method not in ("GET", "HEAD", "OPTIONS")
    if writes and origin and not _is_same_origin(origin, request):
        return problems.problem(
            403, "forbidden", "Not allowed", f"Requests from {origin} are not accepted.", "Use an API key."
        )
    response = await call_next(request)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    response.headers.setdefault("Content-Security-Policy", _CSP)
    if request.url.path.startswith("/assets/") and response.status_code == 200:
        # The file names contain a hash of the content; the HTML that names them is not cached.
        response.headers.setdefault("Cache-Control", _CACHE_ONE_YEAR)
    elif response.headers.get("content-type", "").startswith("text/html"):
        response.headers.setdefault("Cache-Control", "no-cache")
    return response


def _is_same_origin(origin: str, request: Request) -> bool:
    """True if the origin is this server. A request with an API key counts: no browser adds one by itself."""
    if request.headers.get("authorization"):
        return True
    return urlsplit(origin).netloc == request.headers.get("host")
