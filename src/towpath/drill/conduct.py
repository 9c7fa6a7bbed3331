"""Conducts a drill: wave after wave of documents, first in peace, then in the storm, and the comparison."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select

from towpath.drill import faults, laws
from towpath.drill.afresh import connections_compared
from towpath.drill.copies import Copy, opened_copy
from towpath.drill.papers import Paper, files_in, papers
from towpath.drill.picture import differences, picture
from towpath.drill.report import Report
from towpath.drill.storm import Storm
from towpath.drill.toll import calls_in
from towpath.errors import UserError
from towpath.ledger.tables import chunks

#: A wave that the storm cannot finish in this time is finished in peace, and the next one begins.
LONGEST_WAVE = 60.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked of the drill."""

    minutes: float = 10.0
    seed: int = 0
    documents: int = 16
    database: str | None = None
    folder: Path | None = None
    restart_command: str | None = None

    def others(self) -> dict[str, str]:
        """The flags beside seed and minutes; the address of a database may hold a password and is left out."""
        given = {
            "documents": str(self.documents) if self.folder is None else None,
            "folder": str(self.folder) if self.folder else None,
            "database": "postgresql://..." if self.database else None,
        }
        return {name: value for name, value in given.items() if value is not None}


async def drill(wishes: Wishes, say: Callable[[str], None]) -> Report:
    """Do it all. The folder of a drill that turned red is kept."""
    fault = faults.chosen()
    root = Path(tempfile.mkdtemp(prefix="towpath-drill-"))
    given = list(files_in(wishes.folder)) if wishes.folder else None
    if given is not None and not given:
        raise UserError(f"There are no files in {wishes.folder}.")
    kept = False
    try:
        async with contextlib.AsyncExitStack() as stack:
            own = given is not None
            calm, stormy = [
                await stack.enter_async_context(
                    opened_copy(root / name, wishes.database, own_processes=own, fault=chosen)
                )
                for name, chosen in (("calm", None), ("storm", fault))
            ]
            report = await _conduct(wishes, given, calm, stormy, fault, say)
        kept = not report.green
        return report
    finally:
        if not kept:
            shutil.rmtree(root, ignore_errors=True)


async def _conduct(
    wishes: Wishes,
    given: list[Paper] | None,
    calm: Copy,
    stormy: Copy,
    fault: str | None,
    say: Callable[[str], None],
) -> Report:
    started = time.monotonic()
    until = started + wishes.minutes * 60.0
    chance = random.Random(wishes.seed)
    storm = Storm(stormy, chance, wishes.restart_command)
    still = Storm(calm, chance, None)
    calm.crew.start()
    calm.crew.start()
    wave = again = 0
    done = True
    while wave == 0 or time.monotonic() < until:
        fresh = papers(wishes.seed, wave, wishes.documents) if given is None else given if wave == 0 else []
        await _in_peace(still, fresh)
        storm.complete.update(await _complete(calm))
        known = sorted(stormy.names)
        for name, body in fresh:
            await stormy.submit(name, body)
        share = len(known) if given is not None else max(1, wishes.documents // 4)
        for document_id in chance.sample(known, min(len(known), share)):
            await stormy.reprocess(document_id)
            again += 1
        # Without a calm stretch a slow machine would never come to the next wave.
        done = await storm.rage(min(time.monotonic() + LONGEST_WAVE, max(until, started + 5.0)))
        if not done:
            done = await storm.calm_down()
        wave += 1
        say(f"wave {wave}: {len(stormy.names)} documents, {stormy.crew.deeds['started']} workers so far")
        # What is wrong already will not be right again: the rest of the time would tell nothing new.
        if not done or storm.half_seen or stormy.crew.strange_deaths or await laws.unfenced(stormy):
            break
    findings = [] if done and await storm.calm_down() else await _stuck(stormy)
    if done:
        findings += await connections_compared(still, storm)
    for copy in (stormy, calm):
        await asyncio.to_thread(copy.crew.retire)
    findings += await _findings(storm, calm, stormy)
    return await _report(wishes, storm, calm, stormy, again, findings, fault, time.monotonic() - started)


async def _in_peace(still: Storm, fresh: list[Paper]) -> None:
    for name, body in fresh:
        await still.copy.submit(name, body)
    while await still.unfinished():
        still.copy.crew.look_after(0.0)
        if still.copy.crew.strange_deaths:
            raise UserError(f"The undisturbed copy does not work: {still.copy.crew.strange_deaths[0]}")
        await asyncio.sleep(0.05)


async def _complete(calm: Copy) -> dict[str, int]:
    count = func.count().label("passages")
    query = select(chunks.c.document_id, count).group_by(chunks.c.document_id)
    return {str(row.document_id): int(row.passages) for row in await calm.ask(query)}


async def _stuck(stormy: Copy) -> list[str]:
    found = await stormy.towpath.services.catalogue.overview(None, stormy.towpath.services.clock.now())
    waiting = ", ".join(f"{row.jobs} {row.stage} {row.status}" for row in found.queue)
    return [f"the work does not end though nothing disturbs it: {waiting}"]


async def _findings(storm: Storm, calm: Copy, stormy: Copy) -> list[str]:
    seen = list(storm.half_seen.values())
    return [
        *stormy.crew.strange_deaths[:3],
        *(f"half a document was visible: {told}" for told in seen[:5]),
        *differences(await picture(calm), await picture(stormy), exact=calm.towpath.settings.embedded),
        *await laws.broken_laws(calm, stormy),
    ]


async def _report(
    wishes: Wishes,
    storm: Storm,
    calm: Copy,
    stormy: Copy,
    again: int,
    findings: list[str],
    fault: str | None,
    seconds: float,
) -> Report:
    end = await picture(stormy)
    asked = calls_in(stormy.crew.orders.tolls)
    return Report(
        engine="SQLite" if wishes.database is None else "Postgres",
        seed=wishes.seed,
        minutes=wishes.minutes,
        seconds=seconds,
        documents=len(stormy.names),
        reprocessed=again,
        chunks=end.count("chunks"),
        vectors=end.count("vectors"),
        fields=end.count("fields"),
        connections=end.count("connections"),
        calls=end.calls,
        calls_made_again=asked.total() - len(asked),
        open_windows=await laws.open_windows(stormy),
        looks=storm.looks,
        deeds=dict(sorted(stormy.crew.deeds.items())),
        restarts=storm.restarts,
        events=await laws.events(stormy),
        findings=findings,
        asked=wishes.others(),
        fault=fault,
        kept=str(stormy.crew.orders.folder.parent) if findings else None,
    )
