"""`towpath drill`: inject faults into a private instance and verify that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import click

from towpath.cli.options import root_options


@click.command()
@click.option("--minutes", type=click.FloatRange(0.05, 24 * 60), default=10.0, help="Duration.")
@click.option("--seed", type=int, help="Repeat the schedule of this seed; default: a new one.")
@click.option("--database", help="Postgres server; the drill creates and drops its own databases.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the documents of this folder instead of generated ones; they are only read.",
)
@click.option("--documents", type=click.IntRange(1, 1000), default=16, help="Generated documents per batch.")
@click.option(
    "--restart-command", help="Command that restarts Postgres; without it, the sessions are terminated."
)
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the result to a JSON file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
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
    """Kill, pause and disconnect a private instance, and compare it with an undisturbed one."""
    import asyncio
    import json
    import logging
    import secrets

    from towpath.drill.run import DrillOptions
    from towpath.drill.run import drill as run_drill

    logging.basicConfig(level=logging.ERROR)
    chosen_seed = secrets.randbelow(1_000_000) if seed is None else seed
    options = DrillOptions(minutes, chosen_seed, documents, database, folder, restart_command)
    verdict = asyncio.run(run_drill(options, lambda line: click.echo(line, err=True)))
    text = json.dumps(verdict.as_json(), ensure_ascii=False, indent=2)
    if report is not None:
        report.write_text(text + "\n", "utf-8")
    click.echo(text if as_json or root_options().as_json else "\n".join(verdict.lines()))
    if not verdict.green:
        raise SystemExit(1)
