"""Generates docs/reference/commands.md from the click commands."""

from __future__ import annotations

import click

from tests.support.public_names import commands


def commands_page() -> str:
    lines = [
        "# Commands",
        "",
        "Every command of `towpath`, generated from the program. `towpath COMMAND --help` prints the same.",
        "",
    ]
    for name, command in commands()[1:]:
        lines += [f"## `{name}`", "", (command.help or "").strip(), ""]
        if isinstance(command, click.Group):
            continue
        usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=name)))
        lines += ["```text", f"{name} {usage}", "```", ""]
        options = [item for item in command.params if isinstance(item, click.Option) and not item.hidden]
        if options:
            lines += ["| option | default | meaning |", "|---|---|---|"]
            lines += [_row(item) for item in options]
            lines.append("")
    return "\n".join(lines)


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    default = option.default
    shown = (
        ""
        if option.is_flag or default is None or not isinstance(default, str | int | float)
        else f"`{default}`"
    )
    meaning = " ".join((option.help or "").split())
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    if choices:
        meaning = f"{meaning} One of {', '.join(f'`{choice}`' for choice in choices)}.".strip()
    return f"| {names} | {shown} | {meaning} |"
