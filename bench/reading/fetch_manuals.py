"""`python -m bench.reading.fetch_manuals DIR [SPLIT]`: makes DIR/manuals from Debian packages.

The packages have a manual as PDF and as HTML. ``manuals.tsv`` names the package, the PDF, and the HTML of the same
manual: a file, a folder or a pattern of files.
The HTML is the truth: both are made from one source. ``SPLIT`` is one of the sets
that were measured apart: ``first``, ``second``, ``third`` or ``fourth``.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.reading import debian_packages

LISTING = Path(__file__).parent / "manuals.tsv"


def main(folder: Path, split: str = "") -> int:
    target = folder / "manuals"
    with LISTING.open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if split in ("", row["split"])]
    for row in rows:
        with tempfile.TemporaryDirectory(prefix="bench-manuals-") as name:
            contents = debian_packages.unpack(row["package"], Path(name))
            pdf = contents and debian_packages.find(contents, row["pdf"])
            if contents is None or pdf is None:
                continue
            manual = f"{row['package']}__{Path(row['pdf']).stem}"
            pages = target / f"{manual}.truth"
            pages.mkdir(parents=True, exist_ok=True)
            debian_packages.copy(pdf, target / f"{manual}.pdf")
            for source in _html_files(contents, row["html"]):
                debian_packages.copy(source, pages / source.name.removesuffix(".gz"))
    print(f"{len(list(target.glob('*.pdf')))} of {len(rows)} manuals in {target}")
    return 0


def _html_files(contents: Path, name: str) -> Iterator[Path]:
    """The HTML files of the manual: ``name`` is a file, a folder, or a pattern of files in a folder."""
    folder_name, _, pattern = name.rpartition("/") if "*" in name else (name, "", "*.html")
    found = debian_packages.find(contents, folder_name)
    if found is not None and found.is_dir():
        yield from (*sorted(found.glob(pattern)), *sorted(found.glob(f"{pattern}.gz")))
    elif found is not None:
        yield found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
