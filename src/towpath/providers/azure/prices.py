"""List prices of Document Intelligence in US dollars per 1,000 pages, for cost estimates.

The key-value, barcode and language add-ons are free. A setting can replace the list prices.
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
    """The list price of a model with its add-ons. An unknown model is priced as a custom model."""
    return MODELS.get(model, CUSTOM_MODEL) + sum(FEATURES.get(feature, 0.0) for feature in features)
