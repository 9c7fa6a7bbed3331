"""Makes the reference pages that are made of code: `python -m tests.support.reference` writes them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from towpath.config import PREFIX, Settings
from towpath.lifecycle.moves import JOB_MOVES, RUN_MOVES

ROOT = Path(__file__).parents[2] / "docs" / "reference"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "A value comes from a file (`towpath.toml`, or the one named by `--config`), from the environment, or from a",
        "flag; the later wins. `towpath check` prints every value and where it came from.",
        "",
        "| setting | environment | embedded | on Postgres | meaning |",
        "|---|---|---|---|---|",
    ]
    for item in fields(Settings):
        postgres = item.default if item.metadata["postgres"] is ... else item.metadata["postgres"]
        lines.append(
            f"| `{item.name}` | `{PREFIX}{item.name.upper()}` | {_shown(item.default)} | {_shown(postgres)} "
            f"| {item.metadata['help']} |"
        )
    return "\n".join(lines) + "\n"


def states_page() -> str:
    lines = [
        "# States",
        "",
        "The legal moves, as the code has them. What is not in a table is refused and changes nothing.",
        "",
    ]
    for title, moves in (("Run", RUN_MOVES), ("Job", JOB_MOVES)):
        lines += [f"## {title}", "", "| verb | from | to |", "|---|---|---|"]
        for verb, steps in moves.items():
            for before, after in steps.items():
                lines.append(
                    f"| {verb} | `{before}` | {' or '.join(f'`{state}`' for state in sorted(after))} |"
                )
        lines.append("")
    return "\n".join(lines)


PAGES = {"settings.md": settings_page, "states.md": states_page}


def _shown(value: object) -> str:
    return "none" if value in (None, ()) else f"`{value}`"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), "utf-8")
