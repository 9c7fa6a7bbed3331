"""BullMQ's own Lua scripts, called for many jobs in one command.

BullMQ's client sends a command for each move of a job. Packing it and reading its answer takes the client more time
than everything else that the worker does for a job. The scripts here contain BullMQ's script as a function and call it
in a loop, so that what happens to a job in Redis is exactly what BullMQ does. Parameters and answers are one text each,
because the client of Redis packs and reads each element of a list on its own.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from redis.asyncio import Redis

#: The keys of BullMQ's script `moveToActive`, in its order.
MOVE_TO_ACTIVE_KEYS = (
    *("wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused", "meta", "pc"),
    "marker",
)
#: The keys of BullMQ's script `addStandardJob`, in its order.
ADD_JOB_KEYS = ("wait", "paused", "meta", "id", "completed", "delayed", "active", "events", "marker")

#: The keys and the arguments of one call of a script.
ScriptCall = tuple[Sequence[str], Sequence[object]]

#: Adds jobs. The parameter: for each queue its keys, and the arguments of each job.
_ADD = """
for _, queue in ipairs(cmsgpack.unpack(ARGV[1])) do
  local keys, jobs = unpack(queue)
  for _, arguments in ipairs(jobs) do
    run_bullmq(keys, arguments)
  end
end
"""

#: Takes at most `limit` jobs by turns from the queues of the first group, then from those of the second.
_TAKE = """
local limit, groups = unpack(cmsgpack.unpack(ARGV[1]))
local taken, failure = {}, nil

local function take_by_turns(group)
  local queues = {}
  for _, queue in ipairs(group) do
    if redis.call('LLEN', queue[2][1]) > 0 then
      queues[#queues + 1] = queue
    end
  end
  while #queues > 0 do
    local with_more = {}
    for _, queue in ipairs(queues) do
      if #taken == limit then
        return
      end
      local name, keys, arguments = unpack(queue)
      local succeeded, answer = pcall(run_bullmq, keys, arguments)
      if not succeeded then
        failure = error_text(answer)
      elseif type(answer[2]) == 'string' then
        taken[#taken + 1] = {name, answer[2]}
        with_more[#with_more + 1] = queue
      end
    end
    queues = with_more
  end
end

for _, group in ipairs(groups) do
  take_by_turns(group)
end
if #taken > 0 then
  return cjson.encode(taken)
end
return failure and redis.error_reply(failure)
"""

#: Finishes jobs. The parameter: for the jobs of a queue that were taken with one token the keys and arguments of one of
#: them, the position of its key, the prefix of all their keys, and their ids. Answers with the ids and the reasons of
#: those that are refused.
_FINISH = """
local refused = {}
for _, group in ipairs(cmsgpack.unpack(ARGV[1])) do
  local keys, arguments, key_position, prefix, job_ids = unpack(group)
  for _, job_id in ipairs(job_ids) do
    keys[key_position], arguments[1] = prefix .. job_id, job_id
    local succeeded, answer = pcall(run_bullmq, keys, arguments)
    if not succeeded then
      refused[#refused + 1] = {job_id, error_text(answer)}
    elseif type(answer) == 'number' and answer < 0 then
      refused[#refused + 1] = {job_id, tostring(answer)}
    end
  end
end
return #refused > 0 and cjson.encode(refused)
"""

#: The positions of the keys that do not exist.
_MISSING = """
local positions = {}
for position, key in ipairs(cmsgpack.unpack(ARGV[1])) do
  if redis.call('EXISTS', key) == 0 then
    positions[#positions + 1] = position
  end
end
return #positions > 0 and cjson.encode(positions)
"""

#: The length of all lists together.
_COUNT = """
local length = 0
for _, key in ipairs(KEYS) do
  length = length + redis.call('LLEN', key)
end
return length
"""

_BATCH = """
local function run_bullmq(KEYS, ARGV)
{script}
end
local function error_text(failure)
  return type(failure) == 'table' and failure.err or tostring(failure)
end
{loop}"""


@dataclass(frozen=True, slots=True)
class FinishedJobs:
    """Jobs of one queue that were taken with one token. ``keys`` and ``arguments`` are those of one of them."""

    keys: Sequence[str]
    arguments: Sequence[object]
    prefix: str
    job_ids: Sequence[str]

    @property
    def key_position(self) -> int:
        """The position, from 1, of the job's own key."""
        return list(self.keys).index(f"{self.prefix}{self.arguments[0]}") + 1


class BatchScripts:
    """The scripts, registered with one client of Redis. Each call is one command.

    Keys are in the parameter, not in KEYS: a hundred KEYS would take the client longer than everything else. Therefore
    all keys must be on one server, as the client's are.
    """

    def __init__(self, redis: Redis, bullmq_scripts: Mapping[str, Any]) -> None:
        """``bullmq_scripts`` are BullMQ's registered scripts by name."""
        register = cast("Any", redis).register_script
        self._packb: Any = importlib.import_module("msgpack").packb

        def batch(name: str, loop: str) -> Any:
            return register(_BATCH.format(script=bullmq_scripts[name].script, loop=loop))

        self._add = batch("addStandardJob", _ADD)
        self._take = batch("moveToActive", _TAKE)
        self._finish = batch("moveToFinished", _FINISH)
        self._missing = register(_MISSING)
        self._count = register(_COUNT)

    async def add(self, queues: Sequence[tuple[Sequence[str], Sequence[Sequence[object]]]]) -> None:
        """Add jobs: the keys of each queue, and the arguments of each of its jobs."""
        parameter = [[keys, [_as_sent(arguments) for arguments in jobs]] for keys, jobs in queues]
        await self._add(args=[self._pack(parameter)])

    async def take(
        self, first: Mapping[str, ScriptCall], last: Mapping[str, ScriptCall], limit: int
    ) -> list[tuple[str, str]]:
        """Take jobs of the queues of ``first``, then of ``last``; the queue's name and the id of each job taken."""
        groups = [
            [[name, keys, _as_sent(arguments)] for name, (keys, arguments) in group.items()]
            for group in (first, last)
        ]
        answer = await self._take(args=[self._pack([limit, groups])])
        return [(name, job_id) for name, job_id in _read(answer)]

    async def finish(self, groups: Sequence[FinishedJobs]) -> list[tuple[str, str]]:
        """The ids of the jobs that were not finished, each with BullMQ's code of an error or its text."""
        parameter = [
            [group.keys, _as_sent(group.arguments), group.key_position, group.prefix, group.job_ids]
            for group in groups
        ]
        return [
            (job_id, reason) for job_id, reason in _read(await self._finish(args=[self._pack(parameter)]))
        ]

    async def missing(self, keys: Sequence[str]) -> list[int]:
        """The positions, from 0, of the keys that do not exist."""
        return [position - 1 for position in _read(await self._missing(args=[self._pack(keys)]))]

    async def count(self, keys: Sequence[str]) -> int:
        return int(await self._count(keys=keys))

    def _pack(self, parameters: object) -> bytes:
        # Redis' decoder knows one type for texts and bytes.
        return self._packb(parameters, use_bin_type=False)


def _as_sent(arguments: Sequence[object]) -> list[object]:
    """The arguments as a script gets them from a client: numbers as texts."""
    return [str(argument) if isinstance(argument, int) else argument for argument in arguments]


def _read(answer: str | None) -> list[Any]:
    return [] if answer is None else json.loads(answer)
