"""`python -m bench.reading.fetch_invoices DIR CLONES`: makes DIR/invoices, DIR/zugferd and DIR/sroie.

``invoices.tsv`` names the public repository, the commit, the file, and its truth; without one, the truth is the invoice
embedded in the file. ``CLONES`` has git clones of the repositories, as ``owner/name`` or ``owner+name``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from bench.reading.git_clones import find_clone, read_file

LISTING = Path(__file__).parent / "invoices.tsv"


def main(folder: Path, clones: Path) -> int:
    with LISTING.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    count = 0
    for row in rows:
        clone = find_clone(clones, row["repository"])
        content = read_file(clone, row["commit"], row["file"]) if clone else None
        if clone is None or content is None:
            print(f"{row['repository']}: {row['file']} not found", file=sys.stderr)
            continue
        target = folder / row["folder"]
        target.mkdir(parents=True, exist_ok=True)
        path = target / target_name(row)
        path.write_bytes(content)
        truth = read_file(clone, row["commit"], row["truth"]) if row["truth"] else None
        if truth is not None:
            path.with_name(f"{path.stem}.truth.json").write_bytes(truth)
        count += 1
    print(f"{count} of {len(rows)} files in {folder}")
    return 0


def target_name(row: dict[str, str]) -> str:
    """The file name; of files in many folders, the whole path, since names repeat."""
    if row["truth"]:
        return Path(row["file"]).name
    path = f"{row['repository']}/{row['file']}".replace("/", "__")
    return f"{path[: -len('.pdf')]}.pdf"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
