"""What Document Intelligence costs: US dollars per 1,000 pages at list price, for an estimate.

The key-value, barcode and language add-ons are free; a contract's own prices can be given instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

MODELS: Mapping[str, float] = MappingProxyType(
    {"prebuilt-read": 1.5, "prebuilt-layout": 10.0, "prebuilt-invoice": 10.0}
)
FEATURES: Mapping[str, float] = MappingProxyType(
    {"ocrHighResolution": 6.0, "formulas": 6.0, "styleFont": 6.0, "queryFields": 10.0}
)
CUSTOM_MODEL = 30.0


def price_per_thousand_pages(model: str, features: Sequence[str]) -> float:
    """The list price of one model with its add-ons; a model we do not know is a trained one."""
    return MODELS.get(model, CUSTOM_MODEL) + sum(FEATURES.get(feature, 0.0) for feature in features)
