"""Opens HEIC pictures, the format of phones, with the optional package pi-heif.

It is an extra because its wheel contains libheif and libde265, which are under the LGPL.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from towpath import rejections


def has_ftyp_box(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8)[4:] == b"ftyp"


def register_heif(path: Path) -> None:
    """Let Pillow open HEIC files, if this is one; without the package it is rejected with the command to install it."""
    if not has_ftyp_box(path):
        return
    try:
        pi_heif: Any = import_module("pi_heif")
    except ImportError:
        raise rejections.unsupported(
            "A HEIC picture",
            "Install the package (`pip install 'towpath[heic]'`) and reprocess the document, or save it as JPEG.",
        ) from None
    pi_heif.register_heif_opener()
