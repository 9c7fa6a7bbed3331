"""Executes `towpath new`: writes a new Python package with a stage, a test and a README."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from towpath.errors import UserError

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "$project"
version = "0.1.0"
description = "A stage for Towpath."
requires-python = ">=3.11"
dependencies = ["httpx>=0.28", "towpath"]

# Towpath finds the stage by this entry point.
[project.entry-points."towpath.stages"]
$module = "$module:$module"

[tool.setuptools]
py-modules = ["$module"]
"""

_STAGE = '''\
"""A stage that asks a paid service for a summary of each document."""

from __future__ import annotations

import httpx

from towpath.sdk import Context, Done, Reject, Throttled, Transient, stage


@stage("$module", inputs=("text",), version=1, label="$label")
async def $module(context: Context) -> Done | Reject:
    text = await context.text()
    if not text.strip():
        return Reject("The document has no text.")

    async def ask(key: str) -> str:
        return await ask_service(str(context.settings["url"]), text, idempotency_key=key)

    # The answer is stored: it is never paid for twice, whatever happens to this process.
    answer = await context.once("$module", ask, input=text, model="small")
    await context.progress(1, 1, "document")
    return Done({"summary": answer.text})


async def ask_service(url: str, text: str, *, idempotency_key: str) -> str:
    """The paid call. Errors of the service become those of Towpath, which knows how to wait and to retry."""
    async with httpx.AsyncClient(timeout=60.0) as client:
        try:
            response = await client.post(url, content=text, headers={"Idempotency-Key": idempotency_key})
        except httpx.TransportError as error:
            raise Transient(f"{url} does not answer: {error}") from error
    if response.status_code == 429:
        raise Throttled("too many requests", float(response.headers.get("Retry-After", 30)))
    if response.status_code >= 500:
        raise Transient(f"{url} answered {response.status_code}")
    response.raise_for_status()
    return response.text
'''

_TEST = '''\
"""The stage gives a summary, and each call is paid for once wherever its worker is killed."""

import $module as package
import pytest

from towpath.testing import PaidCalls, StageTest

SETTINGS = {"url": "http://service.example"}


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> PaidCalls:
    """A counter in place of the service."""
    calls = PaidCalls("A short summary.")
    monkeypatch.setattr(package, "ask_service", calls)
    return calls


def test_the_result_is_the_summary(paid: PaidCalls) -> None:
    run = StageTest(package.$module, text="A long text.", settings=SETTINGS, paid=paid).run()

    assert (run.status, run.result) == ("COMPLETED", {"summary": "A short summary."})


def test_each_call_is_paid_for_once(paid: PaidCalls) -> None:
    test = StageTest(package.$module, text="A long text.", settings=SETTINGS, paid=paid)
    test.kill_at_every_await().assert_paid_once()


def test_a_document_without_text_is_rejected(paid: PaidCalls) -> None:
    run = StageTest(package.$module, text=" ", settings=SETTINGS, paid=paid).run()

    assert (run.error, paid.count) == ("The document has no text.", 0)
'''

_README = """\
# $project

A stage for Towpath: `$module`.

Install it into the environment of Towpath, and run its tests:

```console
pip install -e .
pytest
```

Name a pipeline with it in `towpath.toml`:

```toml
[pipelines.$module]
stages = ["extract", "save_markdown", "$module", "chunk", "embed", "publish"]
follow_ups = ["connect"]

[stages.$module]
url = "http://127.0.0.1:9000"
```

`towpath stages` and `towpath pipelines` list what is installed. Send documents through the pipeline, and test it with
faults (the drill calls the service at `url`: give it one that costs nothing):

```console
towpath submit --create --wait --pipeline $module letter.txt
towpath drill --pipeline $module --minutes 1
```
"""


def write_package(name: str, folder: Path) -> list[str]:
    """Write the files of the package; returns what to do next, in lines."""
    if not _NAME.fullmatch(name):
        raise UserError(f"The name of a package is lower-case letters, digits, - and _, not {name!r}.")
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"The folder {folder} is not empty. Choose another one with --folder.")
    module = name.replace("-", "_")
    words = module.replace("_", " ")
    names = {"project": name, "module": module, "label": words[:1].upper() + words[1:]}
    files = {
        "pyproject.toml": _PYPROJECT,
        f"{module}.py": _STAGE,
        f"tests/test_{module}.py": _TEST,
        "README.md": _README,
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(text).substitute(names), "utf-8")
    return [
        *(f"wrote {folder / path}" for path in files),
        "",
        f"Next: pip install -e {folder}, then pytest {folder}. {folder / 'README.md'} names the next steps.",
    ]
