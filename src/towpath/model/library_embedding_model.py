"""The embedding model that a library uses, the next one, and how much is still to be embedded for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelId:
    """An embedding model: vectors of the same name and dimension can be compared."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class LibraryModel:
    """The model whose vectors answer searches, and the one that replaces it when every chunk is embedded."""

    present: ModelId
    next: ModelId | None = None

    @property
    def target(self) -> ModelId:
        return self.next or self.present


@dataclass(frozen=True, slots=True)
class ModelChange:
    """How much of a library has no vector of a model yet."""

    target: ModelId
    chunks_total: int
    chunks_left: int
    tokens_left: int
    documents_left: int


@dataclass(frozen=True, slots=True)
class PublishedChunk:
    """A published chunk as it is embedded again."""

    id: str
    text: str
    heading_path: tuple[str, ...]
    model: str | None
