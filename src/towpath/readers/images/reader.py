"""Reads text in images by OCR: photographs, screenshots, scans saved as TIFF, JPEG and so on.

Each image or TIFF frame is written as a page of a temporary PDF and read like a scanned page.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from towpath import rejections
from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.readers.images.heif import register_heif
from towpath.readers.ocr.batched_ocr import (
    MAX_PAGES_IN_ONE_PASS,
    BatchesNeeded,
    PlanningOcr,
    RecognizedBatch,
    RecognizedPages,
    RecognizerFactory,
)
from towpath.readers.ocr.page_ocr import PageOcr
from towpath.readers.ocr.settings import (
    OcrEngines,
    OcrSettings,
    find_engines,
    missing_language_warnings,
    ocr_unavailable,
    unavailable_reason,
)
from towpath.readers.ocr.state import OcrState
from towpath.readers.pdf.fallback_passes import legibility_warnings
from towpath.readers.pdf.images_to_pdf import PageImage, write_images
from towpath.readers.pdf.page_model import PdfPage
from towpath.readers.pdf.pdfium import PdfiumFile
from towpath.readers.pdf.reader import engine_name
from towpath.readers.pdf.render_markdown import render_pages

if TYPE_CHECKING:
    from PIL.Image import Image

Progress = Callable[[int, int], None]

# An A3 page at 600 dpi has 70 million pixels; more than 250 million would exceed the child's memory.
_MAX_PIXELS = 250_000_000
_OCR_PIXELS = 20_000_000
_MAX_FRAMES = 5_000
#: No letter fits into fewer pixels.
_MIN_SIDE = 4
_DPI = 200


def read_image(
    path: Path,
    progress: Progress = lambda done, total: None,
    *,
    ocr: OcrSettings,
    recognizer: RecognizerFactory = PageOcr,
) -> Extraction:
    """Read the text of an image, one page per TIFF frame; images without text are rejected."""
    engines = find_engines(ocr)
    if engines is None:
        raise ocr_unavailable("image", unavailable_reason(ocr))
    page_ocr = recognizer(engines)
    if isinstance(page_ocr, RecognizedPages):
        pages = page_ocr.in_order()
    else:
        assert isinstance(page_ocr, PageOcr)
        if isinstance(page_ocr, PlanningOcr) and (frames := _frame_count(path)) > MAX_PAGES_IN_ONE_PASS:
            raise BatchesNeeded(_plan(frames, page_ocr.pages_per_group))
        pages = list[PdfPage]()
        for page, total in _read_frames(path, None, page_ocr):
            pages.append(page)
            progress(page.number, total)
    if page_ocr.failure is not None:
        raise ocr_unavailable("image", page_ocr.failure)
    markdown, spans, block_spans, _ = render_pages(pages)
    if not any(map(str.isalnum, markdown)):
        raise Rejected(
            "empty",
            "No readable text was found in this image. Upload a larger or sharper image.",
        )
    return Extraction(
        markdown=markdown,
        engine=engine_name("liteparse", page_ocr.engines),
        pages=spans,
        blocks=block_spans,
        metadata={"page_count": str(len(pages))},
        warnings=(
            *missing_language_warnings(ocr, engines),
            *legibility_warnings([page.number for page in pages if page.poorly_legible]),
        ),
        words=tuple(word for page in pages for word in page.words),
    )


def recognize_frames(
    path: Path, progress: Progress, batch: PageBatch, engines: OcrEngines, state: OcrState
) -> RecognizedBatch:
    """Recognize the frames of one batch; ``state`` is that after the batch before."""
    page_ocr = PageOcr(engines, state)
    pages: list[PdfPage] = []
    for page, _ in _read_frames(path, batch.pages, page_ocr):
        pages.append(page)
        progress(len(pages), len(batch.pages))
    return RecognizedBatch(pages, page_ocr.state)


def _plan(frames: int, size: int) -> PagePlan:
    starts = range(1, frames + 1, size)
    numbers = [range(start, min(start + size, frames + 1)) for start in starts]
    return PagePlan(frames, tuple(PageBatch(tuple(pages), _DPI) for pages in numbers))


def _read_frames(
    path: Path, numbers: Sequence[int] | None, page_ocr: PageOcr
) -> Iterator[tuple[PdfPage, int]]:
    """Yield each page, and the number of frames; None reads all frames."""
    with TemporaryDirectory(prefix="towpath-image-") as folder:
        for number, total, frame in _frames(path, numbers):
            yield _read_frame(frame, number, page_ocr, Path(folder, "frame.pdf")), total


def _frame_count(path: Path) -> int:
    with _open_image(path) as image:
        return _pages_of(image)


def _pages_of(image: Image) -> int:
    """Number of pages: frames of TIFF are pages, frames of GIF and WebP are animations."""
    total = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    if total > _MAX_FRAMES:
        raise rejections.too_large("image", f"it has {total:,} pages, the limit is {_MAX_FRAMES:,}")
    return total


def _frames(path: Path, numbers: Sequence[int] | None) -> Iterator[tuple[int, int, Image]]:
    """Yield frame number, number of frames, and the frame in grey, upright, at most 20 million pixels."""
    with _open_image(path) as image:
        total = _pages_of(image)
        for number in range(1, total + 1) if numbers is None else numbers:
            image.seek(number - 1)
            if min(image.width, image.height) < _MIN_SIDE:
                raise Rejected(
                    "empty",
                    f"This image measures {image.width:,} by {image.height:,} pixels: too little for text. "
                    "Upload a larger image.",
                )
            if image.width * image.height > _MAX_PIXELS:
                raise rejections.too_large("image", f"it measures {image.width:,} by {image.height:,} pixels")
            yield number, total, _prepare(image)


@contextmanager
def _open_image(path: Path) -> Generator[Image]:
    """Open an image; errors of the decoder, also later ones, reject the file."""
    from PIL import Image, UnidentifiedImageError

    register_heif(path)
    try:
        with warnings.catch_warnings(), Image.open(path) as image:
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            yield image
    except Image.DecompressionBombError as error:
        raise rejections.too_large("image", "it has too many pixels") from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, zlib.error) as error:
        raise rejections.corrupt("image") from error


def _prepare(image: Image) -> Image:
    from PIL import ImageOps

    scale = (_OCR_PIXELS / max(1, image.width * image.height)) ** 0.5
    if scale < 1:
        # JPEG can be decoded at half or quarter size, which saves memory.
        image.draft("L", (int(image.width * scale), int(image.height * scale)))
    upright = ImageOps.exif_transpose(image)
    grey = _to_grey(upright)
    scale = (_OCR_PIXELS / max(1, grey.width * grey.height)) ** 0.5
    if scale < 1:
        grey = grey.resize((max(1, int(grey.width * scale)), max(1, int(grey.height * scale))))
    return grey


def _to_grey(image: Image) -> Image:
    """The image in grey; transparent pixels become white."""
    from PIL import Image as images

    if image.mode == "LAB":
        return image.getchannel("L")
    if image.mode == "I;16":
        return image.point(lambda value: value / 256).convert("L")
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        image = images.alpha_composite(images.new("RGBA", colours.size, "white"), colours)
    return image.convert("L")


def _read_frame(frame: Image, number: int, page_ocr: PageOcr, pdf: Path) -> PdfPage:
    write_images(pdf, [PageImage(frame.width, frame.height, frame.tobytes())], _DPI)
    file = PdfiumFile(pdf)
    try:
        (page,) = page_ocr.read_pages(file, [1])
    finally:
        file.close()
    page.number = number
    page.words = [replace(word, page=number) for word in page.words]
    page.width, page.height = float(frame.width), float(frame.height)
    return page
