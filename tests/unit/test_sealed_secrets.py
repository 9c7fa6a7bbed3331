"""Sealed texts open with the same key and subject only, and the key file belongs to its owner."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from towpath.bootstrap.password_key import KEY_FILE, build_sealer
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.sealed_secrets import KEY_BYTES, Sealer, key_of_file, parse_key

KEY, OTHER_KEY = bytes(KEY_BYTES), bytes([1] * KEY_BYTES)
SECRET = "pässword 日本"


def test_a_sealed_text_opens_with_the_same_key_and_subject() -> None:
    sealer = Sealer(lambda: KEY)
    sealed = sealer.seal(SECRET, "document-1")

    assert sealer.unseal(sealed, "document-1") == SECRET
    assert sealer.seal(SECRET, "document-1") != sealed, "the nonce is not random"
    assert SECRET.encode() not in base64.b64decode(sealed.removeprefix("1:"))


@pytest.mark.parametrize("change", ["key", "subject", "text"])
def test_it_does_not_open_otherwise_and_the_error_names_no_secret(change: str) -> None:
    sealed = Sealer(lambda: KEY).seal(SECRET, "document-1")
    if change == "text":
        body = bytearray(base64.b64decode(sealed.removeprefix("1:")))
        body[-1] ^= 1
        sealed = "1:" + base64.b64encode(body).decode()
    sealer = Sealer(lambda: OTHER_KEY if change == "key" else KEY)

    with pytest.raises(ConfigError) as raised:
        sealer.unseal(sealed, "document-2" if change == "subject" else "document-1")

    assert "password_key" in str(raised.value)
    assert SECRET not in str(raised.value)


def test_the_key_file_is_made_once_and_is_private(tmp_path: Path) -> None:
    file = tmp_path / KEY_FILE
    key = key_of_file(file)

    assert len(key) == KEY_BYTES
    assert key_of_file(file) == key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_the_rights_of_others_to_the_key_file_are_taken_away(tmp_path: Path) -> None:
    file = tmp_path / KEY_FILE
    key_of_file(file)
    file.chmod(0o644)

    key_of_file(file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "secret", base64.b64encode(bytes(31)).decode(), "=" * 44])
def test_a_setting_that_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="32 bytes in base64"):
        build_sealer(Settings(password_key=text))


def test_both_alphabets_of_base64_are_read() -> None:
    key = bytes([255, 254, 253] * 10 + [252, 251])
    assert parse_key(base64.b64encode(key).decode()) == key
    assert parse_key(base64.urlsafe_b64encode(key).decode() + "\n") == key


def test_the_setting_wins_over_the_file(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, password_key=base64.b64encode(KEY).decode())
    sealed = build_sealer(settings).seal(SECRET, "document-1")

    assert Sealer(lambda: KEY).unseal(sealed, "document-1") == SECRET
    assert not (tmp_path / KEY_FILE).exists()
    assert settings.password_key is not None
    assert settings.password_key not in repr(settings)
