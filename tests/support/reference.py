"""Makes the reference pages that are made of code: `python -m tests.support.reference` writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from towpath.config import PREFIX, Settings
from towpath.lifecycle.moves import JOB_MOVES, RUN_MOVES
from towpath.model.payload import ARGUMENTS, VERSION
from towpath.pipelines import call, document

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
            f"| {item.metadata['help']}{' Never printed.' if item.metadata['secret'] else ''} |"
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


def payloads_page() -> str:
    lines = [
        "# Payloads",
        "",
        "What a queue carries for one stage of one run. Version 1. `GET /jobs` shows it of every job, as `payload`.",
        "A field is only ever added; whatever changes the meaning of one raises the version.",
        "",
        "| field | type | meaning |",
        "|---|---|---|",
        f"| `version` | number | {VERSION} |",
        "| `organization` | uuid | whose document it is; `org_id` in the tables |",
        "| `document` | uuid | the document or call it is about; `document_id` in the tables |",
        "| `run` | uuid | the processing it belongs to |",
        "| `stage` | text | what is to be done: one of the names below |",
        "| `arguments` | object | how far this stage came before it was put back into the queue |",
        "",
        "What the stages before left (artifact keys, the id of an operation) is no argument: a worker is given",
        "it with the job, from the checkpoints of the run, so that it can never disagree with them.",
        "",
        "## Stages",
        "",
        f"Documents: {_names(document.STAGES)}. Follow-ups such as `connect` have no arguments.",
        "",
        f"Calls: {_names(call.STAGES)}.",
        "",
        "| stage | argument | type | meaning |",
        "|---|---|---|---|",
    ]
    for stage, arguments in ARGUMENTS.items():
        for name, (kind, meaning) in arguments.items():
            shown = "any" if stage == "*" else f"`{stage}`"
            lines.append(f"| {shown} | `{name}` | {_KINDS[kind]} | {meaning} |")
    return "\n".join([*lines, "", *_QUEUE, ""])


_KINDS = {int: "number", str: "text", bool: "boolean", dict: "object"}
_QUEUE = [
    "## As a queue has it",
    "",
    "The states and verbs of a job are those of a plain job table, and keep their meaning on another queue:",
    "",
    "| elsewhere | here |",
    "|---|---|",
    "| `queued`, `processing`, `done`, `failed` | `PENDING`, `PROCESSING`, `COMPLETED`, `FAILED` (and `CANCELLED`) |",
    "| enqueue | submit, advance: the next stage's job is made in the transaction that completes the one before |",
    "| claim, complete | claim with a lease, settle with its epoch |",
    "| fail with backoff | fail: `attempts` rises, `available_at` is min(600, 30 * 2^attempts) s away at most |",
    "| re-enqueue with a delay (polling) | suspend: `available_at` and `arguments` change, `attempts` does not |",
]


def _names(stages: Iterable[str]) -> str:
    return ", ".join(f"`{stage}`" for stage in stages)


PAGES = {"settings.md": settings_page, "states.md": states_page, "payloads.md": payloads_page}


def _shown(value: object) -> str:
    return "none" if value in (None, ()) else f"`{value}`"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), "utf-8")
