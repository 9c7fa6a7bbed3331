"""Builds the FastAPI application: routes, the web page, problem details, and the middleware before them."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from towpath import __version__
from towpath.server import openapi, problems
from towpath.server.api_docs import add_docs_page
from towpath.server.deps import Services
from towpath.server.request_guard import RequestGuard
from towpath.server.routes import (
    api_keys,
    ask,
    audit,
    call_recordings,
    connections,
    document_pages,
    document_versions,
    documents,
    field_schemas,
    jobs,
    library_activity,
    library_model,
    lookup,
    operations,
    organize,
    pipelines,
    runs,
    search,
    webhooks,
    worker_protocol,
)
from towpath.server.status_batches import StatusBatches

_PLACEHOLDER_PAGE = (
    "<!doctype html><html lang=en><title>Towpath</title><h1>Towpath</h1><p>See <a href=/docs>/docs</a>.</p>"
)
_ROUTERS = (
    # Before `documents`, whose path `/documents/{document_id}` would match its paths too.
    organize,
    documents,
    document_pages,
    document_versions,
    library_activity,
    lookup,
    connections,
    call_recordings,
    runs,
    pipelines,
    jobs,
    search,
    ask,
    field_schemas,
    library_model,
    operations,
    api_keys,
    audit,
    worker_protocol,
    webhooks,
)
_TAGS = (
    "documents",
    "connections",
    "calls",
    "runs",
    "jobs",
    "search",
    "fields",
    "operations",
    "access",
    "worker",
    "webhooks",
)


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
    app.state.status_batches = StatusBatches(services.queries, services.clock) if services else None
    problems.add_exception_handlers(app)
    app.add_middleware(RequestGuard, services=services)
    for module in _ROUTERS:
        # Not by `include_router`: it analyzes every route again for each application, 0.3 s of CPU time.
        app.router.routes.extend(module.router.routes)
    app.openapi = openapi.openapi_builder(app)
    add_docs_page(app)
    if page is not None and (page / "index.html").exists():
        app.mount("/", StaticFiles(directory=page, html=True), name="page")
    else:
        app.add_api_route("/", lambda: HTMLResponse(_PLACEHOLDER_PAGE), include_in_schema=False)
    return app
