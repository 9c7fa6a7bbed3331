"""Builds the OpenAPI document, with every error response described as `application/problem+json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import FastAPI

from towpath.server.problems import MEDIA_TYPE, Problem

_PROBLEM_CONTENT = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


def openapi_builder(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """A replacement for ``app.openapi`` that builds the document on the first call and keeps it."""
    build_default = app.openapi

    def build() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _with_problems(build_default())
        return app.openapi_schema

    return build


def _with_problems(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for operation in _operations(document):
        responses = operation["responses"]
        for status in [status for status in responses if status >= "400"]:
            responses[status]["content"] = _PROBLEM_CONTENT
        responses["default"] = {"description": "An error as problem details", "content": _PROBLEM_CONTENT}
    return document


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()
