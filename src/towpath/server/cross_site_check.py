"""Decides by the headers Host, Origin and Sec-Fetch-Site whether a request comes from a page of another site."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

#: Names of this machine. An address of the loopback network counts too.
LOOPBACK_NAMES = frozenset({"localhost", "ip6-localhost", "localhost.localdomain"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HostAllowList:
    """The values of the Host header that a request without an API key may have.

    A page of another site can let its own name point to a loopback address (DNS rebinding). Its requests then reach
    this server, but with that name in Host.
    """

    def __init__(self, bind_host: str, allowed_hosts: Iterable[str]) -> None:
        self._bind_host = _normalized(bind_host)
        self._allowed = frozenset(_normalized(host) for host in allowed_hosts)

    def allows(self, header: str | None) -> bool:
        name, port = _split(header or "")
        if not name:
            return False
        if name in LOOPBACK_NAMES or _is_loopback(name) or name == self._bind_host:
            return True
        return name in self._allowed or f"{name}:{port}" in self._allowed

    def names_origin(self, origin: str) -> bool:
        """True if the setting names this origin, as a proxy that sends another Host needs it."""
        parts = _parse_origin(origin)
        if parts is None:
            return False
        scheme, name, port = parts
        default = port == _DEFAULT_PORTS.get(scheme)
        return f"{name}:{port}" in self._allowed or (default and name in self._allowed)


def foreign_write_reason(
    host: str | None, origin: str | None, fetch_site: str | None, allowed: HostAllowList
) -> str | None:
    """Why a state-changing request is refused: it comes from a page of another origin. None if it does not.

    Programs send neither header; browsers send both, and older ones Origin only.
    """
    if origin is not None and not (_is_same(origin, host) or allowed.names_origin(origin)):
        return f"Requests from {origin[:100]} are not accepted."
    if fetch_site is not None and fetch_site.strip().lower() not in ("same-origin", "none"):
        named = origin is not None and allowed.names_origin(origin)
        if not named:
            return f"Requests of a page of another origin ({fetch_site[:20]}) are not accepted."
    return None


def _is_same(origin: str, host: str | None) -> bool:
    parts = _parse_origin(origin)
    if parts is None:
        return False
    scheme, name, port = parts
    host_name, host_port = _split(host or "")
    # A proxy that ends TLS passes Host on, and the port that it listens on is the default of its scheme.
    return name == host_name and port == (host_port or _DEFAULT_PORTS[scheme])


def _parse_origin(origin: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(origin.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        return None
    return parts.scheme, parts.hostname.lower(), port or _DEFAULT_PORTS[parts.scheme]


def _split(header: str) -> tuple[str, int | None]:
    """Name and port of a Host header; an empty name if it is not valid."""
    try:
        parts = urlsplit(f"//{header.strip()}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return "", None
    if parts.username is not None or parts.path or parts.query or parts.fragment:
        return "", None
    return name.lower().rstrip("."), port


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _normalized(host: str) -> str:
    return host.strip().lower().strip("[]").rstrip(".")
