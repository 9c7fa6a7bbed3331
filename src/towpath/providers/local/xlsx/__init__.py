"""Excel workbooks: every sheet a page. Two engines: a fast one, and a frugal one for sheets of absurd size."""

from towpath.providers.local.xlsx.reader import read_xlsx

__all__ = ["read_xlsx"]
