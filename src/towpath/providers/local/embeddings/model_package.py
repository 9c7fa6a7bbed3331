"""Finds the data files of an installed model package, and says how to install it if it is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from towpath.errors import ConfigError

#: Models that are not part of the default installation, each an extra of the same name.
EXTRAS = ("english",)


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(_module(package)) is not None


def model_folder(package: str) -> Path:
    """The folder `model` of an installed data package such as `towpath-model-fast`, which is not imported."""
    spec = importlib.util.find_spec(_module(package))
    if spec is None or spec.origin is None:
        extra = package.removeprefix("towpath-model-")
        line = f"'towpath[{extra}]'" if extra in EXTRAS else package
        raise ConfigError(f"The package {package} is not installed. Install it with: pip install {line}")
    return Path(spec.origin).parent / "model"


def _module(package: str) -> str:
    return package.replace("-", "_")
