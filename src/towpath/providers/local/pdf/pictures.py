"""Writes pictures as the pages of a PDF, without loss: the form in which text is recognized in them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Picture:
    """Grey pixels, one byte each, row by row."""

    width: int
    height: int
    grey: bytes


def write_pictures(path: Path, pictures: Sequence[Picture], dpi: int) -> None:
    """One page for each picture, as large as it is when printed with so many dots per inch."""
    import pikepdf

    with pikepdf.new() as document:
        for picture in pictures:
            width, height = picture.width * 72 / dpi, picture.height * 72 / dpi
            page = document.add_blank_page(page_size=(width, height))
            pixels = pikepdf.Stream(
                document,
                zlib.compress(picture.grey, 1),
                Type=pikepdf.Name.XObject,
                Subtype=pikepdf.Name.Image,
                Width=picture.width,
                Height=picture.height,
                ColorSpace=pikepdf.Name.DeviceGray,
                BitsPerComponent=8,
                Filter=pikepdf.Name.FlateDecode,
            )
            page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Picture=pixels))
            page.Contents = pikepdf.Stream(document, f"{width:f} 0 0 {height:f} 0 0 cm /Picture Do".encode())
        document.save(path)
