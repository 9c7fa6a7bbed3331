"""Settings: one validated object, read from profile < file < environment (`TOWPATH_…`) < flags, with sources."""

from __future__ import annotations

import os
import re
import tomllib
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from towpath.errors import ConfigError
from towpath.profiles import PROFILES

PREFIX = "TOWPATH_"
FILE = "towpath.toml"

#: Renamed settings: old name → new name. An old name is refused in file, environment and flags.
RENAMED: Mapping[str, str] = {
    "analyst": "call_analyzer",
    "analysis_patience_seconds": "analysis_timeout_seconds",
    "call_turn_seconds": "call_slice_seconds",
    "transcript_patience_seconds": "transcript_timeout_seconds",
    "transcript_polls": "transcript_max_polls",
}

#: Environment variables without the prefix that name a setting.
ALIASES: Mapping[str, str] = {"SPEECHKIT_POLL_INTERVAL_MS": "speechkit_poll_interval_ms"}
#: Variables with these beginnings are read as settings; an unknown one stops the start.
_ALIAS_PREFIXES = tuple({f"{alias.partition('_')[0]}_" for alias in ALIASES})
#: Variables that are no settings: the settings file, the key and address of a server, and one of the package's build.
_OTHER_VARIABLES = frozenset({"config", "api_key", "url", "repository"})
#: Variables that only tests read.
_TEST_PREFIX = "test_"

#: A password in a database address: after the user name, or in the query parameters.
_PASSWORD = re.compile(r"(//[^/?@:]*:)[^/?]+(?=@)|([?&]password=)[^&]+")
_CONTAINER = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")


def _setting(
    default: Any, help: str, *, postgres: Any = ..., choices: tuple[str, ...] = (), secret: bool = False
) -> Any:
    """A setting. ``postgres`` is its default on Postgres if it differs; a ``secret`` is never printed."""
    metadata = {"help": help, "postgres": postgres, "choices": choices, "secret": secret}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. `docs/reference/settings.md` is generated from the help texts."""

    profile: str | None = _setting(
        None,
        "Named set of values for several settings; explicit settings take precedence. `towpath check` lists them.",
        choices=tuple(PROFILES),
    )
    data: Path = _setting(Path("towpath-data"), "Data folder: SQLite database, files and models.")
    database: str | None = _setting(
        None, "Address of a Postgres database. If unset, SQLite in the data folder."
    )
    database_listen: str | None = _setting(
        None,
        "Direct address of the same database for LISTEN, if `database` is a pooler. If unset, workers poll.",
    )
    host: str = _setting("127.0.0.1", "Address to serve on. Any address but loopback requires an API key.")
    port: int = _setting(8000, "Port to serve on.")
    worker_concurrency: int = _setting(4, "Concurrent jobs of one worker.", postgres=8)
    worker_stages: tuple[str, ...] = _setting((), "Stages that this worker claims; empty means all.")
    lease_seconds: float = _setting(30.0, "Duration of a lease; a job whose lease expires is rescued.")
    heartbeat_seconds: float = _setting(
        10.0,
        "Interval at which leases are renewed: at most half of `lease_seconds`. "
        "A worker renews at least three times per lease.",
    )
    poll_seconds: float = _setting(1.0, "Interval at which a worker polls for jobs (the scheduler's tick).")
    poll_mode: str = _setting(
        "adaptive",
        "`adaptive`: an idle worker polls less often, at random times; `fixed`: exactly every `poll_seconds`.",
        choices=("adaptive", "fixed"),
    )
    max_attempts: int = _setting(2, "Attempts per stage before the run fails.", postgres=5)
    max_crashes: int = _setting(2, "Crashes of a job that ran alone before the document is quarantined.")
    run_deadline_seconds: float | None = _setting(
        120.0, "Deadline of a run, from its start; none means no deadline.", postgres=None
    )
    call_deadline_seconds: float | None = _setting(
        86_400.0, "Deadline of a run of a call, which may wait hours for its transcript.", postgres=None
    )
    continue_after_timeout: bool = _setting(
        True,
        "Continue a run that reached its deadline after progress by a new run that reuses what is finished.",
    )
    recovery: str = _setting(
        "resume",
        "After a lost process: `resume` its runs after their last completed stage, or `fail` them.",
        choices=("resume", "fail"),
    )
    backoff: str = _setting(
        "jitter",
        "Wait before the next attempt: `fixed` is exactly min(600, 30 * 2^attempts) seconds; `jitter` is a random time "
        "between half of it and the whole.",
        choices=("jitter", "fixed"),
    )
    backoff_scale: float = _setting(1.0, "Factor on every backoff between attempts; 0 retries at once.")
    shutdown_grace_seconds: float = _setting(5.0, "Time for running stages to finish after SIGTERM.")
    max_upload_bytes: int = _setting(4 << 30, "Maximum size of an upload in bytes.")
    child_processes: int = _setting(2, "Child processes for parsing, OCR and local models.")
    child_memory_mb: int = _setting(3072, "Memory limit of one child process in MB.")
    reader: str = _setting(
        "local",
        "Reader of PDFs and images: `local` or `azure` (Document Intelligence). Other files are read locally.",
        choices=("local", "azure"),
    )
    document_intelligence_endpoint: str | None = _setting(
        None, "Endpoint of the Document Intelligence resource, for `reader = azure`."
    )
    document_intelligence_key: str | None = _setting(
        None, "Key of the Document Intelligence resource.", secret=True
    )
    document_intelligence_model: str = _setting(
        "prebuilt-layout",
        "Its model: `prebuilt-layout` (markdown), `prebuilt-invoice`, `prebuilt-read` or a custom one.",
    )
    document_intelligence_features: tuple[str, ...] = _setting(("keyValuePairs",), "Its add-on features.")
    document_intelligence_office: bool = _setting(
        False,
        "Send Office and HTML files to Document Intelligence too: billed per 3,000 characters, without page positions.",
    )
    document_intelligence_by_url: bool = _setting(
        False, "Let Document Intelligence fetch files by a signed URL, if the blob storage can sign one."
    )
    document_intelligence_price: float | None = _setting(
        None, "US dollars per 1,000 pages, if not the list price."
    )
    document_intelligence_concurrency: int | None = _setting(
        None, "Concurrent requests to Document Intelligence, all workers together; none means no limit."
    )
    document_intelligence_requests_per_minute: float | None = _setting(
        None, "Analyses started per minute, all workers together; none means no limit."
    )
    embedder: str = _setting(
        "fast",
        "Embedding model: `fast` (local, static vectors, 256 dimensions), `minilm` (local, neural, English, 384 "
        "dimensions) or `openai`.",
        choices=("fast", "minilm", "openai"),
    )
    openai_base_url: str = _setting(
        "https://api.openai.com/v1", "Address of OpenAI or of an OpenAI-compatible server."
    )
    openai_api_key: str | None = _setting(None, "API key for `openai_base_url`.", secret=True)
    openai_embedding_model: str = _setting("text-embedding-3-small", "OpenAI embedding model.")
    openai_embedding_dimensions: int | None = _setting(
        None, "Dimensions of the vectors; required for models that are not OpenAI's."
    )
    openai_batch_size: int = _setting(
        2048,
        "Inputs per embedding request. A server that refuses the size is sent smaller requests; the size it accepts is "
        "stored for 30 days.",
    )
    openai_batch_tokens: int = _setting(300_000, "Tokens per embedding request.")
    openai_embedding_price: float | None = _setting(
        None, "US dollars per million tokens, if not the list price."
    )
    openai_concurrency: int | None = _setting(
        None, "Concurrent requests to OpenAI, all workers together; none means no limit."
    )
    openai_requests_per_minute: float | None = _setting(
        None, "Requests to OpenAI per minute, all workers together; none means no limit."
    )
    openai_tokens_per_minute: float | None = _setting(
        None, "Tokens sent to OpenAI per minute, all workers together; none means no limit."
    )
    refused_pause_seconds: float = _setting(
        300.0,
        "Pause before a provider that refused the account (key, credit, permission) is called again.",
    )
    provider_patience_seconds: float = _setting(
        86_400.0,
        "Time for which a run waits for a provider that throttles (429, 503 with Retry-After) or refuses the account "
        "(401, 403) before it fails.",
    )
    document_intelligence_patience_seconds: float | None = _setting(
        None, "The same for Document Intelligence only; none means `provider_patience_seconds`."
    )
    openai_patience_seconds: float | None = _setting(
        None, "The same for OpenAI only; none means `provider_patience_seconds`."
    )
    speechkit_patience_seconds: float | None = _setting(
        None, "The same for SpeechKit only; none means `provider_patience_seconds`."
    )
    throttle_uses_attempt: bool = _setting(
        False, "Count a throttled call as a failed attempt; otherwise its job waits and uses no attempt."
    )
    ocr: bool = _setting(True, "Read scans and images by OCR (requires the extra `ocr`).")
    ocr_languages: str = _setting("eng", "Languages for OCR, joined by `+`.")
    tessdata: Path | None = _setting(
        None, "Folder with Tesseract language data. If unset, the usual folders are searched."
    )
    transcriber: str = _setting(
        "local",
        "Transcriber of calls: `local` (English; requires the extra `calls`), `speechkit` (Yandex, API v3) or "
        "`speechkit-v2` (fetches recordings from Yandex Object Storage).",
        choices=("local", "speechkit", "speechkit-v2"),
    )
    speechkit_api_key: str | None = _setting(None, "API key of a service account for SpeechKit.", secret=True)
    speechkit_folder_id: str | None = _setting(None, "Yandex Cloud folder id, if the key does not imply it.")
    speechkit_model: str = _setting("general", "SpeechKit recognition model.")
    speechkit_languages: tuple[str, ...] = _setting(
        ("ru-RU",), "Languages that SpeechKit recognizes; v2 uses the first."
    )
    speechkit_stt_url: str = _setting(
        "https://stt.api.cloud.yandex.net", "Address of SpeechKit recognition, API v3."
    )
    speechkit_transcribe_url: str = _setting(
        "https://transcribe.api.cloud.yandex.net", "Address of SpeechKit recognition, API v2."
    )
    speechkit_operations_url: str = _setting(
        "https://operation.api.cloud.yandex.net", "Address of Yandex Cloud operations."
    )
    speechkit_poll_interval_ms: int | None = _setting(
        None,
        "Fixed interval between two polls for a transcript, in milliseconds; none means growing intervals. The "
        "environment variable SPEECHKIT_POLL_INTERVAL_MS is an alias.",
    )
    speechkit_requests_per_minute: float | None = _setting(
        None, "Recognitions started per minute, all workers together; none means no limit."
    )
    transcript_timeout_seconds: float = _setting(
        86_400.0, "Time to wait for a provider's transcript before the run fails."
    )
    transcript_first_poll_seconds: float = _setting(
        5.0, "Earliest time of the first poll for a transcript; later for long recordings."
    )
    transcript_max_polls: int = _setting(2_000, "Maximum number of polls for a transcript.")
    call_window_seconds: float = _setting(
        60.0, "Window length of the local transcriber; a crash loses at most one window."
    )
    call_slice_seconds: float = _setting(
        20.0, "Time after which the local transcriber suspends a call, so that other calls make progress."
    )
    keep_original: bool = _setting(
        True, "Keep the original file of a call after transcription; otherwise only its audio as OGG Opus."
    )
    call_analyzer: str = _setting(
        "local",
        "Analyzer of calls: `local` (extractive) or `openai`.",
        choices=("local", "openai"),
    )
    openai_analysis_model: str = _setting("gpt-4.1-mini", "OpenAI chat model for the analysis of calls.")
    analysis_timeout_seconds: float = _setting(
        1_800.0, "Time to wait for a throttled analyzer before a call is completed without an analysis."
    )
    keep_history_days: float | None = _setting(
        90.0,
        "Days after which ended runs, their jobs and events are deleted, except the latest content of a document; "
        "none keeps everything.",
    )
    keep_answers_days: float | None = _setting(
        None,
        "Days after which cached answers that only deleted documents used are deleted; none keeps them.",
    )
    blob_storage: str | None = _setting(
        None,
        "Connection string of an Azure storage account. If unset, files are stored in the data folder.",
        secret=True,
    )
    blob_container: str = _setting("towpath", "Azure container for the files; created if missing.")
    log_format: str = _setting("text", "Format of log lines.", choices=("text", "json"))
    traces: bool = _setting(
        False, "Send OpenTelemetry traces to OTEL_EXPORTER_OTLP_ENDPOINT (requires the extra `otel`)."
    )

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{item.name}={display_value(self, item.name)!r}' for item in fields(self))})"

    @property
    def embedded(self) -> bool:
        return self.database is None

    @property
    def sqlite_file(self) -> Path:
        return self.data / "towpath.db"


def display_value(settings: Settings, name: str) -> object:
    """A setting's value for printing: secrets and passwords are masked."""
    value = getattr(settings, name)
    secret = {item.name: item.metadata["secret"] for item in fields(Settings)}[name]
    if secret and value is not None:
        return "(set, not shown)"
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and the source of each value."""

    settings: Settings
    sources: Mapping[str, str]


def load(
    flags: Mapping[str, object], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Loaded:
    """Read the settings. A flag of None counts as not given."""
    env = os.environ if environment is None else environment
    path = file or Path(env.get(f"{PREFIX}CONFIG", FILE))
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    known = {item.name: item for item in fields(Settings)}
    layers: list[tuple[str, Mapping[str, object]]] = [
        (f"file {path}", _read_file(path, required=file is not None)),
        ("environment", _read_environment(env, known)),
        ("flag", {name: value for name, value in flags.items() if value is not None}),
    ]
    for source, layer in layers:
        for name, value in layer.items():
            if name in RENAMED:
                raise ConfigError(f"The setting `{name}` ({source}) was renamed: use `{RENAMED[name]}`.")
            if name in known:
                values[name] = _convert(name, value, source)
                sources[name] = source
            else:
                raise ConfigError(
                    f"There is no setting `{name}` ({source}). Known: {', '.join(sorted(known))}."
                )
    _apply_profile(values, sources)
    on_postgres = values.get("database") is not None
    for name, item in known.items():
        if name not in values:
            sources[name] = "default"
            if on_postgres and item.metadata["postgres"] is not ...:
                values[name] = item.metadata["postgres"]
                sources[name] = "default on Postgres"
    settings = Settings(**values)  # pyright: ignore[reportArgumentType]  (each value was converted to its field's type)
    _validate(settings)
    return Loaded(settings, sources)


def _apply_profile(values: dict[str, object], sources: dict[str, str]) -> None:
    """Add the values of the chosen profile that were not set explicitly."""
    name = values.get("profile")
    if name is None:
        return
    if name not in PROFILES:
        raise ConfigError(f"The setting `profile` must be one of {', '.join(PROFILES)}, not {name!r}.")
    for setting, value in PROFILES[str(name)].values.items():
        if setting not in values:
            values[setting] = value
            sources[setting] = f"profile {name}"


def _read_environment(environment: Mapping[str, str], known: Collection[str]) -> dict[str, object]:
    """The settings in the environment, by name. An unknown variable raises ConfigError with the nearest name."""
    values: dict[str, object] = {}
    for variable in sorted(environment):
        value = environment[variable]
        if variable in ALIASES:
            # The name with the prefix takes precedence: it is sorted after its alias.
            values[ALIASES[variable]] = value
        elif variable.startswith(PREFIX):
            name = variable.removeprefix(PREFIX).lower()
            if name in known or name in RENAMED:
                values[name] = value
            elif name not in _OTHER_VARIABLES and not name.startswith(_TEST_PREFIX):
                raise _unknown_variable(variable, known)
        elif variable.startswith(_ALIAS_PREFIXES):
            raise _unknown_variable(variable, known)
    return values


def _unknown_variable(variable: str, known: Collection[str]) -> ConfigError:
    # Compared without the prefix, which would make all names alike.
    settings = get_close_matches(variable.removeprefix(PREFIX).lower(), known, n=1)
    nearest = [
        *get_close_matches(variable, ALIASES, n=1, cutoff=0.9),
        *(f"{PREFIX}{name.upper()}" for name in settings),
    ]
    advice = f"Did you mean {nearest[0]}?" if nearest else "`towpath config` lists the settings."
    return ConfigError(f"The environment variable {variable} names no setting. {advice}")


def _read_file(path: Path, *, required: bool) -> Mapping[str, object]:
    if not path.exists():
        if required:
            raise ConfigError(f"The settings file {path} does not exist.")
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The settings file {path} is not valid TOML: {error}") from error


def _convert(name: str, value: object, source: str) -> object:
    hint = get_type_hints(Settings)[name]
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if type(None) in options and (value is None or str(value).lower() in ("", "none")):
        return None
    target = next(option for option in options if option is not type(None))
    try:
        if get_origin(target) is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            return tuple(str(part).strip() for part in parts if str(part).strip())  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]  (a list from TOML; anything else raises TypeError)
        if target is bool:
            return _boolean(value)
        return target(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"The setting `{name}` ({source}) cannot be {value!r}: {error}.") from error


def _boolean(value: object) -> bool:
    word = str(value).lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("use true or false")


def _validate(settings: Settings) -> None:
    for item in fields(Settings):
        choices = item.metadata["choices"]
        value = getattr(settings, item.name)
        if choices and value is not None and value not in choices:
            raise ConfigError(
                f"The setting `{item.name}` must be one of {', '.join(choices)}, not {value!r}."
            )
        if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value < inf:
            raise ConfigError(f"The setting `{item.name}` must not be negative: {value}.")
        if item.name.endswith(("_url", "_endpoint")) and isinstance(value, str):
            _require_address(item.name, value)
    if settings.heartbeat_seconds * 2 > settings.lease_seconds:
        raise ConfigError(
            "heartbeat_seconds must be at most half of lease_seconds. A worker renews its leases at least three times "
            "per lease in any case."
        )
    if settings.worker_concurrency < 1 or settings.max_attempts < 1:
        raise ConfigError("worker_concurrency and max_attempts must be at least 1.")
    if settings.openai_batch_size < 1 or settings.openai_batch_tokens < 1:
        raise ConfigError("openai_batch_size and openai_batch_tokens must be at least 1.")
    if settings.openai_embedding_dimensions == 0:
        raise ConfigError("The setting `openai_embedding_dimensions` must be at least 1.")
    if settings.port > 65_535:
        raise ConfigError(f"The setting `port` must be at most 65535, not {settings.port}.")
    if not settings.speechkit_languages:
        raise ConfigError("The setting `speechkit_languages` needs at least one language, such as ru-RU.")
    for name in ("database", "database_listen"):
        address = getattr(settings, name)
        if address is not None and not address.startswith(("postgresql://", "postgres://")):
            raise ConfigError(f"The setting `{name}` must be an address like postgresql://user@host/name.")
    if not _CONTAINER.fullmatch(settings.blob_container):
        raise ConfigError(
            "The setting `blob_container` must be 3 to 63 lower-case letters, digits and single hyphens."
        )


def _require_address(name: str, value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"The setting `{name}` must be an address like https://host, not {value!r}.")
