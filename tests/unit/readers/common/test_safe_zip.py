"""Tests of safe_zip: zip bombs, false sizes, unusual names, truncated files."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from tests.support.office import compound_file, pack
from towpath.errors import Rejected
from towpath.readers.common.safe_zip import ArchiveLimits, open_archive

SMALL = ArchiveLimits(
    entries=10,
    part_bytes=200_000,
    in_memory_part_bytes=100_000,
    total_bytes=250_000,
    ratio=50,
    ratio_from_bytes=20_000,
)


def opened_parts(path: Path, *names: str, limits: ArchiveLimits = SMALL) -> list[bytes | None]:
    with open_archive(path, "test file", limits) as archive:
        return [archive.read_optional(name) for name in names]


def rejected(path: Path, *names: str, limits: ArchiveLimits = SMALL) -> str:
    with pytest.raises(Rejected) as caught:
        opened_parts(path, *names, limits=limits)
    return caught.value.code


def test_part_names_ignore_case_and_slashes(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"Word\\Document.xml": "one", "/xl/book.xml": "two"})

    assert opened_parts(path, "word/document.xml", "xl/book.xml", "none") == [b"one", b"two", None]


def test_the_rejection_names_the_missing_part(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"a": "x"})

    with (
        open_archive(path, "test file") as archive,
        pytest.raises(Rejected, match=r"word/document\.xml") as caught,
    ):
        archive.read("word/document.xml")

    assert caught.value.code == "corrupt"


def test_path_traversal_names_are_harmless(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"../../escaped.txt": "x", "ok": "y"})

    assert opened_parts(path, "ok") == [b"y"]
    assert not (tmp_path.parent.parent / "escaped.txt").exists()


def test_a_part_beyond_the_size_limit_is_rejected(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"bomb": bytes(10_000_000)})

    assert rejected(path, "bomb") == "too_large"


def test_parts_beyond_the_total_limit_are_rejected(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 350
    path = pack(tmp_path / "a.zip", {f"part{number}": noise for number in range(5)})

    assert (
        rejected(path, *(f"part{number}" for number in range(5)), limits=ArchiveLimits(total_bytes=250_000))
        == "too_large"
    )


def test_streamed_parts_have_a_higher_limit_than_loaded_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("long", bytes(150_000))

    with open_archive(path, "test file", SMALL) as archive:
        with archive.open_part("long") as part:
            assert sum(len(block) for block in iter(part.read, b"")) == 150_000
        with pytest.raises(Rejected):
            archive.read_optional("long")


def test_declared_sizes_are_not_trusted(tmp_path: Path) -> None:
    """The directory declares ten bytes; the part has ten million."""
    path = pack(tmp_path / "a.zip", {"bomb": bytes(10_000_000)})
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<L", 10_000_000), struct.pack("<L", 10)))

    assert rejected(path, "bomb") == "corrupt"


def test_too_many_parts_are_rejected_before_they_are_listed(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {f"part{number}": "" for number in range(11)})

    assert rejected(path) == "too_large"


def test_unsupported_compression_methods_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("bomb", bytes(10_000_000))

    assert rejected(path, "bomb") == "corrupt"


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_zip_is_corrupt(tmp_path: Path, keep: float) -> None:
    path = pack(tmp_path / "a.zip", {"a": "x" * 1000, "b": "y" * 1000})
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])

    assert rejected(path, "a", "b") == "corrupt"


def test_a_flipped_byte_in_a_part_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a", "the quick brown fox")
    path.write_bytes(path.read_bytes().replace(b"quick", b"quack"))

    assert rejected(path, "a") == "corrupt"


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        (("EncryptionInfo", "EncryptedPackage"), "encrypted", "password"),
        (("WordDocument",), "unsupported", ".docx"),
        (("Workbook",), "unsupported", ".xlsx"),
        (("PowerPoint Document",), "unsupported", ".pptx"),
        (("__properties_version1.0",), "unsupported", ".eml"),
        (("Whatever",), "unsupported", "old Office"),
    ],
)
def test_compound_files_are_rejected_by_their_kind(
    tmp_path: Path, streams: tuple[str, ...], code: str, words: str
) -> None:
    path = compound_file(tmp_path / "a.docx", *streams)

    with pytest.raises(Rejected, match=words) as caught:
        opened_parts(path)

    assert caught.value.code == code


def test_empty_files_and_other_formats_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "words").write_bytes(b"Dear Sir or Madam" * 10)

    assert rejected(tmp_path / "empty") == "empty"
    assert rejected(tmp_path / "words") == "corrupt"
