"""Databases of the rows of BullMQ: a prefix of keys in one Redis, and beside it a database of Postgres."""

from __future__ import annotations

from typing import Any, cast

from redis import Redis

from bench.libraries.contract import RedisDsn
from bench.queue.databases import PostgresDatabases
from towpath.job_queue.bullmq_client import PREFIX

BATCH = 1_000


class RedisDatabases:
    """Towpath's prefix is the same in every installation: its keys are deleted with every database."""

    def __init__(self, url: str, postgres: PostgresDatabases) -> None:
        self._url = url
        self._client = cast("Any", Redis.from_url(url))
        self._postgres = postgres

    def create(self, name: str, template: str | None = None) -> str:
        self._delete_keys(name)
        self._delete_keys(PREFIX)
        if template is not None:
            self._copy_keys(template, name)
        return RedisDsn(self._url, name, self._postgres.create(name, template)).text()

    def drop(self, name: str) -> None:
        self._delete_keys(name)
        self._delete_keys(PREFIX)
        self._postgres.drop(name)

    def settle(self, name: str) -> None:
        self._postgres.settle(name)

    def _copy_keys(self, template: str, name: str) -> None:
        pipe = self._client.pipeline(transaction=False)
        for key in self._client.scan_iter(match=f"{template}:*", count=BATCH):
            pipe.copy(key, name.encode() + key[len(template) :])
        pipe.execute()

    def _delete_keys(self, name: str) -> None:
        keys = list(self._client.scan_iter(match=f"{name}:*", count=BATCH))
        for start in range(0, len(keys), BATCH):
            self._client.unlink(*keys[start : start + BATCH])
