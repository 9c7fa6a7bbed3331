"""The interface for packages that add stages, readers and providers to Towpath.

A stage is an async function of a Context that returns Done, Suspend or Reject. Its paid calls go through
`Context.once`, so that no answer is paid for twice. docs/guides/own-stages.md shows a whole package.
"""

from towpath.errors import AccountRefused, Ambiguous, Refused, Rejected, Throttled, Transient
from towpath.model.content import Chunk, Extraction, Field
from towpath.model.plugin_reader import OwnReader
from towpath.model.provider_answer import Answer, Pending
from towpath.sdk.context import Context, Document
from towpath.sdk.outcomes import Done, Outcome, Reject, Suspend
from towpath.sdk.providers import CallAnalyzer, Embedder, OwnEmbedder, Transcriber, WindowTranscriber
from towpath.sdk.reader import reader
from towpath.sdk.stage import OwnStage, stage

__all__ = [
    "AccountRefused",
    "Ambiguous",
    "Answer",
    "CallAnalyzer",
    "Chunk",
    "Context",
    "Document",
    "Done",
    "Embedder",
    "Extraction",
    "Field",
    "Outcome",
    "OwnEmbedder",
    "OwnReader",
    "OwnStage",
    "Pending",
    "Refused",
    "Reject",
    "Rejected",
    "Suspend",
    "Throttled",
    "Transcriber",
    "Transient",
    "WindowTranscriber",
    "reader",
    "stage",
]
