"""Questions to two servers on one Postgres database: equal ones are paid once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.support.api_client import open_api_client
from tests.support.emulators import OpenAIEmulator
from tests.support.emulators.faults import Fault

MANUAL = b"# Packages\n\nThe lintian command checks a package for bugs and violations of the policy.\n"


async def test_equal_questions_to_two_servers_are_billed_once(dsn: str, tmp_path: Path) -> None:
    async with OpenAIEmulator() as emulator:
        settings: dict[str, Any] = {
            "database": dsn,
            "answerer": "openai",
            "openai_api_key": emulator.key,
            "openai_base_url": emulator.base_url,
        }
        async with (
            open_api_client(tmp_path / "first", **settings) as first,
            open_api_client(tmp_path / "second", with_worker=False, **settings) as second,
        ):
            document = await first.upload("manual.md", MANUAL)
            assert (await first.wait_until_finished(document["id"]))["status"] == "COMPLETED"
            emulator.faults.add(Fault("chat", "slow", seconds=0.5))
            body = {"question": "What does the lintian command check?", "stream": False}
            answers = await asyncio.gather(*(client.post("/ask", json=body) for client in (first, second)))
            assert [answer["status"] for answer in answers] == ["answered", "answered"]
            assert sorted(answer["cached"] for answer in answers) == [False, True]
            assert emulator.bill.operations == 1
            assert answers[0]["sentences"] == answers[1]["sentences"]
