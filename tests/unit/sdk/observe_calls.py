"""Sends requests in many ways and prints what was noted. A process of its own: observing cannot be ended."""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.request import urlopen

import httpx

from towpath.sdk.call_observer import add_observer, inside_once, running_stage

noted: list[str] = []


class Observer:
    def call_made(self, call: str, key: str) -> None:
        raise AssertionError("no call goes through `once` here")

    def unremembered_call(self, stage: str, document_id: str) -> None:
        noted.append(stage)


async def main(url: str) -> None:
    add_observer(Observer())

    def fetch() -> None:
        with urlopen(url) as answer:
            answer.read()

    async with httpx.AsyncClient() as client:
        with running_stage("nothing", "1"):
            await asyncio.sleep(0)
        with running_stage("urllib", "1"):
            fetch()
        with running_stage("to_thread", "1"):
            await asyncio.to_thread(fetch)
        with running_stage("executor", "1"):
            await asyncio.get_running_loop().run_in_executor(None, fetch)
        with running_stage("httpx", "1"):
            await client.get(url)
        with running_stage("httpx again", "1"):
            await client.get(url)
            await client.get(url)
        with running_stage("task", "1"):
            await asyncio.create_task(client.get(url))
        with running_stage("remembered", "1"), inside_once():
            await client.get(url)
            await asyncio.to_thread(fetch)
        await client.get(url)
    print(json.dumps(noted))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
