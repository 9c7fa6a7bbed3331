"""The settings of server, queue and worker. Those of readers, models and providers are in `settings.py`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from towpath.config.profiles import PROFILES
from towpath.config.setting_field import setting


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where Towpath stores and serves, who may ask how much, and how workers claim, repeat and end jobs."""

    profile: str | None = setting(
        None,
        "Named set of values for several settings; explicit settings take precedence. `towpath check` lists them.",
        choices=tuple(PROFILES),
    )
    data: Path = setting(Path("towpath-data"), "Data folder: SQLite database, files and models.")
    database: str | None = setting(
        None, "Address of a Postgres database. If unset, SQLite in the data folder."
    )
    database_listen: str | None = setting(
        None,
        "Direct address of the same database for LISTEN, if `database` is a pooler. If unset, workers poll.",
    )
    queue: str = setting(
        "database",
        "How jobs reach workers: `database` (claimed from the database) or `bullmq` (BullMQ on Redis; needs Postgres, "
        "`redis_url` and the extra `bullmq`). The database stays the only store of states.",
        choices=("database", "bullmq"),
    )
    redis_url: str | None = setting(
        None, "Address of Redis for `queue = bullmq`, such as `redis://:password@host:6379/0`."
    )
    host: str = setting("127.0.0.1", "Address to serve on. Any address but loopback requires an API key.")
    port: int = setting(8000, "Port to serve on.")
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "More names (`name` or `name:port`) that requests without an API key may have in Host; loopback names and "
        "`host` are always allowed.",
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Addresses of proxies whose X-Forwarded-For names the client; empty means none."
    )
    requests_per_second: float | None = setting(
        2_000.0, "Requests per second of one API key, and of one address; none means no limit."
    )
    failed_keys_per_minute: float | None = setting(
        30.0, "Requests with an invalid API key per minute and address; none means no limit."
    )
    max_bytes_in_flight: int | None = setting(
        16 << 30, "Bytes of the uploads in progress of one API key or address; none means no limit."
    )
    max_stored_bytes: int | None = setting(
        None, "Bytes of all originals of one organization; none means no limit."
    )
    header_timeout_seconds: float = setting(
        20.0, "Time in which the headers of a request must arrive; after it the connection is closed."
    )
    body_timeout_seconds: float = setting(
        30.0,
        "A connection is closed if for this time a request's body brings less than 500 bytes per second, or if the "
        "client reads nothing of a response.",
    )
    worker_concurrency: int = setting(4, "Concurrent jobs of one worker.", postgres=8)
    worker_stages: tuple[str, ...] = setting((), "Stages that this worker claims; empty means all.")
    external_stages: tuple[str, ...] = setting(
        (),
        "Stages that workers over HTTP serve (`/worker/…`). A worker of this program claims one of them only if "
        "`worker_stages` names it.",
    )
    lease_seconds: float = setting(30.0, "Duration of a lease; a job whose lease expires is rescued.")
    heartbeat_seconds: float = setting(
        10.0,
        "Interval at which leases are renewed: at most half of `lease_seconds`. "
        "A worker renews at least three times per lease.",
    )
    poll_seconds: float = setting(1.0, "Interval at which a worker polls for jobs.")
    poll_mode: str = setting(
        "adaptive",
        "`adaptive`: an idle worker polls less often, at random times; `fixed`: exactly every `poll_seconds`.",
        choices=("adaptive", "fixed"),
    )
    max_attempts: int = setting(2, "Attempts per stage before the run fails.", postgres=5)
    max_crashes: int = setting(2, "Crashes of a job that ran alone before the document is quarantined.")
    run_deadline_seconds: float | None = setting(
        120.0, "Deadline of a run, from its start; none means no deadline.", postgres=None
    )
    call_deadline_seconds: float | None = setting(
        86_400.0, "Deadline of a run of a call, which may wait hours for its transcript.", postgres=None
    )
    continue_after_timeout: bool = setting(
        True,
        "After its deadline, a run that made progress is continued by a new run that reuses what is finished.",
    )
    recovery: str = setting(
        "resume",
        "After a lost process: `resume` its runs after their last completed stage, or `fail` them.",
        choices=("resume", "fail"),
    )
    backoff: str = setting(
        "jitter",
        "Wait before the next attempt: `fixed` is exactly min(600, 30 * 2^attempts) seconds; `jitter` is a random time "
        "between half of it and the whole.",
        choices=("jitter", "fixed"),
    )
    backoff_scale: float = setting(1.0, "Factor on every backoff between attempts; 0 retries at once.")
    shutdown_grace_seconds: float = setting(5.0, "Time for running stages to finish after SIGTERM.")
    max_upload_bytes: int = setting(4 << 30, "Maximum size of an upload in bytes.")
    disk_reserve_mb: int = setting(
        32,
        "Disk space in MB that stays free on the disk of the data folder; with less, uploads are refused, jobs wait. "
        "On SQLite a file of this size is deleted when the disk is full, so that deleting works. 0: no reserve.",
    )
    child_processes: int = setting(2, "Child processes for parsing, OCR and local models.")
    reader_cpu_seconds: float = setting(
        15.0, "CPU time in which a child process must read one page; 1 s more for each MB of the file."
    )
    child_memory_mb: int = setting(
        1280,
        "Limit of the resident memory of one child process in MB. A child process that exceeds it is killed.",
    )
