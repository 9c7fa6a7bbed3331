"""Binds the address of the server before anything else is opened, and explains why an address cannot be used."""

from __future__ import annotations

import errno
import socket

from towpath.errors import ConfigError


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """One bound socket per address of the host. They do not listen yet: connections are refused until they do."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ConfigError(
            f"The setting `host` names no address of this machine: {host!r} ({error})."
        ) from error
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(addresses):
            bound = socket.socket(family, socket.SOCK_STREAM)
            sockets.append(bound)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # With port 0, all addresses use the port that was chosen for the first.
            chosen = port or (sockets[0].getsockname()[1] if len(sockets) > 1 else 0)
            bound.bind((address[0], chosen, *address[2:]))
    except OSError as error:
        for bound in sockets:
            bound.close()
        raise address_error(host, port, error) from error
    return sockets


def address_error(host: str, port: int, error: OSError) -> ConfigError:
    """What is wrong with the address, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return ConfigError(
            f"Port {port} of {host} is in use by another program. Stop that program, or choose another port: "
            f"--port {port + 1 if port < 65_535 else 8000}, or --port 0 for a free one."
        )
    if error.errno == errno.EACCES:
        return ConfigError(f"Port {port} needs administrator rights. Choose a port above 1023 with --port.")
    if error.errno == errno.EADDRNOTAVAIL:
        return ConfigError(
            f"This machine has no address {host}. Use --host 127.0.0.1, or 0.0.0.0 for all addresses."
        )
    return ConfigError(f"Cannot serve on {host}, port {port}: {error}.")


def url_of(host: str, sockets: list[socket.socket]) -> str:
    """The URL of the server, with the port that was bound."""
    return f"http://{f'[{host}]' if ':' in host else host}:{sockets[0].getsockname()[1]}"
