"""The command line. Modules `*_commands` define commands and import nothing heavy; the others execute them."""

from towpath.cli.main import main

__all__ = ["main"]
