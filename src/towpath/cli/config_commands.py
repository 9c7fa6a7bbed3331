"""The commands `towpath config` and `towpath completion` (of shells)."""

from __future__ import annotations

import json

import click

from towpath.cli.options import LoadedSettings, json_option, settings_options


def _print_example(context: click.Context, _option: click.Parameter, given: bool) -> None:
    """Print the example before the settings are read: they may be the reason for asking."""
    if not given or context.resilient_parsing:
        return
    from towpath.cli.settings_output import example_file

    click.echo(example_file(), nl=False)
    context.exit()


@click.command()
@settings_options
@click.option(
    "--example",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_example,
    help="Print a settings file with every setting, its help and its default.",
)
@json_option
def config(loaded: LoadedSettings, as_json: bool) -> None:
    """Show the settings in effect and where each value comes from."""
    from towpath.cli.settings_output import effective_settings, settings_lines

    if as_json:
        click.echo(json.dumps(effective_settings(loaded), default=str))
    else:
        click.echo("\n".join(settings_lines(loaded)))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in a shell."""
    from click.shell_completion import get_completion_class

    from towpath.cli.main import main

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    source = completion_class(main, {}, "towpath", "_TOWPATH_COMPLETE").source()
    click.echo(source)
