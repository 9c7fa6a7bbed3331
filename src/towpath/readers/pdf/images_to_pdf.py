"""Writes images losslessly as the pages of a PDF, the input of the OCR engine."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page image: grey pixels, one byte each, row by row."""

    width: int
    height: int
    grey: bytes


def write_images(path: Path, images: Sequence[PageImage], dpi: int) -> None:
    """Write one page per image, sized for ``dpi`` dots per inch."""
    import pikepdf

    with pikepdf.new() as document:
        for image in images:
            width, height = image.width * 72 / dpi, image.height * 72 / dpi
            page = document.add_blank_page(page_size=(width, height))
            pixels = pikepdf.Stream(
                document,
                zlib.compress(image.grey, 1),
                Type=pikepdf.Name.XObject,
                Subtype=pikepdf.Name.Image,
                Width=image.width,
                Height=image.height,
                ColorSpace=pikepdf.Name.DeviceGray,
                BitsPerComponent=8,
                Filter=pikepdf.Name.FlateDecode,
            )
            page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Picture=pixels))
            page.Contents = pikepdf.Stream(document, f"{width:f} 0 0 {height:f} 0 0 cm /Picture Do".encode())
        document.save(path)
