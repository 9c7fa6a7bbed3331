"""Commands for stages and pipelines: `stages` and `pipelines` list them, `new` makes a package with a stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.text_format import table_lines


@click.command()
@server_options
@json_option
def stages(target: Target, as_json: bool) -> None:
    """List the stages: what each needs and makes, its version, and the package that offers it."""

    def format_lines(answer: Any) -> list[str]:
        rows = [
            (
                stage["name"],
                stage["label"],
                str(stage["version"]),
                ", ".join(stage["inputs"]) or "-",
                ", ".join(stage["outputs"]) or "-",
                stage["package"] or "towpath",
            )
            for stage in answer
        ]
        return table_lines(("STAGE", "LABEL", "VERSION", "NEEDS", "MAKES", "PACKAGE"), rows)

    print_answer(_listed(target, "stages"), as_json, format_lines)


@click.command()
@server_options
@json_option
def pipelines(target: Target, as_json: bool) -> None:
    """List the pipelines, and the rules that choose them. Mistakes in the settings are reported."""

    def format_lines(answer: Any) -> list[str]:
        lines: list[str] = []
        for pipeline in answer:
            lines.append(f"{pipeline['name']} ({pipeline['source']})")
            lines.append(f"  stages      {' > '.join(pipeline['stages'])}")
            if pipeline["follow_ups"]:
                lines.append(f"  follow-ups  {', '.join(pipeline['follow_ups'])}")
            lines += [f"  rule        {rule}" for rule in pipeline["rules"]]
        return lines

    print_answer(_listed(target, "pipelines"), as_json, format_lines)


def _listed(target: Target, what: str) -> Any:
    """The list of the server that was named; without one, that of this installation and these settings."""
    if target.server is not None:
        return call_api(target, lambda server: server.get(f"/{what}"))
    from dataclasses import asdict

    from towpath.bootstrap.pipelines import load_pipelines, plugin_list

    listed = plugin_list(target.settings, load_pipelines(target.settings))
    rows: list[dict[str, object]] = [asdict(item) for item in getattr(listed, what)]
    for row in rows:
        row.pop("variant", None)
    return rows


@click.command()
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the package; default: a new folder with its name.",
)
def new(name: str, folder: Path | None) -> None:
    """Write a package with a stage of your own, a test and a README."""
    from towpath.cli.package_template import write_package

    for line in write_package(name, folder or Path(name)):
        click.echo(line)
