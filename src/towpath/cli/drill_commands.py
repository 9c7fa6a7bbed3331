"""`towpath drill`: inject faults into a private instance and verify that nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from towpath.cli.options import root_options

if TYPE_CHECKING:
    from towpath.drill.instance import OwnPipeline


@click.command()
@click.option("--minutes", type=click.FloatRange(0.05, 24 * 60), default=10.0, help="Duration.")
@click.option("--seed", type=int, help="Repeat the schedule of this seed; default: a new one.")
@click.option("--database", help="Postgres server; the drill creates and drops its own databases.")
@click.option(
    "--queue",
    type=click.Choice(["database", "bullmq"]),
    default="database",
    help="How jobs reach the workers. bullmq starts a private redis-server, kills and empties it; needs --database.",
)
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
    "--pipeline", help="Drill this pipeline of the settings, with the stages of installed packages."
)
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the result to a JSON file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def drill(
    minutes: float,
    seed: int | None,
    database: str | None,
    queue: str,
    folder: Path | None,
    documents: int,
    restart_command: str | None,
    pipeline: str | None,
    config: Path | None,
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
    own = None if pipeline is None else _own_pipeline(pipeline, config or root_options().config)
    options = DrillOptions(minutes, chosen_seed, documents, database, folder, restart_command, own, queue)
    verdict = asyncio.run(run_drill(options, lambda line: click.echo(line, err=True)))
    text = json.dumps(verdict.as_json(), ensure_ascii=False, indent=2)
    if report is not None:
        report.write_text(text + "\n", "utf-8")
    click.echo(text if as_json or root_options().as_json else "\n".join(verdict.lines()))
    if not verdict.green:
        raise SystemExit(1)


def _own_pipeline(name: str, config: Path | None) -> OwnPipeline:
    """The pipeline of the settings; UserError if there is none of this name, or if it is wrong."""
    from towpath.bootstrap.pipelines import load_pipelines
    from towpath.config import load
    from towpath.drill.instance import OwnPipeline
    from towpath.errors import UserError

    settings = load({}, file=config).settings
    known = load_pipelines(settings).pipelines
    if name not in known:
        raise UserError(f"There is no pipeline `{name}`. Pipelines: {', '.join(sorted(known))}.")
    return OwnPipeline(name, settings.pipelines, settings.stages)
