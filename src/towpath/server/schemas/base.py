"""The base class of the API's response models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """A response model that is filled from the attributes of a domain object."""

    model_config = ConfigDict(from_attributes=True)
