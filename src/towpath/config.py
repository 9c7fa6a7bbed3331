"""Settings: file < environment (`TOWPATH_…`) < flags; one frozen, validated object that knows its sources."""

from __future__ import annotations

import os
import re
import tomllib
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from towpath.errors import ConfigError

PREFIX = "TOWPATH_"
FILE = "towpath.toml"

#: A password in an address: after the user's name, or among the parameters.
_PASSWORD = re.compile(r"(//[^/?@:]*:)[^/?]+(?=@)|([?&]password=)[^&]+")
_CONTAINER = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")


def _setting(
    default: Any, help: str, *, postgres: Any = ..., choices: tuple[str, ...] = (), secret: bool = False
) -> Any:
    """A setting. ``postgres`` is its default on Postgres where that differs; a ``secret`` is never shown."""
    about = {"help": help, "postgres": postgres, "choices": choices, "secret": secret}
    return field(default=default, metadata=about)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. The help texts are the reference: `docs/reference/settings.md` is made of them."""

    data: Path = _setting(Path("towpath-data"), "Folder for the database, the files and the models.")
    database: str | None = _setting(
        None, "Address of a Postgres database; without one, SQLite in the data folder."
    )
    database_listen: str | None = _setting(
        None,
        "Direct address of the same database for LISTEN, where `database` is a pooler; without it, workers poll.",
    )
    host: str = _setting("127.0.0.1", "Address to serve on. Anything but loopback needs an API key.")
    port: int = _setting(8000, "Port to serve on.")
    worker_concurrency: int = _setting(4, "Jobs one worker works on at once.", postgres=8)
    worker_stages: tuple[str, ...] = _setting((), "Stages this worker serves; empty means all of them.")
    lease_seconds: float = _setting(30.0, "How long a job stays with a worker that does not renew its lease.")
    heartbeat_seconds: float = _setting(10.0, "How often leases are renewed; at most a third of the lease.")
    poll_seconds: float = _setting(1.0, "How often an awake worker looks for work; the scheduler's tick.")
    max_attempts: int = _setting(2, "Tries for each stage before the run fails.", postgres=5)
    max_crashes: int = _setting(
        2, "Times a stage may take its worker down before the document is quarantined."
    )
    run_deadline_seconds: float | None = _setting(
        120.0, "Longest time for one run, from its start; none means no limit.", postgres=None
    )
    call_deadline_seconds: float | None = _setting(
        86_400.0, "The same for the run of a call, which may wait hours for its transcript.", postgres=None
    )
    recovery: str = _setting(
        "resume",
        "After a crash: `resume` orphaned runs from their last finished stage, or `fail` them for a person to see.",
        choices=("resume", "fail"),
    )
    backoff_scale: float = _setting(1.0, "Factor on every wait between attempts; 0 retries at once.")
    shutdown_grace_seconds: float = _setting(5.0, "How long running stages may finish after SIGTERM.")
    max_upload_bytes: int = _setting(4 << 30, "Largest file that is accepted.")
    child_processes: int = _setting(2, "Processes for parsing, OCR and local models.")
    child_memory_mb: int = _setting(3072, "Memory one such process may use.")
    reader: str = _setting(
        "local",
        "Who reads PDFs and images: `local`, or `azure` (Document Intelligence). Other files are read locally.",
        choices=("local", "azure"),
    )
    document_intelligence_endpoint: str | None = _setting(
        None, "Address of the Document Intelligence resource, for `reader = azure`."
    )
    document_intelligence_key: str | None = _setting(None, "Its key.", secret=True)
    document_intelligence_model: str = _setting(
        "prebuilt-layout",
        "Its model: `prebuilt-layout` (markdown), `prebuilt-invoice`, `prebuilt-read` or a trained one.",
    )
    document_intelligence_features: tuple[str, ...] = _setting(("keyValuePairs",), "Its add-ons.")
    document_intelligence_office: bool = _setting(
        False,
        "Send Office and HTML files there too: billed by 3,000 characters, and without places on pages.",
    )
    document_intelligence_by_url: bool = _setting(
        False, "Let it fetch files from storage by a signed address, where the storage can sign one."
    )
    document_intelligence_price: float | None = _setting(
        None, "US dollars for 1,000 pages, where the list price is not yours."
    )
    document_intelligence_concurrency: int | None = _setting(
        None, "Requests of all workers together that may be under way there at once; none means no limit."
    )
    document_intelligence_requests_per_minute: float | None = _setting(
        None, "Analyses that all workers together may start there in a minute; none means no limit."
    )
    embedder: str = _setting(
        "fast",
        "Embedding model: `fast` (local, static, 256 dimensions), `minilm` (local, a network, English, 384) or "
        "`openai`.",
        choices=("fast", "minilm", "openai"),
    )
    openai_base_url: str = _setting(
        "https://api.openai.com/v1", "Address of OpenAI, or of any service that speaks as it does."
    )
    openai_api_key: str | None = _setting(None, "Its key.", secret=True)
    openai_embedding_model: str = _setting("text-embedding-3-small", "Its embedding model.")
    openai_embedding_dimensions: int | None = _setting(
        None, "Length of the vectors; needed for models that are not OpenAI's."
    )
    openai_embedding_price: float | None = _setting(
        None, "US dollars for a million tokens, where the list price is not yours."
    )
    openai_concurrency: int | None = _setting(
        None, "Requests of all workers together that may be under way there at once; none means no limit."
    )
    openai_requests_per_minute: float | None = _setting(
        None, "Requests that all workers together may make there in a minute; none means no limit."
    )
    openai_tokens_per_minute: float | None = _setting(
        None, "Tokens that all workers together may send there in a minute; none means no limit."
    )
    refused_pause_seconds: float = _setting(
        300.0,
        "How long a provider that refuses our key or has no credit for us is left alone before the next try.",
    )
    ocr: bool = _setting(True, "Read scans and images by OCR (needs the extra `ocr`).")
    ocr_languages: str = _setting("eng", "Languages for OCR, joined by `+`.")
    tessdata: Path | None = _setting(
        None, "Folder with Tesseract language data; found by itself when installed."
    )
    transcriber: str = _setting(
        "local",
        "Who puts calls into writing: `local` (English; needs the extra `calls`), `speechkit` (Yandex, API v3) or "
        "`speechkit-v2`, which fetches recordings from Yandex Object Storage by itself.",
        choices=("local", "speechkit", "speechkit-v2"),
    )
    speechkit_api_key: str | None = _setting(None, "API key of a service account for SpeechKit.", secret=True)
    speechkit_folder_id: str | None = _setting(None, "Its folder, where the key alone does not tell.")
    speechkit_model: str = _setting("general", "Its recognition model.")
    speechkit_languages: tuple[str, ...] = _setting(
        ("ru-RU",), "Languages it listens for; v2 takes the first."
    )
    speechkit_stt_url: str = _setting("https://stt.api.cloud.yandex.net", "Address of recognition, API v3.")
    speechkit_transcribe_url: str = _setting(
        "https://transcribe.api.cloud.yandex.net", "Address of recognition, API v2."
    )
    speechkit_operations_url: str = _setting(
        "https://operation.api.cloud.yandex.net", "Address of its long-running operations."
    )
    speechkit_requests_per_minute: float | None = _setting(
        None, "Recognitions that all workers together may start there in a minute; none means no limit."
    )
    transcript_patience_seconds: float = _setting(
        86_400.0, "How long a provider's transcript is waited for before the run fails."
    )
    transcript_first_poll_seconds: float = _setting(
        5.0, "How soon it is asked for at the earliest; later for long recordings."
    )
    transcript_polls: int = _setting(2_000, "How often it is asked for in that time, at most.")
    call_window_seconds: float = _setting(
        60.0, "Length of the stretches in which the local transcriber hears a call; a kill costs at most one."
    )
    call_turn_seconds: float = _setting(
        20.0, "How long the local transcriber works on one call before others get their turn."
    )
    keep_original: bool = _setting(
        True, "Keep the file of a call once its transcript exists; otherwise only its sound, as Opus."
    )
    analyst: str = _setting(
        "local",
        "Who tells what a call was about: `local` (picks sentences out) or `openai`.",
        choices=("local", "openai"),
    )
    openai_analysis_model: str = _setting("gpt-4.1-mini", "The chat model for the analysis of calls.")
    analysis_patience_seconds: float = _setting(
        1_800.0, "How long a busy analyst is waited for before a call is finished without an analysis."
    )
    keep_history_days: float | None = _setting(
        90.0,
        "Finished runs, their jobs and events are removed after this many days, except what a document needs; "
        "none keeps everything.",
    )
    keep_answers_days: float | None = _setting(
        None,
        "Provider answers that only removed documents asked for are removed after this many days; none keeps them.",
    )
    blob_storage: str | None = _setting(
        None,
        "Connection string of an Azure storage account; without one, files are kept in the data folder.",
        secret=True,
    )
    blob_container: str = _setting("towpath", "Container for the files; made when it is not there.")
    log_format: str = _setting("text", "How to log.", choices=("text", "json"))
    traces: bool = _setting(
        False, "Send OpenTelemetry traces to OTEL_EXPORTER_OTLP_ENDPOINT (needs the extra `otel`)."
    )

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{item.name}={shown(self, item.name)!r}' for item in fields(self))})"

    @property
    def embedded(self) -> bool:
        return self.database is None

    @property
    def sqlite_file(self) -> Path:
        return self.data / "towpath.db"


def shown(settings: Settings, name: str) -> object:
    """A setting's value as it may be printed."""
    value = getattr(settings, name)
    secret = {item.name: item.metadata["secret"] for item in fields(Settings)}[name]
    if secret and value is not None:
        return "(set, not shown)"
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings and, for each, where its value came from."""

    settings: Settings
    sources: Mapping[str, str]
    #: Variables of the environment that look like settings and are none.
    misspelt: tuple[str, ...] = ()


def load(
    flags: Mapping[str, object], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Loaded:
    """Read the settings. Flags that are None were not given."""
    env = os.environ if environment is None else environment
    path = file or Path(env.get(f"{PREFIX}CONFIG", FILE))
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    known = {item.name: item for item in fields(Settings)}
    layers: list[tuple[str, Mapping[str, object]]] = [
        (f"file {path}", _read_file(path, required=file is not None)),
        ("environment", {k[len(PREFIX) :].lower(): v for k, v in env.items() if k.startswith(PREFIX)}),
        ("flag", {name: value for name, value in flags.items() if value is not None}),
    ]
    for source, layer in layers:
        for name, value in layer.items():
            if name in known:
                values[name] = _convert(name, value, source)
                sources[name] = source
            elif source != "environment":
                raise ConfigError(
                    f"There is no setting `{name}` ({source}). Known: {', '.join(sorted(known))}."
                )
    on_postgres = values.get("database") is not None
    for name, item in known.items():
        if name not in values:
            sources[name] = "default"
            if on_postgres and item.metadata["postgres"] is not ...:
                values[name] = item.metadata["postgres"]
                sources[name] = "default on Postgres"
    settings = Settings(**values)  # pyright: ignore[reportArgumentType]  (each value was converted to its field's type)
    _validate(settings)
    return Loaded(settings, sources, tuple(sorted(_misspelt(layers[1][1], known))))


def _misspelt(given: Mapping[str, object], known: Collection[str]) -> Iterator[str]:
    """The environment is everybody's, so a stranger there is no error; one letter off, it is worth a word."""
    for name in given.keys() - known:
        if near := get_close_matches(name, known, n=1, cutoff=0.8):
            yield f"There is no setting {PREFIX}{name.upper()}. Did you mean {PREFIX}{near[0].upper()}?"


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
    wanted = get_type_hints(Settings)[name]
    options = get_args(wanted) if get_origin(wanted) in (Union, types.UnionType) else (wanted,)
    if type(None) in options and (value is None or str(value).lower() in ("", "none")):
        return None
    kind = next(option for option in options if option is not type(None))
    try:
        if get_origin(kind) is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            return tuple(str(part).strip() for part in parts if str(part).strip())  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]  (a list from TOML, or the reader is told below)
        if kind is bool:
            return _boolean(value)
        return kind(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"The setting `{name}` ({source}) cannot be {value!r}: {error}.") from error


def _boolean(value: object) -> bool:
    word = str(value).lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("say true or false")


def _validate(settings: Settings) -> None:
    for item in fields(Settings):
        choices = item.metadata["choices"]
        value = getattr(settings, item.name)
        if choices and value not in choices:
            raise ConfigError(
                f"The setting `{item.name}` must be one of {', '.join(choices)}, not {value!r}."
            )
        if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value < inf:
            raise ConfigError(
                f"The setting `{item.name}` must be a number that is not negative, not {value}."
            )
        if item.name.endswith(("_url", "_endpoint")) and isinstance(value, str):
            _require_address(item.name, value)
    if settings.heartbeat_seconds * 2 > settings.lease_seconds:
        raise ConfigError(
            "heartbeat_seconds must be at most half of lease_seconds, or one missed beat would lose the job."
        )
    if settings.worker_concurrency < 1 or settings.max_attempts < 1:
        raise ConfigError("worker_concurrency and max_attempts must be at least 1.")
    if settings.openai_embedding_dimensions == 0:
        raise ConfigError("The setting `openai_embedding_dimensions` must be at least 1.")
    if settings.port > 65_535:
        raise ConfigError(f"The setting `port` cannot be {settings.port}: ports end at 65535.")
    if not settings.speechkit_languages:
        raise ConfigError("The setting `speechkit_languages` needs at least one language, such as ru-RU.")
    for name in ("database", "database_listen"):
        address = getattr(settings, name)
        if address is not None and not address.startswith(("postgresql://", "postgres://")):
            raise ConfigError(f"The setting `{name}` must be an address like postgresql://user@host/name.")
    if not _CONTAINER.fullmatch(settings.blob_container):
        raise ConfigError(
            "The setting `blob_container` must be 3 to 63 small letters, digits and single hyphens."
        )


def _require_address(name: str, value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"The setting `{name}` must be an address like https://host, not {value!r}.")
