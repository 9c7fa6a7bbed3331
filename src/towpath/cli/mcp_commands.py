"""The command `towpath mcp`, which starts the MCP server."""

from __future__ import annotations

import click

from towpath.cli.options import Target, server_options
from towpath.errors import ConfigError


@click.command()
@server_options
@click.option(
    "--http-port",
    type=click.IntRange(1, 65_535),
    help="Serve at http://127.0.0.1:PORT/mcp instead of over stdin and stdout.",
)
def mcp(target: Target, http_port: int | None) -> None:
    """Serve the library to MCP clients: tools search, ask, get_document, list_documents, submit.

    Uses the server of --server or of the data folder; without one it opens the data folder itself.
    """
    import asyncio

    try:
        from towpath.cli.mcp_server import run
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise ConfigError("The package for MCP is not installed. Run: pip install 'towpath[mcp]'") from error
    asyncio.run(run(target, http_port=http_port))
