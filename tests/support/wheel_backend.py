"""A build backend for pip that needs no other package: makes a wheel of the modules that a pyproject.toml names.

It is copied into the folder of a package under test, because tests install packages without an index.
"""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path
from typing import Any


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    pyproject = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
    project = pyproject["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    info = f"{name}-{version}.dist-info"
    groups = project.get("entry-points", {})
    entry_points = "".join(
        f"[{group}]\n" + "".join(f"{point} = {target}\n" for point, target in points.items()) + "\n"
        for group, points in groups.items()
    )
    modules = pyproject["tool"]["setuptools"]["py-modules"]
    files = {f"{module}.py": Path(f"{module}.py").read_text("utf-8") for module in modules}
    files |= {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel
