"""Generates docs/reference/settings.md from the fields of `Settings`."""

from __future__ import annotations

from dataclasses import fields

from towpath.config import PREFIX, Settings


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "A value comes from a file (`towpath.toml`, or the file named by `--config`), from the environment, or from a",
        "flag; the later one wins. A profile sets several values; each of these three takes precedence over it.",
        "`towpath check` prints every value and its origin, and the profiles.",
        "",
        "| setting | environment | embedded | on Postgres | meaning |",
        "|---|---|---|---|---|",
    ]
    for item in fields(Settings):
        postgres = item.default if item.metadata["postgres"] is ... else item.metadata["postgres"]
        secret = " Never printed." if item.metadata["secret"] else ""
        lines.append(
            f"| `{item.name}` | `{PREFIX}{item.name.upper()}` | {_value(item.default)} | {_value(postgres)} "
            f"| {item.metadata['help']}{secret} |"
        )
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    return "none" if value in (None, ()) else f"`{value}`"
