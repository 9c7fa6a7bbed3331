"""Excel workbooks: every sheet a page. One engine is fast, the other frugal, for sheets of absurd size."""

from towpath.providers.local.xlsx.reader import read_xlsx

__all__ = ["read_xlsx"]
