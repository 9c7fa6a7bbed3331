"""Adds the address of the repository to the metadata of wheel and sdist: project URLs and absolute links in the README.

The address comes from the variable TOWPATH_REPOSITORY, from the remote `origin` of the checkout, or, in an unpacked
sdist, from its PKG-INFO. Without an address the links stay relative and no URL is added.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    MetadataHookInterface = object
else:
    try:
        from hatchling.metadata.plugin.interface import MetadataHookInterface
    except ImportError:  # imported by a test, without hatch
        MetadataHookInterface = object

ROOT = Path(__file__).resolve().parent
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")
_SSH = re.compile(r"(?:ssh://)?git@([^:/]+)[:/](.+)")


class RepositoryMetadataHook(MetadataHookInterface):
    """Fills in the dynamic fields `urls` and `readme`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        repository = repository_url(ROOT)
        readme = (ROOT / "README.md").read_text("utf-8")
        metadata["urls"] = project_urls(repository) if repository else {}
        text = absolute_links(readme, repository) if repository else readme
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def repository_url(root: Path) -> str | None:
    """The address of the repository, such as https://host/owner/name; None if it is not known."""
    given = os.environ.get("TOWPATH_REPOSITORY") or _remote(root) or _recorded(root)
    if given is None:
        return None
    if match := _SSH.fullmatch(given):
        given = f"https://{match[1]}/{match[2]}"
    if not given.startswith(("https://", "http://")) or "@" in given:
        # A path of this machine, or an address with credentials.
        return None
    return given.removesuffix("/").removesuffix(".git")


def _remote(root: Path) -> str | None:
    if not (root / ".git").exists():
        return None
    try:
        command = ["git", "-C", str(root), "remote", "get-url", "origin"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.SubprocessError):
        return None


def _recorded(root: Path) -> str | None:
    """The address that an sdist was built with."""
    if not (root / "PKG-INFO").exists():
        return None
    match = re.search(
        r"^Project-URL: Repository, (\S+)$", (root / "PKG-INFO").read_text("utf-8"), re.MULTILINE
    )
    return match and match[1]


def project_urls(repository: str) -> dict[str, str]:
    return {
        "Homepage": repository,
        "Repository": repository,
        "Documentation": f"{repository}/blob/HEAD/docs/start.md",
        "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def absolute_links(markdown: str, repository: str) -> str:
    """The text with absolute links: a package index shows the README without the repository around it."""

    def link(match: re.Match[str]) -> str:
        kind = "raw" if match[1] else "blob"
        return f"{match[1]}[{match[2]}]({repository}/{kind}/HEAD/{match[3]})"

    return _LINK.sub(link, markdown)
