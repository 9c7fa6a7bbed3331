"""Reads the text in pictures: photographs, screenshots, scans saved as TIFF, JPEG and the like.

Every picture becomes a page of a PDF made for the purpose, and is then read like a scanned one.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.providers.local import refusals
from towpath.providers.local.ocr import (
    OcrSettings,
    language_data,
    missing_languages,
    unavailable,
    why_unavailable,
)
from towpath.providers.local.pdf.pages import PageRead
from towpath.providers.local.pdf.pdfium import PdfiumFile
from towpath.providers.local.pdf.pictures import Picture, write_pictures
from towpath.providers.local.pdf.read import engine_name
from towpath.providers.local.pdf.recognizer import Recognizer
from towpath.providers.local.pdf.render import compose

if TYPE_CHECKING:
    from PIL.Image import Image

Progress = Callable[[int, int], None]

# An A3 page at 600 dpi has 70 million pixels; beyond 250 million memory would not do.
_MOST_PIXELS = 250_000_000
_ENOUGH_PIXELS = 20_000_000
_MOST_FRAMES = 5_000
_DPI = 200


def read_image(path: Path, progress: Progress = lambda done, total: None, *, ocr: OcrSettings) -> Extraction:
    """The text in the picture, page by page for a TIFF of several; ``Rejected`` when there is none."""
    data = language_data(ocr)
    if data is None:
        raise unavailable("image", why_unavailable(ocr))
    recognizer = Recognizer(data)
    pages: list[PageRead] = []
    with TemporaryDirectory(prefix="towpath-image-") as folder:
        for number, total, frame in _frames(path):
            pages.append(_page(frame, number, recognizer, Path(folder, "frame.pdf")))
            progress(number, total)
    if recognizer.failure is not None:
        raise unavailable("image", recognizer.failure)
    markdown, spans, blocks, _ = compose(pages)
    if not any(map(str.isalnum, markdown)):
        raise Rejected(
            "empty",
            "No readable text was found in this image. If there is some, upload a larger or sharper picture.",
        )
    return Extraction(
        markdown=markdown,
        engine=engine_name("liteparse", recognized=True),
        pages=spans,
        blocks=blocks,
        metadata={"page_count": str(len(pages))},
        warnings=missing_languages(ocr, data),
    )


def _frames(path: Path) -> Iterator[tuple[int, int, Image]]:
    """Number, how many there are, and the picture in grey, upright and of a sensible size."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings(), Image.open(path) as image:
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            # The frames of a GIF or WebP move; only those of a TIFF are pages.
            total = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            if total > _MOST_FRAMES:
                raise refusals.too_large("image", f"it has {total:,} pages, the limit is {_MOST_FRAMES:,}")
            for number in range(1, total + 1):
                image.seek(number - 1)
                if image.width * image.height > _MOST_PIXELS:
                    raise refusals.too_large(
                        "image", f"it measures {image.width:,} by {image.height:,} pixels"
                    )
                yield number, total, _prepared(image)
    except Image.DecompressionBombError as error:
        raise refusals.too_large("image", "it has too many pixels") from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, zlib.error) as error:
        raise refusals.corrupt("image") from error


def _prepared(image: Image) -> Image:
    from PIL import ImageOps

    shrink = (_ENOUGH_PIXELS / max(1, image.width * image.height)) ** 0.5
    if shrink < 1:
        # JPEG can be read at half or quarter size at once, which spares the memory.
        image.draft("L", (int(image.width * shrink), int(image.height * shrink)))
    upright = ImageOps.exif_transpose(image)
    grey = _grey(upright)
    shrink = (_ENOUGH_PIXELS / max(1, grey.width * grey.height)) ** 0.5
    if shrink < 1:
        grey = grey.resize((max(1, int(grey.width * shrink)), max(1, int(grey.height * shrink))))
    return grey


def _grey(image: Image) -> Image:
    """As it would look on white paper, in shades of grey."""
    from PIL import Image as images

    if image.mode == "LAB":
        return image.getchannel("L")
    if image.mode == "I;16":
        return image.point(lambda value: value / 256).convert("L")
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        image = images.alpha_composite(images.new("RGBA", colours.size, "white"), colours)
    return image.convert("L")


def _page(frame: Image, number: int, recognizer: Recognizer, pdf: Path) -> PageRead:
    write_pictures(pdf, [Picture(frame.width, frame.height, frame.tobytes())], _DPI)
    file = PdfiumFile(pdf)
    try:
        (page,) = recognizer.pages(file, [1])
    finally:
        file.close()
    page.number = number
    page.width, page.height = float(frame.width), float(frame.height)
    return page
