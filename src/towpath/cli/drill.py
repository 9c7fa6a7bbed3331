"""`towpath drill`: the program kills itself at random and proves that nothing was lost."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from pathlib import Path

import click

from towpath.drill.conduct import Wishes
from towpath.drill.conduct import drill as conducted


@click.command()
@click.option("--minutes", type=click.FloatRange(0.05, 24 * 60), default=10.0, help="How long it lasts.")
@click.option("--seed", type=int, help="Play the same drill again; without one, a new one.")
@click.option("--database", help="A Postgres server: the drill makes and drops databases of its own there.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Documents of yours instead of invented ones; they are only read.",
)
@click.option("--documents", type=click.IntRange(1, 1000), default=16, help="Invented documents in a wave.")
@click.option("--restart-command", help="How to restart that Postgres; without it, its sessions are ended.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the verdict as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def drill(
    minutes: float,
    seed: int | None,
    database: str | None,
    folder: Path | None,
    documents: int,
    restart_command: str | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Kill, stop and cut off a private copy, and compare it with one that was left in peace."""
    logging.basicConfig(level=logging.ERROR)
    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    wishes = Wishes(minutes, chosen, documents, database, folder, restart_command)
    verdict = asyncio.run(conducted(wishes, lambda line: click.echo(line, err=True)))
    told = json.dumps(verdict.as_json(), ensure_ascii=False, indent=2)
    if report is not None:
        report.write_text(told + "\n", "utf-8")
    click.echo(told if as_json else "\n".join(verdict.lines()))
    if not verdict.green:
        raise SystemExit(1)
