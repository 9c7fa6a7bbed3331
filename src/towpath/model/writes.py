"""What a stage asks to have written together with its checkpoint, in one transaction, fenced by its lease."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from towpath.model.content import Chunk, Field


@dataclass(frozen=True, slots=True)
class KeepArtifact:
    """Notes that a blob belongs to the document, so that it goes when the document goes."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DropArtifact:
    """Notes that a blob which was needed for a while only is gone."""

    key: str


@dataclass(frozen=True, slots=True)
class DropOriginal:
    """Notes that the original was removed, as the settings wish: what was made of it is all there is."""


@dataclass(frozen=True, slots=True)
class Publish:
    """The one switch: from here on search sees exactly these chunks and no others of the document."""

    chunks: Sequence[Chunk]
    vectors: npt.NDArray[np.float32]
    model: str
    fields: Sequence[Field]
    summary: Mapping[str, object] = field(default_factory=dict[str, object])


Write = KeepArtifact | DropArtifact | DropOriginal | Publish
