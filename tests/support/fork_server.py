"""The fork server of all workers and servers that tests start, with everything that they use imported once.

A process has one fork server, and it imports the modules that were named last before its first process. The drill names
its own ones when it is imported, so this module imports the drill first and then names those of all tests: a worker
starts in 0.1 s instead of more than a second, whichever test file came first.
"""

from __future__ import annotations

import multiprocessing

from towpath.drill import worker_pool

assert worker_pool, "the drill has named its modules"

fork_server = multiprocessing.get_context("forkserver")
# Child processes of pytest import pytest, so the fork server imports it once as well.
fork_server.set_forkserver_preload(
    [
        *("pytest", "towpath.drill.preloaded_modules", "tests.support.worker_main", "tests.crash.stages"),
        # The modules of `towpath serve`, with those that migrate its new database.
        *("towpath.cli.server_commands", "towpath.cli.serve", "towpath.bootstrap.runtime", "alembic.command"),
        "tests.support.fork_server_end",
    ]
)
