"""Configures logging: text or JSON lines on stderr, with the ids of the job in JSON."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from towpath.tracing import log_fields


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object, with run, document, stage and organization inside a job."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **log_fields.get(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure_logging(log_format: str, level: int = logging.INFO) -> None:
    """Send all log records to stderr; ``log_format`` is `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    text_formatter = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if log_format == "json" else text_formatter)
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for verbose_logger in ("alembic", "httpx", "azure"):
        logging.getLogger(verbose_logger).setLevel(logging.WARNING)
