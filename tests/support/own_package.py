"""A package outside of the repository: a stage that calls a paid service, and a reader of a new type of file.

``write_package`` writes it into a folder, ``install`` installs it with pip into another one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.timeouts import COMMAND_SECONDS

PYPROJECT = """\
[project]
name = "acme-stages"
version = "1.0"

[project.entry-points."towpath.stages"]
acme_summary = "acme_stages:acme_summary"

[project.entry-points."towpath.readers"]
acme = "acme_stages:read_acme"

[tool.setuptools]
py-modules = ["acme_stages"]
"""
MODULE = '''\
"""Reads .acme files, and adds a summary by a paid service to each document."""

from pathlib import Path

import httpx

from towpath.sdk import Context, Done, Field, Rejected, Throttled, Transient, reader, stage


@reader("application/x-acme", extensions=(".acme",), signature=b"ACME1\\n")
def read_acme(path: Path, progress) -> str:
    """Lines `name: text` become sections."""
    lines = path.read_text("utf-8").splitlines()[1:]
    if not lines:
        raise Rejected("empty", "The file has no sections.")
    sections = [line.partition(":") for line in lines if line.strip()]
    progress(len(sections), len(sections))
    return "\\n\\n".join(f"## {name.strip()}\\n\\n{text.strip()}" for name, _, text in sections)


@stage("acme_summary", inputs=("text",), outputs=("text", "fields"), version=1, label="Summary by Acme")
async def acme_summary(context: Context) -> Done:
    text = await context.text()
    parts = [text[start : start + 2_000] for start in range(0, len(text), 2_000)]
    summaries = []
    for number, part in enumerate(parts, 1):

        async def ask(key: str, part: str = part) -> str:
            return await post(context.settings["url"], part, key)

        answer = await context.once("acme", ask, input=part, model="summary-1")
        summaries.append(answer.text)
        await context.progress(number, len(parts), "batch")
    summary = " ".join(summaries)
    fields = [Field("acme_parts", str(len(parts)))]
    return Done({"parts": len(parts), "summary": summary[:200]}, f"{text}\\n\\n# Summary\\n\\n{summary}\\n", fields)


async def post(url: str, part: str, key: str) -> str:
    async with httpx.AsyncClient(timeout=60) as client:
        try:
            response = await client.post(url, content=part, headers={"Idempotency-Key": key})
        except httpx.TransportError as error:
            raise Transient(f"{url} does not answer") from error
    if response.status_code == 429:
        raise Throttled("too many requests", float(response.headers.get("Retry-After", 1)))
    response.raise_for_status()
    return response.text
'''
#: The same stage written without `once`, and without a key: a killed worker pays again.
_ONCE = """\
        answer = await context.once("acme", ask, input=part, model="summary-1")
        summaries.append(answer.text)
"""
_CARELESS = '        summaries.append(await post(context.settings["url"], part, ""))\n'

STAGES = ("extract", "save_markdown", "acme_summary", "chunk", "embed", "publish")


def write_package(folder: Path, *, careless: bool = False) -> Path:
    """Write the package; ``careless``: its stage pays without `once`."""
    assert _ONCE in MODULE
    module = MODULE.replace(_ONCE, _CARELESS) if careless else MODULE
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    (folder / "acme_stages.py").write_text(module, "utf-8")
    return folder


def install(package: Path, site: Path) -> Path:
    """Install a package with pip into the folder ``site``, without an index."""
    source = package.parent / f"{package.name}-source"
    shutil.copytree(package, source)
    shutil.copy(Path(__file__).with_name("wheel_backend.py"), source / "wheel_backend.py")
    pyproject = source / "pyproject.toml"
    rest = re.sub(r"\[build-system\]\n(?:[^\[\n].*\n|\n)*", "", pyproject.read_text("utf-8"))
    backend = '[build-system]\nrequires = []\nbuild-backend = "wheel_backend"\nbackend-path = ["."]\n\n'
    pyproject.write_text(backend + rest, "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--no-index", "--disable-pip-version-check", "--target", str(site), str(source)),
        ],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return site


def settings_file(folder: Path, url: str) -> Path:
    """A settings file with a pipeline of the package's stage, chosen by name, type of file or metadata."""
    file = folder / "acme.toml"
    stages = ", ".join(f'"{stage}"' for stage in STAGES)
    file.write_text(
        f"[pipelines.acme]\nstages = [{stages}]\nfollow_ups = ["
        '"connect"]\n\n'
        '[[pipeline_rules]]\npipeline = "acme"\nmedia_type = "application/x-acme"\n\n'
        '[[pipeline_rules]]\npipeline = "acme"\nmetadata = { department = "fin*" }\n\n'
        f'[stages.acme_summary]\nurl = "{url}"\n',
        "utf-8",
    )
    return file


def acme_file(number: int, sections: int = 3) -> bytes:
    """A file of the new type. Its words are not those of other files."""
    lines = [
        f"Section {number}-{index}: The sluice number {number} is opened {index + 2} times a day by keeper K{number}."
        for index in range(sections)
    ]
    return ("ACME1\n" + "\n".join(lines) + "\n").encode()
