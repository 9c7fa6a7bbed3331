"""The base class of the API's response models, and limits of its parameters."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

#: The largest integer of a database column; larger parameters are refused.
MAX_INTEGER = 2**63 - 1


class View(BaseModel):
    """A response model that is filled from the attributes of a domain object."""

    model_config = ConfigDict(from_attributes=True)
