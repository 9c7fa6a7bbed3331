"""Response models for the embedding model of a library and its change."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from towpath.server.schemas.base import View

#: What is being done, or must be done, so that the library uses the model of the settings.
ChangeState = Literal["none", "running", "needs_confirmation", "needs_start"]


class LibraryModelView(View):
    """The embedding model of the library, and what a change to the model of the settings embeds."""

    model: str | None = Field(description="Model whose vectors answer searches; null in an empty library")
    settings_model: str = Field(description="Model that the settings name")
    change: ChangeState = Field(
        description="`needs_confirmation`: the settings name another, paid model. `needs_start`: no worker of these "
        "settings has started since they changed"
    )
    chunks: int = Field(description="Chunks of the library")
    chunks_left: int = Field(description="Chunks without a vector of the model of the settings")
    documents_left: int = Field(description="Documents of these chunks")
    tokens_left: int = Field(description="Tokens of these chunks, estimated")
    price: float | None = Field(description="US dollars for these tokens; null where the price is not known")
