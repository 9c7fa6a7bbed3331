"""Checks that the address of a receiver is public, so that a webhook cannot reach services of the internal network.

The name is resolved here, every address it has is checked, and the request goes to a checked address: a name that
resolves to another address a moment later changes nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from towpath.errors import UserError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: Resolves a host and a port to addresses as text.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

#: IPv6 addresses that reach an IPv4 address in their last 32 bits: NAT64, and the IPv4-compatible ones.
_IPV4_IN_THE_LAST_BITS = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
#: The only IPv6 addresses that are given to hosts of the Internet; site-local ones (fec0::/10) are not among them.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
#: Not public, although `is_global` says so: protocol assignments (with a metadata service of Oracle Cloud), relays of
#: 6to4, the platform service of Azure, documentation.
_NOT_PUBLIC: tuple[Network, ...] = (
    *map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")),
    ipaddress.IPv6Network("3fff::/20"),
)
MAX_URL_LENGTH = 2000


class AddressRefused(UserError):
    """The address of a webhook is not allowed: it is private, or the URL is not one of a receiver."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """A checked receiver: its name for TLS and the Host header, and the address to connect to."""

    url: str
    host: str
    port: int
    address: str
    is_https: bool

    @property
    def authority(self) -> str:
        """The Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_https else 80) else f"{host}:{self.port}"

    @property
    def pinned_url(self) -> str:
        """The URL with the checked address in place of the name."""
        parts = urlsplit(self.url)
        host = f"[{self.address}]" if ":" in self.address else self.address
        return parts._replace(netloc=f"{host}:{self.port}", fragment="").geturl()


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(item[4][0]) for item in found]


class AddressPolicy:
    """Allows public addresses over HTTPS, and any address of the given networks also over HTTP."""

    def __init__(self, allowed: Sequence[str] = (), resolve: Resolve = resolve_by_system) -> None:
        """``allowed`` are networks such as `10.0.0.0/8`; the setting `webhook_networks`."""
        self._allowed: tuple[Network, ...] = tuple(map(ipaddress.ip_network, allowed))
        self._resolve = resolve

    async def check(self, url: str) -> Receiver:
        """The receiver of the URL; raises AddressRefused, or OSError if the name cannot be resolved."""
        host, port, is_https = _parse(url)
        try:
            texts = await self._resolve(host, port)
        except UnicodeError as error:
            raise AddressRefused(f"{host[:100]!r} is not a host name.") from error
        # `%` separates the zone of a link-local address.
        addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in texts]
        if not addresses:
            raise OSError(f"The name {host} has no address.")
        for address in addresses:
            self._require_allowed(address, host, is_https)
        return Receiver(url, host, port, str(addresses[0]), is_https)

    def _require_allowed(self, address: Address, host: str, is_https: bool) -> None:
        target = _embedded(address)
        if any(target in network or address in network for network in self._allowed):
            return
        if not _is_public(target):
            raise AddressRefused(
                f"{host} has the address {address}, which is not public. An operator can allow its network with the "
                "setting `webhook_networks`."
            )
        if not is_https:
            raise AddressRefused("Webhooks are sent to https:// addresses only.")


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    named = any(address in network for network in _NOT_PUBLIC)
    return address.is_global and not address.is_multicast and not named


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in _IPV4_IN_THE_LAST_BITS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)


def _parse(url: str) -> tuple[str, int, bool]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefused(f"This is not a URL: {error}.") from error
    if len(url) > MAX_URL_LENGTH or not url.isascii() or any(letter <= " " for letter in url):
        raise AddressRefused(f"The URL has at most {MAX_URL_LENGTH} ASCII letters and no blanks.")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressRefused("The URL must be an address like https://host/path.")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("The URL must not contain a user name or password; messages are signed.")
    is_https = parts.scheme == "https"
    return parts.hostname, port or (443 if is_https else 80), is_https
