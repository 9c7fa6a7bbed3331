"""All settings with their defaults and help texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from towpath.config.pipelines import (
    PipelineRule,
    PipelineSettings,
    StageSettings,
    parse_pipelines,
    parse_rules,
    parse_stages,
)
from towpath.config.profiles import PROFILES

#: A password in a database address: after the user name, or in the query parameters.
_PASSWORD = re.compile(r"(//[^/?@:]*:)[^/?]+(?=@)|([?&]password=)[^&]+")


def _setting(
    default: Any,
    help: str,
    *,
    postgres: Any = ...,
    choices: tuple[str, ...] = (),
    secret: bool = False,
    parse: Callable[[object], object] | None = None,
    own: bool = False,
) -> Any:
    """A setting. ``postgres`` is its default on Postgres if it differs; a ``secret`` is never printed.

    ``parse`` converts a table of the settings file, or JSON from the environment. ``own``: `own:NAME` chooses one that
    a package offers.
    """
    metadata = {
        **{"help": help, "postgres": postgres, "choices": choices, "secret": secret},
        **{"parse": parse, "own": own},
    }
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
    queue: str = _setting(
        "database",
        "How jobs reach workers: `database` (claimed from the database) or `bullmq` (BullMQ on Redis; needs Postgres, "
        "`redis_url` and the extra `bullmq`). The database stays the only store of states.",
        choices=("database", "bullmq"),
    )
    redis_url: str | None = _setting(
        None, "Address of Redis for `queue = bullmq`, such as `redis://:password@host:6379/0`."
    )
    host: str = _setting("127.0.0.1", "Address to serve on. Any address but loopback requires an API key.")
    port: int = _setting(8000, "Port to serve on.")
    allowed_hosts: tuple[str, ...] = _setting(
        (),
        "More names (`name` or `name:port`) that requests without an API key may have in Host; loopback names and "
        "`host` are always allowed.",
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (), "Addresses of proxies whose X-Forwarded-For names the client; empty means none."
    )
    requests_per_second: float | None = _setting(
        2_000.0, "Requests per second of one API key, and of one address; none means no limit."
    )
    failed_keys_per_minute: float | None = _setting(
        30.0, "Requests with an invalid API key per minute and address; none means no limit."
    )
    max_bytes_in_flight: int | None = _setting(
        16 << 30, "Bytes of the uploads in progress of one API key or address; none means no limit."
    )
    max_stored_bytes: int | None = _setting(
        None, "Bytes of all originals of one organization; none means no limit."
    )
    header_timeout_seconds: float = _setting(
        20.0, "Time in which the headers of a request must arrive; then the connection is closed."
    )
    body_timeout_seconds: float = _setting(
        30.0,
        "Interval in which a request's body must bring 500 bytes per second, and a client must read some of a "
        "response; otherwise the connection is closed.",
    )
    worker_concurrency: int = _setting(4, "Concurrent jobs of one worker.", postgres=8)
    worker_stages: tuple[str, ...] = _setting((), "Stages that this worker claims; empty means all.")
    external_stages: tuple[str, ...] = _setting(
        (),
        "Stages that workers over HTTP serve (`/worker/…`). A worker of this program claims one of them only if "
        "`worker_stages` names it.",
    )
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
    disk_reserve_mb: int = _setting(
        32,
        "Disk space in MB that stays free on the disk of the data folder; with less, uploads are refused, jobs wait. "
        "On SQLite a file of this size is given up so that deleting works on a full disk. 0 switches this off.",
    )
    child_processes: int = _setting(2, "Child processes for parsing, OCR and local models.")
    reader_cpu_seconds: float = _setting(
        15.0, "CPU time in which a child process must read one page; 1 s more for each MB of the file."
    )
    child_memory_mb: int = _setting(
        1280,
        "Limit of the resident memory of one child process in MB. A child process that exceeds it is killed.",
    )
    reader: str = _setting(
        "local",
        "Reader of PDFs and images: `local` or `azure` (Document Intelligence). Other files are read locally.",
        choices=("local", "azure"),
    )
    azure_credential: str = _setting(
        "key",
        "How Towpath signs in to Azure services: `key` (a key or connection string for each) or `default` (the "
        "identity that DefaultAzureCredential finds, such as a managed identity, for each service without a key).",
        choices=("key", "default"),
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
        "multilingual",
        "Embedding model: `multilingual` (local, 16 languages, 512 dimensions), `english` (local, English, 384 "
        "dimensions), `fast` (local, static vectors, English, 256 dimensions, about 20 times faster), `openai`, "
        "`azure-openai`, or `own:NAME` of a package.",
        choices=("multilingual", "english", "fast", "openai", "azure-openai"),
        own=True,
    )
    rerank_url: str | None = _setting(
        None,
        "Whole address of the `/rerank` endpoint of a reranking model, which puts the 50 best candidates of a search "
        "into its order. If unset, searches are not reranked.",
    )
    rerank_format: str = _setting(
        "cohere",
        "Wire format of `rerank_url`: `cohere`, `jina`, or `tei` (Text Embeddings Inference).",
        choices=("cohere", "jina", "tei"),
    )
    rerank_model: str | None = _setting(None, "Model name that is sent to `rerank_url`.")
    rerank_api_key: str | None = _setting(None, "API key for `rerank_url`.", secret=True)
    rerank_price: float = _setting(0.0, "US dollars per 1,000 reranked searches.")
    rerank_seconds: float = _setting(
        1.0, "Seconds that a search waits for the reranking model; then it shows its own order."
    )
    openai_base_url: str = _setting(
        "https://api.openai.com/v1", "Address of OpenAI or of an OpenAI-compatible server."
    )
    openai_api_key: str | None = _setting(None, "API key for `openai_base_url`.", secret=True)
    openai_embedding_model: str = _setting("text-embedding-3-small", "OpenAI embedding model.")
    openai_embedding_dimensions: int | None = _setting(
        None, "Dimensions of the vectors; required for models that are not OpenAI's."
    )
    azure_openai_endpoint: str | None = _setting(
        None,
        "Endpoint of the Azure OpenAI resource, such as https://NAME.openai.azure.com, for `embedder = azure-openai`.",
    )
    azure_openai_key: str | None = _setting(None, "Key of the Azure OpenAI resource.", secret=True)
    azure_openai_deployment: str | None = _setting(
        None, "Its deployment of `openai_embedding_model`; none means that it has the name of the model."
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
    ocr: str = _setting(
        "auto",
        "OCR engine for scans and images: `rapidocr` (Latin, Greek, Chinese and Japanese letters), `tesseract`, `auto` "
        "(RapidOCR, and Tesseract for other scripts) or `off`. Requires the extra `ocr`.",
        choices=("auto", "rapidocr", "tesseract", "off"),
    )
    ocr_languages: str = _setting(
        "auto",
        "Languages for Tesseract, joined by `+`; `auto` detects the language of each page among the installed ones. "
        "`towpath ocr-languages` lists them.",
    )
    tessdata: Path | None = _setting(
        None, "Folder with Tesseract language data. If unset, the usual folders are searched."
    )
    transcriber: str = _setting(
        "whisper",
        "Transcriber of calls: `whisper` (on this machine, 99 languages; requires the extra `calls`), `openai` "
        "(OpenAI or a compatible server), `speechkit` (Yandex, API v3), `speechkit-v2` (fetches recordings from "
        "Yandex Object Storage), or `own:NAME` of a package.",
        choices=("whisper", "openai", "speechkit", "speechkit-v2"),
        own=True,
    )
    call_language: str | None = _setting(
        None,
        "Language of all calls as a code such as `de`, for `whisper` and `openai`; none means that it is detected for "
        "each call.",
    )
    call_speakers: int | None = _setting(
        None,
        "Number of speakers of a recording with one channel, for `whisper` and `openai`: 1 does not tell speakers "
        "apart; none means that the number is estimated.",
    )
    openai_transcription_model: str = _setting(
        "whisper-1", "Transcription model of OpenAI or of the compatible server."
    )
    openai_transcription_price: float | None = _setting(
        None, "US dollars per minute of audio, if not the list price."
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
        60.0, "Window length of `whisper` and `openai`; a crash loses at most one window."
    )
    call_slice_seconds: float = _setting(
        20.0, "Time after which the transcription of a call is suspended, so that other calls make progress."
    )
    keep_original: bool = _setting(
        True, "Keep the original file of a call after transcription; otherwise only its audio as OGG Opus."
    )
    call_analyzer: str = _setting(
        "local",
        "Analyzer of calls: `local` (questions, promises, names, numbers and dates that were said; no summary) or "
        "`openai` (summary, topics, action items, sentiment), or `own:NAME` of a package.",
        choices=("local", "openai"),
        own=True,
    )
    openai_analysis_model: str = _setting("gpt-4.1-mini", "OpenAI chat model for the analysis of calls.")
    analysis_timeout_seconds: float = _setting(
        1_800.0, "Time to wait for a throttled analyzer before a call is completed without an analysis."
    )
    field_extractor: str = _setting(
        "off",
        "Fills the fields of a schema from each document by a chat model, after the document is ready: `off`, `openai` "
        "(OpenAI or a compatible server at `openai_base_url`) or `azure-openai`.",
        choices=("off", "openai", "azure-openai"),
    )
    field_schema: str = _setting(
        "auto",
        "Schema of the extracted fields: `auto` (`invoice` or `receipt` for documents of this type, none for others) "
        "or the name of one schema for all documents.",
    )
    field_schemas_folder: Path | None = _setting(
        None, "Folder with own schemas: files NAME.json with a JSON Schema each, read at start."
    )
    field_part_characters: int = _setting(
        20_000,
        "Characters of a document that are sent in one request for fields; longer ones are cut into parts.",
    )
    openai_field_model: str = _setting("gpt-4.1-mini", "OpenAI chat model for fields by schema.")
    azure_openai_field_deployment: str | None = _setting(
        None, "Azure deployment of `openai_field_model`; none means that it has the name of the model."
    )
    answerer: str = _setting(
        "local",
        "What answers questions (`POST /ask`): `local` (quotes the best passages) or `openai` (a chat model writes the "
        "answer from the passages).",
        choices=("local", "openai"),
    )
    openai_answer_model: str = _setting(
        "gpt-4.1-mini", "Chat model of OpenAI or of the compatible server for answers to questions."
    )
    answer_passages: int = _setting(8, "Passages that are given to the chat model for one question.")
    answer_timeout_seconds: float = _setting(60.0, "Time limit of the answer to a question.")
    pipelines: tuple[PipelineSettings, ...] = _setting(
        (),
        "Pipelines: tables `[pipelines.NAME]` with `stages` and `follow_ups`; `document` and `call` replace the "
        "shipped ones. In the environment as JSON. `towpath pipelines` lists them, `towpath stages` the stages.",
        parse=parse_pipelines,
    )
    pipeline_rules: tuple[PipelineRule, ...] = _setting(
        (),
        "Rules that choose the pipeline of an upload without `pipeline`: tables `[[pipeline_rules]]` with `pipeline` "
        "and the conditions `media_type`, `name` (patterns with `*`) and `metadata`. The first that holds decides.",
        parse=parse_rules,
    )
    stages: tuple[StageSettings, ...] = _setting(
        (),
        "Values for own stages and providers: tables `[stages.NAME]`, read by a stage as `Context.settings`.",
        secret=True,
        parse=parse_stages,
    )
    keep_history_days: float | None = _setting(
        90.0,
        "Days after which ended runs, their jobs and events, and finished webhook deliveries are deleted, except the "
        "latest content of a document; none keeps everything.",
    )
    keep_answers_days: float | None = _setting(
        None,
        "Days after which cached answers that only deleted documents used are deleted; none keeps them.",
    )
    webhook_networks: tuple[str, ...] = _setting(
        (),
        "Networks that are not public and may receive webhooks, such as 10.0.0.0/8; to them http:// is allowed as "
        "well. By default a private, loopback or link-local address is refused.",
    )
    blob_storage: str | None = _setting(
        None,
        "Connection string of an Azure storage account, or with `azure_credential = default` its address, such as "
        "https://NAME.blob.core.windows.net. If unset, files are stored in the data folder.",
        secret=True,
    )
    password_key: str | None = _setting(
        None,
        "Key that encrypts the passwords of locked PDFs until they are read: 32 bytes in base64. Needed on Postgres, "
        "with the same value for every server and worker; with SQLite, by default a file in the data folder.",
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
    if secret and value is not None and value != ():
        return "(set, not shown)"
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value
