"""The command line: `towpath serve`, `submit`, `status`, `search` and the rest."""

from towpath.cli.main import main

__all__ = ["main"]
