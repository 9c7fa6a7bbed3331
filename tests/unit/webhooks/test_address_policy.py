"""Addresses of webhook receivers: what is refused, before and after the name is resolved."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from towpath.webhooks.address_policy import AddressPolicy, AddressRefused, Resolve


def _answers(*addresses: str) -> Resolve:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolve


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "192.0.0.192",
        "192.88.99.1",
        "168.63.129.16",
        "::127.0.0.1",
        "::169.254.169.254",
        "64:ff9b:1::7f00:1",
        "fec0::1",
        "3fff::1",
        "4000::1",
    ],
)
async def test_a_name_with_an_address_that_is_not_public_is_refused(address: str) -> None:
    for addresses in ((address,), ("93.184.215.14", address)):
        with pytest.raises(AddressRefused, match="not public"):
            await AddressPolicy(resolve=_answers(*addresses)).check("https://hooks.example.com/")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8000/",
        "https://[::1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
async def test_spellings_of_private_addresses_are_refused_by_the_real_resolver(url: str) -> None:
    with pytest.raises(AddressRefused, match="not public"):
        await AddressPolicy().check(url)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "https:///path",
        "file:///etc/passwd",
        "https://user:secret@example.com/",
        "https://example.com:99999/",
        "https://example.com/a b",
        "https://exämple.com/",
        "example.com",
        "https://example.com/" + "a" * 2000,
    ],
)
async def test_what_is_not_the_address_of_a_receiver_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        await AddressPolicy(resolve=_answers("93.184.215.14")).check(url)


async def test_public_addresses_need_https() -> None:
    policy = AddressPolicy(resolve=_answers("93.184.215.14"))
    assert (await policy.check("https://example.com/hook")).address == "93.184.215.14"
    with pytest.raises(AddressRefused, match="https"):
        await policy.check("http://example.com/hook")


async def test_a_network_of_the_setting_is_allowed_and_no_other() -> None:
    policy = AddressPolicy(["10.0.0.0/8"], _answers("10.1.2.3"))
    receiver = await policy.check("http://hooks.internal:8080/path?a=b")
    assert receiver.pinned_url == "http://10.1.2.3:8080/path?a=b"
    assert receiver.authority == "hooks.internal:8080"
    with pytest.raises(AddressRefused):
        await AddressPolicy(["10.0.0.0/8"], _answers("192.168.1.1")).check("http://hooks.internal/")


@pytest.mark.parametrize(
    ("network", "address"), [("::1/128", "::1"), ("127.0.0.0/8", "::ffff:127.0.0.1"), ("fd00::/8", "fd00::5")]
)
async def test_a_network_is_allowed_in_the_version_in_which_it_is_written(network: str, address: str) -> None:
    receiver = await AddressPolicy([network], _answers(address)).check("http://hooks.internal/")
    assert ip_address(receiver.address) == ip_address(address)


async def test_the_request_goes_to_the_checked_address() -> None:
    """A second resolution could have another answer (DNS rebinding), so there is none."""
    policy = AddressPolicy(resolve=_answers("2606:2800:21f:cb07:6820:80da:af6b:8b2c"))
    receiver = await policy.check("https://example.com/hook")
    assert receiver.pinned_url == "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443/hook"
    assert receiver.authority == "example.com"
