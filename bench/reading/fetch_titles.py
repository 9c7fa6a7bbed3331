"""`python -m bench.reading.fetch_titles DIR`: makes DIR/titles from Debian packages with documentation.

``titles.tsv`` names the package, the file and the printed title of each document; ``unseen`` files were not looked at
while the rules were written. The packages are downloaded with apt-get, so this needs Debian and its package lists.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from pathlib import Path

from bench.reading import debian_packages

LISTING = Path(__file__).parent / "titles.tsv"


def main(folder: Path) -> int:
    target = folder / "titles"
    target.mkdir(parents=True, exist_ok=True)
    with LISTING.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    truth: dict[str, str] = {}
    for package in sorted({row["package"] for row in rows}):
        with tempfile.TemporaryDirectory(prefix="bench-titles-") as name:
            contents = debian_packages.unpack(package, Path(name))
            for row in rows:
                if row["package"] == package and contents is not None:
                    copy = f"{package}__{row['file'].replace('/', '_')}"
                    source = debian_packages.find(contents, row["file"])
                    if source is not None:
                        debian_packages.copy(source, target / copy)
                        truth[copy] = row["title"]
    (target / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1))
    print(f"{len(truth)} of {len(rows)} files in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
