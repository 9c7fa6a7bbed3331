"""Opens PDF files, repairs damaged ones, and rejects encrypted, empty and unreadable ones."""

from __future__ import annotations

import mmap
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from towpath import rejections
from towpath.readers.pdf.pdfium import PdfiumFile, PdfiumOpenError
from towpath.readers.pdf.recover_objects import recover_objects

_REPAIRED_WARNING = "The file is damaged. It was repaired for reading; some content may be missing."


@dataclass(frozen=True, slots=True)
class OpenPdf:
    """A readable PDF: the file as given, or its repaired copy."""

    path: Path
    file: PdfiumFile
    warnings: tuple[str, ...] = ()


@contextmanager
def open_pdf(path: Path, max_pages: int) -> Generator[OpenPdf]:
    """Open a PDF with at most ``max_pages`` pages. A repaired copy is deleted on exit."""
    if path.stat().st_size == 0:
        raise rejections.empty("PDF")
    with TemporaryDirectory(prefix="towpath-pdf-") as folder:
        pdf = _open_or_repair(_with_pdf_suffix(path, Path(folder)), Path(folder))
        try:
            if pdf.file.page_count > max_pages:
                raise rejections.too_large(
                    "PDF", f"it has {pdf.file.page_count:,} pages, the limit is {max_pages:,}"
                )
            yield pdf
        finally:
            pdf.file.close()


def _with_pdf_suffix(path: Path, folder: Path) -> Path:
    """A path that ends in ``.pdf``: liteparse needs the suffix, and stored originals have none."""
    if path.suffix.lower() == ".pdf":
        return path
    alias = folder / "original.pdf"
    # The file may be an open descriptor, so links are not resolved.
    alias.symlink_to(path.absolute())
    return alias


def _open_or_repair(path: Path, folder: Path) -> OpenPdf:
    with suppress(PdfiumOpenError):
        return OpenPdf(path, PdfiumFile(path))
    for repair in (_repair_with_qpdf, recover_objects):
        copy = folder / f"{repair.__name__}.pdf"
        with suppress(PdfiumOpenError):
            if repair(path, copy):
                return OpenPdf(copy, PdfiumFile(copy), (_REPAIRED_WARNING,))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        is_encrypted = content.find(b"/Encrypt") >= 0
    raise rejections.locked_pdf() if is_encrypted else rejections.corrupt("PDF")


def _repair_with_qpdf(path: Path, copy: Path) -> bool:
    """Rebuild the file with qpdf; False if that fails.

    Only qpdf reports missing passwords reliably: PDFium's error code may come from an earlier file.
    """
    import pikepdf

    try:
        with warnings.catch_warnings(action="ignore"), pikepdf.open(path) as document:
            document.save(copy)
    except pikepdf.PasswordError as error:
        raise rejections.locked_pdf() from error
    except (pikepdf.PdfError, OSError, ValueError, RecursionError):
        return False
    return True
