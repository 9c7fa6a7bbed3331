"""The type of JSON objects."""

from __future__ import annotations

from collections.abc import Mapping

Json = Mapping[str, object]
