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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("document_intelligence_endpoint", "my-resource"),
        ("openai_base_url", "api.openai.com/v1"),
        ("speechkit_stt_url", "ftp://stt.example"),
        ("openai_embedding_dimensions", "0"),
        ("lease_seconds", "nan"),
        ("port", "80000"),
        ("speechkit_languages", ""),
    ],
)
def test_a_value_that_can_never_work_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load({}, environment={f"TOWPATH_{name.upper()}": value})


def test_a_variable_that_is_one_letter_off_is_told_and_those_of_others_are_left_alone() -> None:
    loaded = load({}, environment={"TOWPATH_READR": "azure", "TOWPATH_URL": "x", "TOWPATH_API_KEY": "y"})

    assert loaded.misspelt == ("There is no setting TOWPATH_READR. Did you mean TOWPATH_READER?",)
    assert loaded.settings.reader == "local"
