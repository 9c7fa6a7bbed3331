"""PowerPoint presentations: every slide a page under its title, with its tables, charts and notes."""

from towpath.providers.local.pptx.reader import read_pptx

__all__ = ["read_pptx"]
