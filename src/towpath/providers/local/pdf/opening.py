"""Opens a PDF, mends it when it is damaged, and refuses what can never be read."""

from __future__ import annotations

import mmap
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from towpath.providers.local import refusals
from towpath.providers.local.pdf.pdfium import CannotOpen, PdfiumFile
from towpath.providers.local.pdf.salvage import salvage

_MENDED = (
    "The file was damaged and has been repaired for reading; what was lost with the damage is missing here."
)


@dataclass(frozen=True, slots=True)
class OpenPdf:
    """A readable PDF: the file as given, or its repaired copy."""

    path: Path
    file: PdfiumFile
    warnings: tuple[str, ...] = ()


@contextmanager
def opened(path: Path, max_pages: int) -> Generator[OpenPdf]:
    """The PDF for as long as it is read. A repaired copy lives only that long."""
    if path.stat().st_size == 0:
        raise refusals.empty("PDF")
    with TemporaryDirectory(prefix="towpath-pdf-") as folder:
        pdf = _open(_named_pdf(path, Path(folder)), Path(folder))
        try:
            if pdf.file.page_count > max_pages:
                raise refusals.too_large(
                    "PDF", f"it has {pdf.file.page_count:,} pages, the limit is {max_pages:,}"
                )
            yield pdf
        finally:
            pdf.file.close()


def _named_pdf(path: Path, folder: Path) -> Path:
    """liteparse goes by the name of a file, and stored originals have none."""
    if path.suffix.lower() == ".pdf":
        return path
    alias = folder / "original.pdf"
    alias.symlink_to(path.resolve())
    return alias


def _open(path: Path, folder: Path) -> OpenPdf:
    with suppress(CannotOpen):
        return OpenPdf(path, PdfiumFile(path))
    for mend in (_saved_again, salvage):
        copy = folder / f"{mend.__name__}.pdf"
        with suppress(CannotOpen):
            if mend(path, copy):
                return OpenPdf(copy, PdfiumFile(copy), (_MENDED,))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        unknown_lock = content.find(b"/Encrypt") >= 0
    raise refusals.encrypted("PDF") if unknown_lock else refusals.corrupt("PDF")


def _saved_again(path: Path, copy: Path) -> bool:
    """Let qpdf rebuild what it can. It alone can tell whether a password is wanted: PDFium's
    error code may be left over from the file before."""
    import pikepdf

    try:
        with warnings.catch_warnings(action="ignore"), pikepdf.open(path) as document:
            document.save(copy)
    except pikepdf.PasswordError as error:
        raise refusals.encrypted("PDF") from error
    except (pikepdf.PdfError, OSError, ValueError, RecursionError):
        return False
    return True
