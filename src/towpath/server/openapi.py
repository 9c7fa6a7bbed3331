"""The OpenAPI document: every error is told as what it is, a problem in `application/problem+json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import FastAPI

from towpath.server.problems import MEDIA_TYPE, Problem

_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


def document(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """Made once, when it is first asked for."""
    plain = app.openapi

    def made() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _with_problems(plain())
        return app.openapi_schema

    return made


def _with_problems(schema: dict[str, Any]) -> dict[str, Any]:
    schemas = schema["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for operation in _operations(schema):
        responses = operation["responses"]
        for status in [status for status in responses if status >= "400"]:
            responses[status]["content"] = _PROBLEM
        responses["default"] = {"description": "What went wrong, and what to do", "content": _PROBLEM}
    return schema


def _operations(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in schema["paths"].values():
        yield from methods.values()
