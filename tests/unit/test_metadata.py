"""Metadata of wheel and sdist: one source of the version, the address of the repository, absolute links."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from build_metadata import absolute_links, project_urls, repository_url
from towpath import __version__
from towpath.version import git_commit, version_text

ROOT = Path(__file__).resolve().parents[2]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://example.com/wharf/towpath.git", "https://example.com/wharf/towpath"),
        ("git@example.com:wharf/towpath.git", "https://example.com/wharf/towpath"),
        ("ssh://git@example.com/wharf/towpath", "https://example.com/wharf/towpath"),
        ("https://user:secret@example.com/wharf/towpath", None),
        ("/home/keeper/towpath", None),
        (None, None),
    ],
)
def test_the_address_of_the_repository_is_that_of_the_remote(
    remote: str | None, url: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOWPATH_REPOSITORY", raising=False)
    git(tmp_path, "init")
    if remote is not None:
        git(tmp_path, "remote", "add", "origin", remote)

    assert repository_url(tmp_path) == url


def test_an_sdist_keeps_the_address_it_was_built_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOWPATH_REPOSITORY", raising=False)
    (tmp_path / "PKG-INFO").write_text(
        "Name: towpath\nProject-URL: Repository, https://example.com/wharf/towpath\n"
    )

    assert repository_url(tmp_path) == "https://example.com/wharf/towpath"


def test_links_of_the_readme_become_absolute() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    text = absolute_links(readme, "https://example.com/r")

    assert (
        "![A search hit, boxed on its page beside the extracted text](https://example.com/r/raw/HEAD/docs/images/"
        in text
    )
    assert "[Start](https://example.com/r/blob/HEAD/docs/start.md)" in text
    assert "](docs/" not in text
    assert "(https://docs.dbos.dev)" in text
    assert project_urls("https://example.com/r")["Repository"] == "https://example.com/r"


def test_the_version_has_one_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/towpath/__init__.py"
    assert project["project"]["license-files"] == ["LICENSE", "NOTICE"]
    assert version_text().startswith(__version__)


def test_the_guide_lists_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    guide = (ROOT / "docs" / "guides" / "install.md").read_text("utf-8")

    assert [extra for extra in project["optional-dependencies"] if f"`{extra}`" not in guide] == []


def test_the_commit_of_a_checkout_is_known_and_marked_if_files_changed(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / "file").write_text("1")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "first")

    clean = git_commit(tmp_path)
    (tmp_path / "file").write_text("2")

    assert clean is not None
    assert len(clean) == 12
    assert git_commit(tmp_path) == f"{clean}+"
