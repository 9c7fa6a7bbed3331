"""PDF files, read locally."""

from __future__ import annotations

from towpath.providers.local.pdf.read import MOST_PAGES, read_pdf

__all__ = ["MOST_PAGES", "read_pdf"]
