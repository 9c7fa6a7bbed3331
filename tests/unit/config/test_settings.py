"""Settings: secrets are masked, impossible values and renamed settings are refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from towpath.config import RENAMED, Settings, display_value, load
from towpath.config.profiles import PROFILES
from towpath.errors import ConfigError


@pytest.mark.parametrize(
    ("address", "displayed"),
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
def test_an_address_is_shown_without_its_password(address: str, displayed: str) -> None:
    settings = Settings(database=address)

    assert display_value(settings, "database") == displayed
    assert "hush" not in repr(settings)


def test_a_secret_is_masked() -> None:
    settings = Settings(blob_storage="AccountName=a;AccountKey=hush")

    assert display_value(settings, "blob_storage") == "(set, not shown)"
    assert display_value(Settings(), "blob_storage") is None
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"queue": "bullmq", "redis_url": "redis://r"}, "needs Postgres"),
        ({"queue": "bullmq", "database": "postgresql://db/x"}, "needs the setting `redis_url`"),
        ({"redis_url": "http://redis"}, "must be an address like redis://host"),
        ({"queue": "kafka"}, "must be one of database, bullmq"),
    ],
)
def test_a_queue_that_cannot_work_is_refused(settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(settings, environment={})


def test_the_password_of_redis_is_masked() -> None:
    settings = Settings(redis_url="redis://:hush@redis:6379/0")

    assert display_value(settings, "redis_url") == "redis://:***@redis:6379/0"
    assert "hush" not in repr(settings)


@pytest.mark.parametrize("name", ["ab", "Towpath", "tow--path", "-towpath", "x" * 64])
def test_a_container_name_that_azure_does_not_accept_is_refused(name: str) -> None:
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
def test_an_impossible_value_is_refused_with_the_name_of_the_setting(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load({}, environment={f"TOWPATH_{name.upper()}": value})


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("TOWPATH_READR", "TOWPATH_READER"),
        ("TOWPATH_SPEECHKIT_POLL_INTERVAL", "TOWPATH_SPEECHKIT_POLL_INTERVAL_MS"),
        ("SPEECHKIT_POLL_INTERVAL", "SPEECHKIT_POLL_INTERVAL_MS"),
        ("SPEECHKIT_API_KEY", "TOWPATH_SPEECHKIT_API_KEY"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(variable: str, nearest: str) -> None:
    with pytest.raises(ConfigError, match=rf"{variable} names no setting. Did you mean {nearest}\?"):
        load({}, environment={variable: "1"})


def test_a_variable_that_resembles_no_setting_is_refused_with_advice() -> None:
    with pytest.raises(ConfigError, match="TOWPATH_XQZ names no setting"):
        load({}, environment={"TOWPATH_XQZ": "1"})


def test_variables_of_the_commands_and_of_other_programs_are_not_settings() -> None:
    environment = {"TOWPATH_URL": "x", "TOWPATH_API_KEY": "y", "TOWPATH_TEST_TIMEOUT_SCALE": "2", "HOME": "/"}
    assert set(load({}, environment=environment).sources.values()) == {"default"}


def test_the_alias_of_the_poll_interval_is_a_setting_and_the_full_name_takes_precedence() -> None:
    alias = {"SPEECHKIT_POLL_INTERVAL_MS": "2500"}
    assert load({}, environment=alias).settings.speechkit_poll_interval_ms == 2500
    both = {**alias, "TOWPATH_SPEECHKIT_POLL_INTERVAL_MS": "100"}
    assert load({}, environment=both).settings.speechkit_poll_interval_ms == 100


@pytest.mark.parametrize(("old", "new"), [("minilm", "english"), ("wordllama", "fast")])
def test_a_renamed_value_is_refused_with_the_new_value(old: str, new: str) -> None:
    with pytest.raises(ConfigError, match=f"'{old}' of the setting `embedder` was renamed: use '{new}'"):
        load({"embedder": old}, environment={})


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
class TestRenamedSetting:
    def test_the_old_name_in_the_environment_is_refused_with_the_new_name(self, old: str, new: str) -> None:
        with pytest.raises(ConfigError, match=f"`{old}` .environment. was renamed: use `{new}`"):
            load({}, environment={f"TOWPATH_{old.upper()}": "1"})

    def test_the_old_name_in_the_file_is_refused_with_the_new_name(
        self, old: str, new: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "towpath.toml"
        file.write_text(f"{old} = 1\n", "utf-8")
        with pytest.raises(ConfigError, match=f"`{old}` .* was renamed: use `{new}`"):
            load({}, environment={}, file=file)

    def test_the_old_name_as_a_flag_is_refused_with_the_new_name(self, old: str, new: str) -> None:
        with pytest.raises(ConfigError, match=f"`{old}` .flag. was renamed: use `{new}`"):
            load({old: "1"}, environment={})

    def test_the_new_name_is_a_setting_and_the_old_one_is_not(self, old: str, new: str) -> None:
        names = {item.name for item in fields(Settings)}
        assert new in names
        assert old not in names


class TestProfile:
    @pytest.mark.parametrize("name", PROFILES)
    def test_a_profile_sets_its_values_and_names_itself_as_their_source(self, name: str) -> None:
        loaded = load({}, environment={"TOWPATH_PROFILE": name})

        for setting, value in PROFILES[name].values.items():
            assert getattr(loaded.settings, setting) == value
            assert loaded.sources[setting] == f"profile {name}"

    def test_an_explicit_setting_takes_precedence_over_the_profile(self, tmp_path: Path) -> None:
        file = tmp_path / "towpath.toml"
        file.write_text('profile = "checkpointed"\nlease_seconds = 900\n', "utf-8")

        loaded = load({}, environment={"TOWPATH_HEARTBEAT_SECONDS": "60"}, file=file)

        assert (loaded.settings.lease_seconds, loaded.settings.heartbeat_seconds) == (900.0, 60.0)
        assert loaded.sources["recovery"] == "profile checkpointed"

    def test_a_profile_takes_precedence_over_the_defaults_on_postgres(self) -> None:
        environment = {"TOWPATH_PROFILE": "single-process", "TOWPATH_DATABASE": "postgresql://db/towpath"}

        settings = load({}, environment).settings

        assert (settings.max_attempts, settings.run_deadline_seconds) == (2, 120.0)
        assert settings.worker_concurrency == 8, (
            "a setting outside of the profile keeps its default on Postgres"
        )

    def test_an_unknown_profile_is_refused_with_the_known_names(self) -> None:
        with pytest.raises(ConfigError, match="must be one of single-process, postgres-queue"):
            load({}, environment={"TOWPATH_PROFILE": "fast"})
