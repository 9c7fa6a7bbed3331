"""Reads Word and PowerPoint files from before 2007 (.doc, .ppt) through LibreOffice, if it is installed.

Where the sandbox of child processes refuses to start programs (Linux), these files are refused with a sentence.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from towpath import rejections, seccomp
from towpath.errors import Rejected
from towpath.model.content import Extraction

#: LibreOffice needs seconds to start and converts about 100 pages a second.
_SECONDS = 110
_SAVE_AS = "Save it as {format} and upload that."
_INSTALL = (
    "Install LibreOffice on the server and reprocess the document. Or save it as {format} and upload that."
)


def read_doc(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    from towpath.readers.office.docx.reader import read_docx

    return _read(path, progress, ("An old Word file (.doc)", "docx"), read_docx)


def read_ppt(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    from towpath.readers.office.pptx.reader import read_pptx

    return _read(path, progress, ("An old PowerPoint file (.ppt)", "pptx"), read_pptx)


def find_libreoffice() -> str | None:
    """The path of LibreOffice's command; None if it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def _read(
    path: Path,
    progress: Callable[[int, int], None],
    names: tuple[str, str],
    read: Callable[[Path, Callable[[int, int], None]], Extraction],
) -> Extraction:
    format_name, target_format = names
    program = find_libreoffice()
    if program is None or seccomp.is_supported():
        # Advice to install LibreOffice would be wrong where the sandbox refuses to start it.
        advice = _SAVE_AS if seccomp.is_supported() else _INSTALL
        raise rejections.unsupported(format_name, advice.format(format=f".{target_format}"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source" + (".doc" if target_format == "docx" else ".ppt"))
        shutil.copyfile(path, source)
        converted = _convert(program, source, Path(folder), target_format)
        if converted is None:
            raise Rejected(
                "corrupt",
                f"{format_name} could not be converted by LibreOffice. Open it in the program that created it, save it "
                f"as .{target_format} and upload that.",
            )
        progress(1, 2)
        return read(converted, progress)


def _convert(program: str, source: Path, folder: Path, target_format: str) -> Path | None:
    """Run LibreOffice with a profile of its own, so that several can run at the same time and none is changed."""
    command = [
        program,
        "--headless",
        "--norestore",
        "--nolockcheck",
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",
        "--convert-to",
        target_format,
        "--outdir",
        str(folder),
        str(source),
    ]
    try:
        subprocess.run(command, check=False, timeout=_SECONDS, capture_output=True, cwd=folder)
    except (subprocess.TimeoutExpired, OSError):
        return None
    converted = source.with_suffix(f".{target_format}")
    return converted if converted.exists() else None
