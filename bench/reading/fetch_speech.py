"""`python -m bench.reading.fetch_speech DIR CLONES [HALF]`: makes DIR/speech from git clones and Debian packages.

``speech.tsv`` names the public repository with its commit, or the Debian package; the recording; its language; and
where its words are: a text file, a JSON list of tests (Picovoice), or a list of prompts in a second package (Asterisk).
``HALF`` takes only the clips of that half: ``seen`` ones were looked at while the code was changed, ``unseen`` ones
once.
``CLONES`` has git clones of the repositories, as ``owner/name`` or ``owner+name``.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import tempfile
from pathlib import Path

from bench.reading import debian_packages
from bench.reading.git_clones import find_clone, read_file

LISTING = Path(__file__).parent / "speech.tsv"
Row = dict[str, str]


def main(folder: Path, clones: Path, half: str | None) -> int:
    with LISTING.open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if half in (None, row["half"])]
    target = folder / "speech"
    target.mkdir(parents=True, exist_ok=True)
    truth: dict[str, dict[str, str]] = {}
    for source in sorted({row["source"] for row in rows}):
        group = [row for row in rows if row["source"] == source]
        copy = _from_clone if "/" in source else _from_package
        truth |= copy(source, group, clones, target)
    (target / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1))
    print(f"{len(truth)} of {len(rows)} recordings in {target}")
    return 0


def _from_clone(repository: str, rows: list[Row], clones: Path, target: Path) -> dict[str, dict[str, str]]:
    clone = find_clone(clones, repository)
    truth: dict[str, dict[str, str]] = {}
    for row in rows:
        recording = clone and read_file(clone, row["commit"], row["file"])
        words = clone and read_file(clone, row["commit"], row["truth"])
        if not recording or not words:
            print(f"{repository}: {row['file']} not found", file=sys.stderr)
            continue
        text = words.decode("utf-8")
        if row["truth"].endswith(".json"):
            text = _picovoice_text(text, Path(row["file"]).name)
        truth[_copy(row, recording, target)] = {"text": text.strip(), "lang": row["language"]}
    return truth


def _from_package(package: str, rows: list[Row], _: Path, target: Path) -> dict[str, dict[str, str]]:
    truth: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-speech-") as one, tempfile.TemporaryDirectory() as other:
        recordings = debian_packages.unpack(package, Path(one))
        texts = debian_packages.unpack(package.removesuffix("-wav"), Path(other))
        if recordings is None or texts is None:
            return truth
        for row in rows:
            recording = debian_packages.find(recordings, row["file"])
            prompts = debian_packages.find(texts, row["truth"])
            if recording is None or prompts is None:
                print(f"{package}: {row['file']} not found", file=sys.stderr)
                continue
            listing = gzip.decompress(prompts.read_bytes()).decode("utf-8")
            text = _asterisk_text(listing, Path(row["file"]).stem)
            truth[_copy(row, recording.read_bytes(), target)] = {"text": text, "lang": row["language"]}
    return truth


def _copy(row: Row, recording: bytes, target: Path) -> str:
    name = f"{row['language']}-{row['source']}-{row['commit'][:7]}-{Path(row['file']).name}".replace("/", "+")
    (target / name).write_bytes(recording)
    return name


def _picovoice_text(listing: str, file: str) -> str:
    tests: list[dict[str, str]] = json.loads(listing)["tests"]["language_tests"]
    return next(test["transcript"] for test in tests if test["audio_file"] == file)


def _asterisk_text(listing: str, prompt: str) -> str:
    found = re.search(rf"^{re.escape(prompt)}\s*:\s*(.+)$", listing, re.MULTILINE)
    assert found is not None, prompt
    return found[1].strip()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None))
