"""Generates docs/reference/errors.md from the problem types of the API and the error classes of the program."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import cast

from tests.support.public_names import ROOT
from towpath import errors
from towpath.server import problems, request_guard, request_limits

_REJECTIONS = {
    "answer_truncated": "The model's answer was cut off at its length limit.",
    "calls_unavailable": "A package that processes recordings is not installed.",
    "content_policy": "The provider's content policy refuses the input.",
    "corrupt": "The file is damaged.",
    "empty": "The file has no content, or no text can be found in it.",
    "empty_text": "The text to be embedded is empty.",
    "encrypted": "The file is protected by a password or by copy protection. A PDF can be given its password.",
    "model_refused": "The model refused to answer.",
    "no_audio": "The file has no audio track.",
    "no_speech": "No speech was found in the recording.",
    "ocr_unavailable": "The file needs OCR, and OCR is off or its language data is not installed.",
    "original_removed": "The original file was removed after transcription, so the stage cannot run again.",
    "pages_missing": "The provider read fewer pages than the file has.",
    "provider_rejected": "The provider cannot process this file.",
    "schema_missing": "The field schema of the settings does not exist.",
    "silent": "The recording is silent.",
    "skipped": "The provider skipped the file or a part of it.",
    "too_complex": "Reading the file would take more CPU time or memory than a file may use.",
    "too_large": "The file is larger than the limit allows.",
    "too_long": "The text is longer than the model accepts.",
    "truncated": "The recording is cut off.",
    "unknown_language": "The local transcriber does not know the language of the recording.",
    "unsupported": "The format is not supported.",
    "unsupported_audio": "The channels of the recording cannot be mixed into one.",
    "wrong_password": "The password that the run was given does not open the PDF.",
}

_REFUSED_SEARCHES = {
    "search_limit": "`limit` of a search is out of range.",
    "search_mode": "`mode` of a search is unknown.",
    "search_offset": "`offset` of a search is out of range.",
}


def errors_page() -> str:
    codes = rejection_codes()
    lines = [
        "# Errors",
        "",
        "## Problem types of the API",
        "",
        "Errors are answered as RFC 9457 problem details (`application/problem+json`): `type` is for programs and",
        "stable; `title`, `detail` and `action` are sentences for people.",
        "",
        "| `type` | status | title | action |",
        "|---|---|---|---|",
        *(
            f"| `urn:towpath:{kind}` | {status} | {title} | {action} |"
            for kind, status, title, action in _problems()
        ),
        "",
        "## Rejections",
        "",
        "A file that can never be processed is rejected. At upload the API answers 422 (`too-large`: 413) with the",
        "code as `type` (`urn:towpath:` and the code with hyphens); later, the run fails as `REJECTED`.",
        "",
        "| code | meaning |",
        "|---|---|",
        *(f"| `{code}` | {_REJECTIONS[code]} |" for code in codes if code not in _REFUSED_SEARCHES),
        "",
        "## Refused searches",
        "",
        "These codes are about a request, not a file. A search in the program raises them; the API checks the same",
        "limits before, and answers 422 with `urn:towpath:invalid-request`.",
        "",
        "| code | meaning |",
        "|---|---|",
        *(f"| `{code}` | {_REFUSED_SEARCHES[code]} |" for code in codes if code in _REFUSED_SEARCHES),
        "",
        "## Error classes",
        "",
        "Exceptions of vendors are translated into these in `providers/<vendor>/`. Inherited classes are indented.",
        "",
        "| class | meaning |",
        "|---|---|",
        *_classes(errors.TowpathError, 0),
    ]
    return "\n".join(lines) + "\n"


def rejection_codes() -> list[str]:
    """Every code with which the source raises `Rejected`."""
    codes: set[str] = set()
    for file in (ROOT / "src" / "towpath").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Rejected"
                and node.args
                and isinstance(code := node.args[0], ast.Constant)
            ):
                codes.add(str(code.value))
    return sorted(codes)


def _problems() -> list[tuple[str, int, str, str]]:
    by_error = [
        (kind, status, title, action) for _, status, kind, title, action in problems.PROBLEMS_BY_ERROR
    ]
    by_status = [
        (kind, status, title, action) for status, (kind, title, action) in problems.PROBLEMS_BY_STATUS.items()
    ]
    return sorted({*by_error, *by_status, *_refusals()})


def _refusals() -> Iterator[tuple[str, int, str, str]]:
    """The problems of requests that reach no route: those of the guard, and those of its limits."""
    for call in _calls(request_guard, "_Refused"):
        status, kind, title, _, action = (
            value.value if isinstance(value, ast.Constant) else None for value in call.args[:5]
        )
        if isinstance(kind, str):
            yield kind, cast("int", status), cast("str", title), cast("str", action)
            continue
        for limit in _calls(request_limits, "LimitExceeded"):
            yield (
                ast.literal_eval(limit.args[0]),
                cast("int", status),
                cast("str", title),
                cast("str", action),
            )


def _calls(module: ModuleType, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def _classes(error: type[Exception], depth: int) -> Iterator[str]:
    summary = " ".join((inspect.getdoc(error) or "").split("\n\n")[0].split())
    yield f"| {'&emsp;' * depth}`{error.__name__}` | {summary} |"
    for child in error.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _classes(child, depth + 1)
