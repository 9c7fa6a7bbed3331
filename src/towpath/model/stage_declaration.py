"""What a stage declares: its name, version, label, and the data that it needs and makes.

Towpath checks the order of a pipeline by these declarations, and decides by them which results are reused.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The text of the document as markdown; an own stage may replace it.
TEXT = "text"
#: Pages, blocks and fields that belong to the text.
EXTRACTION = "extraction"
CHUNKS = "chunks"
VECTORS = "vectors"
#: Values that `publish` stores besides those it finds itself.
FIELDS = "fields"
PUBLISHED = "published"
AUDIO = "audio"
OPERATION = "operation"
TRANSCRIPT = "transcript"
ANALYSIS = "analysis"
CONNECTIONS = "connections"

#: The names of the stages of Towpath; a stage of a package has another one.
SHIPPED_STAGES = frozenset(
    {
        *("extract", "save_markdown", "chunk", "embed", "publish", "connect", "reembed"),
        *("extract_audio", "transcribe_start", "transcribe_poll", "analyze", "extract_fields"),
    }
)


@dataclass(frozen=True, slots=True)
class StageDeclaration:
    """A stage without its function. ``package`` is the package that offers it; None for the stages of Towpath."""

    name: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    #: Raise it when the same inputs give another result, so that stored results are not reused.
    version: int = 1
    label: str = ""
    package: str | None = None
    #: Names one of several implementations of a stage; empty for the usual one.
    variant: str = ""

    @property
    def key(self) -> str:
        """The name, and the variant if there are several: equal for equal code."""
        return f"{self.variant}/{self.name}" if self.variant else self.name
