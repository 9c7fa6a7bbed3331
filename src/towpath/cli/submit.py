"""`towpath submit`: files and folders in, with live progress for many at once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from towpath.cli.client import Api, api
from towpath.cli.options import Loaded, common
from towpath.errors import UserError

OVER = ("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")
AT_ONCE = 4
SHOWN_AT_ONCE = 12


@click.command()
@common
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--wait", is_flag=True, help="Wait until everything is done, showing progress.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each file, for scripts.")
def submit(loaded: Loaded, paths: tuple[Path, ...], wait: bool, as_json: bool) -> None:
    """Submit files, or all files of folders."""
    files = list(_files(paths))
    if not files:
        raise UserError("There are no files in what you named.")
    failed = asyncio.run(_submit(loaded, files, wait, as_json))
    if failed:
        raise SystemExit(1)


def _files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        else:
            yield path


async def _submit(loaded: Loaded, files: list[Path], wait: bool, as_json: bool) -> int:
    async with api(loaded.settings, work=wait) as server:
        sent = await _send_all(server, files)
        refused = [one for one in sent if "refusal" in one]
        if wait:
            await _watch(server, [one for one in sent if "id" in one], quiet=as_json)
        _report(sent, as_json)
        return len(refused) + sum(one.get("status") in OVER[1:] for one in sent)


async def _send_all(server: Api, files: list[Path]) -> list[dict[str, Any]]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def send(path: Path) -> dict[str, Any]:
        async with slots:
            try:
                with path.open("rb") as file:
                    document = await server.post("/documents", files={"file": (path.name, file)})
            except (UserError, OSError) as error:
                return {"path": str(path), "refusal": str(error)}
            return {"path": str(path), **document}

    return await asyncio.gather(*(send(path) for path in files))


async def _watch(server: Api, sent: list[dict[str, Any]], *, quiet: bool) -> None:
    """Ask for many at once, only for what still moves, as often as the server asks for."""
    open_ones = {one["id"]: one for one in sent}
    with _bars(quiet) as progress:
        overall = progress.add_task("all files", total=len(open_ones))
        bars: dict[str, TaskID] = {}
        while open_ones:
            ids = list(open_ones)
            statuses: list[dict[str, Any]] = []
            for start in range(0, len(ids), 200):
                statuses += await server.get("/documents/status", ids=",".join(ids[start : start + 200]))
            for status in statuses:
                one = open_ones[status["document_id"]]
                one["status"], one["error"] = status["status"], status["error"]
                one["failure_type"] = (status["run"] or {}).get("failure_type")
                _draw(progress, bars, one, status)
                if _is_over(status, server):
                    del open_ones[status["document_id"]]
                    progress.advance(overall)
            if open_ones:
                waits = [s["poll_after_ms"] for s in statuses if s["poll_after_ms"] is not None]
                await asyncio.sleep(min(waits, default=500) / 2000)


def _is_over(status: dict[str, Any], server: Api) -> bool:
    """A process that works by itself also waits for what follows, which a server would do later."""
    following = [stage for stage in status["stages"] if stage["status"] in ("PENDING", "PROCESSING")]
    ended = status["poll_after_ms"] is None and status["status"] in OVER
    return ended and not (server.works_itself and following)


def _bars(quiet: bool) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        console=Console(stderr=True, quiet=quiet),
        transient=True,
    )


def _draw(progress: Progress, bars: dict[str, TaskID], one: dict[str, Any], status: dict[str, Any]) -> None:
    """A bar for each file that is being worked, gone again when it is done."""
    current = next((s for s in status["stages"] if s["status"] == "PROCESSING"), None)
    if current is None:
        if (bar := bars.pop(one["id"], None)) is not None:
            progress.remove_task(bar)
        return
    label = f"  {Path(one['path']).name[:40]} · {current['name']}"
    if one["id"] not in bars:
        if len(bars) >= SHOWN_AT_ONCE:
            return
        bars[one["id"]] = progress.add_task(label, total=1)
    progress.update(
        bars[one["id"]], description=label, completed=current["done"] or 0, total=current["total"] or 1
    )


def _report(sent: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        for one in sent:
            click.echo(json.dumps(one, ensure_ascii=False))
        return
    for one in sent:
        if "refusal" in one:
            click.echo(f"REFUSED    {one['path']}: {one['refusal']}")
        elif one["status"] in OVER[1:]:
            click.echo(f"{one.get('failure_type') or one['status']:10} {one['path']}: {one.get('error')}")
    counts = Counter("REFUSED" if "refusal" in one else one["status"] for one in sent)
    again = sum(bool(one.get("duplicate")) for one in sent)
    summary = ", ".join(f"{count} {status.lower()}" for status, count in counts.most_common())
    click.echo(f"{len(sent)} files: {summary}" + (f" ({again} were here already)" if again else ""))
