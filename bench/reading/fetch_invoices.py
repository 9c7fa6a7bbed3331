"""`python -m bench.reading.fetch_invoices DIR CLONES`: makes DIR/invoices, DIR/zugferd and DIR/sroie.

``invoices.tsv`` names the public repository, the commit, the file, and its truth; without one, the truth is the invoice
embedded in the file. ``CLONES`` has git clones of the repositories, as ``owner/name`` or ``owner+name``.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

LISTING = Path(__file__).parent / "invoices.tsv"


def main(folder: Path, clones: Path) -> int:
    with LISTING.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    count = 0
    for row in rows:
        clone = _find_clone(clones, row["repository"])
        content = _read(clone, row["commit"], row["file"]) if clone else None
        if clone is None or content is None:
            print(f"{row['repository']}: {row['file']} not found", file=sys.stderr)
            continue
        target = folder / row["folder"]
        target.mkdir(parents=True, exist_ok=True)
        path = target / target_name(row)
        path.write_bytes(content)
        truth = _read(clone, row["commit"], row["truth"]) if row["truth"] else None
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


def _find_clone(clones: Path, repository: str) -> Path | None:
    """The git folder of a clone, with or without a work tree."""
    for name in (repository, repository.replace("/", "+")):
        if (clones / name / ".git").exists() or (clones / name / "HEAD").exists():
            return clones / name
    return None


def _read(clone: Path, commit: str, path: str) -> bytes | None:
    command = ["git", "-C", str(clone), "cat-file", "blob", f"{commit}:{path}"]
    result = subprocess.run(command, check=False, capture_output=True)
    return result.stdout if result.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
