"""Settings as they may be shown: a secret is told to be there, and nothing more."""

from __future__ import annotations

import pytest

from towpath.config import Settings, load, shown
from towpath.errors import ConfigError


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://tow:hush@db/towpath", "postgresql://tow:***@db/towpath"),
        ("postgresql://tow@db:5432/towpath", "postgresql://tow@db:5432/towpath"),
        (
            "postgresql://db/towpath?user=tow&password=hush",
            "postgresql://db/towpath?user=tow&password=***",
        ),
        ("postgresql://tow:hu:s@h@db:5432/towpath", "postgresql://tow:***@db:5432/towpath"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, told: str) -> None:
    settings = Settings(database=address)

    assert shown(settings, "database") == told
    assert "hush" not in repr(settings)


def test_a_secret_is_only_told_to_be_there() -> None:
    settings = Settings(blob_storage="AccountName=a;AccountKey=hush")

    assert shown(settings, "blob_storage") == "(set, not shown)"
    assert shown(Settings(), "blob_storage") is None
    assert "hush" not in repr(settings)


@pytest.mark.parametrize("name", ["ab", "Towpath", "tow--path", "-towpath", "x" * 64])
def test_a_container_has_a_name_that_azure_accepts(name: str) -> None:
    with pytest.raises(ConfigError, match="blob_container"):
        load({"blob_container": name}, environment={})
