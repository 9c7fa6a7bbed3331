"""All settings with their defaults and help texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path

from towpath.config.pipelines import (
    PipelineRule,
    PipelineSettings,
    StageSettings,
    parse_pipelines,
    parse_rules,
    parse_stages,
)
from towpath.config.service_settings import ServiceSettings
from towpath.config.setting_field import setting

#: A password in a database address: after the user name, or in the query parameters.
_PASSWORD = re.compile(r"(//[^/?@:]*:)[^/?]+(?=@)|([?&]password=)[^&]+")


@dataclass(frozen=True, slots=True)
class Settings(ServiceSettings):
    """All settings. `docs/reference/settings.md` is generated from the help texts."""

    reader: str = setting(
        "local",
        "Reader of PDFs and images: `local` or `azure` (Document Intelligence). Other files are read locally.",
        choices=("local", "azure"),
    )
    azure_credential: str = setting(
        "key",
        "How Towpath signs in to Azure services: `key` (a key or connection string for each) or `default` (the "
        "identity that DefaultAzureCredential finds, such as a managed identity, for each service without a key).",
        choices=("key", "default"),
    )
    document_intelligence_endpoint: str | None = setting(
        None, "Endpoint of the Document Intelligence resource, for `reader = azure`."
    )
    document_intelligence_key: str | None = setting(
        None, "Key of the Document Intelligence resource.", secret=True
    )
    document_intelligence_model: str = setting(
        "prebuilt-layout",
        "Its model: `prebuilt-layout` (markdown), `prebuilt-invoice`, `prebuilt-read` or a custom one.",
    )
    document_intelligence_features: tuple[str, ...] = setting(("keyValuePairs",), "Its add-on features.")
    document_intelligence_office: bool = setting(
        False,
        "Send Office and HTML files to Document Intelligence too: billed per 3,000 characters, without page positions.",
    )
    document_intelligence_by_url: bool = setting(
        False, "Let Document Intelligence fetch files by a signed URL, if the blob storage can sign one."
    )
    document_intelligence_price: float | None = setting(
        None, "US dollars per 1,000 pages, if not the list price."
    )
    document_intelligence_concurrency: int | None = setting(
        None, "Concurrent requests to Document Intelligence, all workers together; none means no limit."
    )
    document_intelligence_requests_per_minute: float | None = setting(
        None, "Analyses started per minute, all workers together; none means no limit."
    )
    embedder: str = setting(
        "multilingual",
        "Embedding model: `multilingual` (local, 16 languages, 512 dimensions), `english` (local, English, 384 "
        "dimensions), `fast` (local, static vectors, English, 256 dimensions, about 20 times faster), `openai`, "
        "`azure-openai`, or `own:NAME` of a package.",
        choices=("multilingual", "english", "fast", "openai", "azure-openai"),
        own=True,
    )
    rerank_url: str | None = setting(
        None,
        "Whole address of the `/rerank` endpoint of a reranking model, which puts the 50 best candidates of a search "
        "into its order. If unset, searches are not reranked.",
    )
    rerank_format: str = setting(
        "cohere",
        "Wire format of `rerank_url`: `cohere`, `jina`, or `tei` (Text Embeddings Inference).",
        choices=("cohere", "jina", "tei"),
    )
    rerank_model: str | None = setting(None, "Model name that is sent to `rerank_url`.")
    rerank_api_key: str | None = setting(None, "API key for `rerank_url`.", secret=True)
    rerank_price: float = setting(0.0, "US dollars per 1,000 reranked searches.")
    rerank_seconds: float = setting(
        1.0, "Seconds that a search waits for the reranking model; then it shows its own order."
    )
    openai_base_url: str = setting(
        "https://api.openai.com/v1", "Address of OpenAI or of an OpenAI-compatible server."
    )
    openai_api_key: str | None = setting(None, "API key for `openai_base_url`.", secret=True)
    openai_embedding_model: str = setting("text-embedding-3-small", "OpenAI embedding model.")
    openai_embedding_dimensions: int | None = setting(
        None, "Dimensions of the vectors; required for models that are not OpenAI's."
    )
    azure_openai_endpoint: str | None = setting(
        None,
        "Endpoint of the Azure OpenAI resource, such as https://NAME.openai.azure.com, for `embedder = azure-openai`.",
    )
    azure_openai_key: str | None = setting(None, "Key of the Azure OpenAI resource.", secret=True)
    azure_openai_deployment: str | None = setting(
        None, "Its deployment of `openai_embedding_model`; none means that it has the name of the model."
    )
    openai_batch_size: int = setting(
        2048,
        "Inputs per embedding request. A server that refuses the size is sent smaller requests; the size it accepts is "
        "stored for 30 days.",
    )
    openai_batch_tokens: int = setting(300_000, "Tokens per embedding request.")
    openai_embedding_price: float | None = setting(
        None, "US dollars per million tokens, if not the list price."
    )
    openai_concurrency: int | None = setting(
        None, "Concurrent requests to OpenAI, all workers together; none means no limit."
    )
    openai_requests_per_minute: float | None = setting(
        None, "Requests to OpenAI per minute, all workers together; none means no limit."
    )
    openai_tokens_per_minute: float | None = setting(
        None, "Tokens sent to OpenAI per minute, all workers together; none means no limit."
    )
    refused_pause_seconds: float = setting(
        300.0,
        "Pause before a provider that refused the account (key, credit, permission) is called again.",
    )
    provider_patience_seconds: float = setting(
        86_400.0,
        "Time for which a run waits for a provider that throttles (429, 503 with Retry-After) or refuses the account "
        "(401, 403) before it fails.",
    )
    document_intelligence_patience_seconds: float | None = setting(
        None, "The same for Document Intelligence only; none means `provider_patience_seconds`."
    )
    openai_patience_seconds: float | None = setting(
        None, "The same for OpenAI only; none means `provider_patience_seconds`."
    )
    speechkit_patience_seconds: float | None = setting(
        None, "The same for SpeechKit only; none means `provider_patience_seconds`."
    )
    throttle_uses_attempt: bool = setting(
        False, "Count a throttled call as a failed attempt; otherwise its job waits and uses no attempt."
    )
    ocr: str = setting(
        "auto",
        "OCR engine for scans and images: `rapidocr` (Latin, Greek, Chinese and Japanese letters), `tesseract`, `auto` "
        "(RapidOCR, and Tesseract for other scripts) or `off`. Requires the extra `ocr`.",
        choices=("auto", "rapidocr", "tesseract", "off"),
    )
    ocr_languages: str = setting(
        "auto",
        "Languages for Tesseract, joined by `+`; `auto` detects the language of each page among the installed ones. "
        "`towpath ocr-languages` lists them.",
    )
    tessdata: Path | None = setting(
        None, "Folder with Tesseract language data. If unset, the usual folders are searched."
    )
    transcriber: str = setting(
        "whisper",
        "Transcriber of calls: `whisper` (on this machine, 99 languages; requires the extra `calls`), `openai` "
        "(OpenAI or a compatible server), `speechkit` (Yandex, API v3), `speechkit-v2` (fetches recordings from "
        "Yandex Object Storage), or `own:NAME` of a package.",
        choices=("whisper", "openai", "speechkit", "speechkit-v2"),
        own=True,
    )
    call_language: str | None = setting(
        None,
        "Language of all calls as a code such as `de`, for `whisper` and `openai`; none means that it is detected for "
        "each call.",
    )
    call_speakers: int | None = setting(
        None,
        "Number of speakers of a recording with one channel, for `whisper` and `openai`: 1 does not tell speakers "
        "apart; none means that the number is estimated.",
    )
    openai_transcription_model: str = setting(
        "whisper-1", "Transcription model of OpenAI or of the compatible server."
    )
    openai_transcription_price: float | None = setting(
        None, "US dollars per minute of audio, if not the list price."
    )
    speechkit_api_key: str | None = setting(None, "API key of a service account for SpeechKit.", secret=True)
    speechkit_folder_id: str | None = setting(None, "Yandex Cloud folder id, if the key does not imply it.")
    speechkit_model: str = setting("general", "SpeechKit recognition model.")
    speechkit_languages: tuple[str, ...] = setting(
        ("ru-RU",), "Languages that SpeechKit recognizes; v2 uses the first."
    )
    speechkit_stt_url: str = setting(
        "https://stt.api.cloud.yandex.net", "Address of SpeechKit recognition, API v3."
    )
    speechkit_transcribe_url: str = setting(
        "https://transcribe.api.cloud.yandex.net", "Address of SpeechKit recognition, API v2."
    )
    speechkit_operations_url: str = setting(
        "https://operation.api.cloud.yandex.net", "Address of Yandex Cloud operations."
    )
    speechkit_poll_interval_ms: int | None = setting(
        None,
        "Fixed interval between two polls for a transcript, in milliseconds; none means growing intervals. The "
        "environment variable SPEECHKIT_POLL_INTERVAL_MS is an alias.",
    )
    speechkit_requests_per_minute: float | None = setting(
        None, "Recognitions started per minute, all workers together; none means no limit."
    )
    transcript_timeout_seconds: float = setting(
        86_400.0, "Time to wait for a provider's transcript before the run fails."
    )
    transcript_first_poll_seconds: float = setting(
        5.0, "Least time before the first poll for a transcript; more for long recordings."
    )
    transcript_max_polls: int = setting(2_000, "Maximum number of polls for a transcript.")
    call_window_seconds: float = setting(
        60.0, "Window length of `whisper` and `openai`; a crash loses at most one window."
    )
    call_slice_seconds: float = setting(
        20.0, "Time after which the transcription of a call is suspended, so that other calls make progress."
    )
    keep_original: bool = setting(
        True, "Keep the original file of a call after transcription; otherwise only its audio as OGG Opus."
    )
    call_analyzer: str = setting(
        "local",
        "Analyzer of calls: `local` (questions, promises, names, numbers and dates that were said; no summary) or "
        "`openai` (summary, topics, action items, sentiment), or `own:NAME` of a package.",
        choices=("local", "openai"),
        own=True,
    )
    openai_analysis_model: str = setting("gpt-4.1-mini", "OpenAI chat model for the analysis of calls.")
    analysis_timeout_seconds: float = setting(
        1_800.0, "Time to wait for a throttled analyzer before a call is completed without an analysis."
    )
    field_extractor: str = setting(
        "off",
        "Fills the fields of a schema from each document by a chat model, after the document is ready: `off`, `openai` "
        "(OpenAI or a compatible server at `openai_base_url`) or `azure-openai`.",
        choices=("off", "openai", "azure-openai"),
    )
    field_schema: str = setting(
        "auto",
        "Schema of the extracted fields: `auto` (`invoice` or `receipt` for documents of this type, none for others) "
        "or the name of one schema for all documents.",
    )
    field_schemas_folder: Path | None = setting(
        None, "Folder with own schemas: files NAME.json with a JSON Schema each, read at start."
    )
    field_part_characters: int = setting(
        20_000,
        "Characters of a document that are sent in one request for fields; longer ones are cut into parts.",
    )
    openai_field_model: str = setting("gpt-4.1-mini", "OpenAI chat model for fields by schema.")
    azure_openai_field_deployment: str | None = setting(
        None, "Azure deployment of `openai_field_model`; none means that it has the name of the model."
    )
    answerer: str = setting(
        "local",
        "What answers questions (`POST /ask`): `local` (quotes the best passages) or `openai` (a chat model writes the "
        "answer from the passages).",
        choices=("local", "openai"),
    )
    openai_answer_model: str = setting(
        "gpt-4.1-mini", "Chat model of OpenAI or of the compatible server for answers to questions."
    )
    answer_passages: int = setting(8, "Passages that are given to the chat model for one question.")
    answer_timeout_seconds: float = setting(60.0, "Time limit of the answer to a question.")
    pipelines: tuple[PipelineSettings, ...] = setting(
        (),
        "Pipelines: tables `[pipelines.NAME]` with `stages` and `follow_ups`; `document` and `call` replace the "
        "shipped ones. In the environment as JSON. `towpath pipelines` lists them, `towpath stages` the stages.",
        parse=parse_pipelines,
    )
    pipeline_rules: tuple[PipelineRule, ...] = setting(
        (),
        "Rules that choose the pipeline of an upload without `pipeline`: tables `[[pipeline_rules]]` with `pipeline` "
        "and the conditions `media_type`, `name` (patterns with `*`) and `metadata`. The first that holds decides.",
        parse=parse_rules,
    )
    stages: tuple[StageSettings, ...] = setting(
        (),
        "Values for own stages and providers: tables `[stages.NAME]`, read by a stage as `Context.settings`.",
        secret=True,
        parse=parse_stages,
    )
    keep_history_days: float | None = setting(
        90.0,
        "Days after which ended runs, their jobs and events, and finished webhook deliveries are deleted, except the "
        "latest content of a document; none keeps everything.",
    )
    keep_answers_days: float | None = setting(
        None,
        "Days after which cached answers that only deleted documents used are deleted; none keeps them.",
    )
    webhook_networks: tuple[str, ...] = setting(
        (),
        "Networks that are not public and may receive webhooks, such as 10.0.0.0/8; to them http:// is allowed as "
        "well. By default a private, loopback or link-local address is refused.",
    )
    blob_storage: str | None = setting(
        None,
        "Connection string of an Azure storage account, or with `azure_credential = default` its address, such as "
        "https://NAME.blob.core.windows.net. If unset, files are stored in the data folder.",
        secret=True,
    )
    password_key: str | None = setting(
        None,
        "Key that encrypts the passwords of locked PDFs until they are read: 32 bytes in base64. Needed on Postgres, "
        "with the same value for every server and worker; with SQLite, by default a file in the data folder.",
        secret=True,
    )
    blob_container: str = setting("towpath", "Azure container for the files; created if missing.")
    log_format: str = setting("text", "Format of log lines.", choices=("text", "json"))
    traces: bool = setting(
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
