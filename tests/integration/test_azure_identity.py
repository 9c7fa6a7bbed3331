"""A document is stored, read and embedded on Azure with an identity from a token endpoint, without any key."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import os
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.azurite import ACCOUNT, running_azurite
from tests.support.emulators.azure_identity import (
    AzureOpenAIEmulator,
    KeylessDocumentIntelligence,
    TokenEndpoint,
)
from tests.support.pdfs import plain
from tests.support.timeouts import COMMAND_SECONDS
from towpath.bootstrap import check_providers
from towpath.bootstrap.cloud_providers import azure_openai_embedder
from towpath.config import Settings
from towpath.errors import AccountRefused, ConfigError


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that signs itself, and its key: Azurite accepts tokens over TLS only."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate_file, key_file


async def towpath(settings: dict[str, str], *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "towpath", *arguments),
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    assert process.returncode == 0, output.decode()
    return output.decode()


async def test_blobs_reading_and_embedding_work_without_a_key(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    invoice = plain(tmp_path / "lock.pdf", [["The upper lock has wooden paddles."]])
    flags = ("--oauth", "basic", "--cert", str(certificate), "--key", str(key))
    async with (
        TokenEndpoint() as tokens,
        KeylessDocumentIntelligence() as reader,
        AzureOpenAIEmulator() as openai,
    ):
        with running_azurite(tmp_path, *flags) as port:
            settings = {
                **tokens.environment,
                "SSL_CERT_FILE": str(certificate),
                "TOWPATH_DATA": str(tmp_path / "data"),
                "TOWPATH_AZURE_CREDENTIAL": "default",
                "TOWPATH_BLOB_STORAGE": f"https://127.0.0.1:{port}/{ACCOUNT}",
                "TOWPATH_READER": "azure",
                "TOWPATH_DOCUMENT_INTELLIGENCE_ENDPOINT": reader.url,
                "TOWPATH_EMBEDDER": "azure-openai",
                "TOWPATH_AZURE_OPENAI_ENDPOINT": openai.url,
                "TOWPATH_AZURE_OPENAI_DEPLOYMENT": openai.deployment,
            }
            probed = await towpath(settings, "check", "--live")
            submitted = await towpath(settings, "submit", str(invoice), "--wait", "--create")
            found = await towpath(settings, "search", "wooden", "paddles")
            checked = await towpath(settings, "check")

    assert "reader = azure: answered" in probed
    assert "embedder = azure-openai: answered" in probed
    assert "1 file: completed" in submitted
    assert "lock.pdf" in found
    assert " 0 missing" in checked
    assert not list((tmp_path / "data").glob("orgs/**/*")), "the files are in the container"
    assert reader.bill.operations == 1
    resources = {request["path"].partition("resource=")[2].partition("&")[0] for request in tokens.requests}
    assert len(resources) == 2


async def test_a_key_is_the_alternative() -> None:
    async with AzureOpenAIEmulator() as openai:
        embedder = azure_openai_embedder(
            Settings(
                embedder="azure-openai",
                azure_openai_endpoint=openai.url,
                azure_openai_key=openai.key,
                azure_openai_deployment=openai.deployment,
            )
        )
        embedded = await embedder.embed(["the upper lock"])
        await embedder.aclose()

    assert embedded.vectors.shape == (1, 1536)
    assert embedder.model == "text-embedding-3-small"


async def test_an_identity_without_a_token_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    async with TokenEndpoint() as tokens, AzureOpenAIEmulator() as openai:
        for name, value in tokens.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("IDENTITY_HEADER", "wrong")
        monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        embedder = azure_openai_embedder(
            Settings(embedder="azure-openai", azure_openai_endpoint=openai.url, azure_credential="default")
        )
        with pytest.raises(AccountRefused, match="Azure gave no token for https://cognitiveservices"):
            await embedder.embed(["the upper lock"])
        await embedder.aclose()

    assert openai.requests == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (Settings(embedder="azure-openai"), "needs `azure_openai_endpoint`"),
        (
            Settings(embedder="azure-openai", azure_openai_endpoint="https://x.openai.azure.com"),
            "needs `azure_openai_key`",
        ),
        (
            Settings(reader="azure", document_intelligence_endpoint="https://x.cognitiveservices.azure.com"),
            "needs `document_intelligence_key`",
        ),
    ],
)
def test_a_missing_setting_is_named_at_start(settings: Settings, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        check_providers(settings)
